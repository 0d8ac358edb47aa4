"""How many documents on topic are left among those not looked at, and where they will come.

All documents, whether looked at or not, are ranked by scores that learned from none of them. Other
topics show which curves of precision by rank to expect (`learn/experience.py`), and what was looked
at shows which of them fit (`learn/precision.py`). Each curve says how many of the rest are on
topic. The more was read, the more its order and its scores count instead (`posterior.py`).

The *course* of a screening is how much was found by when, and what to expect if one reads on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.learn.estimates import Interval, SeedReading, Target
from likewise.learn.experience import Experience, past_experience, read_score_signs
from likewise.learn.folds import Scores
from likewise.learn.judgement import Ranking
from likewise.learn.rows import Numbers
from likewise.learn.stopping import ExpectedByScores, Screening
from likewise.learn.stopping.posterior import expect_by_scores
from likewise.learn.stopping.reading import find_calibration, measure_conviction

POINTS = 200
"""How many points the course so far has at most."""
POINTS_AHEAD = 20
"""About how many points it has from now on."""
ASKED_AHEAD = 24
"""How many places ahead are tested for whether one could stop there."""


@dataclass(frozen=True)
class Left:
    """How many are left, with an 80 % interval, and how likely each document is one of them."""

    value: int
    low: int
    high: int
    probabilities: Numbers
    """How likely each document that was not looked at is on topic."""
    readings: tuple[SeedReading, ...] = ()
    """The ways to read the seeds, the likelier first."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where documents stand: their scores, by models that learned from none of them."""

    seeds: Numbers
    looked_at: Numbers
    labels: NDArray[np.bool_]
    """Whether each document that was looked at is on topic."""
    rest: Numbers
    """The scores of what was not looked at."""

    @cached_property
    def ranked(self) -> Numbers:
        """The scores of all that is ranked: everything but the seeds."""
        return np.concatenate([self.looked_at, self.rest])

    def estimate_usual_left(
        self, signs: Mapping[str, float], *, experience: Experience
    ) -> Interval:
        """Return how many of the rest are on topic, judging only by the curves of other topics."""
        return self.make_ranking().combine_evidence(signs, experience=experience).left

    def expect_by_scores(self) -> ExpectedByScores | None:
        """Return how many documents on topic the scores predict, given what was looked at."""
        looked_at, rest = self._fill_unknown()
        return expect_by_scores(self.labels, looked_at, rest)

    def _fill_unknown(self) -> tuple[Numbers, Numbers]:
        """Return the scores of what was looked at and of the rest; what has no score comes last."""
        lowest = self.ranked[np.isfinite(self.ranked)].min(initial=0.0)
        return np.maximum(self.looked_at, lowest - 1), np.maximum(self.rest, lowest - 1)

    def make_ranking(self) -> Ranking:
        """Return everything that is ranked, in the order of ranks.

        If no seed has a score, what was found takes their place, or else the median of all.
        """
        looked_at, rest = self._fill_unknown()
        found, off = looked_at[self.labels], looked_at[~self.labels]
        seeds = self.seeds[~np.isnan(self.seeds)]
        seeds = seeds if len(seeds) else self.looked_at[self.labels]
        seeds = seeds if len(seeds) else np.array([np.median(self.ranked)])
        return Ranking.of(Scores(seeds, rest), found=found, off=off)


def estimate_left(
    standing: Standing,
    looked: Screening,
    *,
    signs: Mapping[str, float] | None = None,
    experience: Experience | None = None,
) -> Left:
    """Estimate how many are left, from seeds, other topics and what was looked at.

    Args:
        standing: Where documents stand.
        looked: What was looked at, in order.
        signs: What the ranking was judged by when it was made; by default, its scores alone.
        experience: Experience of other topics, in place of that which comes with the package.
    """
    if not len(standing.rest):
        return Left(0, 0, 0, np.empty(0))
    ranking = standing.make_ranking()
    along, left, readings = ranking.combine_evidence(
        signs or read_score_signs(ranking.whole),
        experience=experience or past_experience(),
        looked=replace(looked, scored=standing.expect_by_scores()),
    )
    stretch = np.searchsorted(along.ends, ranking.rest - 1e-9)
    value, low, high = map(round, left)
    return Left(value, low, high, along.probabilities[stretch], readings)


@dataclass(frozen=True)
class Ahead:
    """What is expected to be found by some point, if one reads on."""

    read: int
    """How many are looked at by then."""
    found: float
    """How many on topic are found by then, with an 80 % interval."""
    low: float
    high: float


class Further(NamedTuple):
    """How many more are to be read until the advice is to stop, with an 80 % range."""

    value: int
    low: int
    high: int


@dataclass(frozen=True)
class Course:
    """How many were found after reading how many, and what is expected from now on."""

    read: tuple[int, ...]
    """How many were looked at, from 0 to now."""
    found: tuple[int, ...]
    """How many of them were on topic."""
    ahead: tuple[Ahead, ...]
    """From now to the end of the pool."""
    further: Further | None
    """None if it can't be told."""


def plot_course(looked: Screening, left: Left, *, target: Target) -> Course:
    """Return the course of a screening, given how many are left and the recall to reach."""
    read = np.unique(np.linspace(0, looked.count, POINTS).round().astype(np.int64))
    found = np.concatenate([[0], np.cumsum(looked.labels, dtype=np.int64)])
    # The share of what is left that is found after 0, 1, 2, ... further documents.
    reached = np.append(0.0, np.cumsum(-np.sort(-left.probabilities)))
    share = reached / (reached[-1] or 1.0)
    return Course(
        read=tuple(read.tolist()),
        found=tuple(found[read].tolist()),
        ahead=_look_ahead(looked, left, share=share),
        further=_estimate_further(looked, left, share=share, target=target),
    )


def _look_ahead(looked: Screening, left: Left, *, share: Numbers) -> tuple[Ahead, ...]:
    # Most finds will come soon, so points lie closer there.
    rest = len(share) - 1
    more = np.unique((np.linspace(0, 1, POINTS_AHEAD + 1) ** 2 * rest).round().astype(np.int64))
    return tuple(
        Ahead(
            looked.count + count,
            *(
                looked.found + min(float(share[count]) * number, count)
                for number in (left.value, left.low, left.high)
            ),
        )
        for count in more.tolist()
    )


def _estimate_further(
    looked: Screening, left: Left, *, share: Numbers, target: Target
) -> Further | None:
    """Return how many more to read until the test of reading says stop, if finds come as expected.

    The test is made in three futures: one with as many left as estimated, one with as few and one
    with as many as there may be. If audits are to prove it, a confidence of one half is enough to
    draw one.
    """
    confidence = target.confidence if target.by == "reading" else 0.5
    needed = find_calibration().find_needed(recall=target.recall, confidence=confidence)
    if not looked.count or not looked.rest or not np.isfinite(needed):
        return None
    value, *others = (
        _count_reads(
            _imagine_future(looked, share, left=number), looked, recall=target.recall, needed=needed
        )
        for number in (left.value, left.low, left.high)
    )
    return Further(value, min(value, *others), max(value, *others))


def _imagine_future(looked: Screening, share: Numbers, *, left: int) -> Screening:
    """Return the screening of everything, if `left` more are found where they are expected."""
    coming = np.zeros(len(share) - 1, dtype=bool)
    places = np.searchsorted(share * left, np.arange(left) + 0.5) - 1
    coming[np.clip(places, 0, len(coming) - 1)] = True
    return replace(looked, labels=np.concatenate([looked.labels, coming]))


def _count_reads(future: Screening, now: Screening, *, recall: float, needed: float) -> int:
    """Return how many more to read until the test is convinced."""
    rest = future.count - now.count
    for more in np.unique(np.geomspace(1, rest, ASKED_AHEAD).round().astype(np.int64)).tolist():
        if measure_conviction(future.first(now.count + more), recall=recall) >= needed:
            return int(more)
    return rest
