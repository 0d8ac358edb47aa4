"""Runs: methods on tasks, each result a file as soon as there is one.

A run that was broken off is finished by the next one, which also tries again what failed. A process
takes a task with all methods that are missing on it, so that words are counted once for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from likewise.bench.methods.spelling import parse_bench_method
from likewise.bench.runs.crew import Crew, CrewJob, CrewProgress
from likewise.bench.runs.results import ResultFolder, RunSettings
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import TaskError
from likewise.extras import require


class RunReport(NamedTuple):
    """What a run came to."""

    made: int
    """Results that were made, the failed ones too."""
    kept: int
    """Results that were there before."""
    failed: tuple[str, ...]
    """What failed and why, a line each."""


def run_methods(
    tasks: Path,
    methods: Sequence[str],
    *,
    out: Path,
    settings: RunSettings | None = None,
    workers: int | None = None,
    on_progress: Callable[[CrewProgress], None] | None = None,
) -> RunReport:
    """Run methods on the tasks of a folder, and keep a result of each.

    Args:
        tasks: The folder of tasks.
        methods: As they are spelled.
        out: The folder of results; what is there already is not made again.
        settings: What decides, which draws, the number of all randomness.
        workers: How many processes; as many as there are cores, if it is not said.
        on_progress: Called as results come in.
    """
    settings = settings or RunSettings()
    require("ir_measures", for_="Measuring methods", extra="bench")
    spelled = _check_methods(methods, settings)
    folder = TaskFolder(tasks)
    names = _choose_tasks(folder, settings)
    results = ResultFolder(out, create=True)
    results.check_pool(folder.metadata(names[0]))
    jobs = [_make_job(folder, name, spelled, settings=settings, results=results) for name in names]
    jobs = [job for job in jobs if job.methods]
    crew = Crew(tasks, out, settings, on_progress=on_progress)
    crew.run(jobs, workers=min(workers or os.cpu_count() or 1, len(jobs)))
    kept = len(names) * len(spelled) - crew.total
    return RunReport(crew.done, kept, tuple(crew.failed))


def _check_methods(methods: Sequence[str], settings: RunSettings) -> list[str]:
    """Return each method once, as it is spelled; raise if one can't be run at all."""
    encoder = settings.load_encoder()
    parsed = [parse_bench_method(text) for text in methods]
    for method in parsed:
        method.check(encoder=encoder)
        method.decide_by(settings.keep)
    return list(dict.fromkeys(map(str, parsed)))


def _choose_tasks(folder: TaskFolder, settings: RunSettings) -> list[str]:
    """Return the tasks of the draws that are asked for."""
    draws = {name: folder.metadata(name).draw for name in folder.names()}
    made = len(set(draws.values()))
    if settings.draws and settings.draws > made:
        raise TaskError(
            f"{folder.path}: tasks of {made} draws, and {settings.draws} are asked for; "
            "make more with: likewise bench make --draws, or ask for fewer"
        )
    return [name for name, draw in draws.items() if not settings.draws or draw < settings.draws]


def _make_job(
    folder: TaskFolder,
    task: str,
    methods: Sequence[str],
    *,
    settings: RunSettings,
    results: ResultFolder,
) -> CrewJob:
    """Return a task with the methods that are missing on it."""
    fingerprint = folder.metadata(task).fingerprint
    missing = [
        method
        for method in methods
        if not results.holds(task, method, settings=settings, fingerprint=fingerprint)
    ]
    return CrewJob(task, tuple(missing))
