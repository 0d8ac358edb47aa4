"""How much has come, of how much, whichever thread it came through."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Progress(NamedTuple):
    """How far a download has come."""

    file: str
    bytes: int
    total_bytes: int
    files: int
    total_files: int


class Tally:
    """Counts files and bytes; what listings say of sizes gives way to what servers say.

    Args:
        planned: For each file, by its name, how many bytes are to come.
        on_progress: Called as they come.
    """

    def __init__(
        self, planned: Mapping[str, int], *, on_progress: Callable[[Progress], None] | None = None
    ) -> None:
        self._planned = dict(planned)
        self._lock = threading.Lock()
        self._on_progress = on_progress or (lambda _: None)
        self._state = Progress("", 0, sum(planned.values()), 0, len(planned))

    @property
    def bytes(self) -> int:
        """How many bytes have come."""
        return self._state.bytes

    @contextmanager
    def transfer(self, file: str, length: int) -> Iterator[Callable[[int], None]]:
        """Begin to take in so many bytes of a file, and give what is told of those that come."""
        rest = length
        self._move(file, more=length - self._planned.pop(file, 0))

        def came(number: int) -> None:
            nonlocal rest
            more = max(0, number - rest)  # as where a server does not say how many there are
            rest = max(0, rest - number)
            self._move(file, came=number, more=more)

        try:
            yield came
        finally:
            self._move(file, more=-rest)

    def done(self, file: str) -> None:
        """Count a file that nothing more comes of."""
        self._move(file, more=-self._planned.pop(file, 0), files=1)

    def _move(self, file: str, *, came: int = 0, more: int = 0, files: int = 0) -> None:
        with self._lock:
            _, now, total, done, of = self._state
            self._state = Progress(file, now + came, total + more, done + files, of)
            self._on_progress(self._state)
