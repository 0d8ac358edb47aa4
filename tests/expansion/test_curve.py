import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.samples import small_expansion
from likewise.expansion.cuts import MOST_POINTS, estimate_curve, trace_curve

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=1_500).map(
    lambda values: sorted(values, reverse=True)
)


def test_precision_is_the_mean_and_recall_the_share_of_what_was_read():
    curve = estimate_curve([1.0, 0.5, 0.5, 0.0], decided=2)
    assert curve.documents.tolist() == [1, 2, 3, 4]
    assert curve.precision == pytest.approx([1, 1.5 / 2, 2 / 3, 2 / 4])
    assert curve.recall == pytest.approx([1 / 2, 1.5 / 2, 1, 1])


def test_the_threshold_has_its_point():
    curve = estimate_curve(np.linspace(1, 0, 20_000).tolist(), decided=7_777)
    assert curve.documents[curve.threshold] == 7_777
    # The first 7,777 of probabilities that fall evenly from 1 to 0 have this mean.
    assert curve.precision[curve.threshold] == pytest.approx(1 - 7_776 / 2 / 19_999)


def test_where_nothing_is_decided_there_is_no_threshold_to_draw():
    assert estimate_curve([0.1, 0.1], decided=0).threshold is None


def test_an_empty_pool_gives_an_empty_curve():
    assert len(estimate_curve([], decided=0).documents) == 0


def test_where_nothing_is_likely_recall_stays_at_zero():
    assert estimate_curve([0.0, 0.0], decided=1).recall.tolist() == [0, 0]


@given(probabilities=probabilities, share=st.floats(0, 1))
def test_few_points_are_kept_with_both_ends_and_the_threshold(probabilities, share):
    size = len(probabilities)
    decided = round(share * size)
    curve = estimate_curve(probabilities, decided=decided)
    assert len(curve.documents) <= MOST_POINTS
    assert {1, decided or 1, size} <= set(curve.documents.tolist())
    assert (np.diff(curve.documents) > 0).all()


@given(probabilities=probabilities)
def test_along_a_ranked_list_precision_falls_and_recall_rises(probabilities):
    curve = estimate_curve(probabilities, decided=0)
    assert (np.diff(curve.precision) <= 1e-9).all()
    assert (np.diff(curve.recall) >= -1e-9).all()


def test_along_a_saved_ranking_points_are_the_ranks_below_which_lines_may_lie():
    curve = trace_curve(small_expansion().saved, {})
    assert curve.documents.tolist() == list(range(1, 10))
    assert (curve.decided, curve.threshold) == (6, 5)
    # Of 0.9312, 0.8, 0.7, 0.25 and 0.0625, at ranks 2, 4, 6, 7 and 9.
    assert curve.precision[[0, 1, 2, 3]] == pytest.approx([0, 0.9312, 0.9312, 1.7312 / 2])
    assert curve.recall[[0, 5, 8]] == pytest.approx([0, 2.4312 / 2.7437, 1])


def test_what_is_marked_by_now_is_known_along_the_curve():
    labels = {"201": "irrelevant", "205": "relevant", "203": "maybe", "101": "irrelevant"}
    curve = trace_curve(small_expansion().saved, labels)
    # 205 is on every list and 201 on none; the seed 101 plays no part.
    assert curve.precision[[0, 1, 3]] == pytest.approx([1, 1, 1.8 / 2])
    assert curve.recall[[0, 3, 8]] == pytest.approx([1 / 2.75, 1.8 / 2.75, 1])


def test_where_all_is_marked_irrelevant_nothing_is_expected_of_any_line():
    saved = small_expansion().saved
    labels = dict.fromkeys([place.id for place in saved.ranking], "irrelevant")
    curve = trace_curve(saved, labels)
    assert not curve.precision.any()
    assert not curve.recall.any()
