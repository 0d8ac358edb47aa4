"""Indexing at scale: `likewise index`, end to end, into a folder and into a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.watching import Watch

from likewise.library import open_library


class IndexingFigures(NamedTuple):
    """What indexing took, and what it left."""

    documents: int
    seconds: float
    processor_seconds: float
    """Those of `likewise index` and the processes that read for it, without a server's."""
    peak_bytes: int
    stored_bytes: int

    @property
    def rate(self) -> float:
        """Documents a second."""
        return self.documents / self.seconds


def index_into(address: str, files: Sequence[Path]) -> IndexingFigures:
    """Run `likewise index` as a user would."""
    command = [sys.executable, "-m", "likewise", "index", *map(str, files), "--into", address]
    started = time.perf_counter()
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE) as process:
        watch = Watch(process.pid)
        watch.start()
        said = json.loads(process.communicate()[0])
        seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"likewise index into {address} ended with {process.returncode}")
    with open_library(address) as library:
        stored = library.info().bytes
    return IndexingFigures(
        said["documents"], seconds, watch.processor_seconds, watch.peak_bytes, stored
    )
