"""Replays: a review screened again, round by round, with a method in place of chance.

It starts from seeds alone. A round learns from what is known by now, puts the records that were not
looked at in order, and looks at some of them: what they are is what people decided. Which ones, and
when it ends, is for a policy to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from likewise.learn.experience import past_experience
from likewise.learn.signs import material_signs, score_signs
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.left import Standing, estimate_left

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.bench.screening.records import Records
    from likewise.bench.screening.reviews import Review
    from likewise.bench.screening.starts import Start
    from likewise.learn.experience import Experience
    from likewise.learn.spelling import Fusion, Method
    from likewise.learn.stopping.left import Left


class Look(NamedTuple):
    """A record that was looked at."""

    row: int
    is_on_topic: bool
    is_audit: bool = False
    """Whether it was drawn at random, and not chosen as likely."""


@dataclass
class Known:
    """What is known by now: seeds, and records that were looked at."""

    seeds: tuple[int, ...]
    looked: list[Look] = field(default_factory=list)
    audits: list[AuditResult] = field(default_factory=list)

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


class Ranking(NamedTuple):
    """The records that were not looked at, the likeliest first."""

    rows: NDArray[np.int64]
    left: Left
    """How many of them are on topic, and how likely each is to be."""
    reached: int
    """How many seeds, each held out, would stand above all of them."""


class Step(NamedTuple):
    """What to look at next; nothing ends the replay."""

    rows: tuple[int, ...]
    is_audit: bool = False


class Policy(Protocol):
    """Says what to look at next, and when to stop."""

    def step(self, known: Known, ranking: Ranking, *, rng: np.random.Generator) -> Step:
        """Return what to look at next."""
        ...


class Round(msgspec.Struct, frozen=True):
    """How things stood when a round had learned, before it looked at anything."""

    looked_at: int
    found: int
    left: int
    """How many of the others are estimated to be on topic, and with 80 % confidence ..."""
    low: int
    """... at least this many, ..."""
    high: int
    """... and at most."""
    reached: int
    """How many seeds, each held out, would stand above all of the others."""


class Replay(NamedTuple):
    """What was looked at, in order, and how things stood meanwhile."""

    looked: tuple[Look, ...]
    rounds: tuple[Round, ...]


def replay(  # noqa: PLR0913  # a review, what is known of it, and how it is replayed
    review: Review,
    records: Records,
    start: Start,
    *,
    method: Method | Fusion,
    policy: Policy,
    rng: np.random.Generator,
    on_round: Callable[[Known], None] | None = None,
) -> Replay:
    """Replay a review from a start until its policy ends it, or nothing is left to look at."""
    known = Known(tuple(records.rows[identifier] for identifier in start.seeds))
    rounds: list[Round] = []
    # What this very review has taught is not to be known of.
    experience = past_experience().without(review.name)
    while len(known.seeds) + len(known.looked) < len(records):
        ranking = ranked(records, known, method=method, rng=rng, experience=experience)
        rounds.append(_round(known, ranking))
        step = policy.step(known, ranking, rng=rng)
        if not step.rows:
            break
        _look(review, records, known, step=step)
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
) -> Ranking:
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
    reached = int((scores.seeds[:seeds] >= scores.pool.max()).sum())
    signs = score_signs(standing.ranking().whole) | material_signs(material, scores, given=seeds)
    left = estimate_left(standing, signs=signs, experience=experience)
    return Ranking(pool[order], left, reached)


def _round(known: Known, ranking: Ranking) -> Round:
    left = ranking.left
    return Round(len(known.looked), known.found, left.value, left.low, left.high, ranking.reached)


def _look(review: Review, records: Records, known: Known, *, step: Step) -> None:
    before, unseen = known.found, len(records) - len(known.seeds) - len(known.looked)
    for row in step.rows:
        is_on_topic = records.documents[row].id in review.on_topic
        known.looked.append(Look(row, is_on_topic, step.is_audit))
    if step.is_audit:
        hits = known.found - before
        known.audits.append(AuditResult(unseen, len(step.rows), hits, before))
