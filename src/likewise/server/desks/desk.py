"""A desk: a session that lies open, written to by one thread and read by another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from likewise.errors import UnknownDocumentError
from likewise.expansion.sessions.session import Session
from likewise.expansion.wording import list_names
from likewise.library.protocol import Library
from likewise.server.desks.libraries import Libraries, OpenLibrary
from likewise.server.desks.reading import SessionReader
from likewise.server.desks.scribe import Scribe
from likewise.server.desks.state import SessionState
from likewise.server.failures import UnknownSession

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """An open session; only the event loop's thread uses it."""

    def __init__(self, path: Path, *, libraries: Libraries) -> None:
        self.path = path
        self.users = 0
        """How many requests use it now."""
        self._libraries = libraries
        self._opened: OpenLibrary | None = None
        self._is_closed = False
        self._reader: SessionReader | None = None
        self._scribe = Scribe(path)
        self._readers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.stem

    @property
    def last_read(self) -> SessionState | None:
        """How the session stood when it was last read; it may stand otherwise by now."""
        return self._reader.last if self._reader else None

    async def find_library(self) -> OpenLibrary:
        """Return the session's library; it is known already, if the session was ever read."""
        if self._opened is None:
            await self.read(lambda _: None)
        assert self._opened is not None, "whoever reads a session has its library"  # noqa: S101
        return self._opened

    async def read(
        self, work: Callable[Concatenate[SessionReader, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call `work` with the session in the thread that reads, and return what it returns."""
        self._check_open()

        def run() -> T:
            reader = self._open_reader()
            reader.look()
            return work(reader, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, work: Callable[[Session], T], *, together: bool = False) -> T:
        """Call `work`, and return what it returns once what it wrote is on the disk.

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
            self._readers.submit(self._close_reader)
            self._readers.shutdown(wait=False)

    def join(self) -> None:
        """Wait until both threads have ended."""
        self._scribe.join()
        self._readers.shutdown(wait=True)

    def _check_open(self) -> None:
        if self._is_closed:
            raise UnknownSession(self.id)

    def _open_reader(self) -> SessionReader:
        if self._reader is None:
            session = Session.open(self.path, read_only=True)
            try:
                self._opened = self._libraries.find(session.library)
            except Exception:
                session.close()
                raise
            opened = self._opened
            self._reader = SessionReader(
                session, library=opened.library, texts=opened.texts, library_id=opened.id
            )
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.session.close()


async def check_known(desk: Desk, ids: Iterable[str], *, library: Library) -> None:
    """Raise UnknownDocumentError if ids are neither in the ranking, nor seeds, nor in the library.

    What was last read nearly always knows them all, so that a mark need not wait for readers.
    """
    known = desk.last_read
    unknown = known.find_unknown(ids) if known else set(ids)
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


def _find_unknown(reader: SessionReader, ids: set[str]) -> set[str]:
    seeds = {seed.id for seed in reader.session.start.seeds}
    return reader.state.find_unknown(ids) - seeds
