"""Precision and recall by rank: how likely the document at each place of a ranking is on topic.

A curve is the log odds of being on topic at a few ranks (`KNOTS`), with straight lines over ln rank
between them. Nobody knows the curve of a topic that was not read, so a set of weighted curves
stands for it. They give the probability at a rank (their mean), the number on topic (the sum along
each) with its interval, and the cut.

A *reading* is a normal distribution of curves: one that fits the topic if its seeds are a fair
sample of it, another if they are one corner. Labels at known ranks turn each reading into another
normal distribution (Laplace's approximation), and make one reading likelier than the other.

The *recall curve* says what share of the topic is above each place, judging by held-out seeds. They
are few, so the curve is smooth: the logarithms of the ranks of documents on topic are taken to be
normal, with mean m and deviation s, up to the end of the pool:

    recall(k) = F((ln k - m) / s) / F((ln size - m) / s)

with F the normal distribution. Ranks, unlike shares of the pool, do not change when a larger pool
adds documents that are off topic. The deviation of few seeds is uncertain, so it is drawn towards
its usual value (`USUAL_DEVIATION`, as if by `USUAL_SEEDS` further seeds).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit, ndtr, pdtr

from likewise.learn.rows import Numbers

EDGES = np.array([0, *(5 * 2 ** np.arange(13))])
"""The ranks at which stretches of a ranking end: 5, 10, 20, ...; each has a knot in its middle."""
KNOTS = np.log(np.sqrt((EDGES[:-1] + 1.0) * EDGES[1:]))
"""The ln ranks at which curves are given."""
TAIL = 4
"""Beyond the last knot, a curve falls as steeply as over this many knots before it."""
DRAWS = 256
"""How many curves stand for a reading."""
STRETCHES = 300
"""How many stretches a ranking is cut into at most; within one, all are equally likely."""
WITNESS = 0.5
"""How much a label counts: less than 1, since neighbours in a ranking are alike."""
HALFWAY = 0.25
"""The power of its total by which a curve counts less: 0 gives the mean, 0.5 the median."""
MISFIT = 0.35
"""The relative deviation of the number on topic, even if curves fit many labels; from replays."""
FEW = 20
"""With this many labels, half of the variance of that misfit counts."""
_STEPS = 50
_LARGEST = 30.0
USUAL_DEVIATION = 1.45
USUAL_SEEDS = 10


class RankLabels(NamedTuple):
    """Ranks, from 1, and whether the document at each is on topic."""

    ranks: Numbers
    is_on: NDArray[np.bool_]


@dataclass(frozen=True)
class CurveReading:
    """What curves to expect if the seeds are of some kind."""

    kind: str
    weight: float
    mean: Numbers
    """The log odds at the knots ..."""
    covariance: Numbers
    """... and how far off they may be."""
    evidence: float = 0.0
    """The logarithm of how likely it made the labels: a factor of the weight, which may be tiny."""

    def learn_labels(self, labels: RankLabels) -> CurveReading:
        """Return the reading updated by labels, with their evidence for or against it."""
        if not len(labels.ranks):
            return self
        rows, signs = spread_over_knots(np.log(labels.ranks)), np.where(labels.is_on, 1.0, -1.0)
        precision = np.linalg.inv(self.covariance)
        mode = self.mean
        for _ in range(_STEPS):
            odds = rows @ mode
            off = expit(-signs * odds)
            slope = WITNESS * rows.T @ (signs * off) - precision @ (mode - self.mean)
            bend = precision + WITNESS * (rows.T * (off * (1 - off))) @ rows
            step = np.linalg.solve(bend, slope)
            mode = mode + step
            if np.abs(step).max() < 1e-6:
                break
        away = mode - self.mean
        fit = -WITNESS * np.logaddexp(0, -signs * (rows @ mode)).sum()
        narrowed = np.linalg.slogdet(bend)[1] - np.linalg.slogdet(precision)[1]
        evidence = fit - away @ precision @ away / 2 - narrowed / 2
        return replace(
            self,
            evidence=float(self.evidence + evidence),
            mean=mode,
            covariance=np.linalg.inv(bend),
        )

    def shift(self, by: float) -> CurveReading:
        """Return the reading with its log odds raised by this much everywhere."""
        return replace(self, mean=self.mean + by)


class Curves(NamedTuple):
    """Curves, and how likely each of them is."""

    odds: Numbers
    """Log odds, with one row for each curve and one column for each knot."""
    weights: Numbers
    """Their sum is 1."""

    @classmethod
    def of(cls, readings: Sequence[CurveReading]) -> Curves:
        """Draw curves from readings; the same readings always give the same curves."""
        known, firm = normalise_readings(readings), 1e-6 * np.eye(len(KNOTS))
        odds = [
            one.mean + _draw_normals() @ np.linalg.cholesky(one.covariance + firm).T
            for one in known
        ]
        weights = np.repeat([one.weight / DRAWS for one in known], DRAWS)
        return cls(np.concatenate(odds), weights)

    def at(self, ranks: Numbers) -> Numbers:
        """Return how likely documents at these ranks are on topic, one row for each curve."""
        odds = self.odds @ spread_over_knots(np.log(ranks)).T
        return np.asarray(expit(np.clip(odds, -_LARGEST, _LARGEST)))


class LikelyCount(NamedTuple):
    """A count of documents: Poisson with one of several means, each of which may be off.

    How far off a mean is follows a gamma distribution, so the count is negative binomial.
    """

    means: Numbers
    weights: Numbers
    """How likely each mean is."""
    misfit: float
    """A deviation, as a share of the mean."""

    def at_most(self, number: int) -> float:
        """Return how likely the count is no larger than a number."""
        if number < 0:
            return 0.0
        if self.misfit < 1e-3:
            return float(self.weights @ pdtr(number, self.means))
        shape = self.misfit**-2
        return float(self.weights @ betainc(shape, number + 1, shape / (shape + self.means)))

    def quantile(self, share: float) -> int:
        """Return the least number that the count does not exceed with at least this probability."""
        high = 1
        while self.at_most(high) < share:
            high *= 2
        return bisect_left(range(high + 1), share, key=self.at_most)


@dataclass(frozen=True)
class Along:
    """Curves along a ranking, stretch by stretch; parts of it may have been looked at."""

    curves: Curves
    ends: NDArray[np.int64]
    """The last rank of each stretch."""
    likely: Numbers
    """How likely the documents of each stretch are on topic, one row for each curve."""
    rest: Numbers
    """How many documents of each stretch were not looked at."""
    looked_at: int
    """How many documents of all stretches were looked at."""

    @classmethod
    def of(cls, curves: Curves, ranks: Numbers, *, size: int) -> Along:
        """Return curves along a ranking, given the ranks of what was not looked at."""
        ends = np.unique(np.geomspace(1, size, STRETCHES).round().astype(np.int64))
        starts = np.append(0, ends[:-1])
        rest = np.bincount(np.searchsorted(ends, ranks - 1e-9), minlength=len(ends))[: len(ends)]
        likely = curves.at((starts + ends + 1) / 2)
        return cls(curves, ends, likely, rest.astype(np.float64), looked_at=size - len(ranks))

    @property
    def totals(self) -> Numbers:
        """How many of the rest each curve expects to be on topic."""
        return np.asarray(self.likely @ self.rest)

    @property
    def probabilities(self) -> Numbers:
        """How likely documents of each stretch are on topic, falling.

        Where the mean of the curves rises, as it may at the top if the seeds are a corner,
        stretches share one probability. The larger the total of a curve, the less it counts, so
        that the sum of these lies halfway between the mean and the median of the totals: otherwise
        the few curves with very many on topic would have too large a say.
        """
        counted = self.curves.weights / np.maximum(self.totals, 1.0) ** HALFWAY
        return fit_falling(counted @ self.likely / counted.sum(), weights=self.rest)

    @property
    def counts(self) -> LikelyCount:
        """How likely each number of the rest is on topic.

        No topic follows a curve exactly. Before anything is looked at, the curves vary as much as
        they are usually off; labels make them surer than they should be, and `misfit` undoes that.
        """
        counted = self.curves.weights > self.curves.weights.max() * 1e-6
        weights = self.curves.weights[counted]
        misfit = MISFIT * (self.looked_at / (self.looked_at + FEW)) ** 0.5
        return LikelyCount(self.totals[counted], weights / weights.sum(), misfit)

    @property
    def number(self) -> tuple[float, float, float]:
        """How many of the rest are on topic, and the bounds of its 80 % interval."""
        value, counts, most = float(self.probabilities @ self.rest), self.counts, self.rest.sum()
        low, high = (min(float(counts.quantile(share)), float(most)) for share in (0.1, 0.9))
        return value, min(low, value), max(high, value)

    def best_end(self, *, found: int = 0) -> int:
        """Return the length of the list that loses least F1, whichever curve is true.

        What counts is the mean over curves of F1 as a share of the best that each curve allows:
        a share, since otherwise topics that are hard to find would hardly count.
        """
        reached = found + np.cumsum(self.likely * self.rest, axis=1)
        listed = found + np.cumsum(self.rest)
        f1 = 2 * reached / (listed + reached[:, -1:])
        best = np.maximum(f1.max(axis=1, keepdims=True), 1e-12)
        end = int(np.argmax(self.curves.weights @ (f1 / best)))
        return int(np.cumsum(self.rest)[end])


def normalise_readings(readings: Sequence[CurveReading]) -> list[CurveReading]:
    """Return readings whose weights include their evidence and sum to 1."""
    most = max((one.evidence for one in readings), default=0.0)
    weights = [float(one.weight * np.exp(one.evidence - most)) for one in readings]
    return [
        replace(one, weight=weight / sum(weights), evidence=0.0)
        for one, weight in zip(readings, weights, strict=True)
    ]


def fit_falling(values: Numbers, *, weights: Numbers) -> Numbers:
    """Return the nearest numbers that never rise: those that would rise share their weighted mean.

    >>> fit_falling(np.array([4.0, 1.0, 3.0, 0.0]), weights=np.array([1.0, 3.0, 1.0, 1.0]))
    array([4. , 1.5, 1.5, 0. ])
    """
    levels: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), (weights + 1e-12).tolist(), strict=True):
        count = 1
        while levels and levels[-1][0] < value:
            before, weight_before, count_before = levels.pop()
            value = (before * weight_before + value * weight) / (weight_before + weight)
            weight, count = weight_before + weight, count_before + count
        levels.append((value, weight, count))
    return np.repeat([value for value, _, _ in levels], [count for _, _, count in levels])


def spread_over_knots(log_ranks: Numbers) -> Numbers:
    """Return how much each knot counts at these ln ranks: a row for each rank, which sums to 1.

    >>> spread_over_knots(np.array([KNOTS[0], (KNOTS[0] + KNOTS[1]) / 2]))[:, :3]
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    """
    count = len(KNOTS)
    rows = np.zeros((len(log_ranks), count))
    left = np.clip(np.searchsorted(KNOTS, log_ranks) - 1, 0, count - 2)
    inside = np.minimum(log_ranks, KNOTS[-1])
    part = np.maximum((inside - KNOTS[left]) / (KNOTS[left + 1] - KNOTS[left]), -0.5)
    rows[np.arange(len(rows)), left] = 1 - part
    rows[np.arange(len(rows)), left + 1] = part
    beyond = np.maximum(log_ranks - KNOTS[-1], 0) / (KNOTS[-1] - KNOTS[-1 - TAIL])
    rows[:, -1] += beyond
    rows[:, -1 - TAIL] -= beyond
    return rows


def fit_curve(is_on: NDArray[np.bool_], *, roughness: float = 1.0) -> Numbers:
    """Return the log odds at the knots of a ranking whose truth is known.

    It maximises the log likelihood minus `roughness` / 2 times the squared second differences;
    beyond the end of the ranking, the curve continues as a straight line.
    """
    edges = np.minimum(EDGES, len(is_on))
    counts = np.diff(edges).astype(np.float64)
    on = np.diff(np.append(0, np.cumsum(is_on))[edges]).astype(np.float64)
    bends = np.diff(np.eye(len(KNOTS)), n=2, axis=0)
    penalty = roughness * bends.T @ bends
    odds = np.full(len(KNOTS), -2.0)
    for _ in range(_STEPS):
        likely = expit(odds)
        slope = on - counts * likely - penalty @ odds
        curvature = np.diag(counts * likely * (1 - likely)) + penalty + 1e-3 * np.eye(len(odds))
        step = np.clip(np.linalg.solve(curvature, slope), -2, 2)
        odds = odds + step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(odds)


@cache
def _draw_normals() -> Numbers:
    """Return normal numbers, each with its opposite."""
    half = np.random.default_rng(0).standard_normal((DRAWS // 2, len(KNOTS)))
    return np.concatenate([half, -half])


class RecallCurve(NamedTuple):
    """A smooth curve of recall over the share of the pool that is kept."""

    mean: float
    deviation: float
    size: int
    """How many documents the pool has."""

    def recall(self, kept: Numbers) -> Numbers:
        """Return the share of the topic in these shares of the pool, from the top.

        >>> RecallCurve(mean=np.log(100), deviation=1.0, size=10**9).recall(np.array([1e-7, 1.0]))
        array([0.5, 1. ])
        """
        places = (np.log(np.maximum(kept * self.size, 0.5)) - self.mean) / self.deviation
        end = (np.log(self.size) - self.mean) / self.deviation
        return np.where(kept > 0, np.minimum(ndtr(places) / max(ndtr(end), 1e-9), 1), 0)


def fit_recall_curve(above: Numbers, *, size: int) -> RecallCurve:
    """Fit the recall curve of held-out seeds, given the share of a pool of this size above each."""
    places = log_ranks(above, size=size)
    variance = places.var(ddof=1) if len(places) > 1 else USUAL_DEVIATION**2
    freedom = max(len(places) - 1, 1)
    drawn = (freedom * variance + USUAL_SEEDS * USUAL_DEVIATION**2) / (freedom + USUAL_SEEDS)
    return RecallCurve(float(places.mean()), float(np.sqrt(drawn)), size)


def log_ranks(above: Numbers, *, size: int) -> Numbers:
    """Return the logarithms of ranks, given the share of a pool that is above each.

    >>> np.exp(log_ranks(np.array([0.0, 0.01]), size=1000))
    array([ 0.5, 10.5])
    """
    return np.asarray(np.log(above * size + 0.5))


def list_cuts(size: int, *, most: int = 500) -> NDArray[np.int64]:
    """Return the lengths at which to try cutting a pool of this size, closer near its top."""
    if size <= most:
        return np.arange(1, size + 1)
    return np.unique(np.geomspace(1, size, most).round().astype(np.int64))
