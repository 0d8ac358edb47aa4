"""scikit-learn's own checks of the benchmark's estimators.

Left out are `LinearSVM` and `Fused`, whose rows are views of our own, no matrices, and those that
train networks (`Energies` among them), for which these checks take minutes.
"""

import pytest

from learn.test_manners import list_checks
from likewise.bench.methods.profiles import RM3, Centroid, KernelDensities, OneClassSVM, Rocchio
from likewise.bench.methods.propensities import ElkanNoto, PUe
from likewise.bench.methods.spies import Spies

ESTIMATORS = [Centroid, ElkanNoto, KernelDensities, OneClassSVM, PUe, RM3, Rocchio, Spies]
UNUSUAL = {
    ("Spies", "check_decision_proba_consistency"): "it counts, so rows below 0 are refused, and "
    "this check makes some without asking",
    ("Spies", "check_fit2d_1feature"): "",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list_checks(*ESTIMATORS, unusual=UNUSUAL))
def test_scikit_learns_checks_pass_where_they_apply(estimator, check):
    check(estimator)


def test_what_counts_refuses_numbers_below_0():
    with pytest.raises(ValueError, match="Negative values in data passed to Spies"):
        Spies().fit([[1.0, -1.0], [0.0, 2.0], [1.0, 1.0]], [1, 0, 0])


def test_densities_of_sparse_rows_are_refused_in_one_line():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="Sparse data was passed"):
        KernelDensities().fit(sparse.eye(4).tocsr(), [1, 0, 0, 0])
