"""Exact bounds from a random sample: how many of a population, or what share, are on topic.

A sample of n documents, drawn without replacement out of N of which K are on topic, has h on topic
with the hypergeometric probability

    C(K, h) C(N - K, n - h) / C(N, n)

An upper bound of K at confidence c is the largest K with P(at most h) > 1 - c: any larger number
would have shown more, but for one sample in 1 / (1 - c). The lower bound is the same, turned round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betaincinv, gammaln

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def most_on_topic(on_topic: int, *, sample: int, population: int, confidence: float) -> int:
    """Return how many of a population are on topic at most, given those of a random sample.

    >>> most_on_topic(0, sample=59, population=10_000, confidence=0.95)
    493
    """

    def is_likely(number: int) -> bool:
        return at_most(on_topic, sample=sample, population=population, of=number) > 1 - confidence

    return _last(is_likely, on_topic, population - sample + on_topic)


def fewest_on_topic(on_topic: int, *, sample: int, population: int, confidence: float) -> int:
    """Return how many of a population are on topic at least, given those of a random sample."""
    others = most_on_topic(
        sample - on_topic, sample=sample, population=population, confidence=confidence
    )
    return population - others


def sample_to_show(at_most: int, *, population: int, confidence: float) -> int:
    """Return how large a sample with nothing on topic shows that at most so many are.

    >>> sample_to_show(493, population=10_000, confidence=0.95)
    59
    """

    def is_short(sample: int) -> bool:
        bound = most_on_topic(0, sample=sample, population=population, confidence=confidence)
        return bound > at_most

    return _last(is_short, 0, population) + 1 if is_short(0) else 0


def share_at_most(on_topic: int, *, sample: int, confidence: float) -> float:
    """Return the largest share that a sample allows for (Clopper and Pearson, 1934)."""
    if on_topic == sample:
        return 1.0
    return float(betaincinv(on_topic + 1, sample - on_topic, confidence))


def share_at_least(on_topic: int, *, sample: int, confidence: float) -> float:
    """Return the smallest share that a sample allows for (Clopper and Pearson, 1934)."""
    return 1 - share_at_most(sample - on_topic, sample=sample, confidence=confidence)


def at_most(on_topic: int, *, sample: int, population: int, of: int) -> float:
    """Return the probability of so many on topic in a sample, or fewer, if there are `of` in all.

    >>> round(at_most(0, sample=2, population=4, of=2), 4)
    0.1667
    """
    numbers = np.arange(on_topic + 1)
    logs = log_hypergeometric(numbers, sample=sample, population=population, of=np.array(of))
    return float(min(1.0, np.exp(logs).sum()))


def log_hypergeometric(
    on_topic: Any, *, sample: Any, population: Any, of: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the ln probability of so many on topic in a sample; arrays are taken side by side."""
    return np.asarray(
        _log_choices(of, on_topic)
        + _log_choices(population - of, sample - on_topic)
        - _log_choices(population, sample)
    )


def _log_choices(many: Any, chosen: Any) -> NDArray[np.float64]:
    """Return the ln of in how many ways so many can be chosen; -inf where there is none."""
    many, chosen = np.broadcast_arrays(np.asarray(many, float), np.asarray(chosen, float))
    is_possible = (chosen >= 0) & (chosen <= many)
    of, taken = np.where(is_possible, many, 0), np.where(is_possible, chosen, 0)
    ways = gammaln(of + 1) - gammaln(taken + 1) - gammaln(of - taken + 1)
    return np.where(is_possible, ways, -np.inf)


def _last(holds: Callable[[int], bool], first: int, last: int) -> int:
    """Return the last number for which something holds that holds for the first ones."""
    while first < last:
        middle = (first + last + 1) // 2
        first, last = (middle, last) if holds(middle) else (first, middle - 1)
    return first
