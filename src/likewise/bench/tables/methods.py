"""Tables of methods: several measures with intervals, and what pretraining adds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from likewise.bench.measures import (
    MEASURES,
    Comparison,
    TaskKey,
    average_over_topics,
    compare_methods,
    correct_by_holm,
)
from likewise.bench.runs.summary import Summary, check_measured, collect_values, note_failures
from likewise.bench.tables.columns import (
    ASIDE,
    KindMethods,
    MethodColumn,
    TableSettings,
    average_values,
    find_method,
    find_non_contenders,
    group_by_kind,
    mark_best,
    note_missing,
    parse_spelling,
    rate_value,
)
from likewise.bench.tables.reference import PRETRAINING, SOURCE
from likewise.bench.tables.table import Number, Row, Table, count, from_percent
from likewise.errors import RunError

USUAL = ("F1", "best F1 (oracle)", "AP", "library recall", "seconds")
NOTE = (
    "Over the tasks that both have. In brackets: 95 % intervals of a bootstrap over topics; p is "
    "of Wilcoxon's signed-rank test over topics, corrected by Holm."
)


def make_methods_table(
    summary: Summary, settings: TableSettings, *, rng: np.random.Generator
) -> list[Table]:
    """Return a table of methods with several measures for each kind of task."""
    check_measured(summary, settings.measures)
    against = settings.against and find_method(summary.group_by_method(), settings.against)
    found = [
        _MethodsTable(kind, settings.measures, against=against, rng=rng)
        for kind in group_by_kind(summary)
    ]
    tables = [methods.make(note_failures(summary)) for methods in found]
    if against and not any(methods.is_compared for methods in found):
        raise RunError(
            f"no other method has a task in common with {against!r}, so there is nothing to "
            "compare; run it and others on the same folder of tasks"
        )
    return tables


class _MethodsTable:
    """Makes the table of methods on one kind of task, the best first."""

    def __init__(
        self,
        kind: KindMethods,
        measures: tuple[str, ...],
        *,
        against: str,
        rng: np.random.Generator,
    ) -> None:
        self.kind = kind
        self.rng = rng
        self.against = against if against in kind.named else ""
        self.is_compared = False
        there = {name for cells in kind.named.values() for cell in cells for name in cell.measures}
        usual = tuple(name for name in USUAL if name in there)
        self.measures = measures or usual
        self.first = {
            name: MethodColumn(name, collect_values(cells, self.measures[0]))
            for name, cells in kind.named.items()
        }

    def make(self, failures: Sequence[str]) -> Table:
        """Return the table."""
        seeds = sorted({cell.seeds for cells in self.kind.named.values() for cell in cells})
        rows = [row for number in seeds for row in self._make_rows(number)]
        difference = f"{self.measures[0]} less {self.against}"
        compared = (difference, "tasks of both", "p", "p (Holm)") if self.against else ()
        return Table(
            title=f"Methods ({self.kind.kind})",
            columns=("|LP|", "method", "topics", *self.measures, *compared),
            rows=tuple(rows),
            notes=(*self._list_notes(), *note_missing(list(self.first.values())), *failures),
        )

    def _list_notes(self) -> Iterator[str]:
        yield (
            "Means over topics, each over its draws; shares in per cent. In brackets: 95 % "
            f"intervals of a bootstrap over topics. In bold: the best, {ASIDE}."
        )
        if self.against:
            yield (
                f"Differences to {self.against} are over the tasks that both have; p is of "
                "Wilcoxon's signed-rank test over topics, corrected by Holm within an |LP|."
            )

    def _make_rows(self, seeds: int) -> Iterator[Row]:
        # A method that ranks but can't decide, such as the engine in imported tasks, has a row too.
        names = [
            name
            for name, cells in self.kind.named.items()
            if any(cell.seeds == seeds for cell in cells)
        ]
        names.sort(key=lambda name: (self.first[name].is_bound, -self._rate(name, seeds)))
        columns = [self.first[name] for name in names]
        left_out = find_non_contenders(columns, [column.list_tasks(seeds) for column in columns])
        shown = [
            mark_best(
                [self._make_number(name, measure, seeds) for name in names],
                measure=measure,
                left_out=left_out,
            )
            for measure in self.measures
        ]
        compared = self._compare_all(names, seeds) if self.against else [()] * len(names)
        for place, name in enumerate(names):
            cells = self.kind.named[name]
            topics = count(len({cell.topic for cell in cells if cell.seeds == seeds}))
            numbers = [column[place] for column in shown]
            heads = (count(seeds), name, topics)
            yield Row((*heads, *numbers, *compared[place]), is_apart=not place)

    def _collect(self, name: str, measure: str, seeds: int) -> dict[TaskKey, float]:
        return collect_values(self.kind.named[name], measure, seeds=seeds)

    def _rate(self, name: str, seeds: int) -> float:
        measured = self._collect(name, self.measures[0], seeds)
        return rate_value(average_values(measured), self.measures[0]) if measured else -math.inf

    def _make_number(self, name: str, measure: str, seeds: int) -> Number | None:
        measured = self._collect(name, measure, seeds)
        if not measured:
            return None
        mean = average_over_topics(measured, rng=self.rng)
        unit = MEASURES[measure].unit
        return Number(mean.value, unit, low=mean.low, high=mean.high)

    def _compare_all(self, names: Sequence[str], seeds: int) -> list[tuple[Number | None, ...]]:
        """Return the cells that compare each method with the chosen one."""
        other = self._collect(self.against, self.measures[0], seeds)
        found: dict[str, Comparison] = {}
        for name in names:
            own = self._collect(name, self.measures[0], seeds)
            if name != self.against and own.keys() & other.keys():
                found[name] = compare_methods(own, other, rng=self.rng)
        self.is_compared |= bool(found)
        corrected = dict(
            zip(found, correct_by_holm([one.p for one in found.values()]), strict=True)
        )
        return [
            self._make_comparison(found[name], corrected[name]) if name in found else (None,) * 4
            for name in names
        ]

    def _make_comparison(self, found: Comparison, corrected: float) -> tuple[Number | None, ...]:
        is_share = MEASURES[self.measures[0]].unit == "share"
        unit = "difference" if is_share else MEASURES[self.measures[0]].unit
        value, low, high = found.difference
        return (
            Number(value, unit, low=low, high=high),
            count(found.tasks),
            Number(found.p, "p"),
            Number(corrected, "p"),
        )


@dataclass(frozen=True)
class MethodPair:
    """A method without and with pretraining."""

    method: str
    added: str
    """What was pretrained."""
    without: str
    """The name of the method without it."""
    with_it: str
    """The name of the method with it."""


def make_pretrained_table(
    summary: Summary, settings: TableSettings, *, rng: np.random.Generator
) -> list[Table]:
    """Return a table of methods without and with pretraining for each kind of task."""
    check_measured(summary, settings.measures)
    kinds = [(kind, find_pairs(kind)) for kind in group_by_kind(summary)]
    tables = [
        _make_pairs_table(kind, found, settings.measure, rng=rng, notes=note_failures(summary))
        for kind, found in kinds
        if found
    ]
    if not tables:
        raise RunError(
            "no method was run both with an encoder and without; run one again into the same "
            "folder with: likewise bench run --encoder NAME"
        )
    return tables


def find_pairs(kind: KindMethods) -> list[MethodPair]:
    """Return the methods that were run without and with an encoder or pretrained embeddings."""
    return [*_pair_by_encoder(kind), *_pair_by_start(kind), *_pair_by_embeddings(kind)]


def _pair_by_encoder(kind: KindMethods) -> Iterator[MethodPair]:
    """Yield methods that learn from an encoder's vectors, paired with the same ones that do not."""
    alike: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        settings = dict(cells[0].settings)
        encoder = str(settings.pop("encoder", ""))
        alike[cells[0].method, str(sorted(settings.items()))][encoder] = name
    for (method, _), names in alike.items():
        for encoder in sorted(names):
            if encoder and "" in names:
                yield MethodPair(method, encoder, names[""], names[encoder])


def _pair_by_start(kind: KindMethods) -> Iterator[MethodPair]:
    """Yield networks whose embeddings start from topics, paired with those that start at random."""
    alike: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        parts = parse_spelling(cells[0].method)
        if len(parts) == 1:
            key = str(parts[0].without("start")), str(sorted(cells[0].settings.items()))
            alike[key][parts[0].get("start")] = name
    for names in alike.values():
        # A spelling that names no start has the one that the other does not name.
        without = names.get("random") or names.get("", "")
        with_it = names.get("topics") or names.get("", "")
        if without and with_it and without != with_it:
            yield MethodPair(min(without, with_it, key=len), "start=topics", without, with_it)


def _pair_by_embeddings(kind: KindMethods) -> Iterator[MethodPair]:
    """Yield networks that read an encoder's states, paired with the same ones that read words."""
    alike: defaultdict[tuple[str, ...], dict[tuple[str, str], str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        parts, settings = parse_spelling(cells[0].method), dict(cells[0].settings)
        encoder = str(settings.pop("encoder", ""))
        if len(parts) == 1:
            key = str(parts[0].without("embeddings")), str(sorted(settings.items()))
            alike[key][parts[0].get("embeddings") or "words", encoder] = name
    for names in alike.values():
        # A network of words ignores the encoder, so it may have been run with any.
        words = [name for (embeddings, _), name in sorted(names.items()) if embeddings == "words"]
        for (embeddings, encoder), name in sorted(names.items()):
            if words and embeddings != "words":
                yield MethodPair(words[0], f"{encoder} (embeddings={embeddings})", words[0], name)


def _make_pairs_table(
    kind: KindMethods,
    found: Sequence[MethodPair],
    measure: str,
    *,
    rng: np.random.Generator,
    notes: Sequence[str],
) -> Table:
    seeds = sorted({cell.seeds for cells in kind.named.values() for cell in cells})
    rows = [
        row
        for number in seeds
        for row in _make_pair_rows(kind, found, measure, seeds=number, rng=rng)
    ]
    return Table(
        title=f"Pretrained: {measure} without and with ({kind.kind})",
        columns=("|LP|", "method", "with", "topics", f"{measure} without", f"{measure} with",
                 "difference", "p", "p (Holm)"),
        rows=(*rows, *([_make_paper_row()] if measure == "F1" else [])),
        notes=(NOTE, *notes),
    )  # fmt: skip


def _make_pair_rows(
    kind: KindMethods,
    found: Sequence[MethodPair],
    measure: str,
    *,
    seeds: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    unit = MEASURES[measure].unit
    both = [
        (pair, without, with_it)
        for pair in found
        if (without := collect_values(kind.named[pair.without], measure, seeds=seeds))
        and (with_it := collect_values(kind.named[pair.with_it], measure, seeds=seeds))
        and without.keys() & with_it.keys()
    ]
    compared = [compare_methods(with_it, without, rng=rng) for _, without, with_it in both]
    corrected = correct_by_holm([one.p for one in compared])
    for place, (pair, without, with_it) in enumerate(both):
        common = without.keys() & with_it.keys()
        means = [average_values({task: one[task] for task in common}) for one in (without, with_it)]
        comparison, (value, low, high) = compared[place], compared[place].difference
        yield Row(
            (
                *(count(seeds), pair.method, pair.added, count(comparison.topics)),
                *(Number(mean, unit) for mean in means),
                Number(value, "difference" if unit == "share" else unit, low=low, high=high),
                *(Number(p, "p") for p in (comparison.p, corrected[place])),
            ),
            is_apart=not place,
        )


def _make_paper_row() -> Row:
    without, with_it = from_percent(PRETRAINING.without), from_percent(PRETRAINING.with_encoder)
    difference = Number(round(with_it.value - without.value, 6), "difference")
    name = f"CNN, {SOURCE}"
    return Row(
        (None, name, PRETRAINING.encoder, count(5), without, with_it, difference, None, None),
        is_apart=True,
    )
