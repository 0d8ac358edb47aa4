"""Tables 4 and 5: learning with labelled negatives, drawn at random or with a bias.

Tasks with other negatives are different tasks, so rows are means over the topics and draws that all
rows have. Below the paper's rows are our methods, without and with negatives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from likewise.bench.measures import TaskKey
from likewise.bench.runs.summary import Cell, Summary, TaskKind, collect_values, note_failures
from likewise.bench.tables.columns import (
    MethodSpelling,
    Named,
    average_tasks,
    count_topics,
    find_common_tasks,
    find_method_like,
    group_by_kind,
    keep_seeds,
    parse_spelling,
)
from likewise.bench.tables.reference import SOURCE, TABLE_4, TABLE_5, Published4
from likewise.bench.tables.table import Row, Table, Value, count, from_percent
from likewise.errors import RunError
from likewise.learn.methods import METHODS

PU, PN = "cnn(risk=nnpu)", "cnn(risk=pn)"
MODELS = (f"{PN} + {PU}", "cnn(risk=pnu)", "cnn(risk=nnpu, models=3)")
"""The models in the rows of Table 5."""
WITHOUT = {"ignore", "unlabeled"}
"""Values of the parameter `negatives` with which methods do not learn from them."""
COMMON = "Means over the topics and draws that all rows of the same |LP| have."
PAPER = f"Paper: {SOURCE}, |LP| = |N| = 50, five topics."
FOUR = ("precision", "recall", "F1")


class NegativesGroup(NamedTuple):
    """Kinds of tasks that differ only in the bias of their negatives."""

    kind: TaskKind
    """Their kind, without the bias."""
    biased: dict[str, Named]
    """The methods on each kind, by its bias; "" comes first."""
    without: Named
    """The methods on such tasks without labelled negatives."""

    @property
    def seeds(self) -> list[int]:
        """All numbers of seeds."""
        named = self.biased.values()
        return sorted({cell.seeds for one in named for cells in one.values() for cell in cells})


class MethodCells(NamedTuple):
    """A method, and its cells on one kind of task, if it was run."""

    method: str
    cells: Sequence[Cell] = ()

    def collect(self, measure: str, seeds: int) -> dict[TaskKey, float]:
        """Return the values of a measure by topic and draw."""
        found = keep_seeds(collect_values(self.cells, measure), seeds)
        # Tasks with different negatives have different fingerprints.
        return {task._replace(fingerprint=""): value for task, value in found.items()}


def make_table4(summary: Summary) -> list[Table]:
    """Return Table 4: PU beside PN, with negatives drawn at random and with a bias."""
    return [
        _add_paper(
            Table(
                title=f"Learning from negatives ({group.kind})",
                columns=(
                    *("|LP|", "setting", "method", "topics"),
                    *(*FOUR, *(f"{measure}, paper" for measure in FOUR)),
                ),
                rows=tuple(row for seeds in group.seeds for row in _make_rows_of_4(group, seeds)),
                notes=(COMMON, *note_failures(summary)),
            ),
            has_paper=_has_paper(group, (PU, PN)),
        )
        for group in _find_groups(summary)
    ]


def make_table5(summary: Summary) -> list[Table]:
    """Return Table 5: ensembles and the multi-task risk, for each bias of negatives."""
    return [
        _add_paper(
            Table(
                title=f"F1 with negatives, by their bias ({group.kind})",
                columns=(
                    *("|LP|", "setting", "model", "method", "topics"),
                    *(f"{_name_bias(bias)} F1" for bias in group.biased),
                    *("unbiased N F1, paper", "N by length F1, paper"),
                ),
                rows=tuple(row for seeds in group.seeds for row in _make_rows_of_5(group, seeds)),
                notes=(COMMON, *note_failures(summary)),
            ),
            has_paper=_has_paper(group, MODELS),
        )
        for group in _find_groups(summary)
    ]


def _add_paper(table: Table, *, has_paper: bool) -> Table:
    """Return a table with a note on the paper, or without the columns that only it would fill."""
    if has_paper:
        return msgspec.structs.replace(table, notes=(f"{table.notes[0]} {PAPER}", *table.notes[1:]))
    filled = [
        place
        for place in range(len(table.columns))
        if any(row.values[place] is not None for row in table.rows)
    ]
    return msgspec.structs.replace(
        table,
        columns=tuple(table.columns[place] for place in filled),
        rows=tuple(
            msgspec.structs.replace(row, values=tuple(row.values[place] for place in filled))
            for row in table.rows
        ),
    )


def _find_groups(summary: Summary) -> list[NegativesGroup]:
    kinds = {kind.kind: kind.named for kind in group_by_kind(summary)}
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
        NegativesGroup(kind, biased, kinds.get(msgspec.structs.replace(kind, negatives=0), {}))
        for kind, biased in alike.items()
    ]


def _make_rows_of_4(group: NegativesGroup, seeds: int) -> Iterator[Row]:
    lines = [*_list_paper_lines_of_4(group), *_list_our_lines_of_4(group)]
    common = find_common_tasks([found.collect("F1", seeds) for _, found in lines])
    paper = dict(zip(("PU", "PN (unbiased N)", "PN (N by length)"), TABLE_4, strict=True))
    for place, (setting, found) in enumerate(lines):
        numbers = [average_tasks(common, found.collect(measure, seeds)) for measure in FOUR]
        topics = count_topics(common) if any(numbers) else None
        heads = (count(seeds), setting, found.method, topics)
        yield Row((*heads, *numbers, *_list_figures(paper.get(setting))), is_apart=not place)


def _list_paper_lines_of_4(group: NegativesGroup) -> Iterator[tuple[str, MethodCells]]:
    if not _has_paper(group, (PU, PN)):
        return
    yield "PU", _find_first([*group.biased.values(), group.without], PU)
    for bias, named in group.biased.items():
        yield f"PN ({_name_bias(bias)})", _find_first([named], PN)


def _list_our_lines_of_4(group: NegativesGroup) -> Iterator[tuple[str, MethodCells]]:
    for ours in _find_product_methods(group):
        places = {bias: named for bias, named in group.biased.items() if ours.name in named}
        if not ours.learns:
            places = dict([*places.items()][:1])
        for bias, named in places.items():
            setting = f"with {_name_bias(bias)}" if ours.learns else "without N"
            yield setting, MethodCells(ours.name, named[ours.name])


def _list_figures(published: Published4 | None) -> tuple[Value, ...]:
    if not published:
        return (None,) * len(FOUR)
    return (
        from_percent(published.precision),
        from_percent(published.recall),
        from_percent(published.f1),
    )


def _make_rows_of_5(group: NegativesGroup, seeds: int) -> Iterator[Row]:
    lines = [*_list_paper_lines_of_5(group), *_list_our_lines_of_5(group)]
    measured = [[one.collect("F1", seeds) for one in line.found] for line in lines]
    common = find_common_tasks([one for row in measured for one in row])
    for place, (line, row) in enumerate(zip(lines, measured, strict=True)):
        numbers = [average_tasks(common, one) for one in row]
        topics = count_topics(common) if any(numbers) else None
        method = next((one.method for one in line.found if one.cells), line.found[0].method)
        heads = (count(seeds), line.setting, line.model, method, topics)
        yield Row((*heads, *numbers, *line.paper), is_apart=not place)


class Line5(NamedTuple):
    """A row of Table 5, before it is averaged."""

    setting: str
    model: str | None
    found: list[MethodCells]
    """The method on the tasks of each bias."""
    paper: tuple[Value, Value] = (None, None)


def _list_paper_lines_of_5(group: NegativesGroup) -> Iterator[Line5]:
    if not _has_paper(group, MODELS):
        return
    for published, model in zip(TABLE_5, MODELS, strict=True):
        found = [_find_first([named], model) for named in group.biased.values()]
        paper = (from_percent(published.unbiased_f1), from_percent(published.biased_f1))
        yield Line5(published.setting, published.model, found, paper)


def _list_our_lines_of_5(group: NegativesGroup) -> Iterator[Line5]:
    for name, learns in _find_product_methods(group):
        found = [MethodCells(name, named.get(name, ())) for named in group.biased.values()]
        yield Line5("PNU" if learns else "PU", None, found)


class ProductMethod(NamedTuple):
    """A method of ours that can learn from negatives."""

    name: str
    learns: bool
    """Whether it learns from negatives."""


def _find_product_methods(group: NegativesGroup) -> list[ProductMethod]:
    """Return our methods that can learn from negatives, starting with those set not to."""
    names = sorted({name for named in group.biased.values() for name in named})
    taken = {
        name: [_find_way(part) for part in parse_spelling(name) if _find_way(part)]
        for name in names
    }
    found = [
        ProductMethod(name, not WITHOUT.issuperset(ways)) for name, ways in taken.items() if ways
    ]
    return sorted(found, key=lambda ours: ours.learns)


def _find_way(part: MethodSpelling) -> str:
    """Return how a method learns from negatives, as given or by default; "" if it can't."""
    known = METHODS[part.name].parameters if part.name in METHODS else ()
    usual = next((str(one.default) for one in known if one.name == "negatives"), "")
    return usual and (part.get("negatives") or usual)


def _has_paper(group: NegativesGroup, models: Sequence[str]) -> bool:
    """Return whether the paper's rows are shown: if its methods were run, or none of ours."""
    there = [*group.biased.values(), group.without]
    return not _find_product_methods(group) or any(
        _find_first(there, model).cells for model in models
    )


def _find_first(places: Sequence[Named], wanted: str) -> MethodCells:
    """Return a method's cells from the first place that has it."""
    for named in places:
        name = find_method_like(named, wanted)
        if name:
            return MethodCells(name, named[name])
    return MethodCells(wanted)


def _name_bias(bias: str) -> str:
    return f"N by {bias}" if bias else "unbiased N"
