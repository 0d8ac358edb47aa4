"""What was looked at: all that a rule may go by when it says whether to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.stopping.audits import AuditResult


class ControlSet(NamedTuple):
    """Documents on topic, drawn at random, that are known but were kept out of the learning."""

    size: int
    reached: int
    """How many of them stand above all that was not looked at yet."""


class Scored(NamedTuple):
    """How many on topic scores expect, by what was looked at (`posterior.py`)."""

    looked_at: float
    """Among what was looked at; it is known, but shows how far off the other number may be."""
    rest: float
    """Among what was not."""
    variance: float
    """Of the first number, ..."""
    rest_variance: float
    """... and of the other."""


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What was looked at, without the seeds."""

    labels: NDArray[np.bool_]
    """Whether each document is on topic, in the order in which they were looked at."""
    size: int
    """How many documents there are in all."""
    seeds: int = 0
    brought: int = 0
    """How many on topic are known that were not read in any order, as those of a file are."""
    audits: tuple[AuditResult, ...] = ()
    control: ControlSet | None = None
    scored: Scored | None = None
    """None where the order was not made by scores that are known."""

    @property
    def count(self) -> int:
        """How many documents were looked at."""
        return len(self.labels)

    @property
    def found(self) -> int:
        """How many of them are on topic."""
        return int(self.labels.sum())

    @property
    def known(self) -> int:
        """How many on topic are known, without the seeds."""
        return self.found + self.brought

    @property
    def rest(self) -> int:
        """How many documents were not looked at."""
        return self.size - self.count

    @property
    def places(self) -> NDArray[np.int64]:
        """How many documents had been looked at by when each one on topic was found."""
        return np.flatnonzero(self.labels) + 1

    def first(self, count: int) -> Looked:
        """Return this as it was when so many had been looked at; of audits and scores, nothing."""
        return replace(self, labels=self.labels[:count], audits=(), control=None, scored=None)
