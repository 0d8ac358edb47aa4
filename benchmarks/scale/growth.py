"""What grows with a library, and how: `make bench-scale SIZE=10000000`.

    python -m benchmarks.scale.growth [--size 1000000] [--sets 9] [--seconds 20]

A library in a folder is built in stages, and everything that people do with one is timed at each.
The documents are real PubMed records, repeated with variation (`benchmarks/repeated.py`). Libraries
and what is measured are kept in work/: an interrupted run continues at the stage that it reached,
and a larger size continues from a smaller one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import msgspec
from benchmarks.load.run import load_server
from benchmarks.repeated import repeat_documents
from benchmarks.scale.collection import make_files, read_originals
from benchmarks.scale.growth_tables import write_growth
from benchmarks.scale.indexing import index_into
from benchmarks.scale.searching import time_searching
from benchmarks.speed.indexing import compare_indexing
from benchmarks.speed.searching import LIMIT, search_bare
from benchmarks.watching import Watch

from likewise.documents import Document, write
from likewise.library import Library, open_library
from likewise.library.folder import INDEX
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.protocol import Query
from likewise.library.tantivy_index import open_index

WORK = Path(__file__).parent / "work"
BUILT, MEASURED = WORK / "growth-built.json", WORK / "growth-measured.json"
SIZES = (33_519, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
UPDATE = 1_500
"""The records of a day's update file; a third of them are revised ones."""
FIRST_UPDATE = 30_000_000
"""The number of the first document of an update, above those of all stages."""
SEEDS, TOPIC = 50, "Insulin"
LARGER = 60_000
EXPAND = "expand, 20,000 candidates"
SEGMENT = {".store", ".idx", ".term", ".pos", ".fast", ".fieldnorm", ".del"}
NOTHING_NEW = 3
"""The exit code of `likewise watch` if it finds nothing."""


class Spent(NamedTuple):
    """What a command took."""

    seconds: float
    peak_bytes: int


def main() -> None:
    """Go through the stages, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--sets", type=int, default=9, help="sets of seeds to search for")
    parser.add_argument("--seconds", type=float, default=20, help="how long clients are served")
    parser.add_argument("--build-only", action="store_true", help="measure another time")
    asked = parser.parse_args()
    sizes = sorted({*(size for size in SIZES if size < asked.size), asked.size})
    built = load_figures(BUILT)
    for before, size in zip([0, *sizes], sizes, strict=False):
        if str(size) not in built:
            print(f"{size:,} documents", flush=True)
            built[str(size)] = grow_library(before, size)
            save_figures(BUILT, built)
    if asked.build_only:
        return
    measured = load_figures(MEASURED)
    for number, size in enumerate(sizes):
        if str(size) not in measured:
            print(f"measuring {size:,} documents", flush=True)
            measured[str(size)] = Stage(number, size).measure(
                sets=asked.sets, seconds=asked.seconds
            )
            save_figures(MEASURED, measured)
    write_growth({size: built[str(size)] | measured[str(size)] for size in sizes})


def load_figures(path: Path) -> dict[str, dict[str, float]]:
    """Return what was kept of earlier stages."""
    found: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}
    return found


def save_figures(path: Path, figures: dict[str, dict[str, float]]) -> None:
    """Keep what was measured so far."""
    path.write_text(json.dumps(figures, indent=1))


def grow_library(before: int, size: int) -> dict[str, float]:
    """Make the library of a size out of a smaller one; its files are deleted afterwards."""
    library, making = find_library(size), WORK / "growing"
    shutil.rmtree(making, ignore_errors=True)
    if before:
        copy_library(find_library(before), making)
    files = make_files(WORK / "growing-files", documents=size, start=before)
    done = index_into(str(making), files)
    beside = compare_indexing(files[:1], work=WORK, repetitions=2)
    making.rename(library)
    for path in files:
        path.unlink()
    added = size - before
    meta = json.loads((library / INDEX / "meta.json").read_text())
    return {
        "documents a second": added / done.seconds,
        "index, ms of processor a document": 1e3 * done.processor_seconds / added,
        "index, peak MB": done.peak_bytes / 1e6,
        "bytes a document": done.stored_bytes / size,
        "segments": len(meta["segments"]),
        "index a file, times tantivy alone": beside.ours / list(beside.alone.values())[-1],
    }


def find_library(size: int) -> Path:
    """Return where the library of a size is."""
    return WORK / f"grown-{size}"


def copy_library(library: Path, copy: Path) -> None:
    """Copy a library; the engine's segments are linked, since it never changes them."""

    def copy_file(path: str, to: str) -> str:
        (os.link if Path(path).suffix in SEGMENT else shutil.copy2)(path, to)
        return to

    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(library, copy, copy_function=copy_file)


class Stage:
    """One size, at which everything that people do is measured, on a copy of its library."""

    def __init__(self, number: int, size: int) -> None:
        self._number = number
        self._original = find_library(size)
        self._library = WORK / "measured"
        self._figures: dict[str, float] = {}

    def measure(self, *, sets: int, seconds: float) -> dict[str, float]:
        """Return what everything takes, in seconds and megabytes."""
        copy_library(self._original, self._library)
        self._run_commands()
        figures = self._figures
        figures["open, s"] = time_median(lambda: open_library(str(self._library)).close())
        with open_library(str(self._library)) as library:
            times = time_searching(library, documents=read_originals(), sets=sets)
            figures |= {f"{name}, s": median(spent) for name, spent in times.items()}
            figures["top 20,000, times a bare query"] = self._compare_with_bare(library, sets=sets)
        return figures | serve_clients(self._library, seconds=seconds)

    def _run_commands(self) -> None:
        """Measure the commands, in turn with expanding the smallest library."""
        commands = list_commands(self._library, number=self._number)
        for name in ("add an update", "the same again", "info", "search"):
            self._run(name, *commands[name])
        expand = commands[EXPAND]
        smallest = ("expand", find_library(SIZES[0]), *expand[2:])
        _drop_caches()
        self._run("expand, cold", *expand)
        small, large = [], []
        for _ in range(3):
            small.append(run_watched(smallest).seconds)
            large.append(self._run("expand, warm", *expand).seconds)
        self._figures["expand, times that of the smallest"] = median(large) / median(small)
        self._run("expand, a larger pool", *expand[:-1], LARGER)
        wide = self._run("expand, pool of 100,000", *expand[:-1], 100_000)
        self._figures["pool of 100,000, times 20,000"] = wide.seconds / median(large)
        for name in ("expand, a session", "watch, nothing new"):
            self._run(name, *commands[name])

    def _run(self, name: str, *words: object) -> Spent:
        spent = run_watched(words)
        self._figures[f"{name}, s"] = spent.seconds
        self._figures[f"{name}, peak MB"] = spent.peak_bytes / 1e6
        return spent

    def _compare_with_bare(self, library: Library, *, sets: int) -> float:
        """Return how many times longer our search takes than tantivy's own, in turn."""
        index = open_index(self._library / INDEX)
        ours, bare = [], []
        for number in range(sets):
            seeds = random.Random(number).sample(read_originals(), 20)
            query = Query(select_terms(library, seeds, settings=MoreLike()))
            bare.append(time_median(partial(search_bare, index, query)))
            ours.append(time_median(partial(library.find_best, query, limit=LIMIT)))
        return median(ours) / median(bare)


def list_commands(
    library: object, *, number: int, work: Path = WORK
) -> dict[str, tuple[object, ...]]:
    """Return what people do with a library, by name, in the order in which they do it.

    Args:
        library: A folder, or the address of an index.
        number: The number of the update that is added; one library takes each of them once.
        work: Where files are written.
    """
    work.mkdir(parents=True, exist_ok=True)
    seeds, found, session = (
        work / name for name in ("seeds.jsonl", "found.jsonl", "topic.likewise")
    )
    update = _write_update(work / f"growing-update{number}.jsonl", number)
    write(find_topic(), seeds)
    session.unlink(missing_ok=True)
    pool = ("--pool", 20_000)
    add = ("index", update, "--into", library)
    return {
        "add an update": add,
        # People who run `likewise index` again give it the same files too, so one is added twice.
        "the same again": add,
        "info": ("info", library),
        "search": ("search", library, "insulin resistance in rats", "--limit", 20),
        EXPAND: ("expand", library, seeds, "-o", found, *pool),
        "expand, a session": ("expand", library, seeds, *pool, "--session", session),
        "watch, nothing new": ("watch", session),
    }


def serve_clients(library: object, *, seconds: float) -> dict[str, float]:
    """Return how long clients that search and mark wait while an expansion runs."""
    tally, lost = load_server(library, clients=20, seconds=seconds, pause=0.5)
    if tally.errors or lost:
        raise SystemExit(f"served clients met {tally.errors[:3]}; lost: {lost[:3]}")
    waits = {
        f"20 clients, {name}, 95 % within, s": quantiles(spent, n=100)[94]
        for name, spent in tally.seconds.items()
    }
    return {**waits, "20 clients and an expansion, peak MB": tally.peak_bytes / 1e6}


def find_topic() -> list[Document]:
    """Return papers with an abstract on one topic, all in the smallest library."""
    return [
        document
        for document in read_originals()[: SIZES[0]]
        if document.abstract and any(TOPIC in heading.name for heading in document.mesh)
    ][:SEEDS]


def run_watched(words: Sequence[object]) -> Spent:
    """Run a command of ours, and return what it took."""
    command = [sys.executable, "-m", "likewise", *map(str, words)]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        watch = Watch(process.pid, every=0.05)
        watch.start()
        complaint = process.communicate()[1]
        seconds = time.perf_counter() - started
    if process.returncode not in (0, NOTHING_NEW):
        raise SystemExit(f"likewise {words[0]} ended with {process.returncode}: {complaint!r}")
    return Spent(seconds, watch.peak_bytes)


def _write_update(path: Path, number: int) -> Path:
    """Write a file of new records, and of records that have another title now."""
    originals = read_originals()
    first = FIRST_UPDATE + number * UPDATE
    new = list(repeat_documents(originals, first + UPDATE, start=first))[UPDATE // 3 :]
    revised = originals[number * UPDATE : number * UPDATE + UPDATE // 3]
    changed: list[Any] = [
        msgspec.structs.replace(one, title=f"{one.title} (revised)") for one in revised
    ]
    write([*changed, *new], path)
    return path


def _drop_caches() -> None:
    """Drop the system's cache of files, if that is allowed."""
    os.sync()
    caches = Path("/proc/sys/vm/drop_caches")
    try:
        caches.write_text("3")
    except OSError:
        print("  the system's cache of files can't be dropped, so cold is warm", flush=True)


def time_median(action: Callable[[], object], *, times: int = 5) -> float:
    """Return the median of the seconds that something takes."""
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return median(seconds)


if __name__ == "__main__":
    main()
