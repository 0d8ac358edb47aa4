"""How often something may be done."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW = 60.0


class Rate:
    """So many times within any minute."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._clock = clock
        self._times: deque[float] = deque()

    def wait(self) -> int:
        """Return after how many seconds it may be done again; 0 if it may now."""
        oldest = self._clock() - WINDOW
        while self._times and self._times[0] <= oldest:
            self._times.popleft()
        if len(self._times) < self._most:
            return 0
        return max(1, math.ceil(self._times[0] - oldest)) if self._times else int(WINDOW)

    def count(self) -> None:
        """Take note that it is done now."""
        self._times.append(self._clock())
