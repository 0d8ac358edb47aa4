"""What the linear method learns from documents that are known to be off topic."""

import numpy as np
import pytest
from scipy import sparse

from likewise.learn import marked
from likewise.learn.estimators import Rows
from likewise.learn.marked import POOL_ROWS, Likeness, PNULogistic
from likewise.learn.regression import fit_logistic

RNG = np.random.default_rng(2)
POSITIVE = RNG.normal(1, 1, (4, 3))
UNLABELED = RNG.normal(0, 1, (20, 3))
NEGATIVE = RNG.normal(-1, 1, (6, 3))


def rows_of(kind, weights=None):
    return Rows(kind, np.ones(len(kind)) if weights is None else np.asarray(weights, float))


@pytest.fixture
def told(monkeypatch):
    """Return what the regression was given each time, by the names of its parameters."""
    given = []

    def spy(rows, targets, **others):
        given.append({"rows": rows, "targets": targets, **others})
        return fit_logistic(rows, targets, **others)

    monkeypatch.setattr(marked, "fit_logistic", spy)
    return given


def learn(*, seeds=POSITIVE, unlabeled=UNLABELED, negative=None, **chosen):
    return PNULogistic(**chosen).learn(rows_of(seeds), rows_of(unlabeled), negative)


class TestPNULogistic:
    def test_all_positive_rows_weigh_five_times_as_much_as_all_others(self, told):
        learn(negative=rows_of(NEGATIVE))
        weights = told[0]["weights"]
        # 4 positive rows, 6 negative ones and a pool that counts as 10 more: 20 in all.
        assert weights.sum() == pytest.approx(20)
        assert weights[:4] == pytest.approx(np.full(4, 20 * 5 / 6 / 4))
        assert weights[4:].sum() == pytest.approx(20 / 6)

    def test_the_pool_counts_as_ten_negatives_however_large_it_is(self, told):
        for size in (1, 5, 20):
            learn(unlabeled=UNLABELED[:size], negative=rows_of(NEGATIVE))
            of_pool, of_negatives = np.split(told[-1]["weights"][4:], [size])
            assert of_pool.sum() / of_negatives.sum() == pytest.approx(10 / 6)

    def test_a_negative_counts_as_much_as_it_is_given(self, told):
        learn(negative=rows_of(NEGATIVE, [1, 1, 1, 1, 2, 4]))
        of_pool, of_negatives = np.split(told[0]["weights"][4:], [20])
        assert of_negatives / of_negatives[0] == pytest.approx([1, 1, 1, 1, 2, 4])
        assert of_pool.sum() / of_negatives[0] == pytest.approx(10)

    def test_without_negatives_the_pool_is_all_there_is_of_others(self, told):
        learn()
        weights = told[0]["weights"]
        assert weights[:4].sum() == pytest.approx(14 * 5 / 6)
        assert weights[4:] == pytest.approx(np.full(20, 14 / 6 / 20))

    def test_only_the_positive_rows_are_to_be_on_topic(self, told):
        learn(negative=rows_of(NEGATIVE))
        assert told[0]["targets"].tolist() == [1] * 4 + [0] * 26
        assert (told[0]["rows"] == np.concatenate([POSITIVE, UNLABELED, NEGATIVE])).all()

    def test_a_pool_that_counts_nothing_leaves_a_regression_on_negatives(self):
        learned = learn(negative=rows_of(NEGATIVE), pool=0, positive=1, strength=0.5).plane_
        # Both sides weigh 5 of 10: 5 / 4 a positive row, 5 / 6 a negative one.
        expected = fit_logistic(
            np.concatenate([POSITIVE, NEGATIVE]),
            np.repeat([1.0, 0.0], [4, 6]),
            weights=np.repeat([5 / 4, 5 / 6], [4, 6]),
            strength=0.5,
        )
        assert learned.weights == pytest.approx(expected.weights, abs=1e-3)
        assert learned.intercept == pytest.approx(expected.intercept, abs=1e-3)

    def test_weight_by_weight_it_is_a_plain_regression(self):
        # 3 positive rows, 3 negatives and a pool that counts as its 3 rows, both sides the same:
        # 9 in all, of which a positive row weighs 1.5 and any other 0.75.
        rows = [POSITIVE[:3], UNLABELED[:3], NEGATIVE[:3]]
        estimator = PNULogistic(pool=3, positive=1, strength=1.0)
        learned = estimator.learn(*map(rows_of, rows))
        expected = fit_logistic(
            np.concatenate(rows),
            np.repeat([1.0, 0.0], [3, 6]),
            weights=np.repeat([1.5, 0.75], [3, 6]),
            strength=1.0,
        )
        assert (learned.plane_.weights == expected.weights).all()

    def test_of_a_large_pool_rows_are_taken_evenly(self, told):
        pool = np.arange(2 * POOL_ROWS + 1.0)[:, None]
        learn(seeds=np.array([[-1.0]]), unlabeled=pool)
        assert told[0]["rows"][1:].ravel().tolist() == pool[::3].ravel().tolist()
        assert told[0]["weights"][1:].sum() == pytest.approx((1 + 10) / 6)

    def test_sparse_rows_give_the_same(self):
        groups = [sparse.csr_array(rows) for rows in (POSITIVE, UNLABELED, NEGATIVE)]
        weighed = [Rows(rows, np.ones(rows.shape[0])) for rows in groups]
        of_sparse = PNULogistic().learn(*weighed).plane_
        of_dense = learn(negative=rows_of(NEGATIVE)).plane_
        assert of_sparse.weights == pytest.approx(of_dense.weights, abs=1e-9)

    def test_it_starts_from_what_it_learned_before(self, told):
        estimator = PNULogistic()
        estimator.learn(rows_of(POSITIVE), rows_of(UNLABELED))
        first = estimator.plane_
        estimator.learn(rows_of(POSITIVE), rows_of(UNLABELED), rows_of(NEGATIVE))
        assert [given["start"] for given in told] == [None, first]


class TestLikeness:
    def test_without_negatives_it_is_the_likeness_to_the_mean(self):
        learned = Likeness().learn(np.array([[1.0, 0], [0, 1]]), UNLABELED)
        assert learned.decision_function(np.array([[1.0, 0], [1, 1]])).tolist() == [0.5, 1]

    def test_a_part_of_the_likeness_to_negatives_is_taken_off(self):
        positive, negative = np.array([[1.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 3.0]])
        learned = Likeness(against=0.25).learn(positive, UNLABELED, negative)
        # The mean of the negatives is (0, 2), a quarter of which is (0, 0.5).
        assert learned.centre_.tolist() == [1, 0.5]

    def test_rows_may_be_sparse(self):
        kinds = [sparse.csr_array(rows) for rows in (POSITIVE, UNLABELED, NEGATIVE)]
        expected = Likeness().learn(POSITIVE, UNLABELED, NEGATIVE).decision_function(UNLABELED)
        assert Likeness().learn(*kinds).decision_function(kinds[1]) == pytest.approx(expected)
