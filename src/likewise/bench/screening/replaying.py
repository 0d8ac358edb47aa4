"""Replays: a review screened again, round by round, with a method in place of chance.

It starts from seeds alone. A round learns from what is known by now, puts the records that were not
looked at in order, and looks at the likeliest: what they are is what people decided. Kept of it are
the order, and at each round what estimates go by, so that stopping rules and estimates can be asked
later without learning again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from likewise.learn.experience import past_experience
from likewise.learn.signs import material_signs, score_signs
from likewise.learn.stopping.left import Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.bench.screening.records import Records
    from likewise.bench.screening.reviews import Review
    from likewise.bench.screening.starts import Start
    from likewise.learn.experience import Experience
    from likewise.learn.spelling import Fusion, Method


class Look(NamedTuple):
    """A record that was looked at."""

    row: int
    is_on_topic: bool


@dataclass
class Known:
    """What is known by now: seeds, and records that were looked at."""

    seeds: tuple[int, ...]
    looked: list[Look] = field(default_factory=list)

    @property
    def relevant(self) -> list[int]:
        """Rows that are known to be on topic."""
        return [*self.seeds, *(one.row for one in self.looked if one.is_on_topic)]

    @property
    def irrelevant(self) -> list[int]:
        """Rows that are known to be off topic."""
        return [one.row for one in self.looked if not one.is_on_topic]

    @property
    def found(self) -> int:
        """How many were found since the beginning."""
        return sum(one.is_on_topic for one in self.looked)


class Evidence(msgspec.Struct, frozen=True):
    """How things stood when a round had learned, before it looked at anything."""

    looked_at: int
    found: int
    usual: tuple[float, float, float]
    """How many are left by the curves of other topics, with the bounds of its 80 % interval."""
    scored: tuple[float, float, float, float] | None
    """How many on topic scores expect (`learn/stopping/looked.py`)."""
    reached: int
    """How many seeds, each held out, would stand above all that was not looked at."""


class RankedRest(NamedTuple):
    """The records that were not looked at, the likeliest first."""

    rows: NDArray[np.int64]
    evidence: Evidence


class Replay(NamedTuple):
    """What was looked at, in order, and how things stood meanwhile."""

    looked: tuple[Look, ...]
    rounds: tuple[Evidence, ...]


class Pace(NamedTuple):
    """How a review is read."""

    batch: int
    """How many records are looked at in a round."""
    until: float | None = None
    """What share of what is on topic is found when it ends; by default, everything is read."""

    def is_over(self, known: Known, *, on_topic: int) -> bool:
        """Say whether enough was found; no person could know."""
        return self.until is not None and known.found >= math.ceil(self.until * on_topic - 1e-9)


def usual_batch(records: int, *, rounds: int = 100) -> int:
    """Return how many of so many records are looked at in a round: by default a hundredth.

    >>> usual_batch(2290), usual_batch(60)
    (22, 1)
    """
    return max(1, records // rounds)


def replay(  # noqa: PLR0913  # a review, what is known of it, and how it is replayed
    review: Review,
    records: Records,
    start: Start,
    *,
    method: Method | Fusion,
    pace: Pace,
    rng: np.random.Generator,
    on_round: Callable[[Known], None] | None = None,
) -> Replay:
    """Replay a review from a start until enough is found, or nothing is left to look at."""
    known = Known(tuple(records.rows[identifier] for identifier in start.seeds))
    rounds: list[Evidence] = []
    # What this very review has taught is not to be known of.
    experience = past_experience().without(review.name)
    on_topic = len(review.on_topic) - len(known.seeds)
    while len(known.seeds) + len(known.looked) < len(records):
        rest = ranked(records, known, method=method, rng=rng, experience=experience)
        rounds.append(rest.evidence)
        if pace.is_over(known, on_topic=on_topic):
            break
        for row in rest.rows[: pace.batch].tolist():
            known.looked.append(Look(row, records.documents[row].id in review.on_topic))
        if on_round:
            on_round(known)
    return Replay(tuple(known.looked), tuple(rounds))


def ranked(
    records: Records,
    known: Known,
    *,
    method: Method | Fusion,
    rng: np.random.Generator,
    experience: Experience | None = None,
) -> RankedRest:
    """Learn from what is known, and put the rest in order."""
    relevant, irrelevant, seeds = known.relevant, known.irrelevant, len(known.seeds)
    pool = np.setdiff1d(np.arange(len(records)), [*relevant, *irrelevant])
    material = records.material(relevant, irrelevant, pool.tolist(), found=known.found)
    scores = method.score(material, rng=rng).scores
    negatives = np.where(np.isnan(scores.negatives), scores.pool.min(), scores.negatives)
    order = np.argsort(-scores.pool, kind="stable")
    standing = Standing(
        seeds=scores.seeds[:seeds],
        looked_at=np.concatenate([scores.seeds[seeds:], negatives]),
        labels=np.arange(len(known.looked)) < known.found,
        rest=scores.pool[order],
    )
    signs = score_signs(standing.ranking().whole) | material_signs(material, scores, given=seeds)
    evidence = Evidence(
        len(known.looked),
        known.found,
        usual=standing.usual_left(signs, experience=experience or past_experience()),
        scored=standing.scored(),
        reached=int((scores.seeds[:seeds] >= scores.pool.max()).sum()),
    )
    return RankedRest(pool[order], evidence)
