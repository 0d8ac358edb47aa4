"""The scribe: the one thread that writes to a session, many marks in one transaction.

A commit waits for the disk. Marks that come meanwhile wait for the next one and go into it
together, so that twenty people who mark at once wait for two commits and not for twenty. Whoever
gave a mark is answered when it is on the disk, and not before.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from likewise.expansion.sessions.session import Session

T = TypeVar("T")

MOST_TOGETHER = 200


class _WriteTask(NamedTuple):
    work: Callable[[Session], Any]
    done: Future[Any]
    together: bool


class Scribe:
    """A thread with a session of its own, begun by the first thing to write."""

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
            work: Is called with the session, in the scribe's thread.
            together: Whether it may share a transaction with others. It is done again from the
                start if one of them fails, so it must do nothing but read and write the session.
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
        """Let the thread end when all that was given to it is written."""
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
            while group[0].together and len(group) < MOST_TOGETHER and self._has_more():
                group.append(self._tasks.popleft())
            return group

    def _has_more(self) -> bool:
        """Tell whether what waits next may be written together with others."""
        return bool(self._tasks) and self._tasks[0].together

    def _write(self, group: list[_WriteTask]) -> None:
        """Write in one transaction; if one of the group fails, each in a transaction of its own."""
        results: list[Any] | None = None
        try:
            session = self._open_session()
            with session.writing_together():
                results = []
                for task in group:
                    results.append(task.work(session))
        except BaseException as error:  # noqa: BLE001  # it is for whoever waits, not for us
            # What hinders the transaction as a whole, such as a lock, would hinder each alone too,
            # and each would wait for it as long.
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

    def _open_session(self) -> Session:
        if self._session is None:
            self._session = Session.open(self._path)
        return self._session
