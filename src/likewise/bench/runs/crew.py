"""The crew: the processes that work on jobs, what each is at, and what came of it so far.

A process that dies (of too little memory, say) costs the method it was at, which is recorded as
failed; another goes on with the rest.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.runs.results import Outcome, ResultFolder, RunSettings, result_of
from likewise.bench.runs.workers import Finished, Job, Noted, Started, with_one_thread, work
from likewise.bench.tasks.folders import TaskFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

# A copy of this process would have its threads and locks, but not what holds them.
PROCESSES = multiprocessing.get_context("spawn")
KILLED = -9
WANT = ", as it does for want of memory"
"""What is added if the system killed a process."""


class Progress(NamedTuple):
    """How far a run is."""

    done: int
    """Results made, of ..."""
    total: int
    failed: int
    note: str
    """What is going on."""


@dataclass
class Member:
    """A process, and what it is at."""

    process: BaseProcess
    job: Job
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
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.tasks = tasks
        self.out = out
        self.settings = settings
        self.done = 0
        self.total = 0
        self.failed: list[str] = []
        self._on_progress = on_progress
        self._jobs: deque[Job] = deque()
        self._members: dict[Connection, Member] = {}

    def run(self, jobs: Sequence[Job], *, workers: int) -> None:
        """Go through all jobs."""
        self._jobs = deque(jobs)
        self.total = sum(len(job.methods) for job in jobs)
        with_one_thread()
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
        self._members[ours] = Member(process, self._jobs.popleft())
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

    def _finish(self, member: Member, finished: Finished) -> None:
        task, methods = member.job
        member.job = Job(task, tuple(m for m in methods if m != finished.method))
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
            outcome = Outcome(
                measures={},
                error=f"its process ended with code {code}{WANT * (code == KILLED)}",
                seconds=time.perf_counter() - member.since,
                megabytes=0.0,
            )
            metadata = TaskFolder(self.tasks).metadata(task)
            result = result_of(metadata, outcome, task=task, method=method, settings=self.settings)
            ResultFolder(self.out).write(result)
            self._finish(member, Finished(method, outcome.error))
            if member.job.methods:
                self._jobs.appendleft(member.job)
        self._hire()

    def _tell(self, note: str) -> None:
        if self._on_progress:
            self._on_progress(Progress(self.done, self.total, len(self.failed), note))


def _send(line: Connection, job: Job | None) -> None:
    """Send a job to a process; that it is dead will be heard on the same line."""
    with suppress(ConnectionError):
        line.send(job)
