"""Clustering under constraints, in place of positive-unlabeled learning (the paper's appendix).

COP-KMeans (Wagstaff et al., 2001) with two clusters. All positive rows must be in one of them; all
negative rows, if there are some, in the other. With c and d the centres of the positive and the
other cluster, the sum over all rows x of

    |x - c|^2  if x is in the positive cluster, else  |x - d|^2

is made small by turns: rows go to the nearer centre, and centres to the mean of their rows. Rows
that must be together go where their mean is nearer, so they count as that mean, with their number
as its weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from likewise.learn.estimators import PUEstimator

Numbers = NDArray[np.float64]

MOST_TURNS = 100


class COPKMeans(PUEstimator):
    """Two clusters, with the positive rows in one and the negative ones in the other."""

    centres_: Centres

    def __init__(self, *, restarts: int = 5, seed: int = 0) -> None:
        self.restarts = restarts
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Find the centres from several starts, and keep those of the tightest clusters."""
        rng = np.random.default_rng(self.seed)
        clusters = _Clusters(*(np.asarray(rows, float) for rows in (positive, unlabeled)))
        if negative is not None:
            clusters.part(np.asarray(negative, float))
        found = [clusters.settle(clusters.start(rng)) for _ in range(self.restarts)]
        self.centres_ = min(found, key=clusters.inertia)
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return how much farther the other centre is; 0 or more is in the positive cluster."""
        return _measure_distance(rows, self.centres_.other) - _measure_distance(
            rows, self.centres_.positive
        )


class Centres(NamedTuple):
    """The centres of the two clusters."""

    positive: Numbers
    other: Numbers

    def lead(self, rows: Numbers) -> Numbers:
        """Return how much greater the squared distance to the other centre is."""
        # |x - d|^2 - |x - c|^2, in which |x|^2 cancels out.
        squares = (self.other**2).sum() - (self.positive**2).sum()
        return np.asarray(2 * (rows @ (self.positive - self.other)) + squares)


class _Clusters:
    """What is clustered: the positive rows as one point, the negative as one, all others."""

    def __init__(self, positive: Numbers, unlabeled: Numbers) -> None:
        self.seeds = positive.mean(axis=0)
        self.seeds_weight = len(positive)
        self.points = unlabeled
        self.weights = np.ones(len(unlabeled))
        self.is_free = np.ones(len(unlabeled), dtype=bool)

    def part(self, negative: Numbers) -> None:
        """Let negative rows join as one point that is never in the cluster of the positive."""
        self.points = np.vstack([self.points, negative.mean(axis=0)])
        self.weights = np.append(self.weights, len(negative))
        self.is_free = np.append(self.is_free, False)

    def start(self, rng: np.random.Generator) -> Centres:
        """Begin at the positive rows and, as k-means++ does, at a point likely far from them."""
        chances = self.weights * _measure_distance(self.points, self.seeds) ** 2
        total = chances.sum()
        chosen = rng.choice(len(chances), p=chances / total if total else None)
        return Centres(self.seeds, self.points[chosen])

    def settle(self, centres: Centres) -> Centres:
        """Return where the centres come to rest."""
        for _ in range(MOST_TURNS):
            moved = self._means(self._is_positive(self._name_clusters(centres)))
            if all(map(np.array_equal, moved, centres)):
                break
            centres = moved
        return centres

    def inertia(self, centres: Centres) -> float:
        """Return the sum that is made small, but for what no clustering can change."""
        is_positive = self._is_positive(centres)
        nearest = np.where(is_positive[:, None], centres.positive, centres.other)
        seeds = self.seeds_weight * ((self.seeds - centres.positive) ** 2).sum()
        return float(seeds + self.weights @ ((self.points - nearest) ** 2).sum(axis=1))

    def _name_clusters(self, centres: Centres) -> Centres:
        """Let the positive cluster be the one in which positive and negative rows cost less."""
        bound = ~self.is_free
        apart = self.weights[bound] @ centres.lead(self.points[bound])
        kept = self.seeds_weight * centres.lead(self.seeds) >= apart
        return centres if kept else Centres(centres.other, centres.positive)

    def _is_positive(self, centres: Centres) -> NDArray[np.bool_]:
        """Tell which points are in the positive cluster; the other one is never empty."""
        lead = centres.lead(self.points)
        is_positive = (lead >= 0) & self.is_free
        if is_positive.all():
            is_positive[lead.argmin()] = False
        return is_positive

    def _means(self, is_positive: NDArray[np.bool_]) -> Centres:
        inside = self.weights * is_positive
        outside = self.weights - inside
        positive = self.seeds_weight * self.seeds + inside @ self.points
        return Centres(
            positive / (self.seeds_weight + inside.sum()), outside @ self.points / outside.sum()
        )


def _measure_distance(rows: Any, centre: Numbers) -> Numbers:
    return np.asarray(np.linalg.norm(np.asarray(rows) - centre, axis=1))
