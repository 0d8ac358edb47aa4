"""`likewise index`, end to end, beside tantivy alone with the same documents in memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.watching import Watch

from likewise.documents import Document, read
from likewise.library.embedded import WRITER_MEMORY, count_writer_threads
from likewise.library.tantivy_index import find_additions, open_index, to_engine


class Indexing(NamedTuple):
    """Seconds, medians of the repetitions, and the peak memory of all processes together."""

    ours: float
    alone: dict[int, float]
    """Seconds of tantivy alone, by its number of threads; our writer has the last."""
    documents: int
    peak_bytes: int


def compare_indexing(sample: Sequence[Path], *, work: Path, repetitions: int = 3) -> Indexing:
    """Time both, alternating."""
    documents = [d for path in sample for d in read(path, on_problem=lambda _: None) if d.text]
    ours = []
    alone: dict[int, list[float]] = {1: [], count_writer_threads(): []}
    for _ in range(repetitions):
        ours.append(_run_index(sample, work=work).seconds)
        for threads, times in alone.items():
            times.append(_time_tantivy(documents, threads=threads, work=work))
    medians = {threads: median(times) for threads, times in alone.items()}
    # Watching the memory slows what is watched, so that run is not timed.
    peak = _run_index(sample, work=work, watch=True).peak_bytes
    return Indexing(median(ours), medians, len(documents), peak)


class _Run(NamedTuple):
    seconds: float
    peak_bytes: int = 0


def _run_index(sample: Sequence[Path], *, work: Path, watch: bool = False) -> _Run:
    library = Path(tempfile.mkdtemp(dir=work)) / "lib"
    command = [sys.executable, "-m", "likewise", "index", *map(str, sample), "--into", str(library)]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        seen = Watch(process.pid, every=0.05)
        if watch:
            seen.start()
        process.wait()
        seconds = time.perf_counter() - started
        if process.returncode:
            raise RuntimeError(process.stderr.read().decode() if process.stderr else "")
    shutil.rmtree(library.parent)
    return _Run(seconds, seen.peak_bytes)


def _time_tantivy(documents: list[Document], *, threads: int, work: Path) -> float:
    folder = Path(tempfile.mkdtemp(dir=work))
    index = open_index(folder, create=True)
    schema = index.schema
    additions = find_additions(schema)
    started = time.perf_counter()
    writer = index.writer(WRITER_MEMORY * threads, threads)
    for document in documents:
        writer.add_document(to_engine(document, schema, additions=additions))
    writer.commit()
    writer.wait_merging_threads()
    seconds = time.perf_counter() - started
    shutil.rmtree(folder)
    return seconds
