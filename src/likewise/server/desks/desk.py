"""A desk: an open session, written to by one thread, the scribe, and read by another.

A commit waits for the disk. Marks that come meanwhile go into the next commit together, so that
twenty people who mark at once wait for two commits and not for twenty. Whoever gave a mark gets an
answer when it is on the disk, and not before.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from likewise.errors import UnknownDocumentError
from likewise.expansion.sessions.session import Session
from likewise.expansion.wording import list_names
from likewise.library.protocol import Library
from likewise.server.desks.libraries import Libraries, OpenLibrary
from likewise.server.desks.reading import SessionReader
from likewise.server.desks.state import SessionState
from likewise.server.failures import UnknownSession

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """An open session; only the event loop's thread uses it."""

    def __init__(self, path: Path, *, file: int, libraries: Libraries) -> None:
        self.path = path
        self.file = file
        """The system's number of its file; another file of the same name has another number."""
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
        """The state of the session when it was last read; it may have changed since."""
        return self._reader.last if self._reader else None

    async def find_library(self) -> OpenLibrary:
        """Return the session's library; read the session first if nobody has yet."""
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
            work: Called with the session, in the thread that writes.
            together: Whether it may share a transaction with others; see `Scribe.write`.
        """
        self._check_open()
        return await self._scribe.write(work, together=together)

    def close(self) -> None:
        """Let both threads end once they have done their work."""
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

    The state that was read last nearly always knows them all, so a mark need not wait for readers.
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
            "nothing was changed"
        )


def _find_unknown(reader: SessionReader, ids: set[str]) -> set[str]:
    seeds = {seed.id for seed in reader.session.start.seeds}
    return reader.state.find_unknown(ids) - seeds


MOST_TOGETHER = 200


class _WriteTask(NamedTuple):
    work: Callable[[Session], Any]
    done: Future[Any]
    together: bool


class Scribe:
    """A thread with a session of its own; it starts once there is something to write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tasks: deque[_WriteTask] = deque()
        self._news = threading.Condition()
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._session: Session | None = None

    async def write(self, work: Callable[[Session], T], *, together: bool = False) -> T:
        """Write, and return what `work` returns once it is on the disk.

        Args:
            work: Called with the session, in the scribe's thread.
            together: Whether it may share a transaction with others. If one of them fails, it is
                called again, so it must do nothing but read and write the session.
        """
        done: Future[T] = Future()
        # It is done even if nobody waits for it any more.
        done.set_running_or_notify_cancel()
        with self._news:
            self._tasks.append(_WriteTask(work, done, together))
            self._news.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="scribe", daemon=True)
            self._thread.start()
        return await asyncio.wrap_future(done)

    def close(self) -> None:
        """Let the thread end once everything is written."""
        with self._news:
            self._is_closed = True
            self._news.notify()

    def join(self) -> None:
        """Wait until the thread has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while group := self._next_group():
            self._write(group)
        if self._session is not None:
            self._session.close()

    def _next_group(self) -> list[_WriteTask]:
        """Wait for something to write, and return what may be written at once; [] at the end."""
        with self._news:
            self._news.wait_for(lambda: self._tasks or self._is_closed)
            if not self._tasks:
                return []
            group = [self._tasks.popleft()]
            while (
                group[0].together
                and len(group) < MOST_TOGETHER
                and self._tasks
                and self._tasks[0].together
            ):
                group.append(self._tasks.popleft())
            return group

    def _write(self, group: list[_WriteTask]) -> None:
        """Write a group in one transaction; if one task fails, write each in its own."""
        results: list[Any] | None = None
        try:
            session = self._session = self._session or Session.open(self._path)
            with session.writing_together():
                results = []
                for task in group:
                    results.append(task.work(session))
        except BaseException as error:  # noqa: BLE001  # it is for whoever waits, not for us
            # What stops the whole transaction, such as a lock, would stop each task alone too, and
            # each would wait for it just as long.
            is_one_to_blame = results is not None and len(results) < len(group)
            if is_one_to_blame and len(group) > 1:
                for task in group:
                    self._write([task])
            else:
                for task in group:
                    task.done.set_exception(error)
            return
        for task, result in zip(group, results, strict=True):
            task.done.set_result(result)
