"""Tables of results in the shapes of the paper's, with its published figures beside them.

Tables 1 to 5 are made from results; Table 6 holds statistics of tasks, ours or the authors'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from likewise.bench import group_by
from likewise.bench.runs.summary import Summary
from likewise.bench.tables.columns import TableSettings
from likewise.bench.tables.comparison import make_table1, make_table2, make_table3
from likewise.bench.tables.methods import make_methods_table, make_pretrained_table
from likewise.bench.tables.negatives import make_table4, make_table5
from likewise.bench.tables.reference import SOURCE, TABLE_6
from likewise.bench.tables.table import FORMATS, Number, Row, Table, count, from_percent
from likewise.bench.tasks import TaskMetadata
from likewise.bench.tasks.dse import find_dse_folders, read_dse_metadata
from likewise.bench.tasks.folders import HEAD, TaskFolder
from likewise.errors import RunError

__all__ = ["FORMATS", "TABLES", "Table", "TableSettings", "make_table6", "make_tables"]

_FIXED: dict[str, Callable[[Summary], list[Table]]] = {
    "table2": make_table2,
    "table3": make_table3,
    "table4": make_table4,
    "table5": make_table5,
}
TABLES = ("methods", "table1", *_FIXED, "pretrained")
"""The names of all tables of results; Table 6 is made from tasks."""


def make_tables(
    summary: Summary, like: str, *, settings: TableSettings, rng: np.random.Generator
) -> list[Table]:
    """Return the tables with a name: one for each kind of task, and the paper's if it has one.

    Args:
        summary: The results.
        like: One of `TABLES`.
        settings: Which measures are shown, and what is compared.
        rng: Draws bootstrap samples.
    """
    if not summary.cells:
        failed = f"all {len(summary.failures)} results failed" if summary.failures else "no results"
        raise RunError(f"{failed}, so there is nothing to show; see: likewise bench run --help")
    if like in _FIXED:
        return _FIXED[like](summary)
    if like == "table1":
        return make_table1(summary, settings)
    make = make_pretrained_table if like == "pretrained" else make_methods_table
    return make(summary, settings, rng=rng)


TABLE6_COLUMNS = ("topic", "|LP|", "|U|", "precision", "recall")
TABLE6_NOTE = (
    "Means over draws. Precision: the share of the pool that is on topic; recall: the share of the "
    "topic, without the seeds, that is in the pool."
)


@dataclass(frozen=True)
class TaskStatistics:
    """Averages over the draws of a topic with a number of seeds."""

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
    key = attrgetter("topic", "seeds", "pool_of", "pool", "scheme", "setting")
    groups: dict[tuple[Any, ...], list[TaskMetadata]] = group_by(tasks, key)
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
    """Return Table 6 (seeds, pool, precision and recall of tasks), and the paper's."""
    ours = Table(
        title="Seeds and pools",
        columns=(*TABLE6_COLUMNS, "on topic", "draws"),
        rows=tuple(map(_make_row, compute_statistics(tasks))),
        notes=(TABLE6_NOTE,),
    )
    theirs = (
        Row((topic, count(seeds), count(pool), *map(from_percent, shares)))
        for topic, seeds, pool, *shares in TABLE_6
    )
    paper = Table(title=f"Table 6 of {SOURCE}", columns=TABLE6_COLUMNS, rows=tuple(theirs))
    return [ours, paper]


def _make_row(found: TaskStatistics) -> Row:
    numbers = (Number(found.pool, "count"), Number(found.precision), Number(found.recall))
    counts = (count(found.on_topic), count(found.draws))
    return Row((found.topic, count(found.seeds), *numbers, *counts))
