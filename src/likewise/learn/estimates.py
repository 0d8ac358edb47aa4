"""Estimates as they are saved: numbers with their bounds, what seeds may stand for, and the target.

This module needs neither numpy nor scipy, so saved expansions and sessions load without them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import msgspec

from likewise.errors import SettingsError


class Interval(msgspec.Struct, frozen=True):
    """An estimate, and the bounds of its 80 % interval."""

    value: float
    low: float
    high: float

    def __iter__(self) -> Iterator[float]:
        """Yield the estimate and its bounds, so that all three can be unpacked."""
        return iter((self.value, self.low, self.high))

    def round(self, digits: int) -> Interval:
        """Return it as saved: rounded, since last bits differ between machines, and without -0.0.

        >>> Interval(2.00000012, -0.00000001, 3).round(6)
        Interval(value=2.0, low=0.0, high=3.0)
        """
        return Interval(*(round(float(number), digits) + 0.0 for number in self))


class SeedReading(msgspec.Struct, frozen=True):
    """One way to read the seeds, and what follows from it."""

    is_corner: bool
    """Whether they are taken for one corner of a wider topic, not for a fair sample of it."""
    weight: float
    """How likely that is, from 0 to 1."""
    left: float
    """How many documents of the pool are then on topic, not counting those looked at."""

    def round(self, digits: int) -> SeedReading:
        """Return it as it is saved."""
        weight, left = (round(float(number), digits) + 0.0 for number in (self.weight, self.left))
        return SeedReading(self.is_corner, weight, left)


Basis = Literal["reading", "audits"]
BASES: tuple[Basis, ...] = get_args(Basis)
"""What may show that the target is reached; the first is the default."""

LEAST, SUREST = 0.01, 0.9999
"""The least recall and confidence, and the greatest confidence, that may be asked for."""


class Target(NamedTuple):
    """A recall, and the confidence that it is reached."""

    recall: float = 0.95
    confidence: float = 0.95
    by: Basis = "reading"
    """What shows it: audits, however good the ranking is, or reading, if finds decline as usual."""

    def check(self) -> None:
        """Raise SettingsError if the recall or the confidence is out of range."""
        if not LEAST <= self.recall <= 1:
            raise SettingsError(
                f"--recall {self.recall:g}: a recall is from {LEAST} to 1, such as 0.95"
            )
        if not LEAST <= self.confidence <= SUREST:
            raise SettingsError(
                f"--confidence {self.confidence:g}: a confidence is from {LEAST} to {SUREST}, "
                "such as 0.95"
            )

    def count_allowed(self, found: int) -> int:
        """Return how many documents may be left once this many are found.

        >>> [Target(recall=0.95).count_allowed(found) for found in (100, 18)]
        [5, 0]
        """
        # 0.95 is not a binary fraction: 95 found and 5 left are 0.95, whatever the last digits say.
        return math.floor(found * (1 - self.recall) / self.recall + 1e-9)


def compute_recall(found: int, *, left: float) -> float:
    """Return the recall, given how many are found and left; 1 if there are none at all.

    >>> compute_recall(95, left=5), compute_recall(0, left=0)
    (0.95, 1.0)
    """
    return found / (found + left) if found + left else 1.0
