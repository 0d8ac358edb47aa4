"""Estimates as they are saved: numbers with their bounds, and what the seeds may stand for.

It loads nothing but msgspec, so that saved expansions are read without numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """An estimate, and between which values it lies with 80 % confidence."""

    value: float
    low: float
    high: float

    def __iter__(self) -> Iterator[float]:
        """Yield the estimate and its bounds, so that all three can be unpacked."""
        yield self.value
        yield self.low
        yield self.high

    def round(self, digits: int) -> Interval:
        """Return it as it is saved: rounded, since last bits differ between machines, and no -0.0.

        >>> Interval(2.00000012, -0.00000001, 3).round(6)
        Interval(value=2.0, low=0.0, high=3.0)
        """
        return Interval(*(round(float(number), digits) + 0.0 for number in self))


class SeedReading(msgspec.Struct, frozen=True):
    """One way to read the seeds, and what it comes to."""

    is_corner: bool
    """Whether they are taken for one corner of a wider topic, and not for a fair sample of it."""
    weight: float
    """How likely that is, from 0 to 1."""
    left: float
    """How many documents of the pool are on topic then, without those looked at."""

    def round(self, digits: int) -> SeedReading:
        """Return it as it is saved."""
        weight, left = (round(float(number), digits) + 0.0 for number in (self.weight, self.left))
        return SeedReading(self.is_corner, weight, left)
