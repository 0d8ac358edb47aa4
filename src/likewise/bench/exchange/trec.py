"""TREC's formats: tasks as qrels and the engine's ranking of their pools as a run.

A task is a query of its name. The qrels hold all documents that methods are measured on (the test
part of the pool, or all of it), 1 for those on topic and 0 for the others; the run has the same
documents in the engine's order, but for the seeds of a test part, which it did not retrieve. Any
tool that reads these measures the engine as `bench run` does, which asks for their places too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from likewise.bench.tasks.folders import TaskFolder
from likewise.bench.tasks.task import Task, TaskEntry
from likewise.documents.files import replace_file

QRELS, RUN = "qrels.txt", "run.txt"
TAG = "likewise-bm25"


def write_trec(tasks: TaskFolder, out: Path) -> None:
    """Write qrels and run of all tasks of a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with replace_file(out / QRELS) as qrels, replace_file(out / RUN) as run:
        for name in tasks.names():
            relevant = tasks.truth(name).relevant
            for rank, entry in enumerate(list_measured(tasks.task(name)), 1):
                qrels.write(f"{name} 0 {entry.id} {int(entry.id in relevant)}\n".encode())
                if entry.score is not None:
                    run.write(f"{name} Q0 {entry.id} {rank} {entry.score} {TAG}\n".encode())


def list_measured(task: Task) -> Iterator[TaskEntry]:
    """Yield the documents that methods are measured on, as the engine ranks them."""
    if task.metadata.setting == "inductive":
        shown = [entry for entry in task.entries if entry.is_measured]
    else:
        shown = task.labelled("unlabeled")
    last = len(task.entries) + 1
    yield from sorted(shown, key=lambda entry: (entry.rank or last, entry.id))
