from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from expansion.samples import small_expansion
from likewise.expansion.cuts import (
    MOST_POINTS,
    count_telling,
    estimate_curve,
    estimate_worth,
    find_cut,
    find_last_rank,
    move_cut,
    split_pool,
    trace_curve,
)
from likewise.expansion.marks import LABELS
from likewise.expansion.records import Place

SAVED = small_expansion().saved
"""201, "a b" and 203 are decided, at ranks 2, 4 and 6; 204 and 205 are not, at 7 and 9."""


def place(rank, probability=0.5, **said):
    given = {"decision": False, "seed": False, **said}
    score = 10.0 - rank
    return Place(id=f"d{rank}", rank=rank, score=score, probability=probability, **given)


def saved_with(*places):
    return changed(SAVED, ranking=places)


def decisions(saved):
    return [place.id for place in saved.ranking if place.decision and not place.seed]


def test_the_cut_is_the_lowest_rank_that_is_decided():
    assert find_cut(SAVED) == 6


def test_marks_from_a_fifth_of_the_cut_on_tell_how_long_the_list_should_be():
    # The line is below rank 20; a maybe tells nothing.
    marks = {3: "relevant", 4: "irrelevant", 30: "relevant", 40: "maybe"}
    places = [place(rank, decision=rank <= 20, mark=marks.get(rank)) for rank in range(1, 50)]
    assert count_telling(places) == 2
    assert count_telling(places, {"d21": "relevant", "d2": "irrelevant"}) == 1
    assert count_telling(places, {}) == 0


def test_marks_do_not_say_where_the_line_is():
    marked = place(9, decision=True, mark="relevant")
    unsure = place(3, decision=True, mark="maybe")
    assert find_cut(saved_with(place(2, decision=True), unsure, marked, place(11))) == 3


def test_where_nothing_is_decided_the_line_lies_above_all():
    assert find_cut(saved_with(place(1), place(2, decision=True, seed=True))) == 0
    assert find_cut(saved_with()) == find_last_rank(saved_with()) == 0


def test_the_line_can_be_moved_down_to_the_last_of_what_is_open():
    assert find_last_rank(saved_with(place(1), place(2), place(3, mark="irrelevant"))) == 2


@pytest.mark.parametrize(
    ("rank", "found"),
    [
        (0, []),
        (2, ["201"]),
        (5, ["201", "10.1000/a b"]),
        (9, ["201", "10.1000/a b", "203", "204", "205"]),
    ],
)
def test_what_lies_above_the_line_is_decided(rank, found):
    assert decisions(move_cut(SAVED, rank)) == found


def test_what_is_marked_stays_on_its_side():
    no = place(1, mark="irrelevant")
    yes = place(4, decision=True, mark="relevant")
    maybe = place(2, decision=True, mark="maybe")
    saved = saved_with(no, maybe, place(3, decision=True), yes)
    assert decisions(move_cut(saved, 1)) == ["d4"]
    assert decisions(move_cut(saved, 4)) == ["d2", "d3", "d4"]


def test_seeds_stay_decided():
    assert [place.decision for place in move_cut(SAVED, 0).ranking if place.seed] == [True] * 4


def test_the_threshold_is_the_lowest_score_above_the_line():
    assert move_cut(SAVED, 7).threshold == -0.5
    assert move_cut(SAVED, 0).threshold is None


def test_precision_and_recall_follow_the_line():
    estimates = move_cut(SAVED, 4).estimates
    # 0.9312 and 0.8 are above it, of 2.7437 in all.
    assert (estimates.precision, estimates.recall) == (0.8656, 0.631)
    assert estimates.relevant == SAVED.estimates.relevant


def test_what_is_marked_is_certain():
    ranking = [
        place(1, 0.9, mark="irrelevant"),
        place(2, 0.5, decision=True),
        place(3, 0.5),
        place(4, 0.1, decision=True, mark="relevant"),
    ]
    # One is found, and a half of two more; the list has the one and the first of these.
    assert estimate_worth(ranking) == pytest.approx((1.5 / 2, 1.5 / 2))


def test_what_is_said_by_now_counts_and_nothing_else():
    ranking = [place(1, 0.9, decision=True), place(2, 0.5, mark="relevant", decision=True)]
    # The first is off topic by now, and the second is open again.
    assert split_pool(ranking, {"d1": "irrelevant"}) == (0, ranking[1:])


def test_a_ranking_is_found_or_open_or_neither():
    ranking = [place(1, mark="relevant"), place(2, mark="maybe"), place(3, seed=True)]
    pool = split_pool([*ranking, place(4, mark="irrelevant")])
    assert (pool.found, [one.id for one in pool.open]) == (1, ["d2"])


def test_of_nothing_nothing_is_expected():
    assert estimate_worth([]) == (0, 0)


def test_an_expansion_is_expected_to_be_worth_what_it_says():
    expansion = small_expansion()
    ranking = tuple(msgspec.structs.replace(one, probability=0.5) for one in expansion.ranking)
    assert estimate_worth(replace(expansion, ranking=ranking).ranking) == (0.5, 3 / 5)


PLACES = st.lists(
    st.tuples(st.integers(0, 10_000), st.sampled_from([*LABELS, None, None]), st.booleans()),
    min_size=1,
    max_size=30,
).map(
    lambda rows: [
        place(rank, chance / 10_000, mark=None if seed else mark, seed=seed,
              decision=seed or mark == "relevant")
        for rank, (chance, mark, seed) in enumerate(rows, 1)
    ]
)  # fmt: skip


@given(places=PLACES, rank=st.integers(0, 31))
def test_a_line_lies_where_it_was_put_or_at_the_last_open_place_above(places, rank):
    saved = move_cut(saved_with(*places), rank)
    ranks = [place.rank for place in split_pool(places).open if place.rank <= rank]
    assert find_cut(saved) == max(ranks, default=0)
    assert move_cut(saved, find_cut(saved)) == saved


@given(places=PLACES, rank=st.integers(0, 31))
def test_the_curve_says_of_the_line_what_the_estimates_say(places, rank):
    saved = move_cut(saved_with(*places), rank)
    labels = {place.id: place.mark for place in places if place.mark}
    curve = trace_curve(saved, labels)
    assert curve.decided == find_cut(saved)
    if curve.threshold is not None:
        worth = curve.precision[curve.threshold], curve.recall[curve.threshold]
        assert worth == pytest.approx((saved.estimates.precision, saved.estimates.recall), abs=1e-4)


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
