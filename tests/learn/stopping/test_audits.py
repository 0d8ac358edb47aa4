from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.learn.stopping.audits import AuditResult, bound_left, join_chains, size_audit


def test_without_an_audit_nothing_is_known():
    assert bound_left([], found=5) is None


def test_evidence_is_as_worked_out_by_hand():
    # Two of three were drawn, nothing found; if 0, 1, 2, 3 were on topic: chances 1, 1/3, 0, 0.
    # Weights 1, 1/4, 1/9, 1/16 of 205/144, so expected are (1 + 1/12) 144/205 = 156/205.
    against = join_chains([AuditResult(3, 2, 0, 0)])[0].against
    assert np.exp(against[:2]) == pytest.approx([156 / 205, 468 / 205])
    assert np.isposinf(against[2:]).all()


def test_an_audit_of_everything_leaves_nothing():
    assert bound_left([AuditResult(50, 50, 3, 0)], found=3, confidence=0.99) == 0


def test_what_is_found_since_is_taken_off():
    audits = [AuditResult(200, 100, 1, found_before=10)]
    left = bound_left(audits, found=11)
    assert bound_left(audits, found=14) == left - 3


def test_a_second_audit_rules_out_more():
    first = AuditResult(200, 60, 0, 10)
    second = AuditResult(140, 60, 0, 10)
    assert bound_left([first, second], found=10) < bound_left([first], found=10)


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
    assert bound_left([*begun, AuditResult(50, 0, 0, 0)], found=0) == bound_left(begun, found=0)


@given(st.integers(1, 300), st.integers(0, 100), st.integers(0, 20))
def test_no_smaller_audit_shows_as_much(population, found, at_most):
    size = size_audit(at_most, population=population, found=found)

    def left(size):
        return bound_left([AuditResult(population, size, 0, found)], found=found)

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
                left = bound_left(then, found=found + hits, confidence=confidence)
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
