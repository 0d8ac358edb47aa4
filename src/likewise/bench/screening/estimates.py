"""Estimates of what is left, beside what is: at several depths of each replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.learn.stopping.calibration import past_replays
from likewise.learn.stopping.looked import Looked, Scored
from likewise.learn.stopping.posterior import Span, left_after_reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.bench.screening.replaying import Evidence
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
            at = (one for one in result.rounds if one.found >= depth * result.on_topic - 1e-9)
            if one := next(at, None):
                left = result.on_topic - one.found
                value, low, high = map(round, estimated_left(result, one))
                error = (value - left) / result.on_topic
                found.append(Estimate(depth, error, low <= left <= high))
    return found


def estimated_left(result: ScreenResult, at: Evidence) -> Span:
    """Return how many a round would have said to be left; of the same review, nothing is known."""
    looked = Looked(
        labels=result.labels[: at.looked_at],
        size=result.records,
        seeds=result.seeds,
        scored=Scored(*at.scored) if at.scored else None,
    )
    calibration = past_replays(without=result.review)
    return left_after_reading(looked, Span(*at.usual), calibration=calibration)
