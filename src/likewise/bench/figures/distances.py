"""Distances to the upper bound.

With F the F1 of a method and B that of the upper bound on the same tasks, the distance is

    |F - B| / (F + B)

The engine alone decides nothing: besides what bm25 comes to with a threshold of ours, it stands for
the mean F1 of its first k documents over all k, as in the paper.
"""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from likewise.bench.figures.points import Point

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


def distances(
    points: Sequence[Point], bounds: Mapping[tuple[int, str], float]
) -> Iterator[Distance]:
    """Yield the mean distance of each method for each number of seeds, with its band.

    The band is the deviation over topics; that of BM25 is what its deviation over k makes of it.
    """
    for label, seeds in sorted({(point.label, point.seeds) for point in points}):
        cell = [
            (point.measures, bounds[seeds, point.topic])
            for point in points
            if (point.label, point.seeds) == (label, seeds) and (seeds, point.topic) in bounds
        ]
        if not cell:
            continue
        if label == "bm25" and all(TOP_K in measures for measures, _ in cell):
            yield _of_top_k(seeds, cell)
        far = [distance(measures["F1"], bound) for measures, bound in cell]
        mean, deviation = fmean(far), pstdev(far)
        yield Distance(label, seeds, mean, max(0.0, mean - deviation), min(1.0, mean + deviation))


def _of_top_k(seeds: int, cell: Sequence[tuple[Mapping[str, float], float]]) -> Distance:
    shifted = [
        fmean(
            distance(max(0.0, measures[TOP_K] + sign * measures.get(TOP_K_DEVIATION, 0.0)), bound)
            for measures, bound in cell
        )
        for sign in (0, 1, -1)
    ]
    return Distance("bm25, top k", seeds, shifted[0], min(shifted), max(shifted))
