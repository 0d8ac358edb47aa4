"""Points: the measures of each method on each topic, and how far from the upper bound they are.

With F the F1 of a method and B that of the upper bound on the same tasks, the distance is

    |F - B| / (F + B)

Each method is compared with the bound of its own kind of model, if that was run. The engine itself
decides nothing, so it has two lines: bm25 with a threshold of ours, and, as in the paper, the mean
F1 of its first k documents over all k, compared with the bound of the paper's network.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import NamedTuple

from likewise.bench import group_by
from likewise.bench.methods.baselines import find_bound
from likewise.bench.runs.summary import Cell, Summary, TaskKind

UPPER_BOUND = "upper-bound"
BOUNDS = (UPPER_BOUND, "upper-bound-cnn")
NETWORK = "cnn"
"""The method whose bound the paper measures the engine against."""
TOP_K, TOP_K_DEVIATION = "top-k F1", "top-k F1 deviation"


@dataclass(frozen=True)
class Point:
    """The measures of a method on a topic with a number of seeds."""

    label: str
    """The method's name, with its settings if it was run with several."""
    seeds: int
    topic: str
    measures: Mapping[str, float]
    method: str = ""
    """The method's spelling."""
    encoder: str = ""


def find_main_kind(summary: Summary) -> TaskKind:
    """Return the kind of task with the most results; a figure shows one kind only."""
    counted = Counter(cell.kind for cell in summary.cells)
    return min(counted, key=lambda kind: (-counted[kind], str(kind)))


def make_points(summary: Summary, *, kind: TaskKind) -> list[Point]:
    """Return the points of a summary, averaged over the draws that all methods have."""
    cells = [
        (label, cell)
        for label, of_method in summary.group_by_method().items()
        for cell in of_method
        if cell.kind == kind
    ]
    drawn = group_by((cell for _, cell in cells), lambda cell: (cell.seeds, cell.topic))
    common = {
        place: set.intersection(*(set(cell.fingerprints) for cell in own))
        for place, own in drawn.items()
    }
    return [
        _make_point(label, cell, common[cell.seeds, cell.topic])
        for label, cell in cells
        if common[cell.seeds, cell.topic]
    ]


def _make_point(label: str, cell: Cell, tasks: set[str]) -> Point:
    kept = [place for place, task in enumerate(cell.fingerprints) if task in tasks]
    found = {
        name: [value for place in kept if (value := values[place]) is not None]
        for name, values in cell.measures.items()
    }
    return Point(
        label=label,
        seeds=cell.seeds,
        topic=cell.topic,
        measures={name: fmean(values) for name, values in found.items() if values},
        method=cell.method,
        encoder=str(cell.settings.get("encoder", "")),
    )


def keep_measured(points: Iterable[Point], *names: str) -> list[Point]:
    """Return the points that have all these measures."""
    return [point for point in points if all(name in point.measures for name in names)]


def list_sizes(points: Iterable[Point]) -> list[int]:
    """Return the numbers of seeds, from few to many."""
    return sorted({point.seeds for point in points})


def order_labels(points: Iterable[Point], measure: str) -> list[str]:
    """Return the labels of methods, the best mean of a measure first."""
    found = group_by(keep_measured(points, measure), lambda point: point.label)
    means = {label: fmean(one.measures[measure] for one in own) for label, own in found.items()}
    return sorted(means, key=lambda label: (-means[label], label))


def keep_comparable(points: Sequence[Point], *, over_sizes: bool = False) -> list[Point]:
    """Return the points on topics that all methods have, so that means can be compared.

    Methods that `find_incomplete` returns are left out, since the others would lose their topics.

    Args:
        points: The points of several methods.
        over_sizes: Whether topics must be there for every number of seeds.
    """
    few = set(find_incomplete(points))
    kept = {run: found for run, found in _find_topics(points).items() if run not in few}
    common = {
        size: set.intersection(
            *(found for run, found in kept.items() if over_sizes or run.seeds == size)
        )
        for size in list_sizes(points)
    }
    return [
        point
        for point in points
        if SizedMethod(point.label, point.seeds) in kept and point.topic in common[point.seeds]
    ]


class SizedMethod(NamedTuple):
    """A method with a number of seeds."""

    label: str
    seeds: int


def find_incomplete(points: Iterable[Point]) -> list[SizedMethod]:
    """Return the methods that have fewer than half of the topics, such as those still running."""
    topics = _find_topics(points)
    most: dict[int, int] = defaultdict(int)
    for run, found in topics.items():
        most[run.seeds] = max(most[run.seeds], len(found))
    return sorted(run for run, found in topics.items() if 2 * len(found) < most[run.seeds])


def _find_topics(points: Iterable[Point]) -> dict[SizedMethod, set[str]]:
    found = group_by(points, lambda point: SizedMethod(point.label, point.seeds))
    return {run: {point.topic for point in own} for run, own in found.items()}


def describe_topics(points: Sequence[Point]) -> str:
    """Return in words how many topics there are, for each number of seeds if that differs.

    >>> describe_topics([Point("a", 20, "x", {}), Point("a", 20, "y", {}), Point("a", 50, "x", {})])
    '2 topics for |LP| = 20, 1 topic for |LP| = 50'
    """
    counts = {
        size: len({point.topic for point in points if point.seeds == size})
        for size in list_sizes(points)
    }
    counted = {size: f"{n} topic{'' if n == 1 else 's'}" for size, n in counts.items()}
    if len(set(counted.values())) == 1:
        return next(iter(counted.values()))
    return ", ".join(f"{words} for |LP| = {size:,}" for size, words in counted.items())


@dataclass(frozen=True)
class Distance:
    """The mean distance of a method to the upper bound over topics, and the band around it."""

    method: str
    seeds: int
    mean: float
    low: float
    high: float


def compute_distance(f1: float, bound: float) -> float:
    """Return the distance between an F1 and that of the upper bound, from 0 to 1.

    >>> compute_distance(0.3, 0.5)
    0.25
    """
    return round(abs(f1 - bound) / (f1 + bound), 12) if f1 + bound else 0.0


def _find_bound_f1(points: Sequence[Point], method: str) -> dict[tuple[int, str], float]:
    """Return the F1 of a method's own bound or, if that was not run, of another."""
    found = group_by((point for point in points if point.method in BOUNDS), lambda one: one.method)
    own = found.get(find_bound(method)) or next(iter(found.values()), [])
    return {(point.seeds, point.topic): point.measures["F1"] for point in own}


def measure_distances(points: Sequence[Point]) -> Iterator[Distance]:
    """Yield the mean distance of each method for each number of seeds, with its band.

    The band is the deviation over topics; for BM25's first k, it follows from the deviation over k.
    """
    network = _find_bound_f1(points, NETWORK)
    shown = (point for point in points if point.method not in BOUNDS)
    cells = group_by(shown, lambda point: (point.label, point.seeds))
    for (label, seeds), cell in sorted(cells.items()):
        if label == "bm25" and (top := _pair_with_bounds(cell, network, measure=TOP_K)):
            yield _measure_top_k(seeds, top)
        bounds = _find_bound_f1(points, cell[0].method)
        far = [
            compute_distance(measures["F1"], bound)
            for measures, bound in _pair_with_bounds(cell, bounds, measure="F1")
        ]
        if not far:
            continue
        mean, deviation = fmean(far), pstdev(far)
        yield Distance(label, seeds, mean, max(0.0, mean - deviation), min(1.0, mean + deviation))


def _pair_with_bounds(
    cell: Sequence[Point], bounds: Mapping[tuple[int, str], float], *, measure: str
) -> list[tuple[Mapping[str, float], float]]:
    """Return the measures on each topic with the bound's F1 there."""
    return [
        (point.measures, bounds[point.seeds, point.topic])
        for point in cell
        if measure in point.measures and (point.seeds, point.topic) in bounds
    ]


def _measure_top_k(seeds: int, cell: Sequence[tuple[Mapping[str, float], float]]) -> Distance:
    shifted = [
        fmean(
            compute_distance(
                max(0.0, measures[TOP_K] + sign * measures.get(TOP_K_DEVIATION, 0.0)), bound
            )
            for measures, bound in cell
        )
        for sign in (0, 1, -1)
    ]
    return Distance("bm25, top k", seeds, shifted[0], min(shifted), max(shifted))
