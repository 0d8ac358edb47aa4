"""Columns: methods, by their spelling, with what a measure came to on each task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from likewise.bench.measures import MEASURES, check_measure
from likewise.bench.measures.significance import TaskKey, average_topics
from likewise.bench.methods.baselines import BASELINES
from likewise.bench.runs.summary import Cell, Summary, TaskKind, collect_values, spell_canonically
from likewise.bench.tables.table import Number, count
from likewise.errors import RunError

Named = Mapping[str, Sequence[Cell]]


UPPER_BOUND, TRUE_PRIOR = "upper-bound", "prior=true"
ASIDE = "upper bounds and methods that lack tasks aside"
"""Which methods are not compared with others."""


TOLD_APART = frozenset({"risk", "prior", "batching", "models"})
"""Parameters by which tables tell networks apart; the size of batches only if they ask for it."""
_METHOD = re.compile(r"\s*([a-z0-9-]+)\s*(?:\(([^()]*)\))?\s*")


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
class MethodColumn:
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


class KindMethods(NamedTuple):
    """The methods on the tasks of one sort."""

    kind: TaskKind
    named: Named


def mean_of(measured: Mapping[TaskKey, float]) -> float:
    """Return the mean over topics, each with the mean over its draws."""
    return fmean(average_topics(measured).values())


def keep_seeds(measured: Mapping[TaskKey, float], seeds: int) -> dict[TaskKey, float]:
    """Return what there is of tasks with so many seeds."""
    return {task: value for task, value in measured.items() if task.seeds == seeds}


def find_common_tasks(measured: Sequence[Mapping[TaskKey, float]]) -> set[TaskKey]:
    """Return the tasks that all have, of those that have any."""
    there = [set(one) for one in measured if one]
    return set.intersection(*there) if there else set()


def mean_in(tasks: set[TaskKey], measured: Mapping[TaskKey, float]) -> Number | None:
    """Return the mean of a share over the topics of some tasks, if it was measured there."""
    own = {task: value for task, value in measured.items() if task in tasks}
    return Number(mean_of(own)) if own else None


def count_topics(tasks: Iterable[TaskKey]) -> Number:
    """Return how many topics tasks have."""
    return count(len({task.topic for task in tasks}))


def group_by_kind(summary: Summary) -> list[KindMethods]:
    """Return the cells of each sort of task, by method."""
    named = summary.by_method()
    kinds = sorted({cell.kind for cells in named.values() for cell in cells}, key=str)
    return [
        KindMethods(
            kind,
            {name: found for name, cells in named.items() if (found := _keep_kind(kind, cells))},
        )
        for kind in kinds
    ]


def find_method(names: Iterable[str], wanted: str) -> str:
    """Return the one of these names that is wanted, whole or as the method is spelled."""
    names = list(names)
    spelled = spell_canonically(wanted)
    found = [name for name in names if name in (wanted, spelled)]
    found = found or [name for name in names if name.partition(" [")[0] == spelled]
    if len(found) != 1:
        which = "no results" if not found else "results with several settings"
        raise RunError(
            f"the method {wanted!r} has {which}; choose one of: {', '.join(found or names)}"
        )
    return found[0]


def make_column(name: str, cells: Sequence[Cell], *, measure: str) -> MethodColumn:
    """Return a method's column."""
    return MethodColumn(name, collect_values(cells, measure))


def rate_value(value: float, measure: str) -> float:
    """Return a number that is higher the better a value is, where some values are better.

    >>> rate_value(0.25, "F1"), rate_value(0.25, "BER"), rate_value(-0.25, "prior error")
    (0.25, -0.25, -0.25)
    """
    return {"lower": -value, "nearer 0": -abs(value)}.get(MEASURES[measure].better, value)


def find_non_contenders(
    columns: Sequence[MethodColumn], own: Sequence[Collection[TaskKey]]
) -> list[bool]:
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


def mark_best(
    numbers: Sequence[Number | None], *, measure: str, left_out: Sequence[bool]
) -> list[Number | None]:
    """Return numbers, the best of them marked, but for those that are no contenders."""
    taking_part = [
        rate_value(number.value, measure)
        for number, is_out in zip(numbers, left_out, strict=True)
        if number and not is_out
    ]
    if not MEASURES[measure].better or len(taking_part) < 2:
        return list(numbers)
    return [
        _mark_number(number)
        if number and not is_out and rate_value(number.value, measure) == max(taking_part)
        else number
        for number, is_out in zip(numbers, left_out, strict=True)
    ]


def check_measured(summary: Summary, measures: Iterable[str]) -> None:
    """Raise if no result has one of these measures."""
    there = {name for cell in summary.cells for name in cell.measures}
    for name in measures:
        if name not in there:
            raise RunError(
                f"no result has the measure {name!r}; they have: {', '.join(sorted(there))}"
            )


def note_missing(columns: Sequence[MethodColumn]) -> list[str]:
    """Return a sentence for each method that lacks tasks which others have."""
    tasks = {task for column in columns for task in column.values}
    return [
        f"{column.name} has {len(column.values)} of {len(tasks)} tasks."
        for column in columns
        if column.values and len(column.values) < len(tasks)
    ]


def note_failures(summary: Summary) -> list[str]:
    """Return how many results failed, as a sentence, if any did."""
    if not summary.failures:
        return []
    counted = Counter(failure.method for failure in summary.failures)
    said = ", ".join(f"{method} ({number})" for method, number in sorted(counted.items()))
    number = len(summary.failures)
    results = "1 result is" if number == 1 else f"{number} results are"
    return [f"{results} missing because the method failed: {said}."]


def _keep_kind(kind: TaskKind, cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.kind == kind]


def _mark_number(number: Number) -> Number:
    return Number(
        number.value, number.unit, number.deviation, number.low, number.high, is_best=True
    )


class MethodSpelling(NamedTuple):
    """A method of a spelling without a plus."""

    name: str
    parameters: tuple[tuple[str, str], ...]

    def without(self, parameter: str) -> MethodSpelling:
        """Return it without a parameter."""
        left = tuple(given for given in self.parameters if given[0] != parameter)
        return MethodSpelling(self.name, left)

    def get(self, parameter: str) -> str:
        """Return the value that is given to a parameter, or ""."""
        return dict(self.parameters).get(parameter, "")


def parse_spelling(method: str) -> tuple[MethodSpelling, ...]:
    """Return the parts of a method's spelling, their parameters in the order of their names.

    >>> parse_spelling("cnn(risk=pn, batch=16) + naive")[0]
    MethodSpelling(name='cnn', parameters=(('batch', '16'), ('risk', 'pn')))
    """
    found = _METHOD.findall(method.partition(" [")[0])
    return tuple(MethodSpelling(name, _parse_parameters(given)) for name, given in found)


def find_method_like(named: Mapping[str, Sequence[Cell]], wanted: str) -> str | None:
    """Return the name of the method that a table asks for, if it was run.

    Parameters that no table tells apart, as how long is trained, may be any; of several such
    methods it is one with batches of the usual size, if there is, and then the most results.
    """
    parts = [_keep_telling(part, parse_spelling(wanted)) for part in parse_spelling(wanted)]
    found = [
        name
        for name in named
        if sorted(_keep_telling(part, parse_spelling(wanted)) for part in parse_spelling(name))
        == sorted(parts)
    ]
    return max(
        found,
        key=lambda name: (_has_usual_batch(name), _count_draws(named[name]), -len(name), name),
        default=None,
    )


def _keep_telling(part: MethodSpelling, wanted: Iterable[MethodSpelling]) -> MethodSpelling:
    """Return a part with those of its parameters that matter, given or not."""
    mattering = TOLD_APART.union(name for one in wanted for name, _ in one.parameters)
    chosen = _find_defaults(part.name) | dict(part.parameters)
    return MethodSpelling(
        part.name, tuple(sorted((n, v) for n, v in chosen.items() if n in mattering))
    )


def _find_defaults(name: str) -> dict[str, str]:
    """Return what a method of the benchmark takes where nothing is said."""
    known = BASELINES.get(name)
    return {one.name: _parse_value(str(one.default)) for one in known.parameters} if known else {}


def _parse_parameters(given: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in given.split(",") if pair.strip())
    return tuple(sorted((name.strip(), _parse_value(value)) for name, _, value in pairs))


def _parse_value(text: str) -> str:
    """Return numbers in one spelling."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.strip()


def _has_usual_batch(name: str) -> bool:
    return all(
        part.get("batch") in ("", _find_defaults(part.name).get("batch"))
        for part in parse_spelling(name)
    )


def _count_draws(cells: Sequence[Cell]) -> int:
    return sum(len(cell.draws) for cell in cells)
