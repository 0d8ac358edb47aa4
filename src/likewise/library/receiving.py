"""Files that people give to a library of a collection, kept until they are read into it.

ID/waiting/DIGEST/NAME  a file, whole, under the SHA-256 of its bytes

Each file is read in one transaction: if the process is killed, the file still waits, and the
library is as it was before. A file that was read, or that waits, is not taken again.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from likewise.documents.remote import fetch_sample
from likewise.documents.sources import Source
from likewise.errors import LibraryError, Problem, ReadError
from likewise.library.collection import (
    MOST_PROBLEMS,
    CollectedFile,
    CollectedLibrary,
    add_file,
    read_clock,
)
from likewise.library.folder import MARKER
from likewise.library.indexing import IndexProgress, IndexReport, IndexSettings, index_files

WAITING = "waiting"
_PART = 1_000_000
_ASIDE = ".part-"
_ALL_AT_ONCE = IndexSettings(workers=2, commit_documents=2**62, commit_seconds=math.inf)


class WaitingFile(NamedTuple):
    """A file that is not read yet."""

    name: str
    digest: str
    bytes: int


class Receipt(NamedTuple):
    """What became of a file that was given."""

    file: WaitingFile
    same_as: str = ""
    """The name under which the same file was given before, if it was."""


class Reception:
    """A file that is being received; it is kept only once all of it is here."""

    def __init__(self, library: CollectedLibrary, name: str, folder: Path) -> None:
        self._library = library
        self.name = name
        self._folder = folder
        self._path = folder / name
        self._stream = self._path.open("wb")
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, part: bytes) -> None:
        """Take the next part of the file."""
        self._digest.update(part)
        self.size += len(part)
        self._stream.write(part)

    def finish(self) -> Receipt:
        """Keep the file, unless the library has it."""
        self._stream.close()
        file = WaitingFile(self.name, self._digest.hexdigest(), self.size)
        known = {each.digest: each.name for each in list_waiting(self._library)}
        known |= {each.digest: each.name for each in self._library.note.files if each.is_whole}
        if file.digest in known:
            return Receipt(file, same_as=known[file.digest])
        if not (self._library.path / MARKER).is_file():
            raise LibraryError(f"{self._library.name}: deleted while a file was on its way into it")
        self._folder.rename(self._folder.parent / file.digest)
        return Receipt(file)

    def close(self) -> None:
        """Throw away what was not finished."""
        self._stream.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def receive_file(library: CollectedLibrary, name: str) -> Reception:
    """Begin to receive a file, in a `with` block that throws away what was not finished."""
    waiting = library.path / WAITING
    try:
        waiting.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=waiting, prefix=_ASIDE))
        return Reception(library, _choose_name(library, name), folder)
    except OSError as error:
        raise LibraryError(f"{library.name}: no file can be kept: {error.strerror}") from error


def add_sample(library: CollectedLibrary, *, on_step: Callable[[str], None] | None = None) -> None:
    """Fetch the sample, two files of PubMed, into the library's waiting files.

    `on_step` is called with a line about each step that takes a while.
    """
    folder = library.path / WAITING / f"{_ASIDE}sample"
    for path in fetch_sample(folder, on_step=on_step):
        with receive_file(library, path.name) as reception, path.open("rb") as stream:
            shutil.copyfileobj(stream, reception, _PART)
            reception.finish()
    shutil.rmtree(folder, ignore_errors=True)


def list_waiting(library: CollectedLibrary) -> list[WaitingFile]:
    """Return the files that are not read yet, in the order in which they came."""
    return [
        WaitingFile(path.name, path.parent.name, path.stat().st_size)
        for path in _list_paths(library)
    ]


def drop_waiting(library: CollectedLibrary) -> None:
    """Delete the waiting files."""
    for path in _list_paths(library):
        shutil.rmtree(path.parent, ignore_errors=True)


def _list_paths(library: CollectedLibrary) -> list[Path]:
    found = [
        path
        for path in (library.path / WAITING).glob("*/*")
        if not path.parent.name.startswith(_ASIDE)
    ]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def _choose_name(library: CollectedLibrary, name: str) -> str:
    """Return a name that no other file of the library has, since papers are told apart by it."""
    taken = {file.name for file in library.note.files}
    taken |= {file.name for file in list_waiting(library)}
    stem, dot, suffix = name.partition(".")
    numbered = (f"{stem}-{number}{dot}{suffix}" for number in range(2, 10_000))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def take_waiting(
    library: CollectedLibrary,
    *,
    most_bytes: int | None = None,
    on_progress: Callable[[str, IndexProgress], None] = lambda _name, _progress: None,
) -> list[CollectedFile]:
    """Read the waiting files into a library, and return what became of each.

    Args:
        library: The library; nobody else may write to it.
        most_bytes: How many bytes a file may unpack to.
        on_progress: Called with a file's name and how far it has been read.
    """
    taken = []
    for path in _list_paths(library):
        file = _take_file(library, path, most_bytes=most_bytes, on_progress=on_progress)
        add_file(library.path, file)
        shutil.rmtree(path.parent, ignore_errors=True)
        taken.append(file)
    return taken


def _take_file(
    library: CollectedLibrary,
    path: Path,
    *,
    most_bytes: int | None,
    on_progress: Callable[[str, IndexProgress], None],
) -> CollectedFile:
    problems: list[str] = []
    report = IndexReport(failed=1)

    def note(problem: Problem) -> None:
        # People know a file by its name, not by where it waits here.
        if len(problems) < MOST_PROBLEMS:
            problems.append(str(replace(problem, path=path.name)))

    try:
        check_unpacked(path, most_bytes=most_bytes)
        report = index_files(
            path,
            library.path,
            settings=_ALL_AT_ONCE,
            on_problem=note,
            on_progress=lambda progress: on_progress(path.name, progress),
        )
    except ReadError as error:
        note(error.problem)
    counts = report.counts
    return CollectedFile(
        name=path.name,
        digest=path.parent.name,
        bytes=path.stat().st_size,
        time=read_clock(),
        added=counts.added,
        merged=counts.merged + counts.revised,
        unchanged=counts.unchanged,
        broken=max(report.problems, len(problems)),
        problems=tuple(problems),
        is_whole=not report.failed,
    )


def check_unpacked(path: Path, *, most_bytes: int | None) -> None:
    """Raise ReadError if a file unpacks to more bytes than it may."""
    if most_bytes is None:
        return
    source = Source(path, most_bytes=most_bytes)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            if sum(part.file_size for part in packed.infolist()) > most_bytes:
                raise source.too_large()
    for _ in source.blocks():
        pass
