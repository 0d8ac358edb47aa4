"""COP-KMeans: what must be together is, what must be apart is, and clusters are tight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likewise.learn.scorers import Centres, COPKMeans, _Clusters

numbers = st.floats(-100, 100).map(lambda number: round(number, 2))


def rows(*values):
    return np.array(values, float)


def row_arrays(least):
    return st.integers(least, 12).flatmap(lambda n: arrays(float, (n, 2), elements=numbers))


class TestByHand:
    """On a line: seeds at 0 and 2, a pool of 1, 3, 20 and 24."""

    seeds, pool = rows([0], [2]), rows([1], [3], [20], [24])

    @pytest.fixture
    def learned(self):
        return COPKMeans().learn(self.seeds, self.pool)

    def test_centres_are_the_means_of_the_clusters(self, learned):
        # The mean of 0, 2, 1 and 3, and that of 20 and 24.
        assert learned.centres_.positive.tolist() == [1.5]
        assert learned.centres_.other.tolist() == [22]

    def test_a_score_is_the_difference_of_the_distances(self, learned):
        # From 1: 21 to the other centre and 0.5 to the seeds'; half way, at 11.75, they are equal.
        scores = learned.decision_function(rows([1], [22], [11.75]))
        assert scores.tolist() == [20.5, -20.5, 0]

    def test_the_inertia_is_that_of_the_clusters_but_for_the_scatter_of_the_seeds(self, learned):
        # 2 (1 - 1.5)^2 for the seeds, then 0.25 + 2.25 + 4 + 4.
        clusters = _Clusters(self.seeds, self.pool)
        assert clusters.inertia(learned.centres_) == 11

    def test_negatives_pull_what_is_like_them_out_of_the_seeds_cluster(self):
        # Without them, 9 goes with the seeds: 30 is farther. With four at 12, it goes with these.
        seeds, pool = rows([0]), rows([9], [30])
        assert COPKMeans().learn(seeds, pool).decision_function(rows([9])) > 0
        with_negative = COPKMeans().learn(seeds, pool, rows([12], [12], [12], [12]))
        assert with_negative.decision_function(rows([9])) < 0
        # The mean of 9, 30 and four times 12.
        assert with_negative.centres_.other.tolist() == [14.5]


def test_seeds_far_apart_are_in_one_cluster_all_the_same():
    # Alone, -10 and 10 would be parted; the rows beside them go with them or not, each for itself.
    learned = COPKMeans().learn(rows([-10], [10]), rows([100], [101]))
    assert learned.centres_.positive.tolist() == [0]
    assert learned.centres_.other.tolist() == [100.5]


def test_clusters_change_names_where_the_seeds_are_nearer_to_the_other_centre():
    clusters = _Clusters(rows([0]), rows([1], [9]))
    assert clusters._name_clusters(Centres(rows(9), rows(1))) == (rows(1), rows(9))


def test_negatives_hold_seeds_off_though_both_are_near_one_centre():
    clusters = _Clusters(rows([0]), rows([50]))
    clusters.part(rows([1], [1], [1]))
    named = clusters._name_clusters(Centres(rows(0.5), rows(50)))
    # Seeds at 50 would cost 2500 - 0.25; three negatives at 50 cost 3 (2401 - 0.25).
    assert named.positive.tolist() == [50]
    assert not clusters._is_positive(named)[1]


def test_a_cluster_that_would_be_empty_gets_the_row_farthest_out():
    clusters = _Clusters(rows([0]), rows([1], [3], [2]))
    # All rows are nearer to 0 than to 90.
    assert clusters._is_positive(Centres(rows(0), rows(90))).tolist() == [True, False, True]


def test_more_starts_find_clusters_that_are_as_tight_or_tighter():
    rng = np.random.default_rng(4)
    seeds, pool = rng.normal(0, 1, (5, 3)), rng.uniform(-9, 9, (60, 3))
    clusters = _Clusters(seeds, pool)
    inertia = [
        clusters.inertia(COPKMeans(restarts=restarts).learn(seeds, pool).centres_)
        for restarts in (1, 3, 9)
    ]
    assert inertia == sorted(inertia, reverse=True)


@given(seeds=row_arrays(1), pool=row_arrays(1), negative=row_arrays(1), number=st.integers(0, 99))
def test_constraints_always_hold(seeds, pool, negative, number):
    clusters = _Clusters(seeds, pool)
    clusters.part(negative)
    centres = clusters.settle(clusters.start(np.random.default_rng(number)))
    is_positive = clusters._is_positive(centres)
    # The seeds' mean is part of the positive centre, the negatives' of the other one.
    inside = np.vstack([seeds, pool[is_positive[:-1]]])
    outside = np.vstack([negative, pool[~is_positive[:-1]]])
    assert centres.positive == pytest.approx(inside.mean(axis=0), abs=1e-6)
    assert centres.other == pytest.approx(outside.mean(axis=0), abs=1e-6)


@given(seeds=row_arrays(1), pool=row_arrays(1), number=st.integers(0, 99))
def test_settling_never_loosens_the_clusters(seeds, pool, number):
    clusters = _Clusters(seeds, pool)
    start = clusters.start(np.random.default_rng(number))
    assert clusters.inertia(clusters.settle(start)) <= clusters.inertia(start) + 1e-6


@given(seeds=row_arrays(1), pool=row_arrays(1))
def test_any_rows_get_a_finite_score_and_twice_the_same(seeds, pool):
    first, second = (COPKMeans().learn(seeds, pool).decision_function(pool) for _ in range(2))
    assert np.isfinite(first).all()
    assert (first == second).all()


def test_rows_that_are_all_the_same_score_0():
    same = np.ones((5, 2))
    assert COPKMeans().learn(same[:2], same).decision_function(same).tolist() == [0] * 5


def test_another_number_may_start_elsewhere():
    rng = np.random.default_rng(0)
    clusters = _Clusters(rng.normal(0, 1, (3, 2)), rng.normal(0, 5, (50, 2)))
    starts = {clusters.start(np.random.default_rng(n)).other.tobytes() for n in range(10)}
    assert len(starts) > 1
