"""Columns: methods with the value of a measure on each task, found by their spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import msgspec

from likewise.bench import group_by
from likewise.bench.measures import MEASURES, TaskKey, average_topics, check_measure
from likewise.bench.methods.baselines import BASELINES
from likewise.bench.runs.summary import Cell, Summary, TaskKind, spell_canonically
from likewise.bench.tables.table import Number, count
from likewise.errors import RunError
from likewise.parameters import Spelling

Named = Mapping[str, Sequence[Cell]]
UPPER_BOUND, TRUE_PRIOR = "upper-bound", "prior=true"
ASIDE = "upper bounds and methods that lack tasks aside"
"""Words for the methods that are not compared with others."""
TOLD_APART = frozenset({"risk", "prior", "batching", "models"})
"""The parameters by which tables tell networks apart; the batch size only if it is asked for."""
_PLUS = re.compile(r"\+(?![^(]*\))")


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """What a table shows."""

    measures: tuple[str, ...] = ()
    """The names of measures; by default, the usual ones of the table."""
    against: str = ""
    """The method that others are compared with."""

    def __post_init__(self) -> None:
        for name in self.measures:
            check_measure(name)

    @property
    def measure(self) -> str:
        """The measure of tables that show only one."""
        return self.measures[0] if self.measures else "F1"


@dataclass(frozen=True)
class MethodColumn:
    """A method, and the values of a measure on each task."""

    name: str
    values: Mapping[TaskKey, float]
    deviations: Mapping[TaskKey, float] = field(default_factory=dict)

    @property
    def is_bound(self) -> bool:
        """Whether it knows the truth, so that it does not compete."""
        return self.name.startswith(UPPER_BOUND) or TRUE_PRIOR in self.name

    def list_tasks(self, seeds: int) -> set[TaskKey]:
        """Return the tasks with this number of seeds."""
        return {task for task in self.values if task.seeds == seeds}

    def average(self, tasks: Iterable[TaskKey], *, measure: str) -> Number | None:
        """Return the mean over the topics of these tasks; None if a task is missing."""
        asked = set(tasks)
        if not asked or not asked <= self.values.keys():
            return None
        return Number(
            average_values({task: self.values[task] for task in asked}),
            MEASURES[measure].unit,
            deviation=average_values({task: self.deviations[task] for task in asked})
            if asked <= self.deviations.keys()
            else None,
        )


class KindMethods(NamedTuple):
    """The methods that were run on one kind of task."""

    kind: TaskKind
    named: Named


def average_values(measured: Mapping[TaskKey, float]) -> float:
    """Return the mean over topics of their means over draws."""
    return fmean(average_topics(measured).values())


def find_common_tasks(measured: Sequence[Mapping[TaskKey, float]]) -> set[TaskKey]:
    """Return the tasks that all methods have, ignoring methods that have none."""
    there = [set(one) for one in measured if one]
    return set.intersection(*there) if there else set()


def average_tasks(tasks: set[TaskKey], measured: Mapping[TaskKey, float]) -> Number | None:
    """Return the mean over the topics of these tasks, or None if there are no values."""
    own = {task: value for task, value in measured.items() if task in tasks}
    return Number(average_values(own)) if own else None


def count_topics(tasks: Iterable[TaskKey]) -> Number:
    """Return how many topics these tasks are on."""
    return count(len({task.topic for task in tasks}))


def group_by_kind(summary: Summary) -> list[KindMethods]:
    """Return the methods of each kind of task, with their cells."""
    named = {
        name: group_by(cells, lambda cell: cell.kind)
        for name, cells in summary.group_by_method().items()
    }
    kinds = sorted({cell.kind for cell in summary.cells}, key=str)
    return [
        KindMethods(kind, {name: found[kind] for name, found in named.items() if kind in found})
        for kind in kinds
    ]


def find_method(names: Iterable[str], wanted: str) -> str:
    """Return the name of a method among these, given the whole name or its spelling."""
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


def rate_value(value: float, measure: str) -> float:
    """Return a number that is higher the better a value of a measure is.

    >>> rate_value(0.25, "F1"), rate_value(0.25, "BER"), rate_value(-0.25, "prior error")
    (0.25, -0.25, -0.25)
    """
    return {"lower": -value, "nearer 0": -abs(value)}.get(MEASURES[measure].better, value)


def find_non_contenders(
    columns: Sequence[MethodColumn], own: Sequence[Collection[TaskKey]]
) -> list[bool]:
    """Return whether each method stays out: it knows the truth, or lacks tasks of others.

    Args:
        columns: The methods.
        own: The tasks that each method's number is a mean over.
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
    """Return numbers with the best marked, ignoring those that are left out."""
    taking_part = [
        rate_value(number.value, measure)
        for number, is_out in zip(numbers, left_out, strict=True)
        if number and not is_out
    ]
    if not MEASURES[measure].better or len(taking_part) < 2:
        return list(numbers)
    return [
        msgspec.structs.replace(number, is_best=True)
        if number and not is_out and rate_value(number.value, measure) == max(taking_part)
        else number
        for number, is_out in zip(numbers, left_out, strict=True)
    ]


def note_missing(columns: Sequence[MethodColumn]) -> list[str]:
    """Return a sentence for each method that lacks tasks of others."""
    tasks = {task for column in columns for task in column.values}
    return [
        f"{column.name} has {len(column.values)} of {len(tasks)} tasks."
        for column in columns
        if column.values and len(column.values) < len(tasks)
    ]


class MethodSpelling(NamedTuple):
    """One method of a spelling, which may join several by a plus."""

    name: str
    parameters: tuple[tuple[str, str], ...]

    def without(self, parameter: str) -> MethodSpelling:
        """Return the spelling without a parameter."""
        left = tuple(given for given in self.parameters if given[0] != parameter)
        return MethodSpelling(self.name, left)

    def get(self, parameter: str) -> str:
        """Return the value of a parameter, or "" if it is not given."""
        return dict(self.parameters).get(parameter, "")


def parse_spelling(method: str) -> tuple[MethodSpelling, ...]:
    """Return the methods that a spelling joins, with their parameters sorted by name.

    >>> parse_spelling("cnn(risk=pn, batch=16) + naive")[0]
    MethodSpelling(name='cnn', parameters=(('batch', '16'), ('risk', 'pn')))
    """
    parts = map(Spelling.of, _PLUS.split(method.partition(" [")[0]))
    return tuple(
        MethodSpelling(
            part.name,
            tuple(sorted((name, _parse_value(text)) for name, text in part.parameters().items())),
        )
        for part in parts
    )


def find_method_like(named: Mapping[str, Sequence[Cell]], wanted: str) -> str | None:
    """Return the name of the method that a table asks for, or None if it was not run.

    Parameters that make no difference in tables, such as the number of epochs, may have any value.
    Of several such methods, those with batches of the usual size are preferred, then those with the
    most results.
    """
    asked = parse_spelling(wanted)
    mattering = TOLD_APART.union(name for one in asked for name, _ in one.parameters)

    def keep_telling(part: MethodSpelling) -> MethodSpelling:
        """Return a method with the parameters that matter, filling in defaults."""
        chosen = _find_defaults(part.name) | dict(part.parameters)
        kept = sorted((name, value) for name, value in chosen.items() if name in mattering)
        return MethodSpelling(part.name, tuple(kept))

    def rate(name: str) -> tuple[bool, int, int, str]:
        draws = sum(len(cell.draws) for cell in named[name])
        return _has_usual_batch(name), draws, -len(name), name

    parts = sorted(map(keep_telling, asked))
    found = [name for name in named if sorted(map(keep_telling, parse_spelling(name))) == parts]
    return max(found, key=rate, default=None)


def _find_defaults(name: str) -> dict[str, str]:
    """Return the defaults of a method's parameters."""
    known = BASELINES.get(name)
    return {one.name: _parse_value(str(one.default)) for one in known.parameters} if known else {}


def _parse_value(text: str) -> str:
    """Return a value; equal numbers get the same spelling."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.strip()


def _has_usual_batch(name: str) -> bool:
    return all(
        part.get("batch") in ("", _find_defaults(part.name).get("batch"))
        for part in parse_spelling(name)
    )
