"""How much memory this process has held at most, since it was last asked to begin anew."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

_OWN = Path("/proc/self")


def reset_peak() -> None:
    """Begin anew, where the system can do that."""
    try:
        (_OWN / "clear_refs").write_text("5")
    except OSError:
        return


def peak_megabytes() -> float:
    """Return the most memory held since then, or where the system can't tell, ever."""
    try:
        told = re.search(r"VmHWM:\s+(\d+) kB", (_OWN / "status").read_text())
    except OSError:
        told = None
    if told:
        return int(told[1]) / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Counted in bytes by one system and in kilobytes by the others.
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
