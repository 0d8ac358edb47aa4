"""Table 6: what tasks hold, with the paper's beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.tables.reference import SOURCE, TABLE_6
from likewise.bench.tables.table import Number, Row, Table, count, percent
from likewise.bench.tasks.statistics import statistics_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.bench.tasks.statistics import TaskStatistics
    from likewise.bench.tasks.task import TaskMetadata

COLUMNS = ("topic", "|LP|", "|U|", "precision", "recall")
NOTE = (
    "Means over draws. Precision: the share of the pool that is on topic; recall: the share of the "
    "topic, without the seeds, that is in the pool."
)


def table6(tasks: Iterable[TaskMetadata]) -> list[Table]:
    """Return seeds, pool, precision and recall of tasks, and the paper's."""
    ours = Table(
        title="Seeds and pools",
        columns=(*COLUMNS, "on topic", "draws"),
        rows=tuple(map(_row, statistics_of(tasks))),
        notes=(NOTE,),
    )
    return [ours, published()]


def published() -> Table:
    """Return the paper's Table 6."""
    rows = (
        (row.topic, count(row.seeds), count(row.pool), percent(row.precision), percent(row.recall))
        for row in TABLE_6
    )
    return Table(title=f"Table 6 of {SOURCE}", columns=COLUMNS, rows=tuple(map(Row, rows)))


def _row(found: TaskStatistics) -> Row:
    numbers = (Number(found.pool, "count"), Number(found.precision), Number(found.recall))
    counts = (count(found.on_topic), count(found.draws))
    return Row((found.topic, count(found.seeds), *numbers, *counts))
