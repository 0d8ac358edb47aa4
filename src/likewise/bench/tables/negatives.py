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
    parse_spelling,
)
from likewise.bench.tables.reference import SOURCE, TABLE_4, TABLE_5
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
        found = collect_values(self.cells, measure, seeds=seeds)
        # Tasks with different negatives have different fingerprints.
        return {task._replace(fingerprint=""): value for task, value in found.items()}


class NegativesLine(NamedTuple):
    """A row of Table 4 or 5, before it is averaged."""

    heads: tuple[str | None, ...]
    """Its setting, and in Table 5 its model."""
    found: list[MethodCells]
    """The method on the tasks of each bias that the row is about."""
    paper: tuple[Value, ...]


def make_table4(summary: Summary) -> list[Table]:
    """Return Table 4: PU beside PN, with negatives drawn at random and with a bias."""
    columns = (*("setting", "method", "topics"), *FOUR, *(f"{name}, paper" for name in FOUR))
    return [
        _make_table(
            f"Learning from negatives ({group.kind})",
            columns,
            lines=[*_list_paper_lines_of_4(group), *_list_our_lines_of_4(group)],
            measures=FOUR,
            seeds=group.seeds,
            notes=note_failures(summary),
        )
        for group in _find_groups(summary)
    ]


def make_table5(summary: Summary) -> list[Table]:
    """Return Table 5: ensembles and the multi-task risk, for each bias of negatives."""
    heads, paper = ("setting", "model", "method", "topics"), ("unbiased N", "N by length")
    return [
        _make_table(
            f"F1 with negatives, by their bias ({group.kind})",
            (
                *heads,
                *(f"{_name_bias(bias)} F1" for bias in group.biased),
                *(f"{name} F1, paper" for name in paper),
            ),
            lines=[*_list_paper_lines_of_5(group), *_list_our_lines_of_5(group)],
            measures=("F1",),
            seeds=group.seeds,
            notes=note_failures(summary),
        )
        for group in _find_groups(summary)
    ]


def _make_table(
    title: str,
    columns: Sequence[str],
    *,
    lines: Sequence[NegativesLine],
    measures: Sequence[str],
    seeds: Sequence[int],
    notes: Sequence[str],
) -> Table:
    """Return a table, without the columns that only the paper would fill if it is not shown."""
    columns = ("|LP|", *columns)
    rows = [row for number in seeds for row in _make_rows(lines, number, measures=measures)]
    has_paper = any(value is not None for line in lines for value in line.paper)
    shown = [
        place
        for place in range(len(columns))
        if has_paper or any(row.values[place] is not None for row in rows)
    ]
    return Table(
        title=title,
        columns=tuple(columns[place] for place in shown),
        rows=tuple(
            Row(tuple(row.values[place] for place in shown), is_apart=row.is_apart) for row in rows
        ),
        notes=(f"{COMMON} {PAPER}" if has_paper else COMMON, *notes),
    )


def _make_rows(
    lines: Sequence[NegativesLine], seeds: int, *, measures: Sequence[str]
) -> Iterator[Row]:
    common = find_common_tasks([one.collect("F1", seeds) for line in lines for one in line.found])
    for place, (heads, found, paper) in enumerate(lines):
        numbers = [
            average_tasks(common, one.collect(measure, seeds))
            for one in found
            for measure in measures
        ]
        topics = count_topics(common) if any(numbers) else None
        method = next((one.method for one in found if one.cells), found[0].method)
        yield Row((count(seeds), *heads, method, topics, *numbers, *paper), is_apart=not place)


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


def _list_paper_lines_of_4(group: NegativesGroup) -> Iterator[NegativesLine]:
    if not _has_paper(group, (PU, PN)):
        return
    found = {"PU": _find_first([*group.biased.values(), group.without], PU)}
    for bias, named in group.biased.items():
        found[f"PN ({_name_bias(bias)})"] = _find_first([named], PN)
    paper = dict(zip(("PU", "PN (unbiased N)", "PN (N by length)"), TABLE_4, strict=True))
    for setting, cells in found.items():
        figures = map(from_percent, paper[setting][1:]) if setting in paper else (None,) * len(FOUR)
        yield NegativesLine((setting,), [cells], tuple(figures))


def _list_our_lines_of_4(group: NegativesGroup) -> Iterator[NegativesLine]:
    for name, learns in _find_product_methods(group):
        places = {bias: named[name] for bias, named in group.biased.items() if name in named}
        for bias, cells in [*places.items()][: None if learns else 1]:
            setting = f"with {_name_bias(bias)}" if learns else "without N"
            yield NegativesLine((setting,), [MethodCells(name, cells)], (None,) * len(FOUR))


def _list_paper_lines_of_5(group: NegativesGroup) -> Iterator[NegativesLine]:
    if not _has_paper(group, MODELS):
        return
    for published, model in zip(TABLE_5, MODELS, strict=True):
        found = [_find_first([named], model) for named in group.biased.values()]
        paper = (from_percent(published.unbiased_f1), from_percent(published.biased_f1))
        yield NegativesLine((published.setting, published.model), found, paper)


def _list_our_lines_of_5(group: NegativesGroup) -> Iterator[NegativesLine]:
    for name, learns in _find_product_methods(group):
        found = [MethodCells(name, named.get(name, ())) for named in group.biased.values()]
        yield NegativesLine(("PNU" if learns else "PU", None), found, (None, None))


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
