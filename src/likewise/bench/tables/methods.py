"""The table of methods: several measures with their intervals, and what is significant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from likewise.bench.measures.measures import MEASURES
from likewise.bench.measures.significance import compare, holm, mean_over_topics
from likewise.bench.tables.columns import (
    ASIDE,
    best_marked,
    by_kind,
    check_there,
    column_of,
    failure_notes,
    mean_of,
    method_called,
    missing_notes,
    no_contenders,
    with_seeds,
    worth,
)
from likewise.bench.tables.table import Number, Row, Table, count
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from likewise.bench.measures.significance import Comparison
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables.columns import Kind, TableSettings

USUAL = ("F1", "best F1 (oracle)", "AP", "library recall", "seconds")


def methods_table(
    summary: Summary, settings: TableSettings, *, rng: np.random.Generator
) -> list[Table]:
    """Return methods with several measures, for each sort of task."""
    check_there(summary, settings.measures)
    against = settings.against and method_called(summary.by_method(), settings.against)
    found = [
        _Methods(kind, settings.measures, against=against, rng=rng) for kind in by_kind(summary)
    ]
    tables = [methods.table(failure_notes(summary)) for methods in found]
    if against and not any(methods.is_compared for methods in found):
        raise RunError(
            f"no other method has a task in common with {against!r}, so there is nothing to "
            "compare; run it and others on the same folder of tasks"
        )
    return tables


class _Methods:
    """The methods of one sort of task, best first."""

    def __init__(
        self, kind: Kind, measures: tuple[str, ...], *, against: str, rng: np.random.Generator
    ) -> None:
        self.kind = kind
        self.rng = rng
        self.against = against if against in kind.named else ""
        self.is_compared = False
        there = {name for cells in kind.named.values() for cell in cells for name in cell.measures}
        usual = tuple(name for name in USUAL if name in there)
        self.measures = measures or usual
        self.first = {
            name: column_of(name, cells, measure=self.measures[0])
            for name, cells in kind.named.items()
        }

    def table(self, failures: Sequence[str]) -> Table:
        """Return the table."""
        seeds = sorted({cell.seeds for cells in self.kind.named.values() for cell in cells})
        rows = [row for number in seeds for row in self._rows(number)]
        return Table(
            title=f"Methods ({self.kind.kind})",
            columns=("|LP|", "method", "topics", *self.measures, *self._compared()),
            rows=tuple(rows),
            notes=(*self._notes(), *missing_notes(list(self.first.values())), *failures),
        )

    def _compared(self) -> tuple[str, ...]:
        if not self.against:
            return ()
        return f"{self.measures[0]} less {self.against}", "tasks of both", "p", "p (Holm)"

    def _notes(self) -> Iterator[str]:
        yield (
            "Means over topics, each over its draws; shares in per cent. In brackets: 95 % "
            f"intervals of a bootstrap over topics. In bold: the best, {ASIDE}."
        )
        if self.against:
            yield (
                f"Differences to {self.against} are over the tasks that both have; p is of "
                "Wilcoxon's signed-rank test over topics, corrected by Holm within an |LP|."
            )

    def _rows(self, seeds: int) -> Iterator[Row]:
        # A method that ranks and can't decide, as the engine in tasks of others, has its row too.
        names = [
            name
            for name, cells in self.kind.named.items()
            if any(cell.seeds == seeds for cell in cells)
        ]
        names.sort(key=lambda name: (self.first[name].is_bound, -self._worth(name, seeds)))
        columns = [self.first[name] for name in names]
        left_out = no_contenders(columns, [column.tasks(seeds) for column in columns])
        shown = [
            best_marked(
                [self._number(name, measure, seeds) for name in names],
                measure=measure,
                left_out=left_out,
            )
            for measure in self.measures
        ]
        compared = self._comparisons(names, seeds) if self.against else [()] * len(names)
        for place, name in enumerate(names):
            cells = self.kind.named[name]
            topics = count(len({cell.topic for cell in cells if cell.seeds == seeds}))
            numbers = [column[place] for column in shown]
            heads = (count(seeds), name, topics)
            yield Row((*heads, *numbers, *compared[place]), is_apart=not place)

    def _worth(self, name: str, seeds: int) -> float:
        measured = with_seeds(self.first[name].values, seeds)
        return worth(mean_of(measured), self.measures[0]) if measured else -math.inf

    def _number(self, name: str, measure: str, seeds: int) -> Number | None:
        column = column_of(name, self.kind.named[name], measure=measure)
        measured = with_seeds(column.values, seeds)
        if not measured:
            return None
        mean = mean_over_topics(measured, rng=self.rng)
        unit = MEASURES[measure].unit
        return Number(mean.value, unit, low=mean.low, high=mean.high)

    def _comparisons(self, names: Sequence[str], seeds: int) -> list[tuple[Number | None, ...]]:
        """Return what is told of each method's difference to the one compared with."""
        other = with_seeds(self.first[self.against].values, seeds)
        found: dict[str, Comparison] = {}
        for name in names:
            own = with_seeds(self.first[name].values, seeds)
            if name != self.against and own.keys() & other.keys():
                found[name] = compare(own, other, rng=self.rng)
        self.is_compared |= bool(found)
        corrected = dict(zip(found, holm([one.p for one in found.values()]), strict=True))
        return [
            self._told(found[name], corrected[name]) if name in found else (None,) * 4
            for name in names
        ]

    def _told(self, found: Comparison, corrected: float) -> tuple[Number | None, ...]:
        is_share = MEASURES[self.measures[0]].unit == "share"
        unit = "difference" if is_share else MEASURES[self.measures[0]].unit
        value, low, high = found.difference
        return (
            Number(value, unit, low=low, high=high),
            count(found.tasks),
            Number(found.p, "p"),
            Number(corrected, "p"),
        )
