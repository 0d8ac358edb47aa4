from hypothesis import given
from hypothesis import strategies as st

from likewise.server.jobs.jobs import Rate


class Clock:
    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


def test_as_many_as_allowed_are_not_waited_for():
    rate = Rate(2, clock=Clock())
    rate.count()
    assert rate.wait() == 0


def test_one_more_waits_until_the_first_is_a_minute_old():
    clock = Clock()
    rate = Rate(2, clock=clock)
    rate.count()
    clock.time += 20
    rate.count()
    clock.time += 10.5
    assert rate.wait() == 30


def test_after_a_minute_there_is_room_again():
    clock = Clock()
    rate = Rate(1, clock=clock)
    rate.count()
    clock.time += 60
    assert rate.wait() == 0


def test_none_at_all_can_be_allowed():
    assert Rate(0, clock=Clock()).wait() == 60


@given(st.integers(1, 4), st.lists(st.integers(0, 400), max_size=40))
def test_whoever_waits_as_long_as_told_is_never_too_many_in_a_minute(most, eighths):
    clock, done = Clock(), []
    rate = Rate(most, clock=clock)
    for pause in eighths:
        clock.time += pause / 8
        clock.time += rate.wait()
        assert rate.wait() == 0
        rate.count()
        done.append(clock.time)
    windows = [sum(clock.time - 60 < time <= clock.time for time in done) for clock.time in done]
    assert max(windows, default=0) <= most
