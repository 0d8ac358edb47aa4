"""Sending batches beside one's own work: a few threads, and never more under way than threads.

Two batches with the same document are never under way at once, so that what came last stays.
The first error ends it all: it is raised to whoever sends or waits from then on, since something
that was handed over is not in the index.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from likewise.errors import LibraryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Batch = Mapping[str, bytes]

THREADS = 2


class Senders:
    """Threads that send batches."""

    def __init__(self, send: Callable[[Batch], object], *, threads: int = THREADS) -> None:
        self._send = send
        self._threads = threads
        self._changed = threading.Condition()
        self._waiting: deque[Batch] = deque()
        self._under_way: list[Batch] = []
        self._error: Exception | None = None
        self._stopped = False
        for number in range(threads):
            # Whoever ends the program does not wait for a server that hangs.
            threading.Thread(target=self._work, name=f"bulk-{number}", daemon=True).start()

    def send(self, batch: Batch) -> None:
        """Hand a batch over, as soon as a thread is free and none of its documents is under way."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or self._has_room_for(batch))
            self._raise_error()
            # In this order, lest Ctrl-C leave a batch that nobody was told of.
            self._changed.notify_all()
            self._waiting.append(batch)

    def wait(self) -> None:
        """Wait until everything that was handed over is answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or not self._in_hand())
            self._raise_error()

    def stop(self, *, seconds: float) -> bool:
        """Drop what was not yet sent, and give what is under way some time to be answered.

        Whether anything has failed, or still is under way, is returned.
        """
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._under_way, timeout=seconds)
            return bool(self._error or self._under_way)

    def _in_hand(self) -> list[Batch]:
        return [*self._waiting, *self._under_way]

    def _has_room_for(self, batch: Batch) -> bool:
        others = self._in_hand()
        return len(others) < self._threads and all(
            batch.keys().isdisjoint(other) for other in others
        )

    def _raise_error(self) -> None:
        if self._error:
            raise self._error

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            error = self._failure(batch)
            with self._changed:
                self._under_way.remove(batch)
                self._error = self._error or error
                self._changed.notify_all()

    def _next(self) -> Batch | None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting)
            if self._stopped:
                return None
            batch = self._waiting.popleft()
            self._under_way.append(batch)
            return batch

    def _failure(self, batch: Batch) -> Exception | None:
        try:
            self._send(batch)
        except LibraryError as error:
            return error
        except Exception as error:  # noqa: BLE001  # a thread that dies silently would be waited for
            return LibraryError(f"a batch could not be sent: {type(error).__name__}: {error}")
        return None
