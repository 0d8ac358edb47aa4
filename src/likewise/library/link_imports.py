"""Links from a file: a citing and a cited PMID on each of perhaps hundreds of millions of lines.

NIH's Open Citation Collection is such a file. Rows are read in blocks and sorted in runs, which are
kept beside the library until all are there. If the process is killed, the next one continues after
the last run. The new graph replaces that of an earlier file in one step, so that there is always a
whole one.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.documents import replace_file
from likewise.documents.sources import Source, readable_name
from likewise.errors import LibraryError, Problem
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.link_files import (
    FOLDER,
    GraphNote,
    build_graph,
    read_notes,
    write_notes,
)
from likewise.library.links import is_cluster, sort_pairs

RUN = 8_000_000
"""How many rows are sorted at a time."""
BLOCK = 1 << 24
MOST_TOLD = 10
"""How many of the lines that can't be read are reported one by one."""
SAMPLE, BACKWARDS = 1000, 0.3
"""Papers cite older ones, with lower PMIDs: if at least `SAMPLE` rows are there and less than this
share of them do, the columns are swapped."""
_ROW = re.compile(rb'\s*+"?([0-9]{1,9})"?[,;\t ]\s*+"?([0-9]{1,9})"?\s*+')
_CITED_FIRST = re.compile(rb"\W*(?:referenced|reference|cited|target|to)\b", re.IGNORECASE)
_SEPARATORS = bytes.maketrans(b",;\t", b"   ")


class LinksReport(msgspec.Struct):
    """The outcome of reading a file of links."""

    rows: int = 0
    links: int = 0
    """Different links, without those of papers to themselves."""
    own: int = 0
    """Rows in which a paper cites itself, which are left out."""
    unread: int = 0
    """Lines that are not a pair of PMIDs."""
    resumed: int = 0
    """Rows that an earlier, unfinished run has read."""
    is_swapped: bool = False
    """Whether the cited paper stood first on each line."""


class _Progress(msgspec.Struct):
    """How far a file has been read."""

    file: str
    size: int
    modified: int
    position: int = 0
    """How many of its bytes, unpacked, are in the runs."""
    runs: int = 0
    knows_order: bool = False
    report: LinksReport = msgspec.field(default_factory=LinksReport)


class LinksListener(NamedTuple):
    """The callbacks that are told what happens while a file of links is read."""

    on_problem: Callable[[Problem], None] = lambda _: None
    on_rows: Callable[[int, int], None] = lambda _rows, _merged: None
    """Called with how many rows were read, and how many links were merged."""


def import_links(
    library: str | Path, path: str | Path, *, listener: LinksListener | None = None
) -> LinksReport:
    """Read a file of links into the folder of a library, replacing those of an earlier file.

    Args:
        library: The folder of an embedded library.
        path: A table of two columns, citing and cited PMIDs; it may be packed (gzip, zip).
        listener: Is told of problems and progress.
    """
    if is_cluster(str(library)):
        raise LibraryError(
            f"{library}: only a library in a folder can have a file of links; on a cluster, only "
            "the references of its own documents count; to use the file, index into a folder: "
            "likewise index FILES --into FOLDER"
        )
    EmbeddedLibrary(library).close()
    with EmbeddedLibrary(library, write=True) as opened:
        return _LinksImport(opened.path / FOLDER, Path(path), listener or LinksListener()).run()


class _LinksImport:
    def __init__(self, folder: Path, path: Path, listener: LinksListener) -> None:
        self._folder, self._path, self._listener = folder, path, listener
        self._source = Source(path)
        self._place = folder / "import"
        self._progress = self._resume()
        self._told = 0

    def run(self) -> LinksReport:
        report = self._progress.report
        self._read_runs()
        if not report.rows:
            raise self._source.fail(
                "it has no row of two PMIDs", advice="each line must be like '33982933,29059683'"
            )
        runs = [np.load(path, mmap_mode="r") for path in sorted(self._place.glob("*.npy"))]
        made = build_graph(
            runs,
            self._folder,
            kind="uint32",
            source=readable_name(Path(self._path.name)),
            on_step=lambda links: self._listener.on_rows(report.rows, links),
        )
        report.links = made.links
        kept: list[GraphNote] = [note for note in read_notes(self._folder) if not note.source]
        write_notes(self._folder, [*kept, made])
        shutil.rmtree(self._place, ignore_errors=True)
        return report

    def _resume(self) -> _Progress:
        """Return how far the same file was read before; begin anew if it is a different one."""
        head = self._source.head()
        if not head.strip():
            raise self._source.fail("it is empty", advice="copy or download the file again")
        state = self._path.stat()
        new = _Progress(str(self._path.resolve()), state.st_size, state.st_mtime_ns)
        try:
            found = msgspec.json.decode((self._place / "state.json").read_bytes(), type=_Progress)
        except (OSError, msgspec.DecodeError):
            found = new
        if (found.file, found.size, found.modified) != (new.file, new.size, new.modified):
            found = new
        if not found.runs:
            shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir(parents=True, exist_ok=True)
        found.report.resumed = found.report.rows
        return found

    def _read_runs(self) -> None:
        """Read the rest of the file, and keep it in sorted runs."""
        waiting: list[NDArray[np.uint32]] = []
        position, line = 0, 1
        for block in _read_lines(self._path, self._source):
            position += len(block)
            if position <= self._progress.position:
                line += block.count(b"\n")
                continue
            rows = self._parse(block, line=line)
            line += block.count(b"\n")
            waiting.append(rows)
            if sum(map(len, waiting)) >= RUN:
                self._keep_run(waiting, position)
                waiting = []
            self._listener.on_rows(self._progress.report.rows + sum(map(len, waiting)), 0)
        self._keep_run(waiting, position)

    def _parse(self, block: bytes, *, line: int) -> NDArray[np.uint32]:
        """Return the rows of a block; lines that can't be read are reported and left out."""
        if line == 1 and (header := re.match(rb"[^\n]*[A-Za-z][^\n]*\n", block)):
            names = header[0].lstrip(b"\xef\xbb\xbf")
            self._progress.report.is_swapped = bool(_CITED_FIRST.match(names))
            self._progress.knows_order = True
            block, line = block[header.end() :], 2
        rows = parse_rows(block)
        return rows if rows is not None else self._parse_slowly(block, line=line)

    def _parse_slowly(self, block: bytes, *, line: int) -> NDArray[np.uint32]:
        rows, report = [], self._progress.report
        for number, text in enumerate(block.split(b"\n"), line):
            if found := _ROW.fullmatch(text):
                rows.append((int(found[1]), int(found[2])))
            elif text.strip():
                report.unread += 1
                shown = text[:40].decode("utf-8", "replace")
                self._tell(f"{shown!r} is not a pair of PMIDs", number)
        if report.unread > SAMPLE and report.unread > report.rows + len(rows):
            raise self._source.fail(
                "most of its lines are not pairs of PMIDs", line=line,
                advice="give a table of two columns, citing and cited",
            )  # fmt: skip
        return np.array(rows, dtype=np.uint32).reshape(-1, 2)

    def _tell(self, found: str, line: int | None, advice: str = "it was left out") -> None:
        self._told += 1
        if self._told <= MOST_TOLD:
            self._listener.on_problem(Problem(readable_name(self._path), found, line, advice))

    def _keep_run(self, waiting: list[NDArray[np.uint32]], position: int) -> None:
        progress, report = self._progress, self._progress.report
        rows = np.concatenate(waiting) if waiting else np.empty((0, 2), dtype=np.uint32)
        if not progress.knows_order and len(rows):
            progress.knows_order = True
            forwards = float((rows[:, 0] > rows[:, 1]).mean())
            report.is_swapped = len(rows) >= SAMPLE and forwards < BACKWARDS
            if report.is_swapped:
                found = "judging by the PMIDs, its rows name the cited paper first"
                self._tell(found, None, "they were read that way; a header would make it certain")
        if report.is_swapped:
            rows = rows[:, ::-1]
        is_own = rows[:, 0] == rows[:, 1]
        report.rows += len(rows)
        report.own += int(is_own.sum())
        if len(rows):
            with replace_file(self._place / f"{progress.runs:06}.npy") as stream:
                np.save(stream, sort_pairs(np.ascontiguousarray(rows[~is_own])))
            progress.runs += 1
        progress.position = position
        with replace_file(self._place / "state.json") as stream:
            stream.write(msgspec.json.encode(progress))


def parse_rows(block: bytes) -> NDArray[np.uint32] | None:
    r"""Return the pairs in lines of two numbers with a comma or tab between; None if any differs.

    >>> parse_rows(b"5,3\n12,7\n").tolist(), parse_rows(b"5,x\n")
    ([[5, 3], [12, 7]], None)
    """
    block = block.replace(b"\r\n", b"\n") if b"\r" in block[:100] else block
    codes = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(codes < ord("0"))
    lengths = np.diff(ends, prepend=-1) - 1
    marks = codes[ends]
    is_plain = (
        len(ends) % 2 == 0
        and (not len(codes) or codes.max() <= ord("9"))
        and (marks[1::2] == ord("\n")).all()
        and np.isin(marks[::2], [ord(","), ord("\t")]).all()
        and (not len(ends) or (lengths.min() > 0 and lengths.max() < 10))
        and (not len(codes) or codes[-1] == ord("\n"))
    )
    if not is_plain:
        return None
    numbers = np.fromstring(block.translate(_SEPARATORS), dtype=np.uint32, sep=" ")
    return numbers.reshape(-1, 2)


def _read_lines(path: Path, source: Source) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file in blocks of whole lines."""
    rest, is_packed = bytearray(), source.path.suffix.lower() in (".gz", ".zip")
    for block in _read_zip(path, source) if zipfile.is_zipfile(path) else source.blocks():
        rest += block
        if len(rest) >= BLOCK:
            end = rest.rfind(b"\n") + 1
            yield bytes(rest[:end])
            del rest[:end]
    end = rest.rfind(b"\n") + 1
    if end:
        yield bytes(rest[:end])
    if last := bytes(rest[end:]).strip():
        # Nobody can tell whether it is whole, unless the file is packed: its checksum was checked.
        yield last + b"\n" if is_packed else last + b" (the last line has no end)"


def _read_zip(path: Path, source: Source) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as packed:
            names = [name for name in packed.namelist() if not name.endswith("/")]
            if len(names) != 1:
                raise source.fail(
                    f"{len(names)} files in it", advice="unpack it, and give the file of links"
                )
            with packed.open(names[0]) as stream:
                yield from iter(lambda: stream.read(1 << 20), b"")
    except (zipfile.BadZipFile, EOFError) as error:
        raise source.fail(
            f"the zip file is damaged ({error})", advice="copy or download the file again"
        ) from error
