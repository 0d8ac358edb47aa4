"""The course of a screening: what was found by when, and what is to be found if one reads on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.learn.stopping.calibration import past_replays
from likewise.learn.stopping.reading import conviction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.stopping.left import Left
    from likewise.learn.stopping.looked import Looked
    from likewise.learn.stopping.target import Target

    Numbers = NDArray[np.float64]

POINTS = 200
"""How many points the course so far has at most."""
POINTS_AHEAD = 20
"""How many points it has from now on, about."""
ASKED_AHEAD = 24
"""At how many places ahead it is asked whether one could stop there."""


class Ahead(NamedTuple):
    """What is to be found by then, if one reads on."""

    read: int
    """How many are looked at by then, in all."""
    found: float
    """How many on topic are found by then, and between which numbers with 80 % confidence."""
    low: float
    high: float


class Further(NamedTuple):
    """How many more are to be read until the advice is to stop, with an 80 % range."""

    value: int
    low: int
    high: int


class Course(NamedTuple):
    """What was found by when, and what is expected."""

    read: tuple[int, ...]
    """How many were looked at, from 0 to now."""
    found: tuple[int, ...]
    """How many of them were on topic."""
    ahead: tuple[Ahead, ...]
    """From now to the end of the pool."""
    further: Further | None
    """None where it can't be told."""


def course_of(looked: Looked, left: Left, *, target: Target) -> Course:
    """Return the course of a screening.

    Args:
        looked: What was looked at.
        left: How many are left, as estimated.
        target: The recall to reach.
    """
    read = np.unique(np.linspace(0, looked.count, POINTS).round().astype(np.int64))
    found = np.concatenate([[0], np.cumsum(looked.labels, dtype=np.int64)])
    share = _share_found(left.probabilities)
    return Course(
        read=tuple(read.tolist()),
        found=tuple(found[read].tolist()),
        ahead=_ahead(looked, left, share=share),
        further=_further(looked, left, share=share, target=target),
    )


def _share_found(probabilities: Numbers) -> Numbers:
    """Return which share of what is left is found after each further document, the first none."""
    reached = np.append(0.0, np.cumsum(-np.sort(-probabilities)))
    return np.asarray(reached / (reached[-1] or 1.0))


def _ahead(looked: Looked, left: Left, *, share: Numbers) -> tuple[Ahead, ...]:
    # Most is to be found soon: points lie closer there.
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


def _further(looked: Looked, left: Left, *, share: Numbers, target: Target) -> Further | None:
    """Return how many more it takes until the test of reading says so, if finds come as expected.

    It is asked of three futures, in which as many are left as estimated, as few, and as many as may
    be. Where audits are to prove it, half of the conviction is enough to draw one.
    """
    confidence = target.confidence if target.by == "reading" else 0.5
    needed = past_replays().needed(recall=target.recall, confidence=confidence)
    if not looked.count or not looked.rest or not np.isfinite(needed):
        return None
    value, *others = (
        _reads_in(_future(looked, share, left=number), looked, recall=target.recall, needed=needed)
        for number in (left.value, left.low, left.high)
    )
    return Further(value, min(value, *others), max(value, *others))


def _future(looked: Looked, share: Numbers, *, left: int) -> Looked:
    """Return what will have been looked at in the end, if so many are left and come as expected."""
    coming = np.zeros(len(share) - 1, dtype=bool)
    places = np.searchsorted(share * left, np.arange(left) + 0.5) - 1
    coming[np.clip(places, 0, len(coming) - 1)] = True
    return replace(looked, labels=np.concatenate([looked.labels, coming]))


def _reads_in(future: Looked, now: Looked, *, recall: float, needed: float) -> int:
    """Return after how many more the test is convinced."""
    rest = future.count - now.count
    for more in np.unique(np.geomspace(1, rest, ASKED_AHEAD).round().astype(np.int64)).tolist():
        if conviction(future.first(now.count + more), recall=recall) >= needed:
            return int(more)
    return rest
