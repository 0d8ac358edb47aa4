"""How often a server is asked, and how long it is left alone."""

import random
from email.utils import formatdate

import pytest

from likewise.web.troubles import Pace, choose_pause, parse_retry_after


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


def test_requests_are_evenly_spaced():
    pace = Pace(4, clock=Clock())
    assert [pace.delay() for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]


def test_who_comes_late_does_not_wait_and_saves_no_turns():
    clock = Clock()
    pace = Pace(4, clock=clock)
    pace.delay()
    clock.now += 10
    assert [pace.delay(), pace.delay()] == [0.0, 0.25]


def test_without_a_pace_nobody_waits():
    pace = Pace(None, clock=Clock())
    assert [pace.delay(), pace.delay()] == [0.0, 0.0]


@pytest.mark.parametrize(("trial", "longest"), [(1, 1.0), (2, 2.0), (4, 8.0), (7, 60.0), (99, 60)])
def test_pauses_double_up_to_a_minute(trial, longest):
    drawn = [choose_pause(trial, pause=1.0, rng=random.Random(seed)) for seed in range(50)]
    assert longest / 2 <= min(drawn) < max(drawn) <= longest


def test_a_date_in_the_past_asks_for_no_wait():
    assert parse_retry_after(formatdate(1000, usegmt=True), now=2000.0) == 0.0


@pytest.mark.parametrize("text", ["", "-5", "Thu, 99 Jan 1970 00:02:00 GMT"])
def test_what_is_neither_a_number_nor_a_date_asks_for_nothing(text):
    assert parse_retry_after(text) is None
