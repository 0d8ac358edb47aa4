import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.stopping.taught import taught
from likewise.learn.stopping import left as course_module
from likewise.learn.stopping.left import Ahead, Further, Left, plot_course
from likewise.learn.stopping.looked import Screening
from likewise.learn.stopping.reading import conviction
from likewise.learn.stopping.target import Target


def looked(*labels, rest):
    return Screening(labels=np.array(labels, dtype=bool), size=len(labels) + rest)


def left(value, low, high, *, probabilities):
    return Left(value, low, high, np.array(probabilities, dtype=float))


def test_the_course_so_far_is_what_was_found_by_when():
    course = plot_course(
        looked(True, False, True, rest=1), left(0, 0, 1, probabilities=[0.1]), target=Target()
    )
    assert (course.read, course.found) == ((0, 1, 2, 3), (0, 1, 1, 2))


def test_a_long_course_is_told_by_some_points_from_the_start_to_now():
    course = plot_course(looked(*[True] * 1000, rest=0), left(0, 0, 0, probabilities=[]),
                       target=Target())  # fmt: skip
    assert len(course.read) == 200
    assert (course.read[0], course.read[-1], course.found[-1]) == (0, 1000, 1000)


def test_the_likeliest_come_first_and_at_the_end_all_that_is_left_is_found():
    course = plot_course(
        looked(True, rest=2), left(2, 1, 2, probabilities=[0.5, 1.5]), target=Target()
    )
    # Of what is left, the first that is read holds three quarters, but is one document.
    assert course.ahead == (
        Ahead(1, 1, 1, 1),
        Ahead(2, 2, 1.75, 2),
        Ahead(3, 3, 2, 3),
    )


@pytest.fixture
def needs(monkeypatch):
    """Let replays have taught that such convictions are needed, for half and for 95 %."""

    def chosen(half, sure):
        calibration = taught(confidences=(0.5, 0.95), needed=(half, sure))
        monkeypatch.setattr(course_module, "past_replays", lambda: calibration)

    return chosen


FOUND = [True] * 60 + [False] * 40
NONE_LEFT = left(0, 0, 0, probabilities=[0.001] * 900)


def convinced_after(more):
    """Return how convincing it is after so many more that are off topic."""
    return conviction(looked(*FOUND, *[False] * more, rest=900 - more), recall=0.95)


def further(told=NONE_LEFT, *, target=None):
    return plot_course(looked(*FOUND, rest=900), told, target=target or Target()).further


def test_it_is_read_on_until_the_test_of_reading_is_convinced(needs):
    needs(0.1, convinced_after(100))
    value, low, high = further()
    # It is asked at places that lie a third apart.
    assert 100 <= value <= 140
    assert (low, high) == (value, value)


def test_where_more_are_left_it_takes_longer(needs):
    needs(0.1, convinced_after(100))
    told = left(10, 0, 30, probabilities=np.linspace(0.2, 0, 900))
    value, low, high = further(told)
    assert low == further().value < value <= high


def test_for_an_audit_half_of_the_conviction_is_enough(needs):
    needs(convinced_after(20), convinced_after(300))
    by_reading, by_audits = further(), further(target=Target(by="audits"))
    assert by_audits.value < by_reading.value


def test_what_never_convinces_takes_everything(needs):
    needs(0.1, 99.0)
    assert further() == Further(900, 900, 900)


@pytest.mark.parametrize("target", [Target(1.0), Target(0.95, 0.9999)])
def test_where_replays_can_not_tell_nobody_can_say_how_many_more(needs, target):
    needs(0.1, 0.2)
    assert further(target=target) is None


def test_before_anything_was_read_nobody_can_say_how_many_more():
    told = left(5, 1, 10, probabilities=[0.1] * 50)
    assert plot_course(looked(rest=50), told, target=Target()).further is None


def test_as_many_come_as_are_left_and_the_likeliest_first():
    now, share = (
        looked(True, False, rest=3),
        course_module._accumulate_shares(np.array([0.1, 0.8, 0.1])),
    )
    future = course_module._imagine_future(now, share, left=1)
    assert future.labels.tolist() == [True, False, True, False, False]


@given(
    st.lists(st.booleans(), max_size=30),
    st.lists(st.floats(0, 1), min_size=1, max_size=400),
    st.sampled_from([0.5, 0.95, 1.0]),
)
def test_what_is_ahead_never_falls_and_never_exceeds_what_is_read(labels, probabilities, recall):
    value = round(sum(probabilities))
    seen, rest = looked(*labels, rest=len(probabilities)), len(probabilities)
    told = left(value, value // 2, min(2 * value, rest), probabilities=probabilities)
    course = plot_course(seen, told, target=Target(recall))
    assert course.ahead[0] == (seen.count, seen.found, seen.found, seen.found)
    assert course.ahead[-1].read == seen.size
    assert len(course.ahead) <= 21
    for before, after in zip(course.ahead, course.ahead[1:], strict=False):
        assert all(one <= other + 1e-9 for one, other in zip(before, after, strict=True))
    assert all(at.low <= at.found <= at.high <= seen.found + at.read for at in course.ahead)
    if course.further:
        assert 0 <= course.further.low <= course.further.value <= course.further.high <= rest


@pytest.mark.parametrize("recall", [0.5, 1.0])
def test_where_everything_was_read_nothing_is_ahead(recall):
    course = plot_course(looked(True, False, rest=0), left(0, 0, 0, probabilities=[]),
                       target=Target(recall))  # fmt: skip
    assert (course.ahead, course.further) == ((Ahead(2, 1, 1, 1),), None)
