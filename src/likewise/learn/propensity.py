"""Inverse propensity: how much a mark counts, given where in the ranking it was given.

People look at the top of a list. Of n marks in a stretch of the ranking that holds m documents,
each stands for m / n of them. Stretches double in length (1, 2-3, 4-7, ...), and a mark counts

    (m / n) ^ POWER, at most MOST times as much as the one that counts least

brought to a mean of 1. What was marked outside the ranking counts as the mean of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

POWER = 0.5
MOST = 4.0


def inverse_propensity(
    ranks: NDArray[np.float64], *, power: float = POWER, most: float = MOST
) -> NDArray[np.float64]:
    """Return how much each mark counts, on average 1.

    >>> inverse_propensity(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 1.0, 1.0]
    >>> inverse_propensity(np.array([2.0, 3.0, 9.0])).round(2).tolist()
    [0.62, 0.62, 1.76]

    Args:
        ranks: From 1; NaN where there was none.
        power: How far to go: 0 counts all alike, 1 as the formula of inverse propensity has it.
        most: How much more than the least one may count.
    """
    is_known = ~np.isnan(ranks)
    if not is_known.any():
        return np.ones(len(ranks))
    stretch = np.floor(np.log2(np.maximum(ranks[is_known], 1))).astype(np.int64)
    counted = np.bincount(stretch)
    stands_for = (2.0**stretch / counted[stretch]) ** power
    stands_for = np.minimum(stands_for, most * stands_for.min())
    weights = np.full(len(ranks), stands_for.mean())
    weights[is_known] = stands_for
    return np.asarray(weights / weights.mean())
