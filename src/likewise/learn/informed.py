"""The judgement of a pool that a person has begun to look at.

How likely each of the rest is to be on topic, and how many there are, comes from seeds and from
what was found and not found so far (`stopping/left.py`). Cuts are made in the whole ranking, with
what was looked at in its place: a mark alone moves no other document in or out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.learn.judgement import Judgement
from likewise.learn.priors import Prior
from likewise.learn.stopping.left import Standing, estimate_left
from likewise.learn.thresholds import Keep, kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.folds import Scores

BY_PLACES = ("f1", "ratio")
"""Rules that go by where seeds stand among all there is; others go by the list that is kept."""


@dataclass(frozen=True)
class InformedJudgement(Judgement):
    """What scores mean where some of the pool was looked at; `scores.pool` is the rest."""

    found: NDArray[np.float64]
    """The scores, out of fold, of what was found to be on topic ..."""
    off: NDArray[np.float64]
    """... and of what was not."""

    def decided(self, keep: Keep | None = None) -> NDArray[np.bool_]:
        """Decide for each of the rest."""
        keep = keep or Keep()
        off = self.off if keep.rule in BY_PLACES else self.off[:0]
        scores = np.concatenate([self.found, off, self.scores.pool])
        likely = np.concatenate(
            [np.ones_like(self.found), np.zeros_like(off), self.probabilities(self.scores.pool)]
        )
        order = np.argsort(-scores, kind="stable")
        cut = kept(keep, likely[order], seeds=self.seed_places)
        is_decided = np.zeros(len(order), dtype=bool)
        is_decided[order[:cut]] = True
        return is_decided[len(self.found) + len(off) :]

    @property
    def seed_places(self) -> NDArray[np.float64]:
        """The share of all there is, looked at or not, above each held-out seed."""
        return _standing(self.scores, self.found, self.off).seed_places


def judge_informed(
    scores: Scores, *, found: NDArray[np.float64], off: NDArray[np.float64]
) -> InformedJudgement:
    """Judge what scores mean, from seeds and from what was looked at.

    Args:
        scores: Of the seeds, without what was found later, and of what was not looked at.
        found: The scores of what was found to be on topic.
        off: The scores of what was found not to be.
    """
    lowest = scores.pool.min()
    found, off = (np.where(np.isnan(part), lowest, part) for part in (found, off))
    standing = _standing(scores, found, off)
    size = len(scores.pool)
    # Documents of equal score come in one stretch of the ranking, so the order is that of scores.
    left = estimate_left(standing)
    falling = np.sort(left.probabilities)[::-1]
    return InformedJudgement(
        scores=scores,
        prior=Prior(left.value / size, left.low / size, left.high / size),
        places=(np.arange(size) + 0.5) / size,
        steps=falling,
        found=found,
        off=off,
    )


def _standing(scores: Scores, found: NDArray[np.float64], off: NDArray[np.float64]) -> Standing:
    return Standing(
        seeds=scores.seeds,
        looked_at=np.concatenate([found, off]),
        labels=np.repeat([True, False], [len(found), len(off)]),
        rest=scores.pool,
    )
