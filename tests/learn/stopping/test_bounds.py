from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.learn.stopping.audits import (
    fewest_on_topic,
    log_hypergeometric,
    most_on_topic,
    probability_of_at_most,
    share_at_least,
    share_at_most,
    size_sample,
)

sizes = st.integers(1, 12)


def exact_at_most(hits, *, sample, population, of):
    """Count the samples with at most so many hits, one by one."""
    drawn = list(combinations([number < of for number in range(population)], sample))
    return Fraction(sum(sum(one) <= hits for one in drawn), len(drawn))


@given(sizes, st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))
def test_chances_are_those_of_all_samples_counted(population, sample, of, hits):
    sample, of = min(sample, population), min(of, population)
    told = probability_of_at_most(hits, sample=sample, population=population, of=of)
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
    held = {"most": 0.0, "fewest": 0.0}
    for hits in range(min(on_topic, 15) + 1):
        chance = comb(on_topic, hits) * comb(40 - on_topic, 15 - hits) / comb(40, 15)
        known = {"sample": 15, "population": 40, "confidence": 0.9}
        held["most"] += chance * (most_on_topic(hits, **known) >= on_topic)
        held["fewest"] += chance * (fewest_on_topic(hits, **known) <= on_topic)
    assert min(held.values()) >= 0.9 - 1e-9


def test_looking_at_everything_leaves_no_doubt():
    known = {"sample": 20, "population": 20, "confidence": 0.99}
    assert (fewest_on_topic(7, **known), most_on_topic(7, **known)) == (7, 7)


def test_looking_at_nothing_tells_nothing():
    known = {"sample": 0, "population": 20, "confidence": 0.95}
    assert (fewest_on_topic(0, **known), most_on_topic(0, **known)) == (0, 20)


@given(st.integers(0, 60), st.integers(1, 60))
def test_no_smaller_sample_shows_as_much(number, population):
    sample = size_sample(number, population=population, confidence=0.95)

    def bound(sample):
        return most_on_topic(0, sample=sample, population=population, confidence=0.95)

    assert bound(sample) <= number
    assert not sample or bound(sample - 1) > number


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
