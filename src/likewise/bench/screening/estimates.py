"""Estimates of what is left, beside what is: at several depths of each replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.bench.screening.results import ScreenResult

DEPTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
"""The recall at which estimates are looked at."""


class Estimate(NamedTuple):
    """What was estimated to be left at the first round of a depth, and whether it was."""

    depth: float
    error: float
    """The estimate less the truth, as a share of all that is on topic."""
    is_inside: bool
    """Whether the truth is within the interval."""


def estimates_of(results: Iterable[ScreenResult]) -> list[Estimate]:
    """Return the estimate at each depth that each replay reached."""
    found = []
    for result in results:
        for depth in DEPTHS:
            at = (one for one in result.rounds if one.found >= depth * result.on_topic)
            if one := next(at, None):
                left = result.on_topic - one.found
                error = (one.left - left) / result.on_topic
                found.append(Estimate(depth, error, one.low <= left <= one.high))
    return found
