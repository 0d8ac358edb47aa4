"""How often a server is asked, and how long a busy one is left alone."""

from __future__ import annotations

import threading
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

LONGEST_PAUSE = 60.0
LONGEST_WAIT = 600.0
"""A server that wants to be left alone for longer is given up, as a person would."""


class Pace:
    """At most so many requests a second, evenly spaced, whichever thread makes them."""

    def __init__(
        self, per_second: float | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._next = clock()
        self._lock = threading.Lock()

    def delay(self) -> float:
        """Take the next turn, and return how many seconds it is away.

        >>> pace = Pace(2, clock=lambda: 100.0)
        >>> pace.delay(), pace.delay(), pace.delay()
        (0.0, 0.5, 1.0)
        """
        with self._lock:
            now = self._clock()
            turn = max(self._next, now)
            self._next = turn + self._gap
            return turn - now


def pause_before(trial: int, *, pause: float, rng: random.Random) -> float:
    """Return how long to wait before a trial: twice as long each time, and a bit at random.

    Without chance, all whom a busy server has turned away would come back at the same moment.
    """
    whole = min(pause * 2.0 ** min(trial - 1, 30), LONGEST_PAUSE)
    return whole * rng.uniform(0.5, 1)


def seconds_asked_for(retry_after: str | None, *, now: float | None = None) -> float | None:
    """Return how long a Retry-After asks to wait, whether it gives seconds or a date.

    >>> seconds_asked_for("120"), seconds_asked_for(None), seconds_asked_for("soon")
    (120.0, None, None)
    >>> seconds_asked_for("Thu, 01 Jan 1970 00:02:00 GMT", now=90.0)
    30.0
    """
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))
