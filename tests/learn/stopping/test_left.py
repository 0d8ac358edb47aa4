from dataclasses import astuple, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.past import simulated_experience, two_tasks_of_each_kind
from learn.stopping.taught import taught
from likewise.learn.estimates import Target
from likewise.learn.experience import past_experience, read_score_signs
from likewise.learn.folds import Scores
from likewise.learn.judgement import judge
from likewise.learn.precision import KNOTS
from likewise.learn.stopping import Screening
from likewise.learn.stopping import left as course_module
from likewise.learn.stopping.left import Ahead, Further, Left, Standing, estimate_left, plot_course
from likewise.learn.stopping.posterior import expect_by_scores
from likewise.learn.stopping.reading import measure_conviction


def estimated(where, **more):
    """Return how many are left where what was looked at was read in the order given."""
    seen = Screening(labels=where.labels, size=len(where.labels) + len(where.rest))
    return estimate_left(where, seen, **more)


def standing(*, size=1000, on_topic=100, looked=0, seed=0):
    """Rank documents so that those on topic stand high, and look at the best."""
    rng = np.random.default_rng(seed)
    is_on = np.arange(size) < on_topic
    scores = rng.normal(size=size) + 2.5 * is_on
    order = np.argsort(-scores)
    scores, is_on = scores[order], is_on[order]
    seeds = rng.normal(size=10) + 2.5
    return (
        Standing(
            seeds=seeds, looked_at=scores[:looked], labels=is_on[:looked], rest=scores[looked:]
        ),
        int(is_on[looked:].sum()),
    )


def test_before_any_mark_it_is_what_other_topics_expect():
    # By all of these, one in five is on topic, wherever it stands.
    past = two_tasks_of_each_kind(curves=(-np.log(4), -np.log(4)))
    left = estimated(standing()[0], experience=past)
    assert left.value == pytest.approx(200, rel=0.02)
    assert left.probabilities == pytest.approx(np.full(1000, 0.2), abs=0.01)
    # All curves expect 200: what is left to chance is 1.28 deviations of 14 on either side.
    assert (left.low, left.high) == pytest.approx((182, 218), abs=4)


def test_before_any_mark_it_is_what_a_judgement_says():
    where, _ = standing()
    judged = judge(Scores(where.seeds, where.rest))
    left = estimated(where)
    assert left.value == round(1000 * judged.prior.value)
    assert left.readings == judged.readings


def test_by_the_signs_of_the_ranking_it_is_told_which_topics_are_alike():
    past = replace(two_tasks_of_each_kind(curves=(-4.0, 0.0)), signs=("alike",))
    few, many = (
        estimated(standing()[0], signs={"alike": at}, experience=past) for at in (0.0, 1.0)
    )
    assert few.value < many.value


@pytest.mark.parametrize("looked", [0, 50, 150, 400])
def test_the_interval_holds_what_is_left(looked):
    # By 80 %; of twenty, that is 16.
    held = []
    for seed in range(20):
        where, left = standing(looked=looked, seed=seed)
        estimate = estimated(where, experience=simulated_experience())
        held.append(estimate.low <= left <= estimate.high)
    assert sum(held) >= 13


def test_marks_make_the_interval_narrower():
    before, after = (estimated(standing(looked=looked)[0]) for looked in (0, 200))
    assert after.high - after.low < before.high - before.low


def test_marks_tell_which_reading_is_the_right_one():
    # By a fair sample the first 100 are on topic, by a corner nothing is.
    past = two_tasks_of_each_kind()
    curves = np.where((past.kinds == "random")[:, None], 2.0, -2.0) * np.ones(len(KNOTS))
    past = replace(past, curves=curves)
    where, _ = standing(looked=10)
    for is_on in (True, False):
        told = estimated(replace(where, labels=np.full(10, is_on)), experience=past)
        assert told.readings[0].is_corner != is_on
        assert told.readings[0].weight > 0.99


def test_finding_more_makes_more_likely_to_be_left():
    where, _ = standing(looked=100)
    few = Standing(seeds=where.seeds, looked_at=where.looked_at,
                   labels=np.arange(100) % 10 == 0, rest=where.rest)  # fmt: skip
    many = Standing(seeds=where.seeds, looked_at=where.looked_at,
                    labels=np.arange(100) % 10 != 0, rest=where.rest)  # fmt: skip
    assert estimated(few).value < estimated(many).value


def test_probabilities_fall_with_the_score_and_sum_to_about_what_is_left():
    where, _ = standing(looked=100)
    estimate = estimated(where)
    assert (np.diff(estimate.probabilities) <= 1e-12).all()
    assert estimate.low <= estimate.probabilities.sum() <= estimate.high


def test_probabilities_are_in_the_order_of_the_documents():
    where, _ = standing(looked=100)
    turned = Standing(seeds=where.seeds, looked_at=where.looked_at, labels=where.labels,
                      rest=where.rest[::-1])  # fmt: skip
    forwards, backwards = estimated(where), estimated(turned)
    assert backwards.probabilities[::-1] == pytest.approx(forwards.probabilities)


def test_nothing_is_left_where_everything_was_looked_at():
    where, _ = standing(size=50, on_topic=5, looked=50)
    assert astuple(estimated(where))[:3] == (0, 0, 0)


def test_no_more_is_left_than_there_are_documents():
    where, _ = standing(size=12, on_topic=10, looked=0)
    assert estimated(where).high <= 12


def test_seeds_without_a_score_are_left_out():
    where, _ = standing(looked=100)
    more = Standing(seeds=np.append(where.seeds, np.nan), looked_at=where.looked_at,
                    labels=where.labels, rest=where.rest)  # fmt: skip
    assert estimated(more).value == estimated(where).value


def test_without_seeds_what_was_found_stands_for_them():
    where, _ = standing(looked=100)
    none = Standing(seeds=np.empty(0), looked_at=where.looked_at, labels=where.labels,
                    rest=where.rest)  # fmt: skip
    assert estimated(none).value >= 0


def test_documents_without_a_score_come_last():
    where = Standing(seeds=np.array([2.0, 3.0]), looked_at=np.array([4.0]), labels=np.array([True]),
                     rest=np.array([1.0, -np.inf, -np.inf]))  # fmt: skip
    probabilities = estimated(where).probabilities
    assert probabilities[0] >= probabilities[1] == probabilities[2]


def test_probabilities_sum_up_to_what_is_left_by_reading():
    where, _ = standing(looked=150)
    told = estimated(where)
    # What is told is a whole number.
    assert told.probabilities.sum() == pytest.approx(told.value, abs=0.51)


def test_the_order_of_reading_tells_beside_the_labels():
    # All finds first, or all last, of the same documents.
    where, _ = standing(looked=200)
    first, last = np.sort(where.labels)[::-1], np.sort(where.labels)
    declining, rising = (
        estimate_left(where, Screening(labels=order, size=1000)) for order in (first, last)
    )
    assert declining.value < rising.value


def test_what_was_marked_but_not_read_in_any_order_leaves_what_curves_and_labels_say():
    where, _ = standing(looked=100)
    none = estimate_left(where, Screening(labels=np.zeros(0, dtype=bool), size=900))
    usual = where.estimate_usual_left(
        read_score_signs(where.make_ranking().whole), experience=past_experience()
    )
    assert (none.value, none.low, none.high) == tuple(map(round, usual))


def test_what_is_usual_knows_labels_at_ranks():
    where, _ = standing(looked=100)
    signs, past = read_score_signs(where.make_ranking().whole), past_experience()
    few, many = (
        replace(where, labels=np.full(100, is_on)).estimate_usual_left(signs, experience=past)
        for is_on in (False, True)
    )
    assert few.value < many.value
    assert few.low <= few.value <= few.high


def test_scores_expect_what_labels_say_of_them():
    where, left = standing(looked=200)
    told = where.expect_by_scores()
    assert told == expect_by_scores(where.labels, where.looked_at, where.rest)
    assert told.rest == pytest.approx(left, abs=15)


def test_what_has_no_score_is_taken_to_score_below_all_that_has():
    where = Standing(
        seeds=np.array([2.0]),
        looked_at=np.array([4.0, -3.0, -np.inf, 2.0]),
        labels=np.array([True, True, False, False]),
        rest=np.array([1.0, -np.inf]),
    )
    known = expect_by_scores(where.labels, np.array([4.0, -3.0, -4.0, 2.0]), np.array([1.0, -4.0]))
    assert where.expect_by_scores() == known


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
        monkeypatch.setattr(course_module, "find_calibration", lambda: calibration)

    return chosen


FOUND = [True] * 60 + [False] * 40
NONE_LEFT = left(0, 0, 0, probabilities=[0.001] * 900)


def convinced_after(more):
    """Return how convincing it is after so many more that are off topic."""
    return measure_conviction(looked(*FOUND, *[False] * more, rest=900 - more), recall=0.95)


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
    now, share = looked(True, False, rest=3), np.array([0, 0.8, 0.9, 1])
    future = course_module._imagine_future(now, share, left=1)
    assert future.labels.tolist() == [True, False, True, False, False]
    course = plot_course(now, left(1, 1, 1, probabilities=[0.1, 0.8, 0.1]), target=Target())
    assert [ahead.found for ahead in course.ahead] == pytest.approx([1, 1.8, 1.9, 2])


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
    assert course.ahead[0] == Ahead(seen.count, seen.found, seen.found, seen.found)
    assert course.ahead[-1].read == seen.size
    assert len(course.ahead) <= 21
    for before, after in pairwise(map(astuple, course.ahead)):
        assert all(one <= other + 1e-9 for one, other in zip(before, after, strict=True))
    assert all(at.low <= at.found <= at.high <= seen.found + at.read for at in course.ahead)
    if course.further:
        assert 0 <= course.further.low <= course.further.value <= course.further.high <= rest


@pytest.mark.parametrize("recall", [0.5, 1.0])
def test_where_everything_was_read_nothing_is_ahead(recall):
    course = plot_course(looked(True, False, rest=0), left(0, 0, 0, probabilities=[]),
                       target=Target(recall))  # fmt: skip
    assert (course.ahead, course.further) == ((Ahead(2, 1, 1, 1),), None)
