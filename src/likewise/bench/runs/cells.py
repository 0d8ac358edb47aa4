"""Cells: what a method came to on a topic, draw by draw, with the tasks that it was measured on."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class TaskKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What sort of task it is; those of different sorts are never averaged."""

    scheme: str = "case-control"
    setting: str = "inductive"
    seeds_bias: str = ""
    negatives: int = 0
    negatives_bias: str = ""
    pool: int = 0
    """|U|; 0 if that is not known."""
    pool_of: str = "all"
    """What it counts: the training part, or all parts, as in older tasks."""

    def __str__(self) -> str:
        is_old = self.setting == "inductive" and self.pool_of == "all"
        said = [f"|U| {self.pool:,}{' in all parts' if is_old else ''}"] if self.pool else []
        said += [self.setting, self.scheme]
        if self.seeds_bias:
            said.append(f"seeds by {self.seeds_bias}")
        if self.negatives:
            by = f" by {self.negatives_bias}" if self.negatives_bias else ""
            said.append(f"{self.negatives} labelled negatives{by}")
        return ", ".join(said)


class TaskKey(NamedTuple):
    """A task, as far as results are paired by it."""

    seeds: int
    topic: str
    draw: int
    fingerprint: str


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a method came to on a topic with so many seeds, draw by draw."""

    method: str
    settings: dict[str, str | int | float] = {}
    kind: TaskKind = TaskKind()
    topic: str
    seeds: int
    draws: tuple[int, ...]
    fingerprints: tuple[str, ...]
    """Of the tasks, in the order of the draws, as are ..."""
    measures: dict[str, tuple[float | None, ...]]
    """... the values of each measure, seconds and megabytes among them."""

    def mean(self, measure: str) -> float | None:
        """Return the mean of a measure over the draws that have it."""
        found = [value for value in self.measures.get(measure, ()) if value is not None]
        return fmean(found) if found else None


def values(cells: Iterable[Cell], measure: str) -> dict[TaskKey, float]:
    """Return what a measure came to on each task."""
    return {
        TaskKey(cell.seeds, cell.topic, draw, fingerprint): value
        for cell in cells
        for draw, fingerprint, value in zip(
            cell.draws,
            cell.fingerprints,
            cell.measures.get(measure, (None,) * len(cell.draws)),
            strict=True,
        )
        if value is not None
    }


def topic_means(measured: Mapping[TaskKey, float]) -> dict[str, float]:
    """Return the mean over the draws of each topic."""
    draws: defaultdict[str, list[float]] = defaultdict(list)
    for task, value in measured.items():
        draws[task.topic].append(value)
    return {topic: fmean(draws[topic]) for topic in sorted(draws)}
