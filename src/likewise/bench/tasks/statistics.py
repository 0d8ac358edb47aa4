"""Statistics of tasks: the paper's Table 6, of our folders and of its authors' alike."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.exchange.dse import dse_folders, read_dse_metadata
from likewise.bench.tasks.folder_files import HEAD
from likewise.bench.tasks.folders import TaskFolder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from likewise.bench.tasks.task import TaskMetadata


class TaskStatistics(NamedTuple):
    """What the draws of a topic come to with so many seeds, on average."""

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


def read_metadata(path: Path) -> list[TaskMetadata]:
    """Return what all tasks at or below a path say of themselves."""
    found = [] if (path / HEAD).is_file() else dse_folders(path)
    if found:
        return [read_dse_metadata(folder) for folder in found]
    tasks = TaskFolder(path)
    return [tasks.metadata(name) for name in tasks.names()]


def statistics_of(tasks: Iterable[TaskMetadata]) -> list[TaskStatistics]:
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
