"""The one-class SVM: the region where the seeds lie, learned from them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse

from likewise.extras import require
from likewise.learn.estimators import PUEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OneClassSVM(PUEstimator):
    """The region of the seeds (Schölkopf et al., 2001), as scikit-learn finds it.

    With k the kernel, x_i the positive rows and 0 <= a_i <= 1 / (nu n), sum a_i = 1, it makes

        sum_ij a_i a_j k(x_i, x_j)

    small; a row x scores sum_i a_i k(x_i, x) less the border's height. Neither the unlabeled nor
    the negative rows are looked at.
    """

    model_: Any

    def __init__(self, *, nu: float = 0.5, kernel: str = "linear") -> None:
        self.nu = nu
        self.kernel = kernel

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the region."""
        svm = require("sklearn.svm", for_="The method one-class-svm", extra="bench")
        # Rows are of length 1: a gamma of 1 makes of a cosine c the kernel exp(2 c - 2).
        self.model_ = svm.OneClassSVM(nu=self.nu, kernel=self.kernel, gamma=1.0)
        self.model_.fit(_plain(positive))
        return self

    def decision_function(self, rows: Any) -> NDArray[np.float64]:
        """Return how far inside the region a row is; below 0, how far outside."""
        return np.asarray(self.model_.decision_function(_plain(rows)), dtype=np.float64)


def _plain(rows: Any) -> Any:
    """Return rows of the kind that scikit-learn's solver takes, with a column at least."""
    if not rows.shape[1]:
        return np.zeros((rows.shape[0], 1))
    if not sparse.issparse(rows):
        return np.asarray(rows, dtype=np.float64)
    made = sparse.csr_matrix(rows, dtype=np.float64)
    made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made
