"""How finding declines with reading, and how much of it is still to come.

What is found is taken as a Poisson process whose rate declines as reading goes on,

    exponential   rate(x) = exp(a + b x)
    power         rate(x) = exp(a) x^b

with x the place in the order of reading. The most likely a and b (b at most 0) are those of a
Poisson regression on the numbers found in ten windows of equal length. What is still to come is
the sum of the rate over what is unread. Stevenson and Bin-Hezam (2023) fit the same rates by
least squares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.stopping.looked import Looked

    Numbers = NDArray[np.float64]

Rate = Literal["exponential", "power"]
RATES: tuple[Rate, ...] = get_args(Rate)
WINDOWS = 10
_FIRM = np.diag([1e-6, 1e-2])
"""What keeps the regression from running away where hardly anything was found."""
_STEPS = 60


def expected_ahead(looked: Looked, *, rate: Rate) -> float:
    """Return how many are still to be found if the rate goes on as it declined so far.

    >>> from likewise.learn.stopping.looked import Looked
    >>> labels = np.arange(100) % 10 == 0
    >>> round(expected_ahead(Looked(labels=labels, size=200), rate="exponential"), 1)
    10.0
    """
    return float(rates_ahead(looked, rate=rate).sum())


def rates_ahead(looked: Looked, *, rate: Rate) -> Numbers:
    """Return how many are to be found at each unread place, in the order of reading."""
    edges = np.unique(np.linspace(0, looked.count, WINDOWS + 1).round().astype(np.int64))
    counts = np.diff(np.append(0, np.cumsum(looked.labels))[edges]).astype(np.float64)
    middles = _place((edges[:-1] + edges[1:] + 1) / 2, looked.size, rate=rate)
    widths, apart = np.diff(edges).astype(np.float64), middles - middles.mean()
    level, slope = _fitted(counts, widths, apart)
    if slope > 0:
        # Where finding rises, a rate that stays the same is the likeliest that does not.
        level, slope = _fitted(counts, widths, np.zeros_like(apart))
    places = np.arange(looked.count + 1, looked.size + 1, dtype=np.float64)
    away = _place(places, looked.size, rate=rate) - middles.mean()
    return np.asarray(np.exp(np.clip(level + slope * away, -40, 0)))


def _place(places: Numbers, size: int, *, rate: Rate) -> Numbers:
    """Return what the logarithm of the rate falls along."""
    return places / size if rate == "exponential" else np.log(places)


def _fitted(counts: Numbers, widths: Numbers, places: Numbers) -> Numbers:
    """Return level and slope of the log rate that fit the counts of windows best."""
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
