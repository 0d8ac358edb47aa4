"""Table 1: methods by topic, with their averages, and the paper's beside it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from likewise.bench.methods.baselines import bound_of
from likewise.bench.runs.cells import values
from likewise.bench.tables.columns import (
    ASIDE,
    Column,
    best_marked,
    by_kind,
    check_there,
    column_of,
    failure_notes,
    mean_of,
    missing_notes,
    no_contenders,
    worth,
)
from likewise.bench.tables.reference import SOURCE, TABLE_1
from likewise.bench.tables.table import Number, Row, Table, count, percent
from likewise.bench.topics.topics import PAPER, read_topics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from likewise.bench.runs.cells import TaskKey
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables.columns import Kind, TableSettings
    from likewise.bench.tables.reference import Published1

TOP_K = "top-k F1"
DAGGER, DOUBLE_DAGGER = "†", "‡"
TEN = 10
"""So many topics of the paper, the first, have a dagger; with the others it averages over all."""
PUBLISHED = (
    "|LP|", "topic", "BM25+nnPU", "BM25 (top-k)", "Rand+nnPU", "BM25+COPK", "Naive", "All +",
    "Upperbound",
)  # fmt: skip


def table1(summary: Summary, settings: TableSettings) -> list[Table]:
    """Return a table for each sort of task, and the paper's."""
    check_there(summary, settings.measures)
    tables = [
        _table(kind, settings.measure, failures=failure_notes(summary)) for kind in by_kind(summary)
    ]
    return [*tables, published()] if settings.measure == "F1" else tables


def published() -> Table:
    """Return the paper's Table 1."""
    return Table(
        title=f"Table 1 of {SOURCE}: F1, PubMed of January 2019, |U| = 20,000",
        columns=PUBLISHED,
        rows=tuple(
            _published_row(row, is_apart=row.is_average or row.seeds != before.seeds)
            for before, row in zip((TABLE_1[0], *TABLE_1), TABLE_1, strict=False)
        ),
    )


def _published_row(row: Published1, *, is_apart: bool) -> Row:
    ours = percent(row.nnpu)
    # The paper sets its averages in bold, and no other row.
    ours = Number(ours.value, is_best=row.is_average)
    rest = (row.random_nnpu, row.copkmeans, row.naive, row.all_positive, row.upper_bound)
    bm25 = percent(row.bm25, deviation=row.bm25_deviation)
    return Row((count(row.seeds), row.topic, ours, bm25, *map(percent, rest)), is_apart=is_apart)


def _table(kind: Kind, measure: str, *, failures: Sequence[str]) -> Table:
    columns = sorted(
        _columns(kind, measure), key=lambda column: (column.is_bound, -_worth(column, measure))
    )
    numbers = sorted({task.seeds for column in columns for task in column.values})
    return Table(
        title=f"{measure} by topic ({kind.kind})",
        columns=("|LP|", "topic", *(column.name for column in columns)),
        rows=tuple(row for seeds in numbers for row in _rows(columns, seeds, measure=measure)),
        notes=(
            f"Means over draws; shares in per cent. In bold: the best of a row, {ASIDE}.",
            *_mark_notes(columns),
            *_bound_notes(columns, measure=measure),
            *missing_notes(columns),
            *failures,
        ),
    )


def _columns(kind: Kind, measure: str) -> Iterator[Column]:
    for name, cells in kind.named.items():
        column = column_of(name, cells, measure=measure)
        if column.values:
            yield column
        if name.partition(" [")[0] == "bm25" and measure == "F1":
            top_k = values(cells, TOP_K)
            yield Column(f"{name} (top-k)", top_k, values(cells, f"{TOP_K} deviation"))


def _worth(column: Column, measure: str) -> float:
    return worth(mean_of(column.values), measure) if column.values else 0.0


def _rows(columns: Sequence[Column], seeds: int, *, measure: str) -> Iterator[Row]:
    tasks = {task for column in columns for task in column.tasks(seeds)}
    topics = sorted({task.topic for task in tasks})
    for place, topic in enumerate(topics):
        own = [[task for task in column.tasks(seeds) if task.topic == topic] for column in columns]
        yield _row(columns, seeds, topic, own=own, measure=measure, is_apart=not place)
    if len(topics) > 1:
        yield from _averages(columns, seeds, tasks=tasks, measure=measure)


def _averages(
    columns: Sequence[Column], seeds: int, *, tasks: set[TaskKey], measure: str
) -> Iterator[Row]:
    """Yield the average of those methods that have all tasks, and that of all on what all have."""
    there = [column.tasks(seeds) for column in columns]
    number = len({task.topic for task in tasks})
    for mark, marked in _marked(tasks).items():
        name = f"Average of {len({task.topic for task in marked})}{mark} topics"
        yield _row(columns, seeds, name, own=[marked] * len(columns), measure=measure,
                   is_apart=mark == DAGGER)  # fmt: skip
    if any(own == tasks for own in there):
        yield _row(columns, seeds, f"Average of {number} topics", own=[tasks] * len(columns),
                   measure=measure, is_apart=True)  # fmt: skip
    common = set.intersection(*(own for own in there if own))
    if common and common != tasks:
        name = f"Average of the tasks that all have: {len(common)} of {len(tasks)}"
        yield _row(columns, seeds, name, own=[common] * len(columns), measure=measure,
                   is_apart=True)  # fmt: skip


def _marked(tasks: Collection[TaskKey]) -> dict[str, set[TaskKey]]:
    """Return the tasks of those topics that the paper averages over, where there are several."""
    found = {
        mark: {task for task in tasks if frozenset(task.topic.split(" + ")) in topics}
        for mark, topics in _paper_topics().items()
    }
    return {mark: own for mark, own in found.items() if len({task.topic for task in own}) > 1}


@cache
def _paper_topics() -> dict[str, frozenset[frozenset[str]]]:
    topics = [frozenset(topic.terms) for topic in read_topics(PAPER)]
    return {DAGGER: frozenset(topics[:TEN]), DOUBLE_DAGGER: frozenset(topics)}


def _mark_notes(columns: Sequence[Column]) -> Iterator[str]:
    if _marked({task for column in columns for task in column.values}):
        yield (
            f"{DAGGER} and {DOUBLE_DAGGER}: those of the ten and of the fifteen topics that the "
            "paper averages over which are here."
        )


def _bound_notes(columns: Sequence[Column], *, measure: str) -> Iterator[str]:
    """Yield a note on each upper bound that a method of the same model passes."""
    named = {column.name: column for column in columns}
    for column in columns:
        bound = named.get(bound_of(column.name))
        if column.is_bound or bound is None:
            continue
        for seeds in sorted({task.seeds for task in column.values}):
            common = column.tasks(seeds) & bound.tasks(seeds)
            own, most = (one.mean(common, measure=measure) for one in (column, bound))
            if own and most and worth(own.value, measure) > worth(most.value, measure):
                yield (
                    f"{bound.name} is below {column.name} with |LP| = {seeds} on the "
                    f"{len(common)} tasks that both have. It is the same model trained alike on "
                    "true labels, and no best that could be done: where few documents of the "
                    "training part are on topic it learns from few, and its decision is the "
                    "model's own too."
                )


def _row(
    columns: Sequence[Column],
    seeds: int,
    name: str,
    *,
    own: Sequence[Collection[TaskKey]],
    measure: str,
    is_apart: bool,
) -> Row:
    numbers = [
        column.mean(tasks, measure=measure) for column, tasks in zip(columns, own, strict=True)
    ]
    marked = best_marked(numbers, measure=measure, left_out=no_contenders(columns, own))
    return Row((count(seeds), name, *marked), is_apart=is_apart)
