"""Measures of what a method believes: probabilities and shares, against what is true."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.expansion.expansion import Interval
    from likewise.learn.priors import Prior

BINS = 10


def calibration_error(probabilities: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten bins of equal width.

    It is the sum over bins b of (N_b / N) |mean probability in b - share on topic in b|.
    """
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    off = np.bincount(bins, weights=probabilities - relevant, minlength=BINS)
    return float(np.abs(off).sum() / len(relevant))


def brier(probabilities: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """Return the mean of (probability - truth)², with a truth of 1 on topic and 0 off it."""
    return float(((probabilities - relevant) ** 2).mean())


def covers(interval: Prior | Interval, share: float) -> float:
    """Return 1 if an interval holds a share, its ends too, and 0 if not."""
    return float(interval.low <= share <= interval.high)


def prior_error(estimated: float, true: float) -> float | None:
    """Return ln(estimated / true), or None where one of them is 0.

    >>> prior_error(0.2, 0.1)
    0.6931471805599453
    """
    return math.log(estimated / true) if estimated > 0 and true > 0 else None
