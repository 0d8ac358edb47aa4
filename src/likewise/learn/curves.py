"""The recall curve: what share of the topic is above each place in the ranked pool.

Held-out seeds say it, but they are few, so the curve is smooth. The logarithms of the ranks of
documents on topic are taken as normal, with mean m and deviation s, up to the end of the pool:

    recall(k) = F((ln k - m) / s) / F((ln size - m) / s)

with F the normal distribution. Ranks, unlike shares of the pool, do not change when a larger pool
adds documents that are off topic. The deviation of few seeds is uncertain; it is drawn to what it
usually is (`USUAL_DEVIATION`, as if by `USUAL_SEEDS` further seeds).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

USUAL_DEVIATION = 1.45
USUAL_SEEDS = 10


class RecallCurve(NamedTuple):
    """A smooth curve of recall over the share of the pool that is kept."""

    mean: float
    deviation: float
    size: int
    """How many documents the pool has."""

    def recall(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the topic in these shares of the pool, from the top.

        >>> RecallCurve(mean=np.log(100), deviation=1.0, size=10**9).recall(np.array([1e-7, 1.0]))
        array([0.5, 1. ])
        """
        places = (np.log(np.maximum(kept * self.size, 0.5)) - self.mean) / self.deviation
        end = (np.log(self.size) - self.mean) / self.deviation
        return np.where(kept > 0, np.minimum(ndtr(places) / max(ndtr(end), 1e-9), 1), 0)


def recall_curve(above: NDArray[np.float64], *, size: int) -> RecallCurve:
    """Return the curve of held-out seeds.

    Args:
        above: The share of the pool above each seed.
        size: How many documents the pool has.
    """
    places = log_ranks(above, size=size)
    variance = places.var(ddof=1) if len(places) > 1 else USUAL_DEVIATION**2
    freedom = max(len(places) - 1, 1)
    drawn = (freedom * variance + USUAL_SEEDS * USUAL_DEVIATION**2) / (freedom + USUAL_SEEDS)
    return RecallCurve(float(places.mean()), float(np.sqrt(drawn)), size)


def log_ranks(above: NDArray[np.float64], *, size: int) -> NDArray[np.float64]:
    """Return the logarithms of ranks, given the share of a pool that is above each.

    >>> np.exp(log_ranks(np.array([0.0, 0.01]), size=1000))
    array([ 0.5, 10.5])
    """
    return np.asarray(np.log(above * size + 0.5))


def places_kept(size: int, *, most: int = 500) -> NDArray[np.int64]:
    """Return the lengths of list at which a pool of this size may be cut, closer near its top."""
    if size <= most:
        return np.arange(1, size + 1)
    return np.unique(np.geomspace(1, size, most).round().astype(np.int64))
