"""Processes that work for the server, and those of them that read what visitors send.

The server talks to each through pipes, and ends it together with whatever it started. Readers are
kept warm; one that had to be killed is replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import tempfile
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Self, cast

import msgspec

from likewise.server import MEGABYTE, ServerSettings
from likewise.server.failures import STOPPING, ServerError, Stopping
from likewise.server.safety.guards import SECONDS_TO_WAIT, TooMuch
from likewise.server.upload_worker import SIZE, Refusal, Upload, UploadReply, UploadRequest

PATIENCE = 2.0
"""How many seconds a process has to end by itself before it is killed."""
MOST_PRINTED = 4_000
"""How many bytes are kept of what a process prints to its standard error."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class WorkerProcess:
    """A worker's process; subclasses know what it is asked and what it answers."""

    most_line: ClassVar[int] = 2**16
    """How many bytes a line of its standard output may have."""

    def __init__(self, process: Process) -> None:
        self._process = process
        # `start` asks for pipes, so they are there.
        self.input = cast("StreamWriter", process.stdin)
        self.output = cast("StreamReader", process.stdout)
        self._errors = asyncio.create_task(_read_last(cast("StreamReader", process.stderr)))
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start a worker that waits for its request; raise OSError if the system refuses."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=cls.most_line,
            env={**os.environ, **_ONE_THREAD},
            # A group of its own: Ctrl-C is for the server, and its children end with it.
            start_new_session=True,
        )
        return cls(process)

    @property
    def number(self) -> int:
        """What the system calls the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet, as far as is known."""
        return self._process.returncode is None

    async def end(self) -> None:
        """End the process and whatever it started; return when it is dead.

        The process ends even if whoever waits for this goes away meanwhile.
        """
        if not self._ending:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def wait(self) -> int:
        """Wait for the process to end; return its exit code, or minus the signal that ended it."""
        return await self._process.wait()

    async def read_errors(self) -> str:
        """Wait for the process to end; return the last of what it printed to standard error."""
        return (await self._errors).decode(errors="replace").strip()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and whatever it started."""
        # A group whose processes are all dead is gone, or no longer ours.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _end(self) -> None:
        self.signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), PATIENCE)
        # If it is dead, what it started may not be.
        self.signal(signal.SIGKILL)
        await self._process.wait()


async def _read_last(stream: StreamReader) -> bytes:
    """Read a stream to its end, and return the last of it."""
    kept = b""
    while chunk := await stream.read(MOST_PRINTED):
        kept = (kept + chunk)[-MOST_PRINTED:]
    return kept


LOG = logging.getLogger(__name__)
MODULE = "likewise.server.upload_worker"
READ_AT_ONCE = 2
"""How many files from visitors are read at once."""
MOST_ANSWER = 512 * MEGABYTE
SECONDS_OF_HASTE = 1.0
"""After how many seconds a reader gives way to whatever else this computer does."""
NICENESS = 10
LATENESS = 3
"""How many times `most_reading_seconds` a worker may take by the clock, on a busy computer."""


class TooCostly(ServerError, status=422, kind="too-costly"):
    """A file that takes more time or memory to read than visitors are given."""


class ReaderProcess(WorkerProcess):
    """A process that reads one file after another."""

    has_given_way = False

    @classmethod
    async def start_limited(cls, most_memory: int) -> Self:
        """Start a reader that may use at most `most_memory` bytes."""
        # With -P, nothing is imported from the folder where the server was started.
        return await cls.start((sys.executable, "-P", "-m", MODULE, str(most_memory)))

    def give_way(self) -> None:
        """Let other processes go first from now on; this can't be undone."""
        self.has_given_way = True
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.number, NICENESS)

    async def read(self, asked: UploadRequest) -> UploadReply:
        """Return what the worker answers; raise IncompleteReadError if it ends instead."""
        self.input.write(msgspec.json.encode(asked) + b"\n")
        (size,) = SIZE.unpack(await self.output.readexactly(SIZE.size))
        if size > MOST_ANSWER:
            raise IncompleteReadError(b"", size)
        content = await self.output.readexactly(size)
        return msgspec.msgpack.decode(content, type=UploadReply)


class Readers:
    """Reads what visitors send, a few files at once, within limits of time and memory."""

    def __init__(self, settings: ServerSettings) -> None:
        self._seconds = settings.most_reading_seconds
        self._memory = settings.most_reading_memory
        self.turns = asyncio.Semaphore(READ_AT_ONCE)
        """Whoever wants something read waits here, so that the rest of the server stays quick."""
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._is_closed = False

    async def read(self, content: bytes, asked: UploadRequest) -> Upload:
        """Read what was sent, and return its papers.

        Args:
            content: What was sent.
            asked: How to read it; only the file name in its path counts.

        Raises:
            TooCostly: Reading takes too much time or memory.
            LikewiseError: The content can't be read.
        """
        with tempfile.TemporaryDirectory(prefix="likewise-", ignore_cleanup_errors=True) as folder:
            path = Path(folder, Path(asked.path).name)
            await asyncio.to_thread(path.write_bytes, content)
            here = msgspec.structs.replace(asked, path=str(path), seconds=self._seconds)
            answer = await self._ask(here)
        if isinstance(answer, Upload):
            return answer
        if answer.is_memory:
            raise self._refuse_memory(asked.name)
        if answer.trace:
            LOG.warning("%s", answer.trace)
        raise answer.revive()

    async def warm_up(self) -> None:
        """Start a reader before one is needed; if that fails, only log it."""
        try:
            self._idle.append(await ReaderProcess.start_limited(self._memory))
        except OSError as error:
            LOG.warning("no process to read files can be started: %s", error)

    async def close(self) -> None:
        """End all readers, and return when they are dead; after that nothing more is read."""
        self._is_closed = True
        processes, self._idle = [*self._idle, *self._busy], []
        await asyncio.gather(*(process.end() for process in processes))

    async def _ask(self, asked: UploadRequest) -> Upload | Refusal:
        process = await self._take_process()
        self._busy.add(process)
        giving_way = asyncio.get_running_loop().call_later(SECONDS_OF_HASTE, process.give_way)
        is_whole = False
        try:
            async with asyncio.timeout(LATENESS * self._seconds):
                answer = await process.read(asked)
            is_whole = not answer.is_last and not process.has_given_way
        except TimeoutError as error:
            raise self._refuse_time(asked.name) from error
        except (IncompleteReadError, ConnectionError, msgspec.DecodeError) as error:
            raise await self._explain_end(process, asked.name) from error
        finally:
            giving_way.cancel()
            self._busy.discard(process)
            if is_whole:
                self._idle.append(process)
            else:
                await process.end()
        return answer.outcome

    async def _take_process(self) -> ReaderProcess:
        if self._is_closed:
            raise Stopping(STOPPING)
        while self._idle:
            process = self._idle.pop()
            if process.is_running:
                return process
            await process.end()
        try:
            return await ReaderProcess.start_limited(self._memory)
        except OSError as error:
            reason = f"no process to read it can be started ({error.strerror or error})"
            raise TooMuch(f"{reason}; try again", retry_after=SECONDS_TO_WAIT) from error

    async def _explain_end(self, process: ReaderProcess, name: str) -> ServerError:
        """Return why a worker ended in the middle of a file."""
        await process.end()
        if self._is_closed:
            return Stopping(STOPPING)
        code = await process.wait()
        if code == -signal.SIGXCPU:
            return self._refuse_time(name)
        LOG.warning("%s: its reader ended (%d)\n%s", name, code, await process.read_errors())
        return self._refuse_memory(name)

    def _refuse_time(self, name: str) -> TooCostly:
        return _refuse(name, f"{self._seconds} seconds of computing")

    def _refuse_memory(self, name: str) -> TooCostly:
        return _refuse(name, f"{self._memory / MEGABYTE:g} MB of memory")


def _refuse(name: str, cost: str) -> TooCostly:
    return TooCostly(
        f"{name}: reading it takes more than {cost}, the limit for a file that is sent; give a "
        "smaller one, or another format"
    )
