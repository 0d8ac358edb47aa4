"""The links beside an embedded library: graphs on disk, and how to make them whatever their size.

links/links.json     which graphs there are; a graph that it does not name is deleted
links/GRAPH/         a graph: both directions, three arrays each
links/new/           links of documents that were indexed since, in one file per commit
links/names.sqlite   the DOIs and ids that numbers stand for

Links are sorted in runs, and the runs merged range by range, so that the memory needed does not
grow with their number. A graph becomes part of the library only when `links.json` names it.
"""

from __future__ import annotations

import shutil
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document, replace_file
from likewise.errors import LibraryError
from likewise.library.links import (
    DIRECTIONS,
    NAMED,
    Adjacency,
    Graphs,
    LinkGraph,
    Papers,
    pair_references,
    sort_pairs,
)

FOLDER = "links"
MANIFEST = "links.json"
RANGE = 4_000_000
"""How many links are merged at a time."""
FEW = 100_000
"""How many new links may wait, in files that are read whole, before all are merged."""
_KINDS = ("uint32", "uint64")
_NOTED = ("id", "pmid", "doi", "references")


class GraphNote(msgspec.Struct, frozen=True):
    """A graph that is part of a library."""

    folder: str
    kind: str
    """The type of its numbers: uint32 if all are PMIDs, else uint64."""
    source: str = ""
    """The file that it was read from; "" if it holds the references of indexed documents."""
    links: int = 0


class FolderLinks(Graphs):
    """The links beside an embedded library, as they were when opened."""

    def __init__(self, library: Path) -> None:
        self.folder = library / FOLDER
        graphs = [_open_graph(self.folder, note) for note in read_notes(self.folder)]
        waiting = [np.load(path) for path in list_waiting(self.folder)]
        if waiting:
            graphs.append(LinkGraph.of(np.concatenate(waiting)))
        super().__init__([graph for graph in graphs if len(graph.cites.papers)])

    def name(self, papers: Papers) -> list[str]:
        """Return the PMID, the DOI, or "id:" and the id of each paper; "" if it is unknown."""
        numbers = [int(paper) for paper in papers]
        names = _read_names(self.folder, [number for number in numbers if number >= NAMED])
        return [str(paper) if paper < NAMED else names.get(paper, "") for paper in numbers]


def read_notes(folder: Path) -> list[GraphNote]:
    """Return the notes of the graphs in a folder of links."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[GraphNote])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise LibraryError(
            f"{path}: can't be read ({error}); delete the folder {folder}, and index again"
        ) from error


def write_notes(folder: Path, notes: Sequence[GraphNote]) -> None:
    """Make these the only graphs of a folder, and delete all others."""
    with replace_file(folder / MANIFEST) as stream:
        stream.write(msgspec.json.encode(list(notes)))
    kept = {note.folder for note in notes}
    for path in folder.glob("graph-*"):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def list_waiting(folder: Path) -> list[Path]:
    """Return the files of links that are in no graph yet, in the order in which they came."""
    return sorted((folder / "new").glob("*.npy"))


class LinkWriter:
    """Notes what documents cite while they are indexed, and makes it part of the links."""

    def __init__(self, library: Path) -> None:
        self._folder = library / FOLDER
        self._pending: list[Document] = []

    def note(self, document: Document) -> None:
        """Note what a document cites; durable after `commit`."""
        if document.references:
            # The text is left out, since nobody needs it here.
            self._pending.append(Document(**{name: getattr(document, name) for name in _NOTED}))

    def commit(self) -> None:
        """Write what was noted, durably."""
        if not self._pending:
            return
        pairs, names = pair_references(self._pending)
        (self._folder / "new").mkdir(parents=True, exist_ok=True)
        _write_names(self._folder, names)
        waiting = list_waiting(self._folder)
        number = int(waiting[-1].stem) + 1 if waiting else 0
        with replace_file(self._folder / "new" / f"{number:06}.npy") as stream:
            np.save(stream, sort_pairs(pairs))
        self._pending.clear()

    def settle(self) -> None:
        """Merge the waiting links into the graphs; a few may wait on, if there are graphs."""
        waiting = list_waiting(self._folder)
        new = [np.load(path, mmap_mode="r") for path in waiting]
        notes = read_notes(self._folder)
        if sum(map(len, new)) <= (FEW if notes else 0):
            return
        imported = [note for note in notes if note.source]
        own = [note for note in notes if not note.source]
        merged = (_merge_kind(self._folder, kind, new=new, notes=own) for kind in _KINDS)
        write_notes(self._folder, [*chain(*merged), *imported])
        for path in waiting:
            path.unlink(missing_ok=True)


def _merge_kind(
    folder: Path, kind: str, *, new: Sequence[Papers], notes: Sequence[GraphNote]
) -> Iterator[GraphNote]:
    """Merge new links of one kind with the old ones, except those of papers that have new ones."""
    # Each file is sorted, and there are far fewer citing papers than links.
    renewed = np.unique(np.concatenate([np.unique(pairs[:, 0]) for pairs in new]))
    old = (_open_graph(folder, note).cites for note in notes if note.kind == kind)
    others = (run for cites in old for run in _list_others(cites, renewed))
    with _put_aside(chain((_pick_kind(pairs, kind) for pairs in new), others), folder) as runs:
        if runs:
            yield build_graph(runs, folder, kind=kind)


@contextmanager
def _put_aside(runs: Iterable[NDArray[Any]], folder: Path) -> Iterator[list[NDArray[Any]]]:
    """Keep runs on disk for a while, so that they are not all in memory at once."""
    place = folder / "runs"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    kept: list[NDArray[Any]] = []
    try:
        for run in runs:
            if len(run):
                path = place / f"{len(kept):06}.npy"
                np.save(path, run)
                kept.append(np.load(path, mmap_mode="r"))
        yield kept
    finally:
        kept.clear()
        shutil.rmtree(place, ignore_errors=True)


def _pick_kind(pairs: Papers, kind: str) -> NDArray[Any]:
    fits = (pairs < 2**32).all(axis=1)
    return np.asarray(pairs[fits if kind == "uint32" else ~fits], dtype=kind)


def _list_others(cites: Adjacency, renewed: Papers) -> Iterator[NDArray[Any]]:
    """Yield the links of a graph in runs, without those of papers that have new ones."""
    step = max(1, RANGE // 32)
    for first in range(0, len(cites.papers), step):
        papers = np.asarray(cites.papers[first : first + step]).astype(np.uint64)
        papers = papers[~np.isin(papers, renewed)]
        links = cites.follow(papers)
        yield np.stack([papers[links.rows], links.papers], 1).astype(cites.papers.dtype)


def build_graph(
    runs: Sequence[NDArray[Any]],
    folder: Path,
    *,
    kind: str,
    source: str = "",
    on_step: Callable[[int], None] = lambda _: None,
) -> GraphNote:
    """Make a graph on disk from sorted runs of links; it counts only once the manifest names it.

    Runs are sorted by the citing papers, and may be in memory or on disk. `on_step` is called with
    the number of links written so far, each counted in both directions.
    """
    number = 1 + max([int(path.name[6:]) for path in folder.glob("graph-*")], default=0)
    place = folder / f"graph-{number:04}"
    (place / "runs").mkdir(parents=True)
    turned: list[NDArray[Any]] = []
    links = 0
    for block in _write_direction(merge_runs(runs), place / "cites"):
        path = place / "runs" / f"{len(turned):06}.npy"
        np.save(path, sort_pairs(block[:, ::-1]))
        turned.append(np.load(path, mmap_mode="r"))
        links += len(block)
        on_step(links)
    written = links
    for block in _write_direction(merge_runs(turned), place / "cited_by"):
        written += len(block)
        on_step(written)
    turned.clear()
    shutil.rmtree(place / "runs")
    return GraphNote(place.name, kind, source, links)


def merge_runs(runs: Sequence[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Yield the pairs of sorted runs, each once and in order, some millions at a time."""
    if not runs:
        return
    every = max(1, RANGE // 8 // len(runs))
    samples = np.sort(np.concatenate([np.asarray(run[::every, 0]) for run in runs]))
    bounds = np.unique(samples[:: max(1, RANGE // every)])[1:]
    begins = [0] * len(runs)
    for bound in [*bounds, None]:
        ends = [len(run) if bound is None else _find_first(run, bound) for run in runs]
        parts = [run[a:b] for run, a, b in zip(runs, begins, ends, strict=True) if a < b]
        begins = ends
        if parts:
            yield sort_pairs(np.concatenate(parts))


def _find_first(run: NDArray[Any], bound: int) -> int:
    """Return the first row of a sorted run that is not below a paper, reading only a few rows."""
    return bisect_left(range(len(run)), bound, key=lambda row: int(run[row, 0]))


def _write_direction(blocks: Iterable[NDArray[Any]], place: Path) -> Iterator[NDArray[Any]]:
    """Write one direction of a graph, and yield each block that was written."""
    place.mkdir()
    written = 0
    with (
        (place / "papers").open("wb") as papers,
        (place / "starts").open("wb") as starts,
        (place / "linked").open("wb") as linked,
    ):
        for block in blocks:
            first = np.ascontiguousarray(block[:, 0])
            begins = np.append(0, np.flatnonzero(first[1:] != first[:-1]) + 1)
            first[begins].tofile(papers)
            (begins + written).astype(np.uint64).tofile(starts)
            np.ascontiguousarray(block[:, 1]).tofile(linked)
            written += len(block)
            yield block
        np.array([written], dtype=np.uint64).tofile(starts)


def _open_graph(folder: Path, note: GraphNote) -> LinkGraph:
    try:
        return LinkGraph(
            *(_open_direction(folder / note.folder / d, note.kind) for d in DIRECTIONS)
        )
    except (OSError, ValueError) as error:
        raise LibraryError(
            f"{folder / note.folder}: the links are damaged ({error}); delete the folder {folder}, "
            "and index again"
        ) from error


def _open_direction(place: Path, kind: str) -> Adjacency:
    def open_part(name: str, dtype: str) -> NDArray[Any]:
        path = place / name
        return np.memmap(path, dtype, mode="r") if path.stat().st_size else np.empty(0, dtype)

    return Adjacency(
        open_part("papers", kind), open_part("starts", "uint64"), open_part("linked", kind)
    )


def _write_names(folder: Path, names: dict[int, str]) -> None:
    if names:
        with closing(sqlite3.connect(folder / "names.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS names (paper INTEGER PRIMARY KEY, name)")
            connection.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", names.items())


def _read_names(folder: Path, papers: Sequence[int]) -> dict[int, str]:
    path = folder / "names.sqlite"
    if not papers or not path.exists():
        return {}
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        query = "SELECT paper, name FROM names WHERE paper = ?"
        return dict(row for paper in papers for row in connection.execute(query, (paper,)))
