"""What was learned on other topics: how many documents are on topic, and where to cut.

Scores alone can't tell how much of a pool is on topic: a large topic and one that is hard to tell
from its neighbours look the same. But other topics tell what is usual. With the place of a topic,

    place = the mean of the 25 % and the 50 % quantile of the ln ranks of held-out seeds

`make bench-experience` fits, over MeSH topics that no other benchmark uses,

    ln relevant = a + b place      how many documents of the pool are on topic
    ln length   = c + d place      how long the list of the best F1 is

Quantiles, not means: a few seeds that stand far down say little about where the others end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.learn.curves import log_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

RELEVANT = (3.07, 0.44)
LENGTH = (2.35, 0.65)
SPREAD = 0.74
"""How far off ln relevant was, as a deviation."""


def usual_relevant(above: NDArray[np.float64], *, size: int) -> float:
    """Return how many documents of the pool were on topic where seeds stood like this.

    Args:
        above: The share of the pool above each held-out seed.
        size: How many documents the pool has.
    """
    constant, slope = RELEVANT
    return float(np.clip(np.exp(constant + slope * place_of(above, size=size)), 1, size))


def usual_length(above: NDArray[np.float64], *, size: int) -> int:
    """Return how long the list of the best F1 was where seeds stood like this."""
    constant, slope = LENGTH
    return int(np.clip(round(np.exp(constant + slope * place_of(above, size=size))), 1, size))


def place_of(above: NDArray[np.float64], *, size: int) -> float:
    """Return the place of a topic in its pool."""
    return float(np.quantile(log_ranks(above, size=size), [0.25, 0.5]).mean())
