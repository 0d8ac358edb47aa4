"""Policies: what is looked at in a round, and when a replay ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.bench.screening.replaying import Step
from likewise.learn.stopping.advice import Proof, advise
from likewise.learn.stopping.looked import Looked
from likewise.learn.stopping.reading import left_by_reading

if TYPE_CHECKING:
    from likewise.bench.screening.replaying import Known, Ranking
    from likewise.learn.stopping.target import Target


def usual_batch(records: int) -> int:
    """Return how many of so many records are looked at in a round: a hundredth.

    >>> usual_batch(2290), usual_batch(60)
    (22, 1)
    """
    return max(1, records // 100)


@dataclass(frozen=True)
class Reading:
    """Look at the likeliest of what is left, until enough of what is on topic is found.

    When that is, no person could know: it is for measuring how soon things are found.
    """

    enough: int
    """Of records on topic, seeds aside."""
    batch: int

    @classmethod
    def until(cls, recall: float, *, on_topic: int, batch: int) -> Reading:
        """Read until a share of what is on topic is found."""
        return cls(math.ceil(recall * on_topic - 1e-9), batch)

    def step(self, known: Known, ranking: Ranking, *, rng: np.random.Generator) -> Step:  # noqa: ARG002
        """Return the likeliest."""
        if known.found >= self.enough:
            return Step(())
        return Step(tuple(ranking.rows[: self.batch].tolist()))


@dataclass(frozen=True)
class Targeted:
    """Do what the advice for a target says: go on, draw an audit, or stop."""

    target: Target
    batch: int

    def step(self, known: Known, ranking: Ranking, *, rng: np.random.Generator) -> Step:
        """Return the likeliest, some drawn at random, or nothing."""
        left = ranking.left
        proof = Proof(tuple(known.audits), known.found, by_reading=self._by_reading(known, ranking))
        advice = advise(left.probabilities, found=known.found, target=self.target, proof=proof)
        if advice.kind == "stop":
            return Step(())
        if advice.kind == "audit":
            drawn = rng.choice(ranking.rows, size=advice.count, replace=False)
            return Step(tuple(drawn.tolist()), is_audit=True)
        return Step(tuple(ranking.rows[: min(self.batch, advice.count)].tolist()))

    def _by_reading(self, known: Known, ranking: Ranking) -> int | None:
        """Return how many are left at most as far as reading tells, if it is asked."""
        if self.target.by != "reading":
            return None
        labels = np.array([look.is_on_topic for look in known.looked], dtype=bool)
        looked = Looked(labels=labels, size=len(labels) + len(ranking.rows))
        counts, confidence = ranking.left.counts, self.target.confidence
        return left_by_reading(looked, counts=counts, confidence=confidence)
