"""Work on many things in a few threads, ended by the first failure or by Ctrl-C."""

from __future__ import annotations

import threading
from collections import deque
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

PATIENCE = 0.5
"""Seconds that threads get to end by themselves; none of them keeps the program from ending."""


def side_by_side(
    things: Iterable[T], work: Callable[[T], None], *, threads: int, stop: Callable[[], None]
) -> None:
    """Work on each thing, `threads` at a time, in their order.

    Args:
        things: What to work on.
        work: Called with each; what it raises is raised here, once the others have stopped.
        threads: How many at a time.
        stop: Called when all is done or given up; it makes calls that still run end soon.
    """
    waiting = deque(things)
    ended = threading.Event()
    outcomes: SimpleQueue[Exception | None] = SimpleQueue()

    def take() -> tuple[T] | None:
        try:
            return (waiting.popleft(),)
        except IndexError:
            return None

    def work_on_what_waits() -> None:
        try:
            while not ended.is_set() and (thing := take()) is not None:
                work(thing[0])
        except Exception as error:  # noqa: BLE001  # it is raised again, where it is seen
            outcomes.put(error)
        else:
            outcomes.put(None)

    crew = [threading.Thread(target=work_on_what_waits, daemon=True) for _ in range(threads)]
    try:
        for thread in crew:
            thread.start()
        for _ in crew:
            failure = outcomes.get()
            if failure:
                raise failure
    finally:
        ended.set()
        stop()
        for thread in filter(threading.Thread.is_alive, crew):
            thread.join(PATIENCE)
