"""The crew: processes that run methods on tasks or on reviews, and the progress that they make.

A `Trade` says what a process does. If a process dies (say, when memory runs out), the method that
it was running has failed, and another process continues with the rest.
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
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from likewise.learn.material import OnStep
from likewise.machine import count_cores
from likewise.progress import Move, show_progress

RunMethod = Callable[[str, OnStep], str]
"""Runs a method, given its spelling and a callback for its steps; returns its error or ""."""

# A fork of this process would have its locks, but not the threads that hold them.
PROCESSES = multiprocessing.get_context("spawn")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
SECONDS_BETWEEN_NOTES = 0.5
KILLED = -9
WANT = ", as it does when memory runs out"
"""What the error adds if the system killed a process."""
_OWN = Path("/proc/self")


class CrewJob(NamedTuple):
    """A task or review, and the methods to run on it."""

    subject: Any
    methods: tuple[str, ...]


class Trade(Protocol):
    """What the processes of a crew do. It is pickled for each of them, so it should be small."""

    def begin(self, subject: Any) -> RunMethod:
        """Return a function that runs a method on a subject and keeps the result.

        It is called in one of the processes, once for all methods of a job.
        """

    def record_death(self, subject: Any, method: str, *, error: str, seconds: float) -> None:
        """Record that a process died while it ran a method; not called in that process."""

    def describe(self, subject: Any, method: str) -> str:
        """Return a few words about a method on a subject, for progress and failures."""


@dataclass(frozen=True)
class CrewProgress:
    """How far a run is."""

    done: int
    """How many of the `total` results are made."""
    total: int
    failed: int
    note: str
    """What is going on."""


class Crew:
    """Processes that work on jobs."""

    def __init__(
        self,
        trade: Trade,
        *,
        on_progress: Callable[[CrewProgress], None] | None = None,
        progress: bool = True,
    ) -> None:
        """Make a crew; it shows a bar if `progress` says so, and there is no `on_progress`."""
        self.done = 0
        self.total = 0
        self.failed: list[str] = []
        self._trade = trade
        self._on_progress = on_progress
        self._is_shown = progress and on_progress is None
        self._move: Move | None = None
        self._jobs: deque[CrewJob] = deque()
        self._members: dict[Connection, _Member] = {}

    def run(self, jobs: Sequence[CrewJob], *, workers: int | None = None) -> None:
        """Do all jobs; by default, in as many processes as there are cores."""
        self._jobs = deque(job for job in jobs if job.methods)
        self.total = sum(len(job.methods) for job in self._jobs)
        # Processes that are started from now on compute with one thread each.
        for name in THREADS:
            os.environ.setdefault(name, "1")
        with show_progress("results", show=self._is_shown) as self._move:
            most = len(self._jobs)
            self._work(min(workers or count_cores(most=most), most))

    def _work(self, workers: int) -> None:
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
        """Start a process for the next job, if there is one."""
        if not self._jobs:
            return
        ours, theirs = PROCESSES.Pipe()
        process = PROCESSES.Process(target=work, args=(theirs, self._trade), daemon=True)
        process.start()
        theirs.close()
        self._members[ours] = _Member(process, self._jobs.popleft())
        _send(ours, self._members[ours].job)

    def _hear(self, line: Connection) -> None:
        member = self._members[line]
        try:
            heard = line.recv()
        except (EOFError, ConnectionError):
            self._bury(line)
            return
        if isinstance(heard, _Start):
            member.method, member.since = heard.method, time.perf_counter()
            self._tell(self._trade.describe(member.job.subject, heard.method))
        elif isinstance(heard, str):
            # How far a method is, in a few words.
            self._tell(heard)
        elif isinstance(heard, _End):
            self._finish(member, heard)
        elif self._jobs:
            member.job = self._jobs.popleft()
            _send(line, member.job)
        else:
            _send(line, None)
            del self._members[line]
            member.process.join()

    def _finish(self, member: _Member, end: _End) -> None:
        """Count a method that has ended, and remove it from its job."""
        subject, methods = member.job
        member.job = CrewJob(subject, tuple(m for m in methods if m != end.method))
        member.method = ""
        self.done += 1
        note = self._trade.describe(subject, end.method)
        if end.error:
            self.failed.append(f"{note}: {end.error}")
        self._tell(note)

    def _bury(self, line: Connection) -> None:
        """Record what a process died of, and start another in its place."""
        member = self._members.pop(line)
        member.process.join()
        if member.job.methods:
            method, code = member.method or member.job.methods[0], member.process.exitcode
            error = f"its process ended with code {code}{WANT * (code == KILLED)}"
            seconds = time.perf_counter() - member.since
            self._trade.record_death(member.job.subject, method, error=error, seconds=seconds)
            self._finish(member, _End(method, error))
            if member.job.methods:
                self._jobs.appendleft(member.job)
        self._hire()

    def _tell(self, note: str) -> None:
        if self._on_progress:
            self._on_progress(CrewProgress(self.done, self.total, len(self.failed), note))
        elif self._move:
            self._move("results", self.done / max(self.total, 1), note)


@dataclass
class _Member:
    """A process, and what it is doing."""

    process: BaseProcess
    job: CrewJob
    method: str = ""
    since: float = field(default_factory=time.perf_counter)


class _Start(NamedTuple):
    """What a process sends when it begins to run a method."""

    method: str


class _End(NamedTuple):
    """What a process sends when a method has ended, and its result is kept."""

    method: str
    error: str


def work(line: Connection, trade: Trade) -> None:
    """Do jobs that come through a connection, and report on them, until there are no more.

    This is what each process runs.
    """
    # Whoever holds the other end decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Nobody holds it any more if the run was killed.
    with suppress(EOFError, ConnectionError):
        while job := line.recv():
            run = trade.begin(job.subject)
            for method in job.methods:
                line.send(_Start(method))
                error = run(method, _make_teller(line, trade.describe(job.subject, method)))
                line.send(_End(method, error))
            # It can take the next job.
            line.send(None)


def _make_teller(line: Connection, name: str) -> OnStep:
    """Return a function that reports how far a method is, but not too often."""
    latest = time.perf_counter()

    def tell(done: int, total: int, note: str = "", /) -> None:
        nonlocal latest
        if time.perf_counter() - latest > SECONDS_BETWEEN_NOTES:
            latest = time.perf_counter()
            share = f"{done / total:.0%}" if total else ""
            try:
                line.send(" ".join(f"{name} {share} {note}".split()))
            except ConnectionError:
                # The run was killed: that is no failure of the method, and nobody waits for it.
                raise SystemExit from None

    return tell


def _send(line: Connection, job: CrewJob | None) -> None:
    """Send a job to a process; if that is dead, the connection will say so."""
    with suppress(ConnectionError):
        line.send(job)


def reset_peak() -> None:
    """Reset the peak of this process's memory, if the system can do that."""
    with suppress(OSError):
        (_OWN / "clear_refs").write_text("5")


def measure_peak_megabytes() -> float:
    """Return the most memory that this process held since `reset_peak`, or since it began."""
    found = None
    with suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+) kB", (_OWN / "status").read_text())
    if found:
        return int(found[1]) / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # macOS counts in bytes, and all other systems in kilobytes.
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
