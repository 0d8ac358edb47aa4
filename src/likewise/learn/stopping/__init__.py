"""When to stop, judging by numbers alone: what was looked at is all that a rule may use.

Finds are taken to be a Poisson process whose rate declines as reading goes on,

    exponential   rate(x) = exp(a + b x)
    power         rate(x) = exp(a) x^b

with x the place in the order of reading. The most likely a and b (b at most 0) are those of a
Poisson regression on the numbers found in ten windows of equal length. The number still to come is
the sum of the rate over all unread places. Stevenson and Bin-Hezam (2023) fit the same rates by
least squares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from likewise.learn.stopping.audits import AuditResult

    Numbers = NDArray[np.float64]


Rate = Literal["exponential", "power"]
RATES: tuple[Rate, ...] = get_args(Rate)
WINDOWS = 10
_FIRM = np.diag([1e-6, 1e-2])
"""A penalty that keeps the regression finite if hardly anything was found."""
_STEPS = 60


class ControlSet(NamedTuple):
    """Documents on topic, drawn at random, that are known but were kept out of the learning."""

    size: int
    reached: int
    """How many of them rank above everything that was not looked at yet."""


class ExpectedByScores(NamedTuple):
    """How many documents on topic the scores predict, given labels (`posterior.py`)."""

    looked_at: float
    """Among what was looked at: the true number is known, so it shows how wrong scores may be."""
    rest: float
    """Among what was not looked at."""
    variance: float
    """The variance of the first number."""
    rest_variance: float
    """The variance of the second."""


@dataclass(frozen=True, kw_only=True)
class Screening:
    """What was looked at, without the seeds."""

    labels: NDArray[np.bool_]
    """Whether each document is on topic, in the order in which they were looked at."""
    size: int
    """How many documents there are in all."""
    seeds: int = 0
    brought: int = 0
    """How many known documents on topic were not read in order, such as those marked by a file."""
    audits: tuple[AuditResult, ...] = ()
    control: ControlSet | None = None
    scored: ExpectedByScores | None = None
    """None if the scores that made the order are not known."""

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
        """How many documents on topic are known, without the seeds."""
        return self.found + self.brought

    @property
    def rest(self) -> int:
        """How many documents were not looked at."""
        return self.size - self.count

    @property
    def places(self) -> NDArray[np.int64]:
        """How many documents had been looked at by when each one on topic was found."""
        return np.flatnonzero(self.labels) + 1

    def first(self, count: int) -> Screening:
        """Return what its first `count` documents had shown, without audits and scores."""
        return replace(self, labels=self.labels[:count], audits=(), control=None, scored=None)


def expect_ahead(looked: Screening, *, rate: Rate) -> float:
    """Return how many are still to be found if the rate keeps declining as it did.

    >>> from likewise.learn.stopping import Screening
    >>> labels = np.arange(100) % 10 == 0
    >>> round(expect_ahead(Screening(labels=labels, size=200), rate="exponential"), 1)
    10.0
    """
    return float(estimate_rates(looked, rate=rate).sum())


def estimate_rates(looked: Screening, *, rate: Rate) -> Numbers:
    """Return how many finds to expect at each unread place, in the order of reading."""
    edges = np.unique(np.linspace(0, looked.count, WINDOWS + 1).round().astype(np.int64))
    counts = np.diff(np.append(0, np.cumsum(looked.labels))[edges]).astype(np.float64)
    middles = _transform_places((edges[:-1] + edges[1:] + 1) / 2, looked.size, rate=rate)
    widths, apart = np.diff(edges).astype(np.float64), middles - middles.mean()
    level, slope = _fit_rate(counts, widths, apart)
    if slope > 0:
        # If the rate would rise, the most likely one that does not rise is constant.
        level, slope = _fit_rate(counts, widths, np.zeros_like(apart))
    places = np.arange(looked.count + 1, looked.size + 1, dtype=np.float64)
    away = _transform_places(places, looked.size, rate=rate) - middles.mean()
    return np.asarray(np.exp(np.clip(level + slope * away, -40, 0)))


def _transform_places(places: Numbers, size: int, *, rate: Rate) -> Numbers:
    """Return the quantity in which the logarithm of the rate is linear."""
    return places / size if rate == "exponential" else np.log(places)


def _fit_rate(counts: Numbers, widths: Numbers, places: Numbers) -> Numbers:
    """Return the level and slope of the log rate that fit the counts of windows best."""
    rows = np.column_stack([np.ones_like(places), places])
    fitted = np.array([np.log((counts.sum() + 0.5) / widths.sum()), 0.0])
    for _ in range(_STEPS):
        expected = widths * np.exp(np.clip(rows @ fitted, -30, 3))
        slope = rows.T @ (counts - expected) - _FIRM @ fitted
        step = np.clip(np.linalg.solve((rows.T * expected) @ rows + _FIRM, slope), -2, 2)
        fitted = fitted + step
        if np.abs(step).max() < 1e-7:
            break
    return np.asarray(fitted)
