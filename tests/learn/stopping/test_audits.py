from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.learn.stopping.audits import (
    AuditResult,
    compute_chance_of_at_most,
    join_chains,
    limit_left,
    log_hypergeometric,
    most_on_topic,
    share_at_least,
    share_at_most,
    size_audit,
)


def test_without_an_audit_nothing_is_known():
    assert limit_left([], found=5) is None


def test_evidence_is_as_worked_out_by_hand():
    # Two of three were drawn, nothing found; if 0, 1, 2, 3 were on topic: chances 1, 1/3, 0, 0.
    # Weights 1, 1/4, 1/9, 1/16 of 205/144, so expected are (1 + 1/12) 144/205 = 156/205.
    against = join_chains([AuditResult(3, 2, 0, 0)])[0].against
    assert np.exp(against[:2]) == pytest.approx([156 / 205, 468 / 205])
    assert np.isposinf(against[2:]).all()


def test_an_audit_of_everything_leaves_nothing():
    assert limit_left([AuditResult(50, 50, 3, 0)], found=3, confidence=0.99) == 0


def test_what_is_found_since_is_taken_off():
    audits = [AuditResult(200, 100, 1, found_before=10)]
    left = limit_left(audits, found=11)
    assert limit_left(audits, found=14) == left - 3


def test_a_second_audit_rules_out_more():
    first = AuditResult(200, 60, 0, 10)
    second = AuditResult(140, 60, 0, 10)
    assert limit_left([first, second], found=10) < limit_left([first], found=10)


def test_finding_more_than_an_audit_left_room_for_makes_room_again():
    first, unlucky = AuditResult(200, 100, 0, 0), AuditResult(100, 5, 5, 0)
    before = join_chains([first])[0].most_on_topic(confidence=0.95)
    assert before < 5 <= join_chains([first, unlucky])[0].most_on_topic(confidence=0.95) < 105


def test_another_pool_begins_anew_with_what_was_spent():
    first, again = AuditResult(100, 50, 0, 0), AuditResult(100, 50, 0, 0, chain=1)
    alone, after = join_chains([again])[0], join_chains([first, again])[1]
    spent = join_chains([first])[0].against.min()
    assert after.against[:40] == pytest.approx(alone.against[:40] + spent)


def test_an_audit_that_was_not_begun_changes_nothing():
    begun = [AuditResult(100, 50, 0, 0)]
    assert limit_left([*begun, AuditResult(50, 0, 0, 0)], found=0) == limit_left(begun, found=0)


@given(st.integers(1, 300), st.integers(0, 100), st.integers(0, 20))
def test_no_smaller_audit_shows_as_much(population, found, at_most):
    size = size_audit(at_most, population=population, found=found)

    def left(size):
        return limit_left([AuditResult(population, size, 0, found)], found=found)

    assert left(size) <= at_most
    assert size == 1 or left(size - 1) > at_most


def chance_of_a_wrong_bound(on_topic, *, steps, population, confidence):
    """Go through all that audits of some sizes, one after another, can find."""
    states = {(): Fraction(1)}
    wrong = Fraction(0)
    for step in steps:
        following = {}
        for audits, chance in states.items():
            found = sum(audit.on_topic for audit in audits)
            size = population - sum(audit.looked_at for audit in audits)
            for hits in range(min(step, on_topic - found) + 1):
                others = size - (on_topic - found)
                ways = comb(on_topic - found, hits) * comb(others, step - hits)
                then = (*audits, AuditResult(size, step, hits, found))
                told = chance * Fraction(ways, comb(size, step))
                if not told:
                    continue
                left = limit_left(then, found=found + hits, confidence=confidence)
                if left < on_topic - found - hits:
                    wrong += told
                else:
                    following[then] = told
        states = following
    return wrong


@pytest.mark.parametrize("on_topic", [1, 2, 4, 9])
def test_whoever_looks_after_every_audit_is_hardly_ever_told_wrong(on_topic):
    wrong = chance_of_a_wrong_bound(on_topic, steps=(6, 6, 6), population=24, confidence=0.8)
    assert wrong <= Fraction(1, 5)


sizes = st.integers(1, 12)


def exact_at_most(hits, *, sample, population, of):
    """Count the samples with at most so many hits, one by one."""
    drawn = list(combinations([number < of for number in range(population)], sample))
    return Fraction(sum(sum(one) <= hits for one in drawn), len(drawn))


@given(sizes, st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
def test_chances_are_those_of_all_samples_counted(population, sample, of, hits):
    sample, of = min(sample, population), min(of, population)
    told = compute_chance_of_at_most(hits, sample=sample, population=population, of=of)
    assert told == pytest.approx(
        float(exact_at_most(hits, sample=sample, population=population, of=of))
    )


@given(sizes, st.integers(0, 12), st.integers(0, 12), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_upper_bound_is_the_largest_number_that_is_likely_enough(
    population, sample, hits, sure
):
    sample = min(sample, population)
    hits = min(hits, sample)
    chances = {
        of: exact_at_most(hits, sample=sample, population=population, of=of)
        for of in range(hits, population - sample + hits + 1)
    }
    bound = most_on_topic(hits, sample=sample, population=population, confidence=sure)
    # A chance of just 1 - sure may be rounded to either side.
    surely, perhaps = (
        max(of for of, chance in chances.items() if chance > 1 - sure + margin)
        for margin in (1e-9, -1e-9)
    )
    assert surely <= bound <= perhaps


@pytest.mark.parametrize("on_topic", [0, 3, 10, 27, 40])
def test_bounds_hold_in_as_many_samples_as_they_say(on_topic):
    held = 0.0
    for hits in range(min(on_topic, 15) + 1):
        chance = comb(on_topic, hits) * comb(40 - on_topic, 15 - hits) / comb(40, 15)
        known = {"sample": 15, "population": 40, "confidence": 0.9}
        held += chance * (most_on_topic(hits, **known) >= on_topic)
    assert held >= 0.9 - 1e-9


def test_looking_at_everything_leaves_no_doubt():
    known = {"sample": 20, "population": 20, "confidence": 0.99}
    assert most_on_topic(7, **known) == 7


def test_looking_at_nothing_tells_nothing():
    known = {"sample": 0, "population": 20, "confidence": 0.95}
    assert most_on_topic(0, **known) == 20


def test_shares_are_bounded_as_the_rule_of_three_says():
    # Nothing in n: (1 - share)^n = 0.05.
    assert share_at_most(0, sample=100, confidence=0.95) == pytest.approx(1 - 0.05 ** (1 / 100))


def test_bounds_of_a_share_mirror_each_other():
    least = share_at_least(3, sample=10, confidence=0.9)
    assert least == pytest.approx(1 - share_at_most(7, sample=10, confidence=0.9))


def test_everything_on_topic_leaves_room_for_everything():
    assert (
        share_at_most(5, sample=5, confidence=0.95),
        share_at_least(0, sample=5, confidence=0.95),
    ) == (1, 0)


def test_what_can_not_be_has_no_chance():
    logs = log_hypergeometric(2, sample=3, population=10, of=np.array([1, 2, 9, 10]))
    # Two of three: not from one on topic, nor where all but none are off topic.
    assert np.isneginf(logs).tolist() == [True, False, False, True]
