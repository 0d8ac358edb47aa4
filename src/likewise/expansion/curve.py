"""Expected precision and recall along a ranked pool, from the probabilities alone.

With p_1, p_2, ... the probabilities of the pool from the best document on, a reader of the first k

    expects the precision (p_1 + ... + p_k) / k
    and the recall        (p_1 + ... + p_k) / (sum of all p)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.expansion.cuts import cut_of, last_rank, pool_of, worth_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.expansion.marks import Label
    from likewise.expansion.saved import SavedExpansion

MOST_POINTS = 400


class Curve(NamedTuple):
    """Points along the list; all arrays have the same length."""

    documents: NDArray[np.int64]
    """How many documents of the list are read, or the ranks below which lines lie; rising."""
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    """Zero throughout where no document has a probability above zero."""
    decided: int
    """Which of them is that of the threshold; if not 0, there is a point for it."""

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
    total = float(relevant[-1]) if len(relevant) else 0.0
    return Curve(documents, *worth_of(reached, documents=documents, total=total), decided)


def curve_of(saved: SavedExpansion, labels: Mapping[str, Label]) -> Curve:
    """Return what to expect of lines through a ranking, with what was said of documents by now.

    What is marked relevant is on every list, what is marked irrelevant on none. So the curve's
    documents are not how many a list has, but the rank below which its line lies.
    """
    size, cut = last_rank(saved), cut_of(saved)
    found, rest = pool_of(saved.ranking, labels)
    ranks = np.array([place.rank for place in rest], dtype=np.int64)
    likely = np.array([place.probability or 0.0 for place in rest], dtype=np.float64)
    reached = found + np.cumsum(np.bincount(ranks, likely, minlength=size + 1))
    listed = found + np.cumsum(np.bincount(ranks, minlength=size + 1))
    at = _drawn(size, decided=cut)
    return Curve(at, *worth_of(reached[at], documents=listed[at], total=float(reached[-1])), cut)


def _drawn(size: int, *, decided: int) -> NDArray[np.int64]:
    if size <= MOST_POINTS:
        return np.arange(1, size + 1)
    spread = np.geomspace(1, size, MOST_POINTS - 1).round().astype(np.int64)
    kept = [*spread, decided] if decided else spread
    return np.unique(np.asarray(kept, dtype=np.int64))
