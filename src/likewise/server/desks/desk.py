"""A desk: a session that lies open, written to by one thread and read by another."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from likewise.expansion.sessions.session import Session
from likewise.server.desks.reading import Reading
from likewise.server.desks.refusals import UnknownSession
from likewise.server.desks.scribe import Scribe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from likewise.library.protocol import Library
    from likewise.server.desks.standing import Standing
    from likewise.server.desks.texts import Texts

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """An open session; all of it is used by the event loop's thread."""

    def __init__(self, path: Path, *, library: Library, texts: Texts) -> None:
        self.path = path
        self.users = 0
        """How many requests use it now."""
        self._library = library
        self._texts = texts
        self._is_closed = False
        self._reading: Reading | None = None
        self._scribe = Scribe(path)
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.stem

    @property
    def last_read(self) -> Standing | None:
        """How the session stood when it was last read; it may stand otherwise by now."""
        return self._reading.last if self._reading else None

    async def read(
        self, work: Callable[Concatenate[Reading, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what `work` makes of the session, in the thread that reads."""
        self._check_open()

        def run() -> T:
            reading = self._opened()
            reading.look()
            return work(reading, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._reader, run)

    async def write(self, work: Callable[[Session], T], *, together: bool = False) -> T:
        """Return what `work` returns, once what it wrote is on the disk.

        Args:
            work: Is called with the session, in the thread that writes.
            together: Whether it may share a transaction with others; see `Scribe.write`.
        """
        self._check_open()
        return await self._scribe.write(work, together=together)

    def close(self) -> None:
        """Let both threads end once they have done what they were given."""
        if not self._is_closed:
            self._is_closed = True
            self._scribe.close()
            self._reader.submit(self._close_reading)
            self._reader.shutdown(wait=False)

    def join(self) -> None:
        """Wait until both threads have ended."""
        self._scribe.join()
        self._reader.shutdown(wait=True)

    def _check_open(self) -> None:
        if self._is_closed:
            raise UnknownSession(self.id)

    def _opened(self) -> Reading:
        if self._reading is None:
            session = Session.open(self.path, read_only=True)
            self._reading = Reading(session, library=self._library, texts=self._texts)
        return self._reading

    def _close_reading(self) -> None:
        if self._reading is not None:
            self._reading.session.close()
