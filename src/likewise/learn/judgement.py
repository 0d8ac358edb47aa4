"""The judgement: what scores mean, from held-out seeds and the pool alone.

With q the share of the pool above a document, recall(q) the recall curve and p the prior, the pool
documents there are on topic with probability

    p recall'(q)

made to fall with q. From these probabilities follow the precision and the recall to expect of any
cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression

from likewise.errors import SeedsError
from likewise.learn.curves import places_kept, recall_curve
from likewise.learn.folds import Scores, share_above
from likewise.learn.priors import Prior, prior_with_interval
from likewise.learn.thresholds import Keep, kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

CERTAIN = 0.95
"""No document is more certain than this: nothing in seeds and pool says how pure the top is."""


@dataclass(frozen=True)
class Judgement:
    """What the scores of a pool mean."""

    scores: Scores
    prior: Prior
    places: NDArray[np.float64]
    """Shares of the pool, rising, at each of which ..."""
    steps: NDArray[np.float64]
    """... documents have this probability, falling."""

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability that a document of such a score is on topic.

        Documents of the pool that score the same share the mean of their places' probabilities.
        """
        size, ordered = len(self.scores.pool), np.sort(-self.scores.pool)
        by_rank = np.interp((np.arange(size) + 0.5) / size, self.places, self.steps)
        reached = np.append(0, np.cumsum(by_rank))
        first = np.searchsorted(ordered, -scores, side="left")
        after = np.searchsorted(ordered, -scores, side="right")
        means = (reached[after] - reached[first]) / np.maximum(after - first, 1)
        between = np.interp(first / size, self.places, self.steps)
        # Differences of sums are off in their last digits, and would not fall with the rank.
        return np.where(after > first, means, between).round(9)

    def decided(self, keep: Keep | None = None) -> NDArray[np.bool_]:
        """Decide for each document of the pool; of those that score the same, the first go in."""
        order = np.argsort(-self.scores.pool, kind="stable")
        ranked = self.probabilities(self.scores.pool[order])
        cut = kept(keep or Keep(), ranked, seeds=self.seed_places)
        is_decided = np.zeros(len(order), dtype=bool)
        is_decided[order[:cut]] = True
        return is_decided

    def threshold(self, keep: Keep | None = None) -> float:
        """Return the lowest score of what is decided to be on topic; infinite if nothing is."""
        return float(self.scores.pool[self.decided(keep)].min(initial=np.inf))

    @property
    def seed_places(self) -> NDArray[np.float64]:
        """The share of the pool above each held-out seed."""
        return share_above(self.scores.seeds, self.scores.pool)


def judge(scores: Scores, *, rng: np.random.Generator, prior: Prior | None = None) -> Judgement:
    """Judge what scores mean; the prior is estimated if it is not known."""
    if not len(scores.seeds):
        raise SeedsError(
            "no seed has a score, for this method scores only what the library retrieves; "
            "choose another, as in --method linear"
        )
    prior = prior or prior_with_interval(scores, rng=rng)
    size = len(scores.pool)
    curve = recall_curve(share_above(scores.seeds, scores.pool), size=size)
    ends = places_kept(size) / size
    widths = np.diff(ends, prepend=0)
    density = np.diff(curve.recall(ends), prepend=0) / widths
    falling = isotonic_regression(density, weights=widths, increasing=False).x
    steps = _at_most(
        max(CERTAIN, prior.value),
        prior.value * falling,
        widths=widths,
        total=prior.value,
    )
    return Judgement(scores, prior, ends - widths / 2, steps)


def _at_most(
    ceiling: float,
    steps: NDArray[np.float64],
    *,
    widths: NDArray[np.float64],
    total: float,
) -> NDArray[np.float64]:
    """Cut probabilities off at a ceiling, and raise the others so that their mean stays the prior.

    They fall, so those at the ceiling come first; as many are as lets the next stay under it.
    """
    steps = np.maximum(steps, 1e-12)
    full = ceiling * np.append(0, np.cumsum(widths)[:-1])
    rest = np.cumsum((steps * widths)[::-1])[::-1]
    factors = np.maximum(total - full, 0) / rest
    fits = factors * steps <= ceiling
    factor = factors[fits.argmax()] if fits.any() else np.inf
    return np.minimum(steps * factor, ceiling)
