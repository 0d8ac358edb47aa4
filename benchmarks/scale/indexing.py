"""Indexing at scale: `likewise index`, end to end, into a folder and into a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import psutil

from likewise.library import open_library

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Indexed(NamedTuple):
    """What indexing took, and what it left."""

    documents: int
    seconds: float
    processor_seconds: float
    """Of `likewise index` and the processes that read for it; a server's are not among them."""
    peak_bytes: int
    stored_bytes: int

    @property
    def rate(self) -> float:
        """Documents a second."""
        return self.documents / self.seconds


def index_into(address: str, files: Sequence[Path]) -> Indexed:
    """Run `likewise index` as a user would."""
    command = [sys.executable, "-m", "likewise", "index", *map(str, files), "--into", address]
    started = time.perf_counter()
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE) as process:
        watch = _Watch(process.pid)
        watch.start()
        said = json.loads(process.communicate()[0])
        seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"likewise index into {address} ended with {process.returncode}")
    with open_library(address) as library:
        stored = library.info().bytes
    return Indexed(said["documents"], seconds, watch.processor_seconds, watch.peak_bytes, stored)


class _Watch(threading.Thread):
    """Looks at a process and its children twice a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self._spent: dict[int, float] = {}
        self.peak_bytes = 0

    @property
    def processor_seconds(self) -> float:
        """What all of them have spent so far."""
        return sum(self._spent.values())

    def run(self) -> None:
        """Look until the process has ended."""
        while self._look():
            time.sleep(0.5)

    def _look(self) -> bool:
        memory = 0
        try:
            for one in (self._process, *self._process.children(recursive=True)):
                times = one.cpu_times()
                self._spent[one.pid] = times.user + times.system
                # Proportional shares: pages that processes have in common are counted once.
                memory += one.memory_full_info().pss
        except psutil.NoSuchProcess:
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False
        self.peak_bytes = max(self.peak_bytes, memory)
        return True
