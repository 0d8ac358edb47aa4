"""How much memory and time of the processor a process and its children take."""

from __future__ import annotations

import threading
import time

import psutil


class Watch(threading.Thread):
    """Looks at a process and its children, twice a second unless said otherwise."""

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
                # Proportional shares: pages that processes have in common are counted once.
                memory += one.memory_full_info().pss
        except psutil.NoSuchProcess:
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False
        self.peak_bytes = max(self.peak_bytes, memory)
        return True
