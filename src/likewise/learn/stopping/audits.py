"""Audits: random samples of what was not looked at, and how many on topic they leave room for.

An audit draws m documents at random out of N that were not looked at, and finds h of them on topic.
If K of the N are, this has the hypergeometric probability

    P(h | K) = C(K, h) C(N - K, m - h) / C(N, m)

The evidence against each K is

    evidence(K) = product over audits of  sum over k of w(k) P(h | k) / P(h | K)

with weights w that are chosen before each audit and sum to 1. For the true K it is a product of
ratios with mean 1, so the probability that it ever exceeds 1 / (1 - c) is at most 1 - c (Ville,
1939): every K for which it does is ruled out with confidence c. That holds however often a person
looks, whenever they stop, and whatever else they look at between audits: what is found by other
means is subtracted from K and N. The idea is that of the prior-posterior ratio of Waudby-Smith and
Ramdas (2020), Confidence sequences for sampling without replacement. Audits come when few are left,
so the weights favour small numbers: (1 + k)^-2, times the likelihood of k in earlier audits.

Another pool is another population, about which earlier audits say nothing: a new *chain* begins.
What it rules out has to hold whatever was true of earlier chains, so it begins with the least
evidence that there was against any K of theirs.

A single random sample gives exact bounds: the upper bound of K at confidence c is the largest K
with P(at most h) > 1 - c, and the lower bound is found in the same way from the other side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, logsumexp

from likewise.learn.rows import Numbers


@dataclass(frozen=True)
class AuditResult:
    """What an audit drew from, and what it found."""

    population: int
    """How many documents were not looked at when it was drawn."""
    looked_at: int
    """How many of the drawn documents were looked at, in the order drawn and without a gap."""
    on_topic: int
    """How many of these are on topic."""
    found_before: int
    """How many of the chain's first population had been found when it was drawn, by any means.

    Only differences count, so any running count will do."""
    chain: int = 0
    """Its chain: within a chain, each population is what is left of the one before."""


@dataclass(frozen=True)
class Chain:
    """What the audits of one chain say together."""

    number: int
    found_before: int
    """How many had been found, by its audits' own count, when the first was drawn."""
    against: Numbers
    """The ln evidence against each number on topic in the first population, from 0."""

    def most_on_topic(self, *, confidence: float) -> int:
        """Return how many of the first population are on topic at most."""
        is_left = self.against < -np.log(1 - confidence)
        # If marks contradict one another, every number is ruled out; then nothing is known.
        return int(np.flatnonzero(is_left)[-1]) if is_left.any() else len(self.against) - 1

    def limit_left(self, *, found: int, confidence: float) -> int:
        """Return how many of the first population are left at most, given how many are found."""
        return max(0, self.most_on_topic(confidence=confidence) - (found - self.found_before))


def join_chains(audits: Sequence[AuditResult]) -> list[Chain]:
    """Return what audits say of each population, in the order in which they were drawn."""
    chains: list[Chain] = []
    spent = 0.0
    for number, group in groupby(audits, key=lambda audit: audit.chain):
        members = list(group)
        against = _weigh_evidence(members, begin=spent)
        chains.append(Chain(number, members[0].found_before, against))
        spent = float(against.min())
    return chains


def limit_left(
    audits: Sequence[AuditResult], *, found: int, confidence: float = 0.95
) -> int | None:
    """Return how many of the latest population are left at most; None if there was no audit.

    Args:
        audits: In the order drawn.
        found: How many are found now, by the audits' own count.
        confidence: The confidence of all that is ever concluded from these audits together.
    """
    if not audits:
        return None
    return join_chains(audits)[-1].limit_left(found=found, confidence=confidence)


def size_audit(
    at_most: int,
    *,
    population: int,
    found: int,
    audits: Sequence[AuditResult] = (),
    chain: int = 0,
    confidence: float = 0.95,
) -> int:
    """Return how large an audit that finds nothing must be to show that at most `at_most` are left.

    If no smaller audit can show it, that is the whole population.

    >>> size_audit(5, population=1000, found=100)
    423
    """

    def is_enough(size: int) -> bool:
        result = AuditResult(population, size, 0, found, chain)
        latest = join_chains([*audits, result])[-1]
        return latest.limit_left(found=found, confidence=confidence) <= at_most

    return 1 + bisect_left(range(1, population), True, key=is_enough)


def _weigh_evidence(audits: Sequence[AuditResult], *, begin: float) -> Numbers:
    """Return the ln evidence of a chain's audits against each number on topic."""
    numbers = np.arange(audits[0].population + 1)
    likelihood, against = np.zeros(len(numbers)), np.full(len(numbers), begin)
    for audit in audits:
        left = numbers - (audit.found_before - audits[0].found_before)
        weights = likelihood - 2 * np.log1p(np.maximum(left, 0))
        weights[(left < 0) | (left > audit.population)] = -np.inf
        chances = log_hypergeometric(
            audit.on_topic, sample=audit.looked_at, population=audit.population, of=left
        )
        likelihood = likelihood + chances
        expected = logsumexp(weights + chances) - logsumexp(weights)
        # Impossible numbers are ruled out once and for all.
        against = np.where(np.isneginf(chances), np.inf, against + expected - chances)
    return against


def most_on_topic(on_topic: int, *, sample: int, population: int, confidence: float) -> int:
    """Return how many of a population are on topic at most, given a random sample of it.

    >>> most_on_topic(0, sample=59, population=10_000, confidence=0.95)
    493
    """

    def is_unlikely(number: int) -> bool:
        chance = compute_chance_of_at_most(
            on_topic, sample=sample, population=population, of=number
        )
        return chance <= 1 - confidence

    more = range(on_topic + 1, population - sample + on_topic + 1)
    return on_topic + bisect_left(more, True, key=is_unlikely)


def share_at_most(on_topic: int, *, sample: int, confidence: float) -> float:
    """Return the upper bound of a share, given a sample (Clopper and Pearson, 1934)."""
    if on_topic == sample:
        return 1.0
    return float(betaincinv(on_topic + 1, sample - on_topic, confidence))


def share_at_least(on_topic: int, *, sample: int, confidence: float) -> float:
    """Return the lower bound of a share, given a sample (Clopper and Pearson, 1934)."""
    return 1 - share_at_most(sample - on_topic, sample=sample, confidence=confidence)


def compute_chance_of_at_most(on_topic: int, *, sample: int, population: int, of: int) -> float:
    """Return the probability of at most `on_topic` in a sample, if `of` are on topic in all.

    >>> round(compute_chance_of_at_most(0, sample=2, population=4, of=2), 4)
    0.1667
    """
    numbers = np.arange(on_topic + 1)
    logs = log_hypergeometric(numbers, sample=sample, population=population, of=np.array(of))
    return float(min(1.0, np.exp(logs).sum()))


def log_hypergeometric(on_topic: Any, *, sample: Any, population: Any, of: NDArray[Any]) -> Numbers:
    """Return the ln probability of exactly `on_topic` in a sample; arrays are broadcast."""
    return np.asarray(
        _count_choices(of, on_topic)
        + _count_choices(population - of, sample - on_topic)
        - _count_choices(population, sample)
    )


def _count_choices(many: Any, chosen: Any) -> Numbers:
    """Return the ln of the number of ways to choose `chosen` of `many`; -inf if there is none."""
    many, chosen = np.broadcast_arrays(np.asarray(many, float), np.asarray(chosen, float))
    is_possible = (chosen >= 0) & (chosen <= many)
    of, taken = np.where(is_possible, many, 0), np.where(is_possible, chosen, 0)
    ways = gammaln(of + 1) - gammaln(taken + 1) - gammaln(of - taken + 1)
    return np.where(is_possible, ways, -np.inf)
