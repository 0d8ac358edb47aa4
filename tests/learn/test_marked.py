"""What the linear method learns from documents that are known to be off topic."""

import numpy as np
import pytest
from scipy import sparse

from likewise.learn import estimators
from likewise.learn.estimators import LinearSVM
from likewise.learn.regression import fit_squared_hinge
from likewise.learn.rows import Rows

RNG = np.random.default_rng(2)
POSITIVE = RNG.normal(1, 1, (4, 3))
UNLABELED = RNG.normal(0, 1, (20, 3))
NEGATIVE = RNG.normal(-1, 1, (6, 3))


def rows_of(kind, weights=None):
    return Rows(kind, np.ones(kind.shape[0]) if weights is None else np.asarray(weights, float))


@pytest.fixture
def told(monkeypatch):
    """Return what the machine was given each time, by the names of its parameters."""
    given = []

    def spy(rows, signs, **others):
        given.append({"rows": rows, "signs": signs, **others})
        return fit_squared_hinge(rows, signs, **others)

    monkeypatch.setattr(estimators, "fit_squared_hinge", spy)
    return given


def learn(*, negative=None, **chosen):
    return LinearSVM(**chosen).learn(rows_of(POSITIVE), rows_of(UNLABELED), negative)


def test_positive_rows_weigh_so_many_times_as_much_as_negative_ones(told):
    learn(negative=rows_of(NEGATIVE), positive=4)
    weights = told[0]["weights"]
    # 10 in all: 8 for the 4 positive rows, 2 for the 6 negative ones.
    assert weights == pytest.approx([2] * 4 + [1 / 3] * 6)


def test_a_negative_counts_as_much_as_it_is_given(told):
    learn(negative=rows_of(NEGATIVE, [1, 1, 1, 1, 2, 4]), positive=4)
    assert told[0]["weights"][4:] == pytest.approx([0.2, 0.2, 0.2, 0.2, 0.4, 0.8])


def test_unlabeled_rows_are_not_looked_at_where_there_are_negative_ones(told):
    learn(negative=rows_of(NEGATIVE))
    assert (told[0]["rows"] == np.concatenate([POSITIVE, NEGATIVE])).all()
    assert told[0]["signs"].tolist() == [1] * 4 + [-1] * 6


def test_without_negatives_the_unlabeled_stand_for_them(told):
    learn()
    assert (told[0]["rows"] == np.concatenate([POSITIVE, UNLABELED])).all()


def test_it_is_as_free_as_it_is_told_to_be(told):
    learn(strength=0.5)
    assert told[0]["strength"] == 0.5


def test_sparse_rows_give_the_same():
    groups = [rows_of(sparse.csr_array(rows)) for rows in (POSITIVE, UNLABELED, NEGATIVE)]
    of_sparse = LinearSVM().learn(*groups).plane_
    of_dense = learn(negative=rows_of(NEGATIVE)).plane_
    assert of_sparse.weights == pytest.approx(of_dense.weights, abs=1e-9)
