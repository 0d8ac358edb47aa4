"""Estimates of what is left, beside what is."""

import pytest

from bench.screening.screened import result, round_at
from learn.stopping.taught import always, taught
from likewise.bench.screening import stops
from likewise.bench.screening.stops import estimate_left, list_estimates
from likewise.learn.estimates import Interval
from likewise.learn.stopping import ExpectedByScores, Screening
from likewise.learn.stopping.posterior import update_left

# Four on topic; rounds know of none, two and all of them.
ROUNDS = (
    round_at(0, 0, usual=(6.0, 5.0, 8.0)),
    round_at(5, 2, usual=(1.0, 0.0, 3.0)),
    round_at(10, 4, usual=(1.0, 1.0, 2.0)),
)
REPLAY = result(1, 2, 6, 9, rounds=ROUNDS)


@pytest.fixture(autouse=True)
def usual_alone(monkeypatch):
    """Let what is usual be all that is known, whatever was read."""
    monkeypatch.setattr(stops, "update_left", lambda looked, usual, **_: usual)


def at(depth):
    return next(one for one in list_estimates([REPLAY]) if one.depth == depth)


def test_the_error_is_the_estimate_less_the_truth_as_a_share_of_all():
    # Six where four are left, of four.
    assert at(0.0).error == 0.5
    # One where two are left.
    assert at(0.5).error == -0.25


def test_a_depth_is_the_first_round_that_has_found_as_much():
    assert at(0.25) == at(0.5)._replace(depth=0.25)


def test_the_truth_is_inside_if_the_interval_holds_it():
    assert [at(depth).is_inside for depth in (0.0, 0.5, 1.0)] == [False, True, False]


def test_what_is_told_are_whole_numbers():
    near = result(1, 2, 6, 9, rounds=(round_at(0, 0, usual=(4.4, 4.3, 4.4)),))
    (first,) = list_estimates([near])
    assert (first.error, first.is_inside) == (0.0, True)


def test_depths_that_no_round_has_reached_are_left_out():
    cut = result(1, on_topic=4, rounds=(round_at(0, 0),))
    assert [one.depth for one in list_estimates([cut])] == [0.0]


# From what rounds keep


@pytest.fixture
def as_it_is(monkeypatch):
    monkeypatch.setattr(stops, "update_left", update_left)


def test_an_estimate_is_that_of_what_was_read_by_then(as_it_is):
    kept = round_at(5, 2, usual=(3.0, 1.0, 9.0), scored=(2.0, 4.0, 0.5, 1.0))
    seen = Screening(
        labels=REPLAY.labels[:5], size=20, seeds=2, scored=ExpectedByScores(2.0, 4.0, 0.5, 1.0)
    )
    assert estimate_left(REPLAY, kept) == update_left(seen, Interval(3.0, 1.0, 9.0))


def test_before_anything_was_read_it_is_what_is_usual(as_it_is):
    assert estimate_left(REPLAY, ROUNDS[0]) == Interval(6.0, 5.0, 8.0)


def test_where_scores_are_not_known_the_order_alone_tells(as_it_is):
    scored, unscored = (
        estimate_left(REPLAY, round_at(5, 2, usual=(3.0, 1.0, 9.0), scored=told))
        for told in ((2.0, 14.0, 0.5, 1.0), None)
    )
    assert scored != unscored


def test_what_a_review_has_taught_is_not_known_of_where_it_is_estimated(as_it_is, monkeypatch):
    known = {"bees": taught(left=always(0.01)), "wasps": taught(left=always(10.0))}
    monkeypatch.setattr(stops, "find_calibration", lambda *, without: known[without])
    few, many = (
        estimate_left(result(1, 2, 6, 9, review=review), round_at(15, 4)).value
        for review in ("bees", "wasps")
    )
    assert few < 0.1 < many
