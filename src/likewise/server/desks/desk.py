"""A desk: a session that lies open, written to by one thread and read by another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from likewise.errors import UnknownDocumentError
from likewise.expansion.sessions.session import Session
from likewise.expansion.wording import list_names
from likewise.library.protocol import Library
from likewise.server.desks.reading import SessionReader
from likewise.server.desks.scribe import Scribe
from likewise.server.desks.state import SessionState
from likewise.server.failures import UnknownSession

if TYPE_CHECKING:
    from likewise.server.desks.reading import SessionReader, Texts


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
        self._reading: SessionReader | None = None
        self._scribe = Scribe(path)
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.stem

    @property
    def last_read(self) -> SessionState | None:
        """How the session stood when it was last read; it may stand otherwise by now."""
        return self._reading.last if self._reading else None

    async def read(
        self, work: Callable[Concatenate[SessionReader, P], T], *args: P.args, **kwargs: P.kwargs
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

    def _opened(self) -> SessionReader:
        if self._reading is None:
            session = Session.open(self.path, read_only=True)
            self._reading = SessionReader(session, library=self._library, texts=self._texts)
        return self._reading

    def _close_reading(self) -> None:
        if self._reading is not None:
            self._reading.session.close()


async def check_known(desk: Desk, ids: Iterable[str], *, library: Library) -> None:
    """Raise UnknownDocumentError if there are ids that nothing is known of.

    Nearly always, what was last read knows them all, so that a mark need not wait for readers.
    """
    known = desk.last_read
    unknown = known.unknown(ids) if known else set(ids)
    if unknown:
        held = await asyncio.to_thread(library.get, sorted(unknown))
        unknown -= {document.id for document in held}
    if unknown:
        unknown = await desk.read(_find_unknown, unknown)
    if unknown:
        raise UnknownDocumentError(
            f"neither in the ranking nor in the library: {list_names(sorted(unknown))}; "
            "nothing was marked"
        )


def _find_unknown(reading: SessionReader, ids: set[str]) -> set[str]:
    seeds = {seed.id for seed in reading.session.start.seeds}
    return reading.standing().unknown(ids) - seeds
