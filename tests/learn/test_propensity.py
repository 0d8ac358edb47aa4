"""How much a mark counts, given where it was given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.learn.material import MOST, weigh_by_propensity

ranks = st.lists(st.integers(1, 100_000) | st.just(np.nan), min_size=1, max_size=40)


def weights(*places, **chosen):
    return weigh_by_propensity(np.array(places, dtype=float), **chosen)


@given(ranks=ranks)
def test_marks_count_1_on_average_and_none_counts_nothing(ranks):
    found = weights(*ranks)
    assert found.mean() == pytest.approx(1)
    assert found.min() > 0
    assert found.max() <= MOST * found.min() * (1 + 1e-9)


@given(ranks=ranks)
def test_marks_that_stood_alike_count_alike(ranks):
    twice = weights(*ranks, *ranks)
    assert twice[: len(ranks)] == pytest.approx(twice[len(ranks) :])


def test_a_mark_from_where_few_were_given_counts_more():
    # Ranks 4 to 7 are all marked and stand for themselves; rank 8 for the eight from 8 to 15.
    found = weights(4, 5, 6, 7, 8)
    assert found[4] / found[0] == pytest.approx(8**0.5)


def test_the_power_says_how_far_to_go():
    assert weights(4, 5, 6, 7, 8, power=0).tolist() == [1] * 5
    whole = weights(4, 5, 6, 7, 8, power=1, most=100)
    assert whole[4] / whole[0] == pytest.approx(8)


def test_none_counts_more_than_so_many_times_as_much_as_another():
    found = weights(1, 1024)
    assert found[1] / found[0] == pytest.approx(MOST)


def test_a_mark_from_outside_the_ranking_counts_as_the_mean_of_the_others():
    inside, with_others = weights(4, 8), weights(4, np.nan, 8, np.nan)
    assert with_others[[0, 2]] == pytest.approx(inside)
    assert with_others[[1, 3]] == pytest.approx([1, 1])


def test_marks_that_were_all_given_outside_count_the_same():
    assert weights(np.nan, np.nan).tolist() == [1, 1]


def test_without_marks_there_is_nothing_to_count():
    assert weights().tolist() == []
