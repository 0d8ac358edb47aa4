"""Audits: random samples of what was not looked at, and how many they leave room for.

An audit draws m documents at random out of N that were not looked at, and finds h of them on topic.
If K of the N are, this has the hypergeometric probability P(h | K). Against each K stands

    evidence(K) = product over audits of  sum over k of w(k) P(h | k) / P(h | K)

with weights w that are chosen before each audit and sum to 1. Under the true K it is a product of
ratios that are 1 on average, so that it ever gets above 1 / (1 - c) with probability 1 - c at most
(Ville, 1939): whatever it gets above for is ruled out with confidence c. That holds however often a
person looks, whenever they stop, and whatever else they look at between audits: what is found by
other means is taken off K and N. The idea is that of the prior-posterior ratio of Waudby-Smith and
Ramdas (2020), Confidence sequences for sampling without replacement. Since audits come when few are
left, the weights are large for few left, (1 + k)^-2, by what earlier audits said of k.

Another pool is another population, of which earlier audits say nothing: a new *chain* begins. What
it rules out has to be the case for whatever was true of the chains before it, so it begins with
the least evidence that there was against any K of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import logsumexp

from likewise.learn.stopping.bounds import log_hypergeometric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class AuditResult(NamedTuple):
    """What an audit drew from, and what it found."""

    population: int
    """How many documents were not looked at when it was drawn."""
    looked_at: int
    """How many of those drawn were looked at, in the order drawn, without a gap."""
    on_topic: int
    """How many of these are on topic."""
    found_before: int
    """How many of the chain's first population had been found when it was drawn, by any means.

    Only differences count, so that any running count will do."""
    chain: int = 0
    """Audits of the same number have each a population that is left of the former one's."""


@dataclass(frozen=True)
class Chain:
    """What audits of populations within one another say together."""

    number: int
    found_before: int
    """How many had been found, by the count of its audits, when the first was drawn."""
    against: NDArray[np.float64]
    """The ln evidence against each number on topic in the first population, from 0."""

    def most_on_topic(self, *, confidence: float) -> int:
        """Return how many of the first population are on topic at most."""
        is_left = self.against < -np.log(1 - confidence)
        # Nothing at all is left where what was marked contradicts itself; then nothing is known.
        return int(np.flatnonzero(is_left)[-1]) if is_left.any() else len(self.against) - 1

    def left_at_most(self, *, found: int, confidence: float) -> int:
        """Return how many of it are left at most, now that so many are found by the same count."""
        return max(0, self.most_on_topic(confidence=confidence) - (found - self.found_before))


def chains_of(audits: Sequence[AuditResult]) -> list[Chain]:
    """Return what audits say of each population, in the order in which they were drawn."""
    chains: list[Chain] = []
    spent = 0.0
    for number, members in groupby(audits, key=lambda audit: audit.chain):
        against = _against(list(members), begin=spent)
        first = next(audit for audit in audits if audit.chain == number)
        chains.append(Chain(number, first.found_before, against))
        spent = float(against.min())
    return chains


def left_at_most(
    audits: Sequence[AuditResult], *, found: int, confidence: float = 0.95
) -> int | None:
    """Return how many of the latest population are left at most; None if there was no audit.

    Args:
        audits: In the order drawn.
        found: How many are found now, by the count that the audits go by.
        confidence: Of all that is ever said from these audits.
    """
    if not audits:
        return None
    return chains_of(audits)[-1].left_at_most(found=found, confidence=confidence)


def audit_to_show(  # where things stand, and what is to be shown
    at_most: int,
    *,
    population: int,
    found: int,
    audits: Sequence[AuditResult] = (),
    chain: int = 0,
    confidence: float = 0.95,
) -> int:
    """Return how large an audit that finds nothing shows that at most so many are left.

    All of the population, if no smaller one does.

    >>> audit_to_show(5, population=1000, found=100)
    423
    """
    low, high = 1, population
    while low < high:
        middle = (low + high) // 2
        result = AuditResult(population, middle, 0, found, chain)
        left = left_at_most([*audits, result], found=found, confidence=confidence)
        low, high = (low, middle) if left is not None and left <= at_most else (middle + 1, high)
    return high


def _against(audits: Sequence[AuditResult], *, begin: float) -> NDArray[np.float64]:
    """Return the ln evidence of a chain's audits against each number on topic."""
    numbers = np.arange(audits[0].population + 1)
    likelihood, against = np.zeros(len(numbers)), np.full(len(numbers), begin)
    for audit in audits:
        left = numbers - (audit.found_before - audits[0].found_before)
        weights = likelihood - 2 * np.log1p(np.maximum(left, 0))
        weights[(left < 0) | (left > audit.population)] = -np.inf
        told = log_hypergeometric(
            audit.on_topic, sample=audit.looked_at, population=audit.population, of=left
        )
        likelihood = likelihood + told
        expected = logsumexp(weights + told) - logsumexp(weights)
        # Impossible numbers are ruled out once and for all.
        against = np.where(np.isneginf(told), np.inf, against + expected - told)
    return against
