"""The table of pretraining: methods with something learned before, beside the same without."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.measures.measures import MEASURES
from likewise.bench.measures.significance import compare, holm
from likewise.bench.runs.cells import values
from likewise.bench.tables.columns import (
    by_kind,
    check_there,
    failure_notes,
    mean_of,
    with_seeds,
)
from likewise.bench.tables.reference import PRETRAINING, SOURCE
from likewise.bench.tables.spellings import spelled
from likewise.bench.tables.table import Number, Row, Table, count, percent
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from likewise.bench.runs.cells import Cell, TaskKey
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables.columns import Kind, TableSettings

NOTE = (
    "Over the tasks that both have. In brackets: 95 % intervals of a bootstrap over topics; p is "
    "of Wilcoxon's signed-rank test over topics, corrected by Holm."
)


class Pair(NamedTuple):
    """A method without and with something that was learned before."""

    method: str
    added: str
    """What it was."""
    without: str
    """The names of both."""
    with_it: str


def pretrained_table(
    summary: Summary, settings: TableSettings, *, rng: np.random.Generator
) -> list[Table]:
    """Return pairs of methods, for each sort of task."""
    check_there(summary, settings.measures)
    kinds = [(kind, pairs(kind)) for kind in by_kind(summary)]
    tables = [
        _table(kind, found, settings.measure, rng=rng, notes=failure_notes(summary))
        for kind, found in kinds
        if found
    ]
    if not tables:
        raise RunError(
            "no method was run both with an encoder and without; run one again into the same "
            "folder with: likewise bench run --encoder NAME"
        )
    return tables


def pairs(kind: Kind) -> list[Pair]:
    """Return the methods that were run with and without an encoder, or start of embeddings."""
    return [*_by_encoder(kind), *_by_start(kind), *_by_embeddings(kind)]


def _by_encoder(kind: Kind) -> Iterator[Pair]:
    """Yield methods that learn from an encoder's vectors, and the same that do not."""
    alike: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        settings = dict(cells[0].settings)
        encoder = str(settings.pop("encoder", ""))
        alike[cells[0].method, str(sorted(settings.items()))][encoder] = name
    for (method, _), names in alike.items():
        for encoder in sorted(names):
            if encoder and "" in names:
                yield Pair(method, encoder, names[""], names[encoder])


def _by_start(kind: Kind) -> Iterator[Pair]:
    """Yield networks whose embeddings start from topics, and the same that start at random."""
    alike: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        parts = spelled(cells[0].method)
        if len(parts) == 1:
            key = str(parts[0].without("start")), str(sorted(cells[0].settings.items()))
            alike[key][parts[0].get("start")] = name
    for names in alike.values():
        # What is not said is what the other does not say.
        without = names.get("random") or names.get("", "")
        with_it = names.get("topics") or names.get("", "")
        if without and with_it and without != with_it:
            yield Pair(min(without, with_it, key=len), "start=topics", without, with_it)


def _by_embeddings(kind: Kind) -> Iterator[Pair]:
    """Yield networks that read an encoder's states, and the same that read words."""
    alike: defaultdict[tuple[str, ...], dict[tuple[str, str], str]] = defaultdict(dict)
    for name, cells in kind.named.items():
        parts, settings = spelled(cells[0].method), dict(cells[0].settings)
        encoder = str(settings.pop("encoder", ""))
        if len(parts) == 1:
            key = str(parts[0].without("embeddings")), str(sorted(settings.items()))
            alike[key][parts[0].get("embeddings") or "words", encoder] = name
    for names in alike.values():
        # An encoder is nothing to a network of words: any is as good as none.
        words = [name for (embeddings, _), name in sorted(names.items()) if embeddings == "words"]
        for (embeddings, encoder), name in sorted(names.items()):
            if words and embeddings != "words":
                yield Pair(words[0], f"{encoder} (embeddings={embeddings})", words[0], name)


def _table(
    kind: Kind,
    found: Sequence[Pair],
    measure: str,
    *,
    rng: np.random.Generator,
    notes: Sequence[str],
) -> Table:
    seeds = sorted({cell.seeds for cells in kind.named.values() for cell in cells})
    rows = [row for number in seeds for row in _rows(kind, found, measure, seeds=number, rng=rng)]
    return Table(
        title=f"Pretrained: {measure} without and with ({kind.kind})",
        columns=("|LP|", "method", "with", "topics", f"{measure} without", f"{measure} with",
                 "difference", "p", "p (Holm)"),
        rows=(*rows, *([_published()] if measure == "F1" else [])),
        notes=(NOTE, *notes),
    )  # fmt: skip


def _rows(
    kind: Kind, found: Sequence[Pair], measure: str, *, seeds: int, rng: np.random.Generator
) -> Iterator[Row]:
    unit = MEASURES[measure].unit
    both = [
        (pair, without, with_it)
        for pair in found
        if (without := _measured(kind.named[pair.without], measure, seeds))
        and (with_it := _measured(kind.named[pair.with_it], measure, seeds))
        and without.keys() & with_it.keys()
    ]
    compared = [compare(with_it, without, rng=rng) for _, without, with_it in both]
    corrected = holm([one.p for one in compared])
    for place, (pair, without, with_it) in enumerate(both):
        common = without.keys() & with_it.keys()
        means = [mean_of({task: one[task] for task in common}) for one in (without, with_it)]
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


def _measured(cells: Sequence[Cell], measure: str, seeds: int) -> dict[TaskKey, float]:
    return with_seeds(values(cells, measure), seeds)


def _published() -> Row:
    without, with_it = percent(PRETRAINING.without), percent(PRETRAINING.with_encoder)
    difference = Number(round(with_it.value - without.value, 6), "difference")
    name = f"CNN, {SOURCE}"
    return Row(
        (None, name, PRETRAINING.encoder, count(5), without, with_it, difference, None, None),
        is_apart=True,
    )
