"""Tables 4 and 5: learning with labelled negatives, drawn by chance or with a bias.

Tasks with other negatives are other tasks: rows are means over the topics and draws that all have.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.bench.runs.cells import values
from likewise.bench.tables.columns import (
    by_kind,
    common_tasks,
    failure_notes,
    mean_in,
    topic_count,
    with_seeds,
)
from likewise.bench.tables.reference import SOURCE, TABLE_4, TABLE_5
from likewise.bench.tables.spellings import method_like
from likewise.bench.tables.table import Row, Table, count, percent
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.bench.runs.cells import Cell, TaskKey, TaskKind
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables.columns import Named
    from likewise.bench.tables.reference import Published4
    from likewise.bench.tables.table import Value

PU, PN = "cnn(risk=nnpu)", "cnn(risk=pn)"
MODELS = (f"{PN} + {PU}", "cnn(risk=pnu)", "cnn(risk=nnpu, models=3)")
"""What the rows of Table 5 are made of."""
FOUR = ("precision", "recall", "F1")


class Group(NamedTuple):
    """Sorts of tasks that differ in the bias of their negatives alone."""

    kind: TaskKind
    """One of them, without the bias."""
    biased: dict[str, Named]
    """The methods on each, by the bias, "" first."""
    without: Named
    """The methods on tasks of this sort without labelled negatives."""

    @property
    def seeds(self) -> list[int]:
        """All numbers of seeds."""
        named = self.biased.values()
        return sorted({cell.seeds for one in named for cells in one.values() for cell in cells})


class Found(NamedTuple):
    """A method on tasks of a sort, if it was run on them."""

    method: str
    cells: Sequence[Cell] = ()

    def measured(self, measure: str, seeds: int) -> dict[TaskKey, float]:
        """Return what a measure came to, by topic and draw."""
        found = with_seeds(values(self.cells, measure), seeds)
        # Fingerprints differ where negatives do.
        return {task._replace(fingerprint=""): value for task, value in found.items()}


def table4(summary: Summary) -> list[Table]:
    """Return PU beside PN with negatives drawn by chance, and with a bias."""
    return [
        Table(
            title=f"Learning from negatives ({group.kind})",
            columns=("|LP|", "setting", "method", "topics", *FOUR, *(f"{m}, paper" for m in FOUR)),
            rows=tuple(row for seeds in group.seeds for row in _rows_of_4(group, seeds)),
            notes=_notes(summary),
        )
        for group in _groups(summary)
    ]


def table5(summary: Summary) -> list[Table]:
    """Return ensembles and the multi-task risk, with each sort of negatives."""
    groups = _groups(summary)
    return [
        Table(
            title=f"F1 with negatives, by their bias ({group.kind})",
            columns=(
                *("|LP|", "setting", "model", "method", "topics"),
                *(f"{_said(bias)} F1" for bias in group.biased),
                *("unbiased N F1, paper", "N by length F1, paper"),
            ),
            rows=tuple(row for seeds in group.seeds for row in _rows_of_5(group, seeds)),
            notes=_notes(summary),
        )
        for group in groups
    ]


def _groups(summary: Summary) -> list[Group]:
    kinds = {kind.kind: kind.named for kind in by_kind(summary)}
    alike: defaultdict[TaskKind, dict[str, Named]] = defaultdict(dict)
    for kind, named in sorted(kinds.items(), key=lambda item: item[0].negatives_bias):
        if kind.negatives:
            alike[msgspec.structs.replace(kind, negatives_bias="")][kind.negatives_bias] = named
    if not alike:
        raise RunError(
            "no results of tasks with labelled negatives, which this table is about; make such "
            "tasks with: likewise bench make --negatives 50, and again with --negatives-bias length"
        )
    return [
        Group(kind, biased, kinds.get(msgspec.structs.replace(kind, negatives=0), {}))
        for kind, biased in alike.items()
    ]


def _rows_of_4(group: Group, seeds: int) -> Iterator[Row]:
    lines = [("PU", _first([*group.biased.values(), group.without], PU))]
    lines += [(f"PN ({_said(bias)})", _first([named], PN)) for bias, named in group.biased.items()]
    common = common_tasks([found.measured("F1", seeds) for _, found in lines])
    paper = dict(zip(("PU", "PN (unbiased N)", "PN (N by length)"), TABLE_4, strict=True))
    for place, (setting, found) in enumerate(lines):
        numbers = [mean_in(common, found.measured(measure, seeds)) for measure in FOUR]
        topics = topic_count(common) if any(numbers) else None
        heads = (count(seeds), setting, found.method, topics)
        yield Row((*heads, *numbers, *_figures(paper.get(setting))), is_apart=not place)


def _figures(published: Published4 | None) -> tuple[Value, ...]:
    if not published:
        return (None,) * len(FOUR)
    return percent(published.precision), percent(published.recall), percent(published.f1)


def _rows_of_5(group: Group, seeds: int) -> Iterator[Row]:
    found = [[_first([named], model) for named in group.biased.values()] for model in MODELS]
    measured = [[one.measured("F1", seeds) for one in row] for row in found]
    common = common_tasks([one for row in measured for one in row])
    for place, (published, row, ours) in enumerate(zip(TABLE_5, measured, found, strict=True)):
        numbers = [mean_in(common, one) for one in row]
        topics = topic_count(common) if any(numbers) else None
        method = next((one.method for one in ours if one.cells), ours[0].method)
        heads = (count(seeds), published.setting, published.model, method, topics)
        paper = (percent(published.unbiased_f1), percent(published.biased_f1))
        yield Row((*heads, *numbers, *paper), is_apart=not place)


def _first(places: Sequence[Named], wanted: str) -> Found:
    """Return the wanted method where it is found first."""
    for named in places:
        name = method_like(named, wanted)
        if name:
            return Found(name, named[name])
    return Found(wanted)


def _said(bias: str) -> str:
    return f"N by {bias}" if bias else "unbiased N"


def _notes(summary: Summary) -> tuple[str, ...]:
    note = (
        "Means over the topics and draws that all rows of the same |LP| have. "
        f"Paper: {SOURCE}, |LP| = |N| = 50, five topics."
    )
    return (note, *failure_notes(summary))
