"""The stages of an expansion: how long each takes, and how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

NAMES = (
    "seeds",
    "retrieval",
    "documents",
    "features",
    "encoding",
    "learning",
    "judgement",
    "report",
)
"""Every stage, in the order in which they first come."""


class Progress(NamedTuple):
    """How far an expansion is."""

    stage: str
    share: float
    """How much of the stage is done, from 0 to 1."""
    note: str = ""
    """A few words on how it goes, as some methods have them while they learn."""


OnProgress = Callable[[Progress], None]


class Stages:
    """Measures stages, and tells whoever listens which one is running and how far it is."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self.seconds = dict.fromkeys(NAMES, 0.0)
        self._on_progress = on_progress
        self._running = ""

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Run a stage; stages that come again add up."""
        self._running = name
        self.step(0, 1)
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started
        self.step(1, 1)

    def step(self, done: int, total: int, note: str = "", /) -> None:
        """Tell how far the running stage is."""
        if self._on_progress:
            share = done / total if total else 1.0
            self._on_progress(Progress(self._running, share, note))
