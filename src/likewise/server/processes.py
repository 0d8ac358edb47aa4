"""Processes that work for the server: started with pipes, and ended with whatever they started."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar, Self, cast

PATIENCE = 2.0
"""For how many seconds a process may end by itself before it is killed."""
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
        """Whether it has not ended, as far as is known."""
        return self._process.returncode is None

    async def end(self) -> None:
        """End the process and whatever it started; return when it is dead.

        Whoever waits for this may go away meanwhile: the process is ended nonetheless.
        """
        if not self._ending:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def wait(self) -> int:
        """Wait for the process, and return its exit code; minus a signal, if one ended it."""
        return await self._process.wait()

    async def read_errors(self) -> str:
        """Wait for the process, and return the last that it printed to its standard error."""
        return (await self._errors).decode(errors="replace").strip()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and whatever it started."""
        # A group of which all are dead is not there, or not ours any more.
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
