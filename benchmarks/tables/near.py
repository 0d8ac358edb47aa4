"""Methods that learn from a large pool, measured on the part of it that is nearest to the seeds.

    python -m benchmarks.tables.near

Pools of 1,000 documents are a tenth to a fifth on topic, as the paper's are, but twenty times
smaller. Pools of 5,000 give a network more to learn from, but are nearly all off topic. Here
methods learn from pools of 5,000 (the tasks `five-wide`) and are measured on the test documents
among the best 2,000 that the engine found, which is what the tasks `five` measure on, and on all
test documents. Resumable: answers that are there, under benchmarks/tables/work/near, are kept.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
from benchmarks.labelled import need_data
from benchmarks.tables.run import SUMMARIES, WORK, make_tasks

from likewise.bench import make_generator
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.view import CountedTerms, MethodAnswer, TaskView
from likewise.bench.runs import measure_answer
from likewise.bench.tasks import Task
from likewise.bench.tasks.folders import TaskFolder

TASKS, NEAREST = "five-wide", 2_000
METHODS = ("cnn", "bm25", "all")
KEPT = WORK / "near"
COLUMNS = ("F1", "top-k F1", "AUC", "decided", "on topic")


def main() -> None:
    """Run what is missing, two at a time, and write the table."""
    need_data()
    make_tasks(TASKS)
    KEPT.mkdir(parents=True, exist_ok=True)
    jobs = [
        (task, method)
        for method in METHODS
        for task in TaskFolder(WORK / "tasks" / TASKS).list_names()
    ]
    missing = [job for job in jobs if not find_kept(*job).exists()]
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with multiprocessing.get_context("spawn").Pool(2) as workers:
        for done in workers.imap_unordered(answer_task, missing):
            print(done, flush=True)
    lines = list(format_table())
    (SUMMARIES / "near.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def find_kept(task: str, method: str) -> Path:
    """Return where the measures of a method on a task are kept."""
    return KEPT / f"{task.replace('/', '-')}-{method}.json"


def answer_task(job: tuple[str, str]) -> str:
    """Let a method answer a task, and keep its measures on all and on the nearest documents."""
    name, spelling = job
    folder = TaskFolder(WORK / "tasks" / TASKS)
    task, truth = folder.read_task(name), folder.read_truth(name)
    method = parse_bench_method(spelling)
    answer = method.answer(
        TaskView(task, CountedTerms(), None),
        rng=make_generator(0, name),
        keep=method.choose_keep("f1"),
    )
    near = keep_nearest(answer, task)
    found = {
        "topic": task.metadata.topic,
        "all": measure_answer(answer, truth, task),
        "near": measure_answer(near, truth, task),
    }
    find_kept(*job).write_text(json.dumps(found))
    return f"{name} {spelling}"


def keep_nearest(answer: MethodAnswer, task: Task) -> MethodAnswer:
    """Return the part of an answer that is about seeds, and about what the engine ranks highest."""
    ranks = {entry.id: entry.rank or 0 for entry in task.list_measured()}
    is_near = np.array([ranks[identifier] <= NEAREST for identifier in answer.ids], dtype=bool)
    return replace(
        answer,
        ids=tuple(name for name, is_kept in zip(answer.ids, is_near, strict=True) if is_kept),
        scores=answer.scores[is_near],
        decided=None if answer.decided is None else answer.decided[is_near],
        probabilities=None,
        prior=None,
    )


def format_table() -> Iterator[str]:
    """Yield a row for each topic, and one of means, for each method and each part."""
    yield f"| measured on | method | topic | {' | '.join(COLUMNS)} |"
    yield "|---|---|---|" + "---:|" * len(COLUMNS)
    for part, of in (("near", f"the best {NEAREST:,}"), ("all", "all")):
        for method in METHODS:
            kept = [json.loads(path.read_text()) for path in sorted(KEPT.glob(f"*-{method}.json"))]
            rows = [(one["topic"], one[part]) for one in kept]
            mean = {name: fmean(row.get(name, 0.0) for _, row in rows) for name in COLUMNS if rows}
            for topic, row in [*rows, (f"mean of {len(rows)}", mean)]:
                cells = " | ".join(format_value(name, row.get(name)) for name in COLUMNS)
                yield f"| {of} | {method} | {topic} | {cells} |"


def format_value(name: str, value: float | None) -> str:
    """Return a share in per cent, a number of documents as it is, and nothing for None."""
    if value is None:
        return ""
    return f"{value:.0f}" if name == "decided" else f"{100 * value:.1f}"


if __name__ == "__main__":
    main()
