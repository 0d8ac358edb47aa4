"""A worker: a process that lets methods answer tasks, and measures the answers.

Truth is read after a method has answered. Only a method that says it needs the truth, as the upper
bound does, is handed it, by a door of its own.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.measures.measures import measure
from likewise.bench.methods.counted import CountedTerms
from likewise.bench.methods.spelling import bench_method
from likewise.bench.methods.view import View
from likewise.bench.randomness import generator
from likewise.bench.runs.memory import peak_megabytes, reset_peak
from likewise.bench.runs.results import Outcome, ResultFolder, result_of
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import TaskError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from likewise.bench.methods.answers import Answer
    from likewise.bench.runs.results import Result, RunSettings
    from likewise.learn.material import OnStep

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
SECONDS_BETWEEN_NOTES = 0.5


class Job(NamedTuple):
    """A task, and the methods to run on it."""

    task: str
    methods: tuple[str, ...]


class Started(NamedTuple):
    """A method has begun."""

    method: str


class Noted(NamedTuple):
    """What a method is at, in a few words."""

    note: str


class Finished(NamedTuple):
    """A method has ended, and its result is written."""

    method: str
    error: str


class Idle(NamedTuple):
    """A job is done, and there is room for the next."""


def work(line: Connection, *, tasks: Path, out: Path, settings: RunSettings) -> None:
    """Take jobs from a line and answer on it, until there are no more."""
    # Whoever holds the other end decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    folder, results, counted = TaskFolder(tasks), ResultFolder(out), CountedTerms()
    encoder = settings.loaded_encoder()
    # Nobody holds it any more if the run was killed.
    with suppress(EOFError, ConnectionError):
        while job := line.recv():
            try:
                view = View(folder.task(job.task), counted, encoder)
            except TaskError as error:
                run = partial(_unread, task=job.task, error=error)
            else:
                run = partial(run_method, view=view)
            for method in job.methods:
                line.send(Started(method))
                tell = _teller(line, job, method)
                result = run(method, folder=folder, settings=settings, on_step=tell)
                results.write(result)
                line.send(Finished(method, result.error))
            line.send(Idle())


def run_method(
    spelling: str,
    view: View,
    *,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep | None = None,
) -> Result:
    """Run a method on a task, and measure what it answers; what goes wrong is recorded."""
    task = view.task
    answer, measures, error = None, {}, ""
    started = time.perf_counter()
    try:
        # What methods share is not counted as the first one's.
        view.material()
        reset_peak()
        started = time.perf_counter()
        answer = _answer(spelling, view, folder=folder, settings=settings, on_step=on_step)
        seconds = time.perf_counter() - started
        measures = measure(answer, folder.truth(task.name), task)
    except Exception as problem:  # noqa: BLE001  # whatever it is, the other methods go on
        error = f"{type(problem).__name__}: {' '.join(str(problem).split())}"
        seconds = time.perf_counter() - started
    outcome = Outcome(
        measures=measures,
        error=error,
        seconds=seconds,
        megabytes=peak_megabytes(),
        warnings=answer.warnings if answer else (),
        facts=answer.facts if answer else {},
    )
    return result_of(task.metadata, outcome, task=task.name, method=spelling, settings=settings)


def _unread(
    spelling: str,
    *,
    task: str,
    error: TaskError,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep,  # noqa: ARG001  # as `run_method` takes it
) -> Result:
    """Record that a task could not be read."""
    outcome = Outcome({}, str(error), seconds=0.0, megabytes=0.0)
    metadata = folder.metadata(task)
    return result_of(metadata, outcome, task=task, method=spelling, settings=settings)


def _answer(
    spelling: str,
    view: View,
    *,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep | None,
) -> Answer:
    method = bench_method(spelling)
    # The same for all methods, so that those that differ in one setting differ in nothing else.
    rng = generator(settings.number, view.task.name)
    keep = method.decide_by(settings.keep)
    if method.needs_truth:
        truth = folder.truth(view.task.name)
        return method.answer_with_truth(view, truth, rng=rng, on_step=on_step, keep=keep)
    return method.answer(view, rng=rng, on_step=on_step, keep=keep)


def _teller(line: Connection, job: Job, method: str) -> OnStep:
    """Return what tells on a line how far a method is, but not too often."""
    told = time.perf_counter()

    def tell(done: int, total: int, note: str = "", /) -> None:
        nonlocal told
        if time.perf_counter() - told > SECONDS_BETWEEN_NOTES:
            told = time.perf_counter()
            share = f"{done / total:.0%}" if total else ""
            try:
                line.send(Noted(" ".join(f"{method} on {job.task} {share} {note}".split())))
            except ConnectionError:
                # The run was killed: that is no failure of the method, and nobody waits for it.
                raise SystemExit from None

    return tell


def with_one_thread() -> None:
    """Let processes that are started from now on compute with one thread each."""
    for name in THREADS:
        os.environ.setdefault(name, "1")
