"""Points: what each method came to on each topic, as a mean over draws, and which compare."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from likewise.bench.runs.summary import Cell, Summary, TaskKind

UPPER_BOUND = "upper-bound"
BOUNDS = (UPPER_BOUND, "upper-bound-cnn")


class Point(NamedTuple):
    """What a method came to on the tasks of a topic with so many seeds."""

    label: str
    """The method under a name of its own."""
    seeds: int
    topic: str
    measures: Mapping[str, float]
    method: str = ""
    """As it is spelled."""
    encoder: str = ""


def find_main_kind(summary: Summary) -> TaskKind:
    """Return the sort of tasks that most results are of; no two sorts are drawn together."""
    counted = Counter(cell.kind for cell in summary.cells)
    return min(counted, key=lambda kind: (-counted[kind], str(kind)))


def make_points(summary: Summary, *, kind: TaskKind) -> list[Point]:
    """Return the points of a summary, each over those draws of its topic that all methods have."""
    cells = [
        (label, cell)
        for label, of_method in summary.by_method().items()
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
    """Return the points at which all these measures were taken."""
    return [point for point in points if all(name in point.measures for name in names)]


def list_sizes(points: Iterable[Point]) -> list[int]:
    """Return the numbers of seeds, from few to many."""
    return sorted({point.seeds for point in points})


def order_labels(points: Iterable[Point], measure: str) -> list[str]:
    """Return the methods' labels, the best in the mean of a measure first."""
    found: dict[str, list[float]] = defaultdict(list)
    for point in keep_measured(points, measure):
        found[point.label].append(point.measures[measure])
    return sorted(found, key=lambda label: (-fmean(found[label]), label))


def keep_comparable(points: Sequence[Point], *, over_sizes: bool = False) -> list[Point]:
    """Return the points on topics that all methods have, so that their means compare.

    What `find_incomplete` names is left out; it would cost all others their topics.

    Args:
        points: Of several methods.
        over_sizes: Topics have to be there for every number of seeds too.
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
    """A method with a number of seeds, on whatever topics."""

    label: str
    seeds: int


def find_incomplete(points: Iterable[Point]) -> list[SizedMethod]:
    """Return the methods that have less than half of the topics, as those that still run."""
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
    """Return how many topics there are, in words; where it differs, for each number of seeds.

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
