"""How much memory and processor time a process and its children take."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import psutil

_SHARES = re.compile(r"^Pss_(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


class Watch(threading.Thread):
    """Looks at a process and its children, by default twice a second."""

    def __init__(self, pid: int, *, every: float = 0.5) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self._spent: dict[int, float] = {}
        self._every = every
        self.peak_bytes = 0

    @property
    def processor_seconds(self) -> float:
        """What all of them have spent so far."""
        return sum(self._spent.values())

    def run(self) -> None:
        """Look until the process has ended."""
        while self._look():
            time.sleep(self._every)

    def _look(self) -> bool:
        memory = 0
        try:
            for one in (self._process, *self._process.children(recursive=True)):
                times = one.cpu_times()
                self._spent[one.pid] = times.user + times.system
                memory += _read_own_memory(one.pid)
        except (psutil.NoSuchProcess, ProcessLookupError, FileNotFoundError):
            return bool(
                self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.Error:
            return False
        self.peak_bytes = max(self.peak_bytes, memory)
        return True


def _read_own_memory(pid: int) -> int:
    """Return the bytes of memory that a process needs, in proportional shares.

    Pages that processes have in common are counted once. Those of files that are only read, such as
    a library's, are not: they are the system's cache, which shrinks when memory is short.
    """
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return 1024 * sum(map(int, _SHARES.findall(rollup)))
