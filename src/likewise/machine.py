"""The machine's cores and free memory, and how much of them a process may use.

A container or a cluster's scheduler gives a process less than the machine has. So the smallest
limit counts: the system's own, the process's (ulimit), or that of the control group (Linux, both
versions).
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

try:
    import resource
except ImportError:  # only Unix has such limits
    resource = None  # type: ignore[assignment]

Result = TypeVar("Result")
LITTLE_MEMORY = 1_000_000_000
"""If fewer bytes are free, work is done in smaller pieces, which takes longer."""
_UNKNOWN = 1 << 62
_GROUPS = Path("/sys/fs/cgroup")
_FREE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


def count_cores(*, most: int) -> int:
    """Return how many cores this process may use, but no more than `most`."""
    allowed = getattr(os, "sched_getaffinity", None)
    return max(1, min(len(allowed(0)) if allowed else os.cpu_count() or 1, most))


THREADS = count_cores(most=4)
"""How many steps run at a time if they share nothing; more would take more memory."""


def run_steps(
    steps: Sequence[Callable[[], Result]], *, threads: int = THREADS
) -> Generator[Result, None, None]:
    """Yield what each step returns, in their order; up to `threads` of them run at a time.

    If one fails, or if the iterator is closed, steps that have not begun are dropped.
    """
    if threads == 1:
        yield from (step() for step in steps)
        return
    workers = ThreadPoolExecutor(threads)
    try:
        yield from workers.map(lambda step: step(), steps)
    finally:
        workers.shutdown(cancel_futures=True)


def has_little_memory() -> bool:
    """Return whether to save memory at the cost of time."""
    return measure_free_memory() < LITTLE_MEMORY


def measure_free_memory() -> int:
    """Return how many bytes of memory are free; a huge number if the system does not say."""
    found = _FREE.search(_read(Path("/proc/meminfo")))
    free = int(found[1]) * 1024 if found else _UNKNOWN
    return min([free, *_measure_limits(), *_measure_groups()])


def _measure_limits() -> list[int]:
    """Return how many bytes each limit of this process leaves; mapped files count in RLIMIT_AS."""
    if not resource:
        return []
    status, free = _read(Path("/proc/self/status")), []
    for limit, name in ((resource.RLIMIT_DATA, "VmData"), (resource.RLIMIT_AS, "VmSize")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY:
            used = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
            free.append(most - (int(used[1]) * 1024 if used else 0))
    return free


def give_back_memory() -> None:
    """Give unused memory back to the system; glibc would keep it otherwise."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim:
        trim(0)


def _measure_groups() -> list[int]:
    """Return how many bytes each control group of this process, or a parent of it, leaves."""
    free = []
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, kinds, path = line.split(":", 2)
        if kinds not in ("", "memory"):
            continue
        place = _GROUPS / kinds / path.lstrip("/")
        limit, used = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes")
            if kinds
            else ("memory.max", "memory.current")
        )
        for group in (place, *place.parents):
            if not group.is_relative_to(_GROUPS / kinds):
                break
            if (most := _read(group / limit).strip()).isdigit():
                free.append(int(most) - _count_bound(group, used))
    return free


def _count_bound(group: Path, used: str) -> int:
    """Return how many bytes a group uses, without cached files, which it can give back."""
    spent = _read(group / used).strip()
    counts = dict(line.split(" ", 1) for line in _read(group / "memory.stat").splitlines())
    cached = sum(
        int(counts.get(f"total_{name}", counts.get(name, 0)))
        for name in ("active_file", "inactive_file")
    )
    return max(0, int(spent) - cached) if spent.isdigit() else 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def limit_memory(most: int) -> None:
    """Limit this process to `most` bytes of memory, and write no core dump if it dies."""
    if resource:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_seconds(seconds: int) -> None:
    """Limit this process to `seconds` more of computing; then the system kills it."""
    if resource:
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = math.ceil(used.ru_utime + used.ru_stime) + seconds
        _, hardest = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (most, hardest))


def measure_memory() -> int:
    """Return the most bytes of memory that this process has had, or 0 if that is not known.

    It includes what the parent process had before it forked, so only growth is meaningful.
    """
    if not resource:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
