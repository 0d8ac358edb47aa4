"""Attempts at a token: only so many wrong ones a minute."""

from __future__ import annotations

import hashlib
import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_ADDRESSES = 1_000


class Attempts:
    """Wrong tokens of late, by the address that they came from.

    The same wrong token counts once: a browser that still has an old one is no guesser.
    """

    def __init__(
        self,
        *,
        most: int = 10,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._wrong: OrderedDict[str, dict[bytes, float]] = OrderedDict()

    def wait(self, address: str) -> int:
        """Return after how many seconds an address may try again; 0 if now."""
        wrong = self._of_late(address)
        if len(wrong) < self._most:
            return 0
        return max(1, math.ceil(min(wrong.values()) + self._seconds - self._clock()))

    def add(self, address: str, token: str) -> None:
        """Note a wrong token."""
        wrong = self._of_late(address)
        wrong.setdefault(hashlib.sha256(token.encode(errors="replace")).digest(), self._clock())
        self._wrong[address] = wrong
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def _of_late(self, address: str) -> dict[bytes, float]:
        since = self._clock() - self._seconds
        wrong = self._wrong.get(address, {})
        return {digest: when for digest, when in wrong.items() if when > since}
