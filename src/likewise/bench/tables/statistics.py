"""Statistics of tasks, ours or those of the paper's authors: Table 6, beside the paper's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from likewise.bench.exchange.dse import find_dse_folders, read_dse_metadata
from likewise.bench.tables.reference import SOURCE, TABLE_6
from likewise.bench.tables.table import Number, Row, Table, count, from_percent
from likewise.bench.tasks.folders import HEAD, TaskFolder
from likewise.bench.tasks.task import TaskMetadata

COLUMNS = ("topic", "|LP|", "|U|", "precision", "recall")
NOTE = (
    "Means over draws. Precision: the share of the pool that is on topic; recall: the share of the "
    "topic, without the seeds, that is in the pool."
)


class TaskStatistics(NamedTuple):
    """Averages over the draws of a topic with so many seeds."""

    topic: str
    seeds: int
    """|LP| of the training part."""
    pool: float
    """|U| of the training part, or of a transductive task."""
    precision: float
    recall: float
    on_topic: int
    """All documents on topic."""
    draws: int
    scheme: str
    setting: str


def read_task_metadata(path: Path) -> list[TaskMetadata]:
    """Return the metadata of all tasks at or below a path, ours or the authors'."""
    found = [] if (path / HEAD).is_file() else find_dse_folders(path)
    if found:
        return [read_dse_metadata(folder) for folder in found]
    tasks = TaskFolder(path)
    return [tasks.read_metadata(name) for name in tasks.list_names()]


def compute_statistics(tasks: Iterable[TaskMetadata]) -> list[TaskStatistics]:
    """Return the statistics of each topic and number of seeds, over all draws."""
    groups: defaultdict[tuple[str, int, str, int, str, str], list[TaskMetadata]] = defaultdict(list)
    for task in tasks:
        kind = (task.pool_of, task.pool, task.scheme, task.setting)
        groups[task.topic, task.seeds, *kind].append(task)
    return [
        TaskStatistics(
            topic=topic,
            seeds=seeds,
            pool=sum(task.train_U_size or task.U_size for task in drawn) / len(drawn),
            precision=sum(task.precision for task in drawn) / len(drawn),
            recall=sum(task.recall for task in drawn) / len(drawn),
            on_topic=drawn[0].P_size,
            draws=len(drawn),
            scheme=scheme,
            setting=setting,
        )
        for (topic, seeds, _, _, scheme, setting), drawn in sorted(groups.items())
    ]


def make_table6(tasks: Iterable[TaskMetadata]) -> list[Table]:
    """Return Table 6, seeds, pool, precision and recall of tasks, and the paper's."""
    ours = Table(
        title="Seeds and pools",
        columns=(*COLUMNS, "on topic", "draws"),
        rows=tuple(map(_make_row, compute_statistics(tasks))),
        notes=(NOTE,),
    )
    return [ours, make_paper_table6()]


def make_paper_table6() -> Table:
    """Return the paper's Table 6."""
    rows = (
        (
            row.topic,
            count(row.seeds),
            count(row.pool),
            from_percent(row.precision),
            from_percent(row.recall),
        )
        for row in TABLE_6
    )
    return Table(title=f"Table 6 of {SOURCE}", columns=COLUMNS, rows=tuple(map(Row, rows)))


def _make_row(found: TaskStatistics) -> Row:
    numbers = (Number(found.pool, "count"), Number(found.precision), Number(found.recall))
    counts = (count(found.on_topic), count(found.draws))
    return Row((found.topic, count(found.seeds), *numbers, *counts))
