"""A library of millions in a folder and on a cluster, side by side, in one run.

    python -m benchmarks.scale.run [--documents 510000] [--sets 9] [--seconds 20] [--url URL]
        [--shards 1] [--folder LIB] [--keep]

The documents are two real PubMed files, repeated with variation. The cluster is the one at --url,
or at LIKEWISE_TEST_OPENSEARCH. Whatever people do with a library is done with the one on the
cluster and then with the one in the folder, step by step. The libraries and what was measured are
kept in work/ and on the cluster until all is done (with --keep for longer): an interrupted run
continues with the step that it reached, and a larger number of documents from a smaller one.
Times are of this machine and this run; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from benchmarks.scale.cluster import delete_index, parse_with_url, read_server_seconds
from benchmarks.scale.collection import make_files, read_originals
from benchmarks.scale.growth import (
    EXPAND,
    copy_library,
    list_commands,
    load_figures,
    run_watched,
    save_figures,
    serve_clients,
    time_median,
)
from benchmarks.scale.indexing import index_into
from benchmarks.scale.searching import HITS, compare_searching

from likewise.library import open_library

WORK = Path(__file__).parent / "work"
RESULT = Path(__file__).parents[1] / "results" / "beside.md"
INDEX = "bench-scale"
UPDATE = 100
"""The number of the first update that is added, above those of the stages of `growth`."""
A_PART = 250_000
"""The figures of indexing are kept after each part of this many documents."""
TIMES = 3
"""How often an expansion is timed."""
AGAIN = "index 50,000 documents that are all there"
RATE, BYTES, COMMON = "documents a second", "bytes a document on disk", "in common with the other"

Figures = dict[str, float]


def main() -> None:
    """Make the documents, go through the steps, print the table and keep it."""
    asked = _parse_arguments()
    pair = Pair(asked.documents, url=asked.url)
    files = pair.index(shards=asked.shards, folder=asked.folder)
    pair.index_again(files[0])
    pair.run_commands()
    pair.search(sets=asked.sets)
    pair.serve(seconds=asked.seconds)
    text = "\n".join(pair.format_table())
    RESULT.write_text(f"{text}\n")
    print(f"\n{text}")
    if not asked.keep:
        pair.delete()


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=510_000)
    parser.add_argument("--sets", type=int, default=9, help="sets of seeds to search for")
    parser.add_argument("--seconds", type=float, default=20, help="how long clients are served")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="a library of `growth` that has the documents")
    parser.add_argument("--keep", action="store_true", help="delete nothing at the end")
    return parse_with_url(parser)


class Pair:
    """A library in a folder and one on a cluster, with what was measured of both."""

    def __init__(self, documents: int, *, url: str) -> None:
        self._documents = documents
        self._url, self._index = url, INDEX
        self._work = WORK / "pair"
        self._folder = self._work / "library"
        self._address = f"opensearch://{urlsplit(url).netloc}/{self._index}"
        self._places = {"cluster": self._address, "folder": str(self._folder)}
        self._kept = self._work / f"measured-{documents}.json"
        self._work.mkdir(parents=True, exist_ok=True)
        self._figures: dict[str, Figures] = {name: {} for name in self._places}
        self._figures |= load_figures(self._kept)

    def index(self, *, shards: int, folder: Path | None) -> list[Path]:
        """Index documents into both, part by part and in turn; return their files.

        Args:
            shards: The number of the index's shards.
            folder: A library of these documents, which is copied instead of making one.
        """
        path, files, start = self._work / "parts.json", list[Path](), 0
        parts = load_figures(path)
        if folder and not self._folder.exists():
            copy_library(folder, self._folder)
        for end in self._list_ends(parts):
            files += (new := make_files(self._work / "documents", documents=end, start=start))
            for engine, place in self._places.items():
                if f"{engine} {end}" not in parts and not (folder and engine == "folder"):
                    if not start:
                        self._clear(place, shards=shards)
                    parts[f"{engine} {end}"] = self._index_part(place, new, start=start)
                    save_figures(path, parts)
            start = end
        for engine, figures in self._figures.items():
            own = [part for name, part in parts.items() if name.startswith(engine)]
            self._figures[engine] = (_sum_parts(own) if own else {}) | figures
        return files

    def _list_ends(self, parts: Iterable[str]) -> list[int]:
        """Return the numbers of documents at which parts end: those kept before, and new ones."""
        ends = {int(name.split()[1]) for name in parts}
        first = max([0, *ends]) + A_PART
        return sorted({*ends, *range(first, self._documents, A_PART), self._documents})

    def _index_part(self, place: str, files: list[Path], *, start: int) -> Figures:
        before = 0
        if start:
            with open_library(place) as library:
                before = library.count()
        server = read_server_seconds(self._url)
        done = index_into(place, files)
        spent = read_server_seconds(self._url) - server if place == self._address else 0.0
        print(f"  {place}: {done.documents:,} in {done.seconds:,.0f} s", flush=True)
        return {
            "documents": done.documents,
            "added": done.documents - before,
            "seconds": done.seconds,
            "processor": done.processor_seconds,
            "server": spent,
            "peak": done.peak_bytes,
            "bytes": done.stored_bytes,
        }

    def index_again(self, file: Path) -> None:
        """Index a known file under another name, so that each of its documents is looked up."""
        copy = self._work / "again.jsonl"
        shutil.copy(file, copy)
        self._measure(f"{AGAIN}, s", lambda place: _run(AGAIN, ("index", copy, "--into", place)))

    def run_commands(self) -> None:
        """Do what people do with a library."""
        commands = {
            place: list_commands(
                place, number=UPDATE + self._documents // A_PART, work=self._work / name
            )
            for name, place in self._places.items()
        }
        for name in commands[self._address]:
            times = TIMES if name == EXPAND else 1
            self._measure(f"{name}, s", partial(_run_in, commands, name=name), times=times)

    def search(self, *, sets: int) -> None:
        """Open both, and time the stages of retrieval."""
        self._measure("open, s", _open)
        if f"best {HITS:,} {COMMON}" in self._figures["cluster"]:
            return
        opened = {name: open_library(place) for name, place in self._places.items()}
        found = compare_searching(opened, documents=read_originals(), sets=sets)
        for stage in found.stages:
            for name, times in stage.items():
                self._figures[name][f"{times.name}, s"] = median(times.seconds)
        for depth, share in found.overlap.items():
            for of in self._figures.values():
                of[f"best {depth:,} {COMMON}"] = share
        save_figures(self._kept, self._figures)

    def serve(self, *, seconds: float) -> None:
        """Serve both to clients who search and mark while an expansion runs."""
        self._measure("20 clients, search, 95 % within, s", partial(serve_clients, seconds=seconds))

    def _measure(self, name: str, measure: Callable[[str], Figures], *, times: int = 1) -> None:
        """Measure both in turn, unless it was done before; of several times keep the median."""
        if all(name in of for of in self._figures.values()):
            return
        print(name, flush=True)
        runs = [
            {engine: measure(place) for engine, place in self._places.items()} for _ in range(times)
        ]
        for engine, figures in self._figures.items():
            figures |= {key: median(run[engine][key] for run in runs) for key in runs[0][engine]}
            print(f"  {engine}: {figures[name]:,.3f}", flush=True)
        save_figures(self._kept, self._figures)

    def _clear(self, place: str, *, shards: int) -> None:
        """Delete a library; one on a cluster is made again, empty."""
        if place != self._address:
            shutil.rmtree(place, ignore_errors=True)
            return
        delete_index(self._url, self._index)
        open_library(place, write=True, shards=shards, replicas=0).close()

    def delete(self) -> None:
        """Delete both, and what was measured."""
        delete_index(self._url, self._index)
        shutil.rmtree(self._work)

    def format_table(self) -> list[str]:
        """Return what was measured, with the cluster's figures in proportion to the folder's."""
        engines = [open_library(self._places[name]).engine for name in ("folder", "cluster")]
        lines = [f"| | {' | '.join(engines)} | ratio |", "|---|---:|---:|---:|"]
        here, there = self._figures["folder"], self._figures["cluster"]
        for name, value in there.items():
            if COMMON in name:
                lines.append(f"| {name} | | {value:.4f} | |")
                continue
            other = here.get(name, 0.0)
            cells = f"{_format(name, other)} | {_format(name, value)}"
            ratio = f"{value / other:.2f}" if other and name != "documents" else ""
            lines.append(f"| {name.removesuffix(', s')} | {cells} | {ratio} |")
        return lines


def _sum_parts(parts: list[Figures]) -> Figures:
    added, seconds, processor, server = (
        sum(part[name] for part in parts) for name in ("added", "seconds", "processor", "server")
    )
    return {
        "documents": parts[-1]["documents"],
        RATE: added / seconds,
        "processor of `likewise index`, ms a document": 1e3 * processor / added,
        "processor of the server, ms a document": 1e3 * server / added,
        "index, peak MB": max(part["peak"] for part in parts) / 1e6,
        BYTES: parts[-1]["bytes"] / parts[-1]["documents"],
    }


def _run_in(
    commands: dict[str, dict[str, tuple[object, ...]]], place: str, *, name: str
) -> Figures:
    return _run(name, commands[place][name])


def _run(name: str, words: tuple[object, ...]) -> Figures:
    spent = run_watched(words)
    return {f"{name}, s": spent.seconds, f"{name}, peak MB": spent.peak_bytes / 1e6}


def _open(place: str) -> Figures:
    """Return how long opening takes, and how large the library is now that it has been merged."""
    seconds = time_median(lambda: open_library(place).close())
    with open_library(place) as library:
        about = library.info()
    return {"open, s": seconds, BYTES: about.bytes / about.documents}


def _format(name: str, value: float) -> str:
    if not value:
        return ""
    if name.endswith(", s"):
        return f"{1e3 * value:,.0f} ms" if value < 1 else f"{value:,.1f} s"
    if "ms a document" in name:
        return f"{value:.2f}"
    return f"{value:,.0f}"


if __name__ == "__main__":
    main()
