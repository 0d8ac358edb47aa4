"""How long it takes to make tasks from a million documents: `make bench-tasks`.

The million are the 33,519 real ones, repeated with variation; they are indexed once, under
benchmarks/tasks/work. The real ones alone are timed in the same run, for comparison. Topics have
thirty times as many documents among the million.

Times are of this machine and this run: the median of three, the least and the most.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import starmap
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.kept import keep_library
from benchmarks.labelled import DATA, TOPICS, need_data
from benchmarks.repeated import repeat_documents

from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.making import TopicMembers, find_topic_members, make_tasks
from likewise.bench.topics import parse_topic
from likewise.documents import read
from likewise.library.embedded import EmbeddedLibrary

WORK = Path(__file__).parent / "work"
DOCUMENTS = 1_000_000
POOL = 10_000
"""|U|: twice as many are retrieved."""
REPETITIONS = 3


class Stage(NamedTuple):
    """Something to be timed on a library, with a folder for what it writes."""

    name: str
    run: Callable[[Path, Path], object]


def main() -> None:
    """Make the libraries, and print how long each stage takes on both."""
    need_data()
    small, large = starmap(keep_documents, (("real", None), ("million", DOCUMENTS)))
    sizes = [count_documents(library) for library in (small, large)]
    print(f"\nMaking tasks, |U| {POOL:,}; seconds, medians of {REPETITIONS} (least-most)\n")
    print("| what |", " | ".join(f"of {size:,} documents" for size in sizes), "| ratio |")
    print("|---|---:|---:|---:|")
    for stage in STAGES:
        # In turns, so that whatever else the machine does affects both alike.
        times = [
            [time_stage(stage, library) for library in (small, large)] for _ in range(REPETITIONS)
        ]
        ours, theirs = zip(*times, strict=True)
        ratio = median(theirs) / median(ours)
        print(
            f"| {stage.name} | {format_times(ours)} | {format_times(theirs)} | {ratio:.1f} |",
            flush=True,
        )


def keep_documents(name: str, count: int | None) -> Path:
    """Return a library of `count` documents, by default the real ones, made if it is not there."""
    originals = list(read(DATA / "mesh.jsonl.gz"))
    return keep_library(WORK / name, lambda: repeat_documents(originals, count or len(originals)))


def count_documents(path: Path) -> int:
    """Return how many documents a library has."""
    with EmbeddedLibrary(path) as library:
        return library.count()


def time_stage(stage: Stage, library: Path) -> float:
    """Return how many seconds a stage takes."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        started = time.perf_counter()
        stage.run(library, Path(folder) / "tasks")
        return time.perf_counter() - started


def format_times(times: tuple[float, ...]) -> str:
    """Return the median, with the least and the most."""
    return f"{median(times):.2f} ({min(times):.2f}-{max(times):.2f})"


def open_and_find(path: Path, _: Path) -> None:
    """Open a library, and find the documents of a topic."""
    with EmbeddedLibrary(path) as library:
        find_members(library)


def make_one_task(path: Path, out: Path) -> None:
    """Make a task in this process, from opening the library to the last file."""
    with EmbeddedLibrary(path) as library:
        settings = TaskSettings(seeds=(20,), pool=POOL, draws=1)
        make_tasks(library, find_members(library), settings=settings, out=out)


def find_members(library: EmbeddedLibrary) -> list[TopicMembers]:
    """Return a topic and its documents."""
    return find_topic_members(library, [parse_topic(TOPICS[0])])[0]


def run_command(path: Path, out: Path) -> None:
    """Make six tasks, as a person does."""
    topics = [word for topic in TOPICS[:3] for word in ("--topic", topic)]
    words = ["bench", "make", path, *topics, "--seeds", 20, 50, "--pool", POOL, "--draws", 1]
    subprocess.run(
        [sys.executable, "-m", "likewise", *map(str, words), "--out", str(out)],
        check=True,
        capture_output=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )


STAGES = (
    Stage("open the library, find a topic's documents", open_and_find),
    Stage("the same, and make and write a task of 20 seeds", make_one_task),
    Stage("`likewise bench make`: 3 topics, 20 and 50 seeds, 1 draw", run_command),
)


if __name__ == "__main__":
    main()
