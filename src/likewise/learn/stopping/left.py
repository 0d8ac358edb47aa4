"""How many documents on topic are left among those that were not looked at.

All documents, whether looked at or not, are ranked by scores that learned from none of them. Other
topics tell which curves of precision by rank to expect (`learn/experience.py`), and what was looked
at which of them fit (`learn/precision.py`). What a curve expects of the rest is what is left by it.
The more was read, the more its order and its scores tell instead (`posterior.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.learn.experience import past_experience
from likewise.learn.folds import Scores
from likewise.learn.judgement import Ranking
from likewise.learn.signs import score_signs
from likewise.learn.stopping.posterior import scored_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likewise.learn.experience import Experience
    from likewise.learn.judgement import Told
    from likewise.learn.stopping.looked import Looked, Scored
    from likewise.learn.stopping.posterior import Span

    Numbers = NDArray[np.float64]


class Left(NamedTuple):
    """How many are left, between which numbers with 80 % confidence, and which they may be."""

    value: int
    low: int
    high: int
    probabilities: NDArray[np.float64]
    """Of each document that was not looked at: that it is on topic."""
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

    def usual_left(self, signs: Mapping[str, float], *, experience: Experience) -> Span:
        """Return how many of the rest are on topic by the curves of other topics alone."""
        return self.ranking().reckoned(signs, experience=experience).left

    def scored(self) -> Scored | None:
        """Return how many on topic the scores expect, by what was looked at."""
        looked_at, rest = self._known()
        return scored_by(self.labels, looked_at, rest)

    def _known(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores of what was looked at and of the rest; what has none comes last."""
        lowest = self.ranked[np.isfinite(self.ranked)].min(initial=0.0)
        return np.maximum(self.looked_at, lowest - 1), np.maximum(self.rest, lowest - 1)

    def ranking(self) -> Ranking:
        """Return all that is ranked by rank."""
        looked_at, rest = self._known()
        return Ranking.of(
            Scores(self.known_seeds, rest),
            found=looked_at[self.labels],
            off=looked_at[~self.labels],
        )


def estimate_left(
    standing: Standing,
    looked: Looked,
    *,
    signs: Mapping[str, float] | None = None,
    experience: Experience | None = None,
) -> Left:
    """Estimate how many are left, from seeds, other topics and what was looked at.

    Args:
        standing: Where documents stand.
        looked: What was looked at, in order.
        signs: What the ranking was judged by when it was made; its scores alone, if not given.
        experience: Of other topics than those that come with the package.
    """
    if not len(standing.rest):
        return Left(0, 0, 0, np.empty(0))
    ranking = standing.ranking()
    along, left, readings = ranking.reckoned(
        signs or score_signs(ranking.whole),
        experience=experience or past_experience(),
        looked=replace(looked, scored=standing.scored()),
    )
    stretch = np.searchsorted(along.ends, ranking.rest - 1e-9)
    value, low, high = map(round, left)
    return Left(value, low, high, along.probabilities[stretch], readings)
