"""Significance: intervals of means over topics, and tests of differences between methods.

Draws of a topic are averaged first, since they are not independent; bootstraps draw topics. Only
results on the same tasks are paired.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.stats import wilcoxon

from likewise.errors import RunError

RESAMPLES = 10_000
CONFIDENCE = 0.95


class TaskKey(NamedTuple):
    """What identifies a task, so that results on it can be paired."""

    seeds: int
    topic: str
    draw: int
    fingerprint: str


class Mean(NamedTuple):
    """A mean over topics with its 95 % interval."""

    value: float
    low: float | None = None
    high: float | None = None
    """Both are None if there is only one topic."""


class Comparison(NamedTuple):
    """How two methods differ on the tasks that both have."""

    difference: Mean
    p: float
    """The p-value of Wilcoxon's signed-rank test over topics."""
    topics: int
    tasks: int


def average_over_topics(measured: Mapping[TaskKey, float], *, rng: np.random.Generator) -> Mean:
    """Return the mean over topics with its bootstrap interval."""
    return bootstrap_mean(list(average_topics(measured).values()), rng=rng)


def average_topics(measured: Mapping[TaskKey, float]) -> dict[str, float]:
    """Return the mean of each topic over its draws."""
    draws: defaultdict[str, list[float]] = defaultdict(list)
    for task, value in measured.items():
        draws[task.topic].append(value)
    return {topic: fmean(draws[topic]) for topic in sorted(draws)}


def compare_methods(
    first: Mapping[TaskKey, float],
    second: Mapping[TaskKey, float],
    *,
    rng: np.random.Generator,
) -> Comparison:
    """Return how much the first method's values exceed the second's, on the tasks of both."""
    both = sorted(first.keys() & second.keys())
    if not both:
        raise RunError(
            "the two have no task in common, so there is nothing to compare; "
            "run both on the same folder of tasks"
        )
    differences = list(average_topics({task: first[task] - second[task] for task in both}).values())
    difference = bootstrap_mean(differences, rng=rng)
    return Comparison(difference, compute_wilcoxon_p(differences), len(differences), len(both))


def bootstrap_mean(values: Sequence[float], *, rng: np.random.Generator) -> Mean:
    """Return a mean with the middle 95 % of the means of samples drawn from its values.

    >>> bootstrap_mean([0.5, 0.5, 0.5], rng=np.random.default_rng(0))
    Mean(value=0.5, low=0.5, high=0.5)
    """
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    if len(sample) < 2:
        return Mean(mean)
    drawn = sample[rng.integers(len(sample), size=(RESAMPLES, len(sample)))].mean(axis=1)
    outer = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [outer, 1 - outer])
    return Mean(mean, float(low), float(high))


def compute_wilcoxon_p(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test; differences of 0 are left out.

    >>> compute_wilcoxon_p([0.1, 0.2, 0.3])
    0.25
    """
    # Averages of equal values differ in their last bits, which must not be ranked.
    rounded = np.round(differences, 12)
    if not rounded.any():
        return 1.0
    return float(wilcoxon(rounded[rounded != 0]).pvalue)


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple comparisons by Holm's method.

    The i-th smallest of m is multiplied by m - i + 1, and none falls below a smaller one.

    >>> correct_by_holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    sizes = len(order) - np.arange(len(order))
    stepped = np.minimum(np.maximum.accumulate(np.asarray(p_values)[order] * sizes), 1.0)
    corrected = np.empty(len(order))
    corrected[order] = stepped
    return [float(value) for value in corrected]
