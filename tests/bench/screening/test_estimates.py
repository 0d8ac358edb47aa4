"""Estimates of what is left, beside what is."""

from bench.screening.screened import result, round_at
from likewise.bench.screening.estimates import estimates_of

# Four on topic; rounds know of none, two and all of them.
REPLAY = result(
    1, 2, 6, 9,
    rounds=(
        round_at(0, 0, left=6, low=5, high=8),
        round_at(5, 2, left=1, low=0, high=3),
        round_at(10, 4, left=1, low=1, high=2),
    ),
)  # fmt: skip


def at(depth):
    return next(one for one in estimates_of([REPLAY]) if one.depth == depth)


def test_the_error_is_the_estimate_less_the_truth_as_a_share_of_all():
    # Six where four are left, of four.
    assert at(0.0).error == 0.5
    # One where two are left.
    assert at(0.5).error == -0.25


def test_a_depth_is_the_first_round_that_has_found_as_much():
    assert at(0.25) == at(0.5)._replace(depth=0.25)


def test_the_truth_is_inside_if_the_interval_holds_it():
    assert [at(depth).is_inside for depth in (0.0, 0.5, 1.0)] == [False, True, False]


def test_depths_that_no_round_has_reached_are_left_out():
    cut = result(1, on_topic=4, rounds=(round_at(0, 0),))
    assert [one.depth for one in estimates_of([cut])] == [0.0]
