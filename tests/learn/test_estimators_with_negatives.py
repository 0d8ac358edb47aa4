"""What estimators make of rows that are known to be negative."""

import numpy as np
import pytest
from scipy import sparse

from likewise.learn.estimators import Divergence, Fused, PUEstimator, PULogistic, weigh_count
from likewise.learn.rows import Rows

SEEDS = np.array([[1, 0], [1, 0]])
POOL = np.array([[1, 1], [0, 1], [0, 1], [0, 1]])
NEGATIVE = np.array([[1, 0], [1, 0]])


def worth_of_first(*, share, others=4):
    """What a column of all seeds is worth, if it is in so many of the others: ln(1 / b)."""
    return -np.log((share * others + 0.5) / (others + 1))


class TestDivergence:
    def test_of_as_many_negatives_as_a_half_takes_the_share_counts_half(self):
        learned = Divergence(half=2).learn(SEEDS, POOL, NEGATIVE)
        # A quarter of the pool has the first column, and all negatives have: 5 / 8.
        assert learned.weights_[0] == pytest.approx(worth_of_first(share=5 / 8))

    def test_of_few_negatives_the_share_counts_little(self):
        learned = Divergence(half=98).learn(SEEDS, POOL, NEGATIVE)
        assert learned.weights_[0] == pytest.approx(worth_of_first(share=0.25 * 0.98 + 0.02))

    def test_a_column_that_negatives_have_is_worth_less(self):
        told, untold = (
            Divergence().learn(SEEDS, POOL, off).weights_[0] for off in (NEGATIVE, None)
        )
        assert told < untold

    def test_negatives_like_the_pool_change_nothing(self):
        told, untold = (Divergence().learn(SEEDS, POOL, off).weights_ for off in (POOL, None))
        assert told == pytest.approx(untold)

    def test_sparse_rows_give_the_same(self):
        kinds = [sparse.csr_array(rows) for rows in (SEEDS, POOL, NEGATIVE)]
        expected = Divergence().learn(SEEDS, POOL, NEGATIVE).weights_
        assert Divergence().learn(*kinds).weights_ == pytest.approx(expected)


@pytest.mark.parametrize(("count", "part"), [(0, 0), (5, 0.5), (15, 0.75), (495, 0.99)])
def test_a_count_makes_more_and_more_of_the_whole(count, part):
    assert weigh_count(count, half=5) == part


class Noting(PUEstimator):
    """Scores a row by its only column, and remembers how many negatives it was shown."""

    def __init__(self, shown):
        self.shown = shown

    def learn(self, positive, unlabeled, negative=None):
        self.shown.append(0 if negative is None else len(negative))
        return self

    def decision_function(self, rows):
        return rows[:, 0]


# The second kind of the pool says the reverse of the first.
BOTH = Rows(np.array([[-1.0], [1.0]]), np.array([[1.0], [-1.0]]))


class TestFused:
    @pytest.mark.parametrize(("count", "expected"), [(0, 1), (1, 0), (2, -1 / 3)])
    def test_weights_may_depend_on_how_many_negatives_there_are(self, count, expected):
        fused = Fused([(Noting([]), 1.0), (Noting([]), float)])
        fused.learn(BOTH, BOTH, BOTH[:count] if count else None)
        # The second part weighs as much as there are negatives: (1 - n) / (1 + n).
        assert fused.decision_function(BOTH)[1] == pytest.approx(expected)

    def test_what_weighs_nothing_is_not_learned(self):
        first, second = [], []
        fused = Fused([(Noting(first), 1.0), (Noting(second), float)])
        fused.learn(BOTH, BOTH)
        assert (first, second) == ([0], [])
        fused.learn(BOTH, BOTH, BOTH)
        assert (first, second) == ([0, 2], [2])

    def test_a_part_that_weighed_nothing_may_be_learned_later(self):
        kinds = Rows(*(np.array([[-1.0], [1.0]]) for _ in range(2)))
        fused = Fused([(PULogistic(), 1.0), (PULogistic(), float)])
        fused.learn(kinds, kinds).learn(kinds, kinds, kinds)
        assert np.isfinite(fused.decision_function(kinds)).all()
