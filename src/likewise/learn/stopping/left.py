"""How many documents on topic are left among those that were not looked at.

All documents, whether looked at or not, are ranked by scores that learned from none of them. Other
topics tell which curves of precision by rank to expect (`learn/experience.py`), and what was looked
at which of them fit (`learn/precision.py`). What a curve expects of the rest is what is left by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.learn.experience import past_experience
from likewise.learn.folds import Scores
from likewise.learn.judgement import Ranking
from likewise.learn.precision import Curves, LikelyCount
from likewise.learn.signs import score_signs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.learn.experience import Experience
    from likewise.learn.judgement import Told

    Numbers = NDArray[np.float64]


class Left(NamedTuple):
    """How many are left, between which numbers with 80 % confidence, and which they may be."""

    value: int
    low: int
    high: int
    probabilities: NDArray[np.float64]
    """Of each document that was not looked at: that it is on topic."""
    counts: LikelyCount
    """How likely each number is."""
    readings: tuple[Told, ...] = ()
    """The ways to read the seeds, the likelier first."""


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
    def known_seeds(self) -> NDArray[np.float64]:
        """The scores of seeds; of what was found, if no seed has one, or else of the middle."""
        seeds = self.seeds[~np.isnan(self.seeds)]
        seeds = seeds if len(seeds) else self.looked_at[self.labels]
        return seeds if len(seeds) else np.array([np.median(self.ranked)])

    def ranking(self) -> Ranking:
        """Return all that is ranked by rank; what has no score comes last."""
        lowest = self.ranked[np.isfinite(self.ranked)].min(initial=0.0)
        looked_at, rest = (np.maximum(part, lowest - 1) for part in (self.looked_at, self.rest))
        return Ranking.of(
            Scores(self.known_seeds, rest),
            found=looked_at[self.labels],
            off=looked_at[~self.labels],
        )


def estimate_left(
    standing: Standing,
    *,
    signs: Mapping[str, float] | None = None,
    experience: Experience | None = None,
) -> Left:
    """Estimate how many are left, from seeds, other topics and what was looked at.

    Args:
        standing: Where documents stand.
        signs: What the ranking was judged by when it was made; its scores alone, if not given.
        experience: Of other topics than those that come with the package.
    """
    if not len(standing.rest):
        return Left(0, 0, 0, np.empty(0), LikelyCount(np.zeros(1), np.ones(1), misfit=0.0))
    ranking = standing.ranking()
    readings = ranking.readings(
        signs or score_signs(ranking.whole), experience=experience or past_experience()
    )
    along = ranking.along(Curves.of(readings))
    value, low, high = (round(bound) for bound in along.number)
    stretch = np.searchsorted(along.ends, ranking.rest - 1e-9)
    probabilities = along.probabilities[stretch]
    return Left(value, low, high, probabilities, along.counts, tuple(ranking.told(readings)))
