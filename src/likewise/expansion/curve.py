"""Expected precision and recall along a ranked pool, from the probabilities alone.

With p_1, p_2, ... the probabilities of the pool from the best document on, a reader of the first k

    expects the precision (p_1 + ... + p_k) / k
    and the recall        (p_1 + ... + p_k) / (sum of all p)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_POINTS = 400


class Curve(NamedTuple):
    """Points along the list; all arrays have the same length."""

    documents: NDArray[np.int64]
    """How many documents of the list are read, rising."""
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    """Zero throughout where no document has a probability above zero."""
    decided: int
    """How many documents are read at the threshold; if not 0, there is a point for it."""

    @property
    def threshold(self) -> int | None:
        """The index of the threshold's point, or None if nothing is decided to be on topic."""
        return int(np.searchsorted(self.documents, self.decided)) if self.decided else None


def expected_curve(probabilities: Sequence[float], *, decided: int) -> Curve:
    """Return the points to draw: all, or if they are many, more of them where the list begins.

    Args:
        probabilities: Of the documents of the pool without the seeds, best document first.
        decided: How many of these, from the first on, are decided to be on topic.

    >>> curve = expected_curve([1.0, 0.5, 0.5], decided=2)
    >>> curve.precision[curve.threshold], curve.recall[curve.threshold]
    (np.float64(0.75), np.float64(0.75))
    """
    relevant = np.cumsum(np.asarray(probabilities, dtype=np.float64))
    documents = _drawn(len(relevant), decided=decided)
    reached = relevant[documents - 1]
    total = relevant[-1] if len(relevant) and relevant[-1] > 0 else 1.0
    return Curve(documents, reached / documents, reached / total, decided)


def _drawn(size: int, *, decided: int) -> NDArray[np.int64]:
    if size <= MOST_POINTS:
        return np.arange(1, size + 1)
    spread = np.geomspace(1, size, MOST_POINTS - 1).round().astype(np.int64)
    kept = [*spread, decided] if decided else spread
    return np.unique(np.asarray(kept, dtype=np.int64))
