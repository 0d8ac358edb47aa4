"""Distances to the upper bound.

With F the F1 of a method and B that of the upper bound on the same tasks, the distance is

    |F - B| / (F + B)

Each method has the bound of its own kind of model, if that was run. The engine alone decides
nothing: besides what bm25 comes to with a threshold of ours, it stands for the mean F1 of its first
k documents over all k, below the bound of the paper's network, as in the paper.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.figures.points import BOUNDS
from likewise.bench.methods.baselines import bound_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from likewise.bench.figures.points import Point

NETWORK = "cnn"
"""What the paper compares the engine with."""
TOP_K, TOP_K_DEVIATION = "top-k F1", "top-k F1 deviation"


class Distance(NamedTuple):
    """How far a method is from the upper bound, over topics, and the band about it."""

    method: str
    seeds: int
    mean: float
    low: float
    high: float


def distance(f1: float, bound: float) -> float:
    """Return the distance of an F1 to that of the upper bound, from 0 to 1.

    >>> distance(0.3, 0.5)
    0.25
    """
    return round(abs(f1 - bound) / (f1 + bound), 12) if f1 + bound else 0.0


class Bounds:
    """The F1 of each upper bound that was run, by number of seeds and topic."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._f1: dict[str, dict[tuple[int, str], float]] = defaultdict(dict)
        for point in points:
            if point.method in BOUNDS:
                self._f1[point.method][point.seeds, point.topic] = point.measures["F1"]

    def of(self, method: str) -> Mapping[tuple[int, str], float]:
        """Return that of a method: its own, or else the one that was run."""
        return self._f1.get(bound_of(method)) or next(iter(self._f1.values()), {})


def distances(points: Sequence[Point]) -> Iterator[Distance]:
    """Yield the mean distance of each method for each number of seeds, with its band.

    The band is the deviation over topics; that of BM25 is what its deviation over k makes of it.
    """
    bounds = Bounds(points)
    shown = [point for point in points if point.method not in BOUNDS]
    for label, seeds in sorted({(point.label, point.seeds) for point in shown}):
        cell = [p for p in shown if (p.label, p.seeds) == (label, seeds)]
        if label == "bm25" and (top := _paired(cell, bounds.of(NETWORK), measure=TOP_K)):
            yield _of_top_k(seeds, top)
        far = [
            distance(measures["F1"], bound)
            for measures, bound in _paired(cell, bounds.of(cell[0].method), measure="F1")
        ]
        if not far:
            continue
        mean, deviation = fmean(far), pstdev(far)
        yield Distance(label, seeds, mean, max(0.0, mean - deviation), min(1.0, mean + deviation))


def _paired(
    cell: Sequence[Point], bounds: Mapping[tuple[int, str], float], *, measure: str
) -> list[tuple[Mapping[str, float], float]]:
    """Return what was measured on each topic, with the bound there."""
    return [
        (point.measures, bounds[point.seeds, point.topic])
        for point in cell
        if measure in point.measures and (point.seeds, point.topic) in bounds
    ]


def _of_top_k(seeds: int, cell: Sequence[tuple[Mapping[str, float], float]]) -> Distance:
    shifted = [
        fmean(
            distance(max(0.0, measures[TOP_K] + sign * measures.get(TOP_K_DEVIATION, 0.0)), bound)
            for measures, bound in cell
        )
        for sign in (0, 1, -1)
    ]
    return Distance("bm25, top k", seeds, shifted[0], min(shifted), max(shifted))
