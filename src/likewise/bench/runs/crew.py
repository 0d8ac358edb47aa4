"""The crew: the processes that work on jobs, what each is at, and what came of it so far.

A process that dies (of too little memory, say) costs the method it was at, which is recorded as
failed; another goes on with the rest.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from likewise.bench import make_generator
from likewise.bench.measures.measures import measure_answer
from likewise.bench.methods.spelling import parse_bench_method
from likewise.bench.methods.view import CountedTerms, MethodAnswer, TaskView
from likewise.bench.runs.results import (
    MethodOutcome,
    Result,
    ResultFolder,
    RunSettings,
    make_result,
)
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import TaskError
from likewise.learn.material import OnStep

# A copy of this process would have its threads and locks, but not what holds them.
PROCESSES = multiprocessing.get_context("spawn")
KILLED = -9
WANT = ", as it does for want of memory"
"""What is added if the system killed a process."""


THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
SECONDS_BETWEEN_NOTES = 0.5
_OWN = Path("/proc/self")


class CrewProgress(NamedTuple):
    """How far a run is."""

    done: int
    """Results made, of ..."""
    total: int
    failed: int
    note: str
    """What is going on."""


@dataclass
class CrewMember:
    """A process, and what it is at."""

    process: BaseProcess
    job: CrewJob
    method: str = ""
    since: float = field(default_factory=time.perf_counter)


class Crew:
    """Processes that work on jobs."""

    def __init__(
        self,
        tasks: Path,
        out: Path,
        settings: RunSettings,
        *,
        on_progress: Callable[[CrewProgress], None] | None = None,
    ) -> None:
        self.tasks = tasks
        self.out = out
        self.settings = settings
        self.done = 0
        self.total = 0
        self.failed: list[str] = []
        self._on_progress = on_progress
        self._jobs: deque[CrewJob] = deque()
        self._members: dict[Connection, CrewMember] = {}

    def run(self, jobs: Sequence[CrewJob], *, workers: int) -> None:
        """Go through all jobs."""
        self._jobs = deque(jobs)
        self.total = sum(len(job.methods) for job in jobs)
        use_one_thread()
        try:
            for _ in range(workers):
                self._hire()
            while self._members:
                for line in wait(list(self._members)):
                    self._hear(line)  # type: ignore[arg-type]  # they are all lines
        finally:
            for member in self._members.values():
                member.process.terminate()
                member.process.join()

    def _hire(self) -> None:
        """Start a process on the next job, if there is one."""
        if not self._jobs:
            return
        ours, theirs = PROCESSES.Pipe()
        told = {"tasks": self.tasks, "out": self.out, "settings": self.settings}
        process = PROCESSES.Process(target=work, args=(theirs,), kwargs=told, daemon=True)
        process.start()
        theirs.close()
        self._members[ours] = CrewMember(process, self._jobs.popleft())
        _send(ours, self._members[ours].job)

    def _hear(self, line: Connection) -> None:
        member = self._members[line]
        try:
            heard = line.recv()
        except (EOFError, ConnectionError):
            self._bury(line)
            return
        if isinstance(heard, Started):
            member.method, member.since = heard.method, time.perf_counter()
            self._tell(f"{heard.method} on {member.job.task}")
        elif isinstance(heard, Noted):
            self._tell(heard.note)
        elif isinstance(heard, Finished):
            self._finish(member, heard)
        elif self._jobs:
            member.job = self._jobs.popleft()
            _send(line, member.job)
        else:
            _send(line, None)
            del self._members[line]
            member.process.join()

    def _finish(self, member: CrewMember, finished: Finished) -> None:
        task, methods = member.job
        member.job = CrewJob(task, tuple(m for m in methods if m != finished.method))
        member.method = ""
        self.done += 1
        told = f"{finished.method} on {task}"
        if finished.error:
            self.failed.append(f"{told}: {finished.error}")
        self._tell(told)

    def _bury(self, line: Connection) -> None:
        """Record what a process died at, and start another in its place."""
        member = self._members.pop(line)
        member.process.join()
        if member.job.methods:
            task, method = member.job.task, member.method or member.job.methods[0]
            code = member.process.exitcode
            outcome = MethodOutcome(
                measures={},
                error=f"its process ended with code {code}{WANT * (code == KILLED)}",
                seconds=time.perf_counter() - member.since,
                megabytes=0.0,
            )
            metadata = TaskFolder(self.tasks).metadata(task)
            result = make_result(
                metadata, outcome, task=task, method=method, settings=self.settings
            )
            ResultFolder(self.out).write(result)
            self._finish(member, Finished(method, outcome.error))
            if member.job.methods:
                self._jobs.appendleft(member.job)
        self._hire()

    def _tell(self, note: str) -> None:
        if self._on_progress:
            self._on_progress(CrewProgress(self.done, self.total, len(self.failed), note))


def _send(line: Connection, job: CrewJob | None) -> None:
    """Send a job to a process; that it is dead will be heard on the same line."""
    with suppress(ConnectionError):
        line.send(job)


class CrewJob(NamedTuple):
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
    encoder = settings.load_encoder()
    # Nobody holds it any more if the run was killed.
    with suppress(EOFError, ConnectionError):
        while job := line.recv():
            try:
                view = TaskView(folder.task(job.task), counted, encoder)
            except TaskError as error:
                run = partial(_record_unread, task=job.task, error=error)
            else:
                run = partial(run_method, view=view)
            for method in job.methods:
                line.send(Started(method))
                tell = _make_teller(line, job, method)
                result = run(method, folder=folder, settings=settings, on_step=tell)
                results.write(result)
                line.send(Finished(method, result.error))
            line.send(Idle())


def run_method(
    spelling: str,
    view: TaskView,
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
        answer = _answer_task(spelling, view, folder=folder, settings=settings, on_step=on_step)
        seconds = time.perf_counter() - started
        measures = measure_answer(answer, folder.truth(task.name), task)
    except Exception as problem:  # noqa: BLE001  # whatever it is, the other methods go on
        error = f"{type(problem).__name__}: {' '.join(str(problem).split())}"
        seconds = time.perf_counter() - started
    outcome = MethodOutcome(
        measures=measures,
        error=error,
        seconds=seconds,
        megabytes=peak_megabytes(),
        warnings=answer.warnings if answer else (),
        facts=answer.facts if answer else {},
    )
    return make_result(task.metadata, outcome, task=task.name, method=spelling, settings=settings)


def _record_unread(
    spelling: str,
    *,
    task: str,
    error: TaskError,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep,  # noqa: ARG001  # as `run_method` takes it
) -> Result:
    """Record that a task could not be read."""
    outcome = MethodOutcome({}, str(error), seconds=0.0, megabytes=0.0)
    metadata = folder.metadata(task)
    return make_result(metadata, outcome, task=task, method=spelling, settings=settings)


def _answer_task(
    spelling: str,
    view: TaskView,
    *,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep | None,
) -> MethodAnswer:
    method = parse_bench_method(spelling)
    # The same for all methods, so that those that differ in one setting differ in nothing else.
    rng = make_generator(settings.number, view.task.name)
    keep = method.decide_by(settings.keep)
    if method.needs_truth:
        truth = folder.truth(view.task.name)
        return method.answer_with_truth(view, truth, rng=rng, on_step=on_step, keep=keep)
    return method.answer(view, rng=rng, on_step=on_step, keep=keep)


def _make_teller(line: Connection, job: CrewJob, method: str) -> OnStep:
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


def use_one_thread() -> None:
    """Let processes that are started from now on compute with one thread each."""
    for name in THREADS:
        os.environ.setdefault(name, "1")


def reset_peak() -> None:
    """Begin anew, where the system can do that."""
    try:
        (_OWN / "clear_refs").write_text("5")
    except OSError:
        return


def peak_megabytes() -> float:
    """Return the most memory held since then, or where the system can't tell, ever."""
    try:
        told = re.search(r"VmHWM:\s+(\d+) kB", (_OWN / "status").read_text())
    except OSError:
        told = None
    if told:
        return int(told[1]) / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Counted in bytes by one system and in kilobytes by the others.
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
