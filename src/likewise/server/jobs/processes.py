"""The process of a job: started, listened to, and ended for good."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self, cast

from likewise.server.jobs.messages import MOST_LINE, line_of, message_of

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Sequence

    from likewise.server.jobs.messages import Asked, Message

# Whatever lies in the folder where the server was started is not imported.
COMMAND = (sys.executable, "-P", "-m", "likewise.server.jobs.worker")
PATIENCE = 2.0
"""For how many seconds a process may end by itself before it is killed."""
MOST_SAID = 4_000
"""How many bytes are kept of what a process says to nobody."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class JobProcess:
    """A worker's process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        # `start` asks for pipes, so they are there.
        self._input = cast("StreamWriter", process.stdin)
        self._output = cast("StreamReader", process.stdout)
        self._errors = asyncio.create_task(_last_of(cast("StreamReader", process.stderr)))
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: Sequence[str] = COMMAND) -> Self:
        """Start a worker that waits to be asked; raise OSError if the system does not let us."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=MOST_LINE,
            env={**os.environ, **_ONE_THREAD},
            # A group of its own: Ctrl-C is for the server, and its children end with it.
            start_new_session=True,
        )
        return cls(process)

    @property
    def number(self) -> int:
        """What the system calls the process."""
        return self._process.pid

    def ask(self, asked: Asked) -> None:
        """Ask the worker for something; its standard input stays open until the end."""
        self._input.write(line_of(asked))

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what the worker says until it ends; one that makes no sense is killed.

        Raises:
            ValueError: It said what is no message.
        """
        try:
            while line := await self._output.readline():
                # A worker that is killed may leave half a line.
                if line.endswith(b"\n"):
                    yield message_of(line)
        except ValueError:
            self._signal(signal.SIGKILL)
            # A process is waited for until its pipes are read to their end.
            while await self._output.read(MOST_LINE):
                pass
            raise

    async def end(self) -> None:
        """End the process and whatever it started; return when it is dead.

        Whoever waits for this may go away meanwhile: the process is ended nonetheless.
        """
        if not self._ending:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def code(self) -> int:
        """Wait for the process, and return its code; minus a signal, if one ended it."""
        return await self._process.wait()

    async def said(self) -> str:
        """Wait for the process, and return the last that it said on its standard error."""
        return (await self._errors).decode(errors="replace").strip()

    async def _end(self) -> None:
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), PATIENCE)
        # If it is dead, what it started may not be.
        self._signal(signal.SIGKILL)
        await self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        # A group of which all are dead is not there, or not ours any more.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


async def _last_of(stream: StreamReader) -> bytes:
    """Read a stream to its end, and return the last of it."""
    kept = b""
    while chunk := await stream.read(MOST_SAID):
        kept = (kept + chunk)[-MOST_SAID:]
    return kept
