"""Points: the measures of each method on each topic, averaged over draws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from likewise.bench.runs.summary import Cell, Summary, TaskKind

UPPER_BOUND = "upper-bound"
BOUNDS = (UPPER_BOUND, "upper-bound-cnn")


class Point(NamedTuple):
    """The measures of a method on a topic with so many seeds."""

    label: str
    """The method's name, with settings where it was run with several."""
    seeds: int
    topic: str
    measures: Mapping[str, float]
    method: str = ""
    """The method's spelling."""
    encoder: str = ""


def find_main_kind(summary: Summary) -> TaskKind:
    """Return the kind of task that most results are of; a figure shows one kind only."""
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
    drawn: dict[tuple[int, str], list[set[str]]] = defaultdict(list)
    for _, cell in cells:
        drawn[cell.seeds, cell.topic].append(set(cell.fingerprints))
    common = {place: set.intersection(*tasks) for place, tasks in drawn.items()}
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
    found: dict[str, list[float]] = defaultdict(list)
    for point in keep_measured(points, measure):
        found[point.label].append(point.measures[measure])
    return sorted(found, key=lambda label: (-fmean(found[label]), label))


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
    """Return the methods that have less than half of the topics, such as those still running."""
    topics = _find_topics(points)
    most: dict[int, int] = defaultdict(int)
    for run, found in topics.items():
        most[run.seeds] = max(most[run.seeds], len(found))
    return sorted(run for run, found in topics.items() if 2 * len(found) < most[run.seeds])


def _find_topics(points: Iterable[Point]) -> dict[SizedMethod, set[str]]:
    topics: dict[SizedMethod, set[str]] = defaultdict(set)
    for point in points:
        topics[SizedMethod(point.label, point.seeds)].add(point.topic)
    return dict(topics)


def describe_topics(points: Sequence[Point]) -> str:
    """Return in words how many topics there are, for each number of seeds if that differs.

    >>> describe_topics([Point("a", 20, "x", {}), Point("a", 20, "y", {}), Point("a", 50, "x", {})])
    '2 topics for |LP| = 20, 1 topic for |LP| = 50'
    """
    counts = {
        size: len({point.topic for point in points if point.seeds == size})
        for size in list_sizes(points)
    }
    said = {size: f"{n} topic{'' if n == 1 else 's'}" for size, n in counts.items()}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return ", ".join(f"{words} for |LP| = {size:,}" for size, words in said.items())
