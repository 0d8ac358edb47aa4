"""How a job runs: a process does it, and its messages change the job until it ends."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from asyncio import Task, TimerHandle
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from likewise.server.jobs import (
    MOST_LINE,
    AnyRequest,
    FailureMessage,
    Message,
    ProgressMessage,
    ResultMessage,
    StartMessage,
    TakenMessage,
    WarningsMessage,
    decode_message,
    encode_line,
)
from likewise.server.jobs.records import MISTAKEN, Ending, Job, explain_exit_code, find_ending
from likewise.server.jobs.worker import AHEAD
from likewise.server.processes import WorkerProcess

LOG = logging.getLogger(__name__)

# With -P, nothing is imported from the folder where the server was started.
COMMAND = (sys.executable, "-P", "-m", "likewise.server.jobs.worker")
SECONDS_BETWEEN_STATES = 0.1
"""The least time between two states that a watcher sees."""


class JobRun:
    """The run of one job."""

    def __init__(
        self,
        entry: JobEntry,
        *,
        on_begun: Callable[[JobEntry], Awaitable[None]],
        start: Callable[[], Awaitable[JobProcess]],
    ) -> None:
        """Prepare a run.

        Args:
            entry: The job.
            on_begun: Called once it is known how many expansions there were before.
            start: Returns a worker that waits for its request.
        """
        self._entry = entry
        self._on_begun = on_begun
        self._start = start
        self._last: ResultMessage | TakenMessage | FailureMessage | None = None

    async def __call__(self) -> Ending:
        """Do the job, and return how it ended; by then its process is dead."""
        try:
            process = await self._start()
        except OSError as error:
            reason = f"its process can't be started ({error.strerror or error})"
            return Ending("failed", error=f"{reason}; close other programs, and start it again")
        self._entry.process = process
        try:
            if not self._entry.wanted:
                process.ask(self._entry.asked)
                async for message in process.read_messages():
                    await self._hear(message)
                # It may have closed its standard output without having ended yet.
                await process.wait()
        except ValueError:
            LOG.exception("job %s", self._entry.job.id)
            return MISTAKEN
        finally:
            # Whatever happened, no process is left running.
            await process.end()
        return await self._find_ending(process)

    async def _hear(self, message: Message) -> None:
        match message:
            case StartMessage():
                self._entry.before = message.expansions
                await self._on_begun(self._entry)
            case WarningsMessage():
                self._entry.change(warnings=message.warnings)
            case ProgressMessage():
                self._move(message)
            case ResultMessage() | TakenMessage() | FailureMessage():
                self._last = message

    def _move(self, moved: ProgressMessage) -> None:
        stages = self._entry.job.stages
        if moved.stage not in stages:
            stages = (*stages, moved.stage)
        share = min(1.0, max(0.0, moved.share))
        self._entry.change(stage=moved.stage, stages=stages, share=share, note=moved.note)

    async def _find_ending(self, process: JobProcess) -> Ending:
        """Return how the job ended, by the worker's last message or what the session holds."""
        code, printed = await process.wait(), await process.read_errors()
        if isinstance(self._last, ResultMessage):
            return Ending("done", expansion=self._last.expansion)
        if isinstance(self._last, TakenMessage):
            return Ending("done")
        if isinstance(self._last, FailureMessage):
            level = logging.ERROR if self._last.is_mistake else logging.INFO
            self._log(level, self._last.error, printed)
            return Ending("failed", error=self._last.error)
        path, before = self._entry.asked.path, self._entry.before
        if found := await asyncio.to_thread(find_ending, path, before=before):
            return found
        if not self._entry.wanted:
            self._log(logging.ERROR, f"its process ended with code {code}", printed)
        return self._entry.wanted or explain_exit_code(code)

    def _log(self, level: int, what: str, printed: str) -> None:
        LOG.log(level, "job %s: %s%s", self._entry.job.id, what, f"\n{printed}" if printed else "")


class JobEntry:
    """A job with the request for it, its process, and those who watch it."""

    def __init__(self, job: Job, asked: AnyRequest) -> None:
        self.job = job
        self.asked = asked
        self.before: int | None = None
        """How many expansions the session had when the work began."""
        self.wanted: Ending | None = None
        """How the job ends if it is stopped before it is done; None if nobody has stopped it."""
        self.process: JobProcess | None = None
        self._changed = asyncio.Event()

    def change(self, **changes: Any) -> None:
        """Change the job, and wake whoever watches it."""
        changed = msgspec.structs.replace(self.job, **changes)
        if changed != self.job:
            self.job = changed
            self._changed.set()
            self._changed = asyncio.Event()

    async def watch(self) -> AsyncIterator[Job]:
        """Yield the job as it is now, then as it changes, until it has ended.

        If changes come quickly, some are left out, but never the latest.
        """
        while True:
            changed, job = self._changed, self.job
            yield job
            if job.is_ended:
                return
            await changed.wait()
            if not self.job.is_ended:
                await asyncio.sleep(SECONDS_BETWEEN_STATES)

    async def wait_until_ended(self) -> Job:
        """Wait until the job has ended, and return it."""
        while not self.job.is_ended:
            await self._changed.wait()
        return self.job


class JobProcess(WorkerProcess):
    """The process that does a job."""

    most_line = MOST_LINE

    def ask(self, asked: AnyRequest) -> None:
        """Send the worker its request; its standard input stays open until the end."""
        self.input.write(encode_line(asked))

    async def read_messages(self) -> AsyncIterator[Message]:
        """Yield the worker's messages until it ends; kill it if it sends anything else.

        Raises:
            ValueError: It sent something that is not a message.
        """
        try:
            while line := await self.output.readline():
                # A worker that is killed may leave half a line.
                if line.endswith(b"\n"):
                    yield decode_message(line)
        except ValueError:
            self.signal(signal.SIGKILL)
            # Waiting for a process ends only after its pipes were read to their end.
            while await self.output.read(MOST_LINE):
                pass
            raise


SECONDS_KEPT = 600.0
"""How long a spare waits for a request before its memory is given back."""


class SpareWorker:
    """At most one process that waits with its modules loaded, so that nobody waits for that.

    Learning from some marks in a few thousand records spends a third of its time on loading. A
    spare loads beforehand: it computes nothing until it is asked, makes room if nobody asks for a
    while, and ends with the server. Everything here runs in the event loop's thread.
    """

    def __init__(self, command: Sequence[str] = COMMAND, *, seconds: float = SECONDS_KEPT) -> None:
        """Start without a spare.

        Args:
            command: What starts a worker.
            seconds: How long a spare waits.
        """
        self._command = command
        self._seconds = seconds
        self._spare: Task[JobProcess] | None = None
        self._timer: TimerHandle | None = None
        self._leaving: set[Task[None]] = set()
        self._is_closed = False

    def prepare(self) -> None:
        """Start a spare, since an expansion is likely; if there is one, let it wait longer."""
        if self._is_closed:
            return
        if not self._spare or _has_ended(self._spare):
            self._spare = asyncio.create_task(JobProcess.start((*self._command, AHEAD)))
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._make_room)

    async def take(self) -> JobProcess:
        """Return a process that waits for its request: the spare, or a new one if there is none.

        Raises OSError if there is no spare and the system can't start a process.
        """
        if spare := self._let_go():
            # If the system refused the spare, it says why when it refuses the next one.
            with suppress(OSError):
                process = await asyncio.shield(spare)
                if process.is_running:
                    return process
                LOG.warning("a spare worker ended\n%s", await process.read_errors())
        return await JobProcess.start(self._command)

    async def close(self) -> None:
        """End the spare, start no other, and return when none is left."""
        self._is_closed = True
        self._make_room()
        await asyncio.gather(*self._leaving)

    def _let_go(self) -> Task[JobProcess] | None:
        if self._timer:
            self._timer.cancel()
        spare, self._spare, self._timer = self._spare, None, None
        return spare

    def _make_room(self) -> None:
        if spare := self._let_go():
            leaving = asyncio.create_task(_end(spare))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)


def _has_ended(spare: Task[JobProcess]) -> bool:
    """Return whether a spare is no longer of use, because the system killed or refused it."""
    return spare.done() and (spare.exception() is not None or not spare.result().is_running)


async def _end(spare: Task[JobProcess]) -> None:
    with suppress(OSError):
        await (await spare).end()
