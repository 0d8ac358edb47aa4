"""Columns: the methods of a summary, with what a measure came to on each task."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.measures.measures import MEASURES, check_measure
from likewise.bench.runs.cells import topic_means, values
from likewise.bench.runs.merging import canonical
from likewise.bench.tables.table import Number, count
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from likewise.bench.runs.cells import Cell, TaskKey, TaskKind
    from likewise.bench.runs.summary import Summary

    Named = Mapping[str, Sequence[Cell]]

UPPER_BOUND, TRUE_PRIOR = "upper-bound", "prior=true"
ASIDE = "upper bounds and methods that lack tasks aside"
"""Which methods are not compared with others."""


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """What a table is asked to show."""

    measures: tuple[str, ...] = ()
    """By name; those that are usual for the table, if none is said."""
    against: str = ""
    """The method that others are compared with."""

    def __post_init__(self) -> None:
        for name in self.measures:
            check_measure(name)

    @property
    def measure(self) -> str:
        """The measure of tables that show one."""
        return self.measures[0] if self.measures else "F1"


@dataclass(frozen=True)
class Column:
    """A method, with what a measure came to on each task."""

    name: str
    values: Mapping[TaskKey, float]
    deviations: Mapping[TaskKey, float] = field(default_factory=dict)

    @property
    def is_bound(self) -> bool:
        """Whether it knows the truth, and is no contender."""
        return self.name.startswith(UPPER_BOUND) or TRUE_PRIOR in self.name

    def tasks(self, seeds: int) -> set[TaskKey]:
        """Return the tasks with so many seeds."""
        return {task for task in self.values if task.seeds == seeds}

    def mean(self, tasks: Iterable[TaskKey], *, measure: str) -> Number | None:
        """Return the mean over the topics of these tasks, or None if one of them is missing."""
        asked = set(tasks)
        if not asked or not asked <= self.values.keys():
            return None
        return Number(
            mean_of({task: self.values[task] for task in asked}),
            MEASURES[measure].unit,
            deviation=mean_of({task: self.deviations[task] for task in asked})
            if asked <= self.deviations.keys()
            else None,
        )


class Kind(NamedTuple):
    """The methods on the tasks of one sort."""

    kind: TaskKind
    named: Named


def mean_of(measured: Mapping[TaskKey, float]) -> float:
    """Return the mean over topics, each with the mean over its draws."""
    return fmean(topic_means(measured).values())


def with_seeds(measured: Mapping[TaskKey, float], seeds: int) -> dict[TaskKey, float]:
    """Return what there is of tasks with so many seeds."""
    return {task: value for task, value in measured.items() if task.seeds == seeds}


def common_tasks(measured: Sequence[Mapping[TaskKey, float]]) -> set[TaskKey]:
    """Return the tasks that all have, of those that have any."""
    there = [set(one) for one in measured if one]
    return set.intersection(*there) if there else set()


def mean_in(tasks: set[TaskKey], measured: Mapping[TaskKey, float]) -> Number | None:
    """Return the mean of a share over the topics of some tasks, if it was measured there."""
    own = {task: value for task, value in measured.items() if task in tasks}
    return Number(mean_of(own)) if own else None


def topic_count(tasks: Iterable[TaskKey]) -> Number:
    """Return how many topics tasks have."""
    return count(len({task.topic for task in tasks}))


def by_kind(summary: Summary) -> list[Kind]:
    """Return the cells of each sort of task, by method."""
    named = summary.by_method()
    kinds = sorted({cell.kind for cells in named.values() for cell in cells}, key=str)
    return [
        Kind(kind, {name: found for name, cells in named.items() if (found := _of(kind, cells))})
        for kind in kinds
    ]


def method_called(names: Iterable[str], wanted: str) -> str:
    """Return the one of these names that is wanted, whole or as the method is spelled."""
    names = list(names)
    spelled = canonical(wanted)
    found = [name for name in names if name in (wanted, spelled)]
    found = found or [name for name in names if name.partition(" [")[0] == spelled]
    if len(found) != 1:
        which = "no results" if not found else "results with several settings"
        raise RunError(
            f"the method {wanted!r} has {which}; choose one of: {', '.join(found or names)}"
        )
    return found[0]


def column_of(name: str, cells: Sequence[Cell], *, measure: str) -> Column:
    """Return a method's column."""
    return Column(name, values(cells, measure))


def worth(value: float, measure: str) -> float:
    """Return a number that is higher the better a value is, where some values are better.

    >>> worth(0.25, "F1"), worth(0.25, "BER"), worth(-0.25, "prior error")
    (0.25, -0.25, -0.25)
    """
    return {"lower": -value, "nearer 0": -abs(value)}.get(MEASURES[measure].better, value)


def no_contenders(columns: Sequence[Column], own: Sequence[Collection[TaskKey]]) -> list[bool]:
    """Tell which methods are not compared: those that know the truth, and those that lack tasks.

    Args:
        columns: The methods.
        own: The tasks that each one's number is of.
    """
    contenders = (tasks for column, tasks in zip(columns, own, strict=True) if not column.is_bound)
    everything = {task for tasks in contenders for task in tasks}
    return [
        column.is_bound or set(tasks) != everything
        for column, tasks in zip(columns, own, strict=True)
    ]


def best_marked(
    numbers: Sequence[Number | None], *, measure: str, left_out: Sequence[bool]
) -> list[Number | None]:
    """Return numbers, the best of them marked, but for those that are no contenders."""
    taking_part = [
        worth(number.value, measure)
        for number, is_out in zip(numbers, left_out, strict=True)
        if number and not is_out
    ]
    if not MEASURES[measure].better or len(taking_part) < 2:
        return list(numbers)
    return [
        _marked(number)
        if number and not is_out and worth(number.value, measure) == max(taking_part)
        else number
        for number, is_out in zip(numbers, left_out, strict=True)
    ]


def check_there(summary: Summary, measures: Iterable[str]) -> None:
    """Raise if no result has one of these measures."""
    there = {name for cell in summary.cells for name in cell.measures}
    for name in measures:
        if name not in there:
            raise RunError(
                f"no result has the measure {name!r}; they have: {', '.join(sorted(there))}"
            )


def missing_notes(columns: Sequence[Column]) -> list[str]:
    """Return a sentence for each method that lacks tasks which others have."""
    tasks = {task for column in columns for task in column.values}
    return [
        f"{column.name} has {len(column.values)} of {len(tasks)} tasks."
        for column in columns
        if column.values and len(column.values) < len(tasks)
    ]


def failure_notes(summary: Summary) -> list[str]:
    """Return how many results failed, as a sentence, if any did."""
    if not summary.failures:
        return []
    counted = Counter(failure.method for failure in summary.failures)
    said = ", ".join(f"{method} ({number})" for method, number in sorted(counted.items()))
    number = len(summary.failures)
    results = "1 result is" if number == 1 else f"{number} results are"
    return [f"{results} missing because the method failed: {said}."]


def _of(kind: TaskKind, cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.kind == kind]


def _marked(number: Number) -> Number:
    return Number(
        number.value, number.unit, number.deviation, number.low, number.high, is_best=True
    )
