"""How many documents on topic are left among those that were not looked at.

All documents, whether looked at or not, are ranked by scores that learned from none of them. The
recall curve (`learn/curves.py`) says how likely each is to be on topic: with T on topic in all and
ln ranks of mean m and deviation s, a document of rank r is with probability

    T f((ln r - m) / s) / (s r)

with f the normal density, cut off at the end of the pool. Three things tell T, m and s: what is
usual where seeds stand like this (T, `learn/experience.py`), where the seeds stand (m and s), and
what was looked at (all three). Seeds show how far down the topic goes, which what was found can't:
it was found because it stood high. The estimate is the posterior over a grid of T, m and s.

No topic follows the curve to the letter. So a label counts as a part of one (`WITNESS`), and what
is left is taken as Poisson with a rate that is off by some 35 % (`MISFIT`), as replays of reviews
say.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betainc, ndtr

from likewise.learn.curves import USUAL_DEVIATION, USUAL_SEEDS, log_ranks, recall_curve
from likewise.learn.experience import SPREAD, usual_relevant
from likewise.learn.folds import share_above
from likewise.learn.judgement import CERTAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

WITNESS = 0.25
MISFIT = 0.35
BINS = 80
"""Into how many stretches of the ranking documents are put together."""


class Counts(NamedTuple):
    """A count that is Poisson, of one of some means that is off by MISFIT.

    Off as a gamma variable is, which makes it negative binomial.
    """

    means: Numbers
    weights: Numbers
    """How likely each mean is."""

    def at_most(self, number: int) -> float:
        """Return how likely the count is no larger than a number."""
        if number < 0:
            return 0.0
        shape = MISFIT**-2
        reached = betainc(shape, number + 1, shape / (shape + self.means))
        return float(self.weights @ reached)

    def quantile(self, share: float) -> int:
        """Return the least number that the count is no larger than with such a probability."""
        high = 1
        while self.at_most(high) < share:
            high *= 2
        return bisect_left(range(high + 1), share, key=self.at_most)


class Left(NamedTuple):
    """How many are left, between which numbers with 80 % confidence, and which they may be."""

    value: int
    low: int
    high: int
    probabilities: NDArray[np.float64]
    """Of each document that was not looked at: that it is on topic."""
    counts: Counts
    """How likely each number is."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where documents stand: their scores, by models that learned from none of them."""

    seeds: NDArray[np.float64]
    looked_at: NDArray[np.float64]
    labels: NDArray[np.bool_]
    """Whether each of what was looked at is on topic."""
    rest: NDArray[np.float64]
    """Of what was not looked at."""

    @cached_property
    def ranked(self) -> NDArray[np.float64]:
        """The scores of all that is ranked: everything but the seeds."""
        return np.concatenate([self.looked_at, self.rest])

    @cached_property
    def seed_places(self) -> NDArray[np.float64]:
        """The share of all above each seed; above what was found, if no seed has a score."""
        seeds = self.seeds[~np.isnan(self.seeds)]
        seeds = seeds if len(seeds) else self.looked_at[self.labels]
        return share_above(seeds, self.ranked) if len(seeds) else np.array([0.5])

    def log_ranks(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the ln ranks of scores."""
        return log_ranks(share_above(scores, self.ranked), size=len(self.ranked))


def estimate_left(standing: Standing) -> Left:
    """Estimate how many are left, from seeds and from what was looked at."""
    if not len(standing.rest):
        return Left(0, 0, 0, np.empty(0), Counts(np.zeros(1), np.ones(1)))
    size = len(standing.ranked)
    edges = np.log(np.unique(np.geomspace(1, size + 1, BINS + 1).round()) - 0.5)
    curves = _Curves.around(standing.seed_places, size=size)
    probabilities = curves.probabilities(edges)
    is_on = standing.labels
    found, others, rest = (
        np.histogram(standing.log_ranks(scores), edges)[0]
        for scores in (standing.looked_at[is_on], standing.looked_at[~is_on], standing.rest)
    )
    told = np.log(probabilities) @ found + np.log1p(-probabilities) @ others
    weights = _normalised(curves.log_prior + WITNESS * told)
    counts = _likely(Counts(probabilities @ rest, weights))
    most = len(standing.rest)
    low, value, high = (min(counts.quantile(share), most) for share in (0.1, 0.5, 0.9))
    stretch = np.searchsorted(edges, standing.log_ranks(standing.rest), side="right") - 1
    of_rest = (weights @ probabilities)[np.clip(stretch, 0, len(edges) - 2)]
    return Left(value, low, high, of_rest, counts)


class _Curves(NamedTuple):
    """A grid of curves, each with what seeds and experience say of it."""

    log_relevant: Numbers
    mean: Numbers
    deviation: Numbers
    log_prior: Numbers
    size: int

    @classmethod
    def around(cls, places: Numbers, *, size: int) -> _Curves:
        """Return the curves near that of seeds at such places."""
        seeds, usual = log_ranks(places, size=size), np.log(usual_relevant(places, size=size))
        middle = recall_curve(places, size=size)
        grid = np.meshgrid(
            usual + SPREAD * np.linspace(-4, 4, 41),
            middle.mean + middle.deviation / np.sqrt(len(seeds)) * np.linspace(-3, 3, 15),
            middle.deviation * np.exp(np.linspace(-0.6, 0.6, 9)),
            indexing="ij",
        )
        relevant, mean, deviation = (axis.ravel() for axis in grid)
        squares = ((seeds[None, :] - mean[:, None]) ** 2).sum(axis=1)
        squares += USUAL_SEEDS * USUAL_DEVIATION**2
        log_prior = (
            -0.5 * ((relevant - usual) / SPREAD) ** 2
            - 0.5 * squares / deviation**2
            - (len(seeds) + USUAL_SEEDS) * np.log(deviation)
            - len(seeds) * np.log(_inside(mean, deviation, size=size))
        )
        return cls(relevant, mean, deviation, log_prior, size)

    def probabilities(self, edges: Numbers) -> Numbers:
        """Return how likely documents between each two ln ranks are on topic, a row a curve."""
        reached = ndtr((edges[None, :] - self.mean[:, None]) / self.deviation[:, None])
        shares = np.diff(reached, axis=1) / np.diff(np.exp(edges))
        inside = _inside(self.mean, self.deviation, size=self.size)
        likely = shares * (np.exp(self.log_relevant) / inside)[:, None]
        return np.asarray(np.clip(likely, 1e-9, CERTAIN))


def _inside(mean: Numbers, deviation: Numbers, *, size: int) -> Numbers:
    """Return which share of each curve lies inside the pool."""
    return np.asarray(np.maximum(ndtr((np.log(size) - mean) / deviation), 1e-9))


def _normalised(logs: Numbers) -> Numbers:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _likely(counts: Counts) -> Counts:
    """Return counts without the means that are hardly likely."""
    counted = counts.weights > counts.weights.max() * 1e-6
    weights = counts.weights[counted]
    return Counts(counts.means[counted], weights / weights.sum())
