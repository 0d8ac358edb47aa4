"""The cut: the line through a ranking, above which documents are decided to be on topic.

A person may move it. A marked document lies on the side that its mark says, wherever the line is.
Let f documents be marked relevant, and let p_1, p_2, ... be the probabilities of the open ones,
which are marked neither relevant nor irrelevant. With k open documents above the line, the list has

    the expected precision (f + p_1 + ... + p_k) / (f + k)
    and the expected recall (f + p_1 + ... + p_k) / (f + sum of all p)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from likewise.expansion.marks import Label
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion

MOST_POINTS = 400
"""How many points of a curve are drawn."""
SPREAD = 5.0
"""Ranks from cut / SPREAD to cut * SPREAD tell how long the list should be."""


class OpenPool(NamedTuple):
    """A ranking without its seeds, split by what a line decides about."""

    found: int
    """How many documents are marked relevant."""
    open: list[Place]
    """Those that the line decides about: neither marked relevant nor irrelevant."""


class Expectation(NamedTuple):
    """The expected precision and recall of what is decided; 0 where there is nothing."""

    precision: float
    """Of the documents of the list, the share that is on topic."""
    recall: float
    """Of the documents in the pool that are on topic, the share that is in the list."""


def split_pool(places: Sequence[Place], labels: Mapping[str, Label] | None = None) -> OpenPool:
    """Split a ranking: count what is marked relevant, and list what a line decides about.

    Args:
        places: The ranking.
        labels: The current labels; if not given, those that documents had when they were ranked.
    """
    found, rest = 0, list[Place]()
    for place in places:
        label = place.mark if labels is None else labels.get(place.id)
        if place.seed or label == "irrelevant":
            continue
        if label == "relevant":
            found += 1
        else:
            rest.append(place)
    return OpenPool(found, rest)


def find_cut(saved: SavedExpansion) -> int:
    """Return the rank below which the line lies; 0 if it lies above all."""
    return _find_line(saved.ranking)


def _find_line(places: Sequence[Place]) -> int:
    return max((place.rank for place in split_pool(places).open if place.decision), default=0)


def count_telling(places: Sequence[Place], labels: Mapping[str, Label] | None = None) -> int:
    """Count the judged documents around the line and below: they tell how long a list should be.

    Labels are as in `split_pool`.
    """
    judged = [
        place
        for place in places
        if (place.mark if labels is None else labels.get(place.id)) in ("relevant", "irrelevant")
    ]
    if not judged:
        return 0
    highest = _find_line(places) / SPREAD
    return sum(place.rank >= highest for place in judged if not place.seed)


def find_last_rank(saved: SavedExpansion) -> int:
    """Return the last rank that a line can lie below."""
    return max((place.rank for place in split_pool(saved.ranking).open), default=0)


def move_cut(saved: SavedExpansion, rank: int) -> SavedExpansion:
    """Return an expansion with the line below the document of this rank; 0 for above all."""
    ranking = tuple([_decide_place(place, rank) for place in saved.ranking])
    scores = [place.score for place in split_pool(ranking).open if place.decision]
    lowest = min((score for score in scores if score is not None), default=None)
    expected = estimate_worth(ranking)
    estimates = replace(saved.estimates, precision=expected.precision, recall=expected.recall)
    return replace(saved, ranking=ranking, threshold=lowest, estimates=estimates.round())


def estimate_worth(places: Sequence[Place]) -> Expectation:
    """Return the precision and recall to expect of what is decided."""
    pool = split_pool(places)
    decided = [place.chance for place in pool.open if place.decision]
    total = pool.found + math.fsum(place.chance for place in pool.open)
    reached = pool.found + math.fsum(decided)
    listed = pool.found + len(decided)
    return Expectation(reached / listed if listed else 0.0, reached / total if total > 0 else 0.0)


def _decide_place(place: Place, rank: int) -> Place:
    # Seeds and marked documents stay on their side, wherever the line is.
    if place.seed or place.mark in ("relevant", "irrelevant"):
        return place
    decision = place.rank <= rank
    return place if place.decision == decision else replace(place, decision=decision)


@dataclass(frozen=True)
class Curve:
    """Points along the list; all arrays have the same length."""

    documents: NDArray[np.int64]
    """How many documents of the list are read, or the ranks below which lines lie; increasing."""
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    """Zero throughout if no document has a probability above zero."""
    decided: int
    """The value of `documents` at the threshold; if not 0, there is a point for it."""

    @property
    def threshold(self) -> int | None:
        """The index of the threshold's point, or None if nothing is decided to be on topic."""
        return int(np.searchsorted(self.documents, self.decided)) if self.decided else None


def estimate_curve(probabilities: Sequence[float], *, decided: int) -> Curve:
    """Return expected precision and recall along a list; a long one has more points at its start.

    Args:
        probabilities: Of the documents of the pool without the seeds, best document first.
        decided: How many of these, from the first on, are decided to be on topic.

    >>> curve = estimate_curve([1.0, 0.5, 0.5], decided=2)
    >>> curve.precision[curve.threshold], curve.recall[curve.threshold]
    (np.float64(0.75), np.float64(0.75))
    """
    reached, size = np.cumsum([0.0, *probabilities]), len(probabilities)
    return _make_curve(reached, np.arange(size + 1), size=size, decided=decided)


def trace_curve(saved: SavedExpansion, labels: Mapping[str, Label]) -> Curve:
    """Return the expected precision and recall of each line through a ranking, given the labels.

    What is marked relevant is on every list, what is marked irrelevant on none. So the curve's
    documents are not how many a list has, but the rank below which its line lies.
    """
    size, cut = find_last_rank(saved), find_cut(saved)
    found, rest = split_pool(saved.ranking, labels)
    ranks = np.array([place.rank for place in rest], dtype=np.int64)
    likely = np.array([place.chance for place in rest], dtype=np.float64)
    reached = found + np.cumsum(np.bincount(ranks, likely, minlength=size + 1), dtype=np.float64)
    listed = found + np.cumsum(np.bincount(ranks, minlength=size + 1))
    return _make_curve(reached, listed, size=size, decided=cut)


def _make_curve(
    reached: NDArray[np.float64], listed: NDArray[np.int64], *, size: int, decided: int
) -> Curve:
    """Return points of a curve; its shares are 0 where there is nothing to divide by.

    Args:
        reached: How many on topic are expected above a line after each place, from place 0 on.
        listed: How many documents a list with that line has.
        size: The last place that a line can lie after.
        decided: Where the line lies.
    """
    at = _choose_points(size, decided=decided)
    part, whole, total = reached[at], listed[at], float(reached[-1])
    precision = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    recall = part / total if total > 0 else np.zeros_like(part)
    return Curve(at, precision, recall, decided)


def _choose_points(size: int, *, decided: int) -> NDArray[np.int64]:
    if size <= MOST_POINTS:
        return np.arange(1, size + 1)
    spread = np.geomspace(1, size, MOST_POINTS - 1).round().astype(np.int64)
    kept = [*spread, decided] if decided else spread
    return np.unique(np.asarray(kept, dtype=np.int64))
