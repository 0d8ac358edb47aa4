"""The recall curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likewise.learn.precision import (
    USUAL_DEVIATION,
    USUAL_SEEDS,
    RecallCurve,
    fit_recall_curve,
    list_cuts,
    log_ranks,
)

places = arrays(float, st.integers(1, 30), elements=st.floats(0, 1))


@given(above=places, size=st.integers(1, 5000))
def test_recall_rises_from_0_to_1(above, size):
    recall = fit_recall_curve(above, size=size).recall(np.linspace(0, 1, 50))
    assert recall[0] == 0
    assert recall[-1] == 1
    assert (np.diff(recall) >= 0).all()


def test_half_of_the_topic_is_above_the_middle_rank_of_the_seeds():
    # Below 10, 20 and 40 documents of very many; the middle of their logarithms is that of 20.5.
    curve = fit_recall_curve(np.array([1e-5, 2e-5, 4e-5]), size=10**6)
    assert np.exp(curve.mean) == pytest.approx((10.5 * 20.5 * 40.5) ** (1 / 3))
    assert curve.recall(np.exp([curve.mean]) / 10**6) == pytest.approx([0.5], rel=1e-3)


def test_a_rank_is_half_a_document_further_than_what_is_above():
    assert np.exp(log_ranks(np.array([0.0, 0.5, 1.0]), size=4)) == pytest.approx([0.5, 2.5, 4.5])


def test_documents_that_are_off_topic_and_below_change_hardly_anything():
    above = np.array([0.01, 0.02, 0.04])
    small, large = (fit_recall_curve(above / more, size=10_000 * more) for more in (1, 10))
    assert small.mean == pytest.approx(large.mean)
    recall = [small.recall(np.array([0.02])), large.recall(np.array([0.002]))]
    assert recall[0] == pytest.approx(recall[1], rel=0.02)


def test_many_seeds_tell_the_mean_and_the_deviation():
    ranks = np.exp(np.random.default_rng(0).normal(5, 0.8, 5000))
    curve = fit_recall_curve((ranks - 0.5) / 10**6, size=10**6)
    assert curve == pytest.approx(RecallCurve(5, 0.8, 10**6), abs=0.03)


def test_the_deviation_of_few_seeds_is_drawn_to_the_usual():
    # Three seeds at one place: two degrees of freedom without any deviation.
    curve = fit_recall_curve(np.full(3, 0.1), size=1000)
    expected = USUAL_DEVIATION * (USUAL_SEEDS / (USUAL_SEEDS + 2)) ** 0.5
    assert curve.deviation == pytest.approx(expected)


def test_the_more_seeds_the_less_it_is_drawn():
    deviations = [fit_recall_curve(np.full(n, 0.1), size=1000).deviation for n in (2, 5, 20, 100)]
    assert deviations == sorted(deviations, reverse=True)


def test_one_seed_has_the_usual_deviation():
    assert fit_recall_curve(np.array([0.5]), size=100).deviation == pytest.approx(USUAL_DEVIATION)


@given(size=st.integers(1, 100_000))
def test_lists_may_be_cut_from_the_first_document_to_the_last(size):
    lengths = list_cuts(size)
    assert (lengths[0], lengths[-1]) == (1, size)
    assert (np.diff(lengths) > 0).all()
    assert len(lengths) <= 500


def test_a_short_list_may_be_cut_anywhere():
    assert list_cuts(5).tolist() == [1, 2, 3, 4, 5]
