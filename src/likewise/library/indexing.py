"""Indexing: from files and folders to a library, so that people can trust it.

What is taken in is committed every so often, and the ledger is written after each commit. A process
that is killed at any moment thus leaves a library with everything committed, and a ledger that
names no file which is not whole; the next run reads the rest.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.documents.formats import formats, suffix_of
from likewise.documents.sources import readable_name
from likewise.errors import Problem
from likewise.library.addresses import open_library
from likewise.library.folder import MARKER
from likewise.library.intake import Intake
from likewise.library.ledger import Ledger
from likewise.library.reading import read_files
from likewise.library.shelf import Counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from likewise.library.batches import Batch
    from likewise.library.shelf import Renamed


class Progress(NamedTuple):
    """How far indexing is."""

    file: Path
    bytes: int
    total_bytes: int
    documents: int


@dataclass
class IndexReport:
    """What indexing did."""

    read: int = 0
    """Files read to their end."""
    skipped: int = 0
    """Files that were read before and have not changed."""
    failed: int = 0
    """Files that could not be read to their end."""
    passed_over: int = 0
    """Files in folders whose suffix is of no format."""
    problems: int = 0
    counts: Counts = field(default_factory=Counts)
    documents: int = 0
    """Documents in the library afterwards."""


@dataclass(frozen=True, kw_only=True)
class IndexSettings:
    """How files are taken in."""

    workers: int | None = None
    """How many files are read at a time; by default as many as there are cores, at most 4."""
    format: str | None = None
    """The format of all files, where content and suffix would mislead."""
    commit_documents: int = 60_000
    commit_seconds: float = 60.0


def index_files(
    sources: str | Path | Sequence[str | Path],
    address: str | Path,
    *,
    settings: IndexSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Read files and folders into a library.

    Args:
        sources: Files, and folders whose files of known suffixes are read, in order of their names.
            One may be given without a list.
        address: The library; it is made where there is none.
        settings: How.
        on_problem: Called for each record or file that can't be read.
        on_progress: Called after every few hundred records.
    """
    with open_library(address, write=True) as library:
        job = _Job(Intake(library), Ledger(Path(address)), settings or IndexSettings())
        job.listen(on_problem=on_problem, on_progress=on_progress)
        job.run([sources] if isinstance(sources, str | Path) else sources)
        job.report.documents = library.count()
        return job.report


class _Job:
    """One run of indexing."""

    def __init__(self, intake: Intake, ledger: Ledger, settings: IndexSettings) -> None:
        self.report = IndexReport(counts=intake.counts)
        self._intake = intake
        self._ledger = ledger
        self._settings = settings
        self._committed_at = time.monotonic()
        self._committed = 0
        self._on_problem: Callable[[Problem], None] | None = None
        self._on_progress: Callable[[Progress], None] | None = None
        self._done_bytes = 0
        self._total_bytes = 0

    def listen(
        self,
        *,
        on_problem: Callable[[Problem], None] | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        """Say where problems and progress go."""
        self._on_problem, self._on_progress = on_problem, on_progress

    def run(self, sources: Iterable[str | Path]) -> None:
        """Read every file that needs it."""
        wanted = self._new_or_changed(sources)
        self._total_bytes = sum(state.st_size for state in wanted.values())
        asked = self._settings
        try:
            with closing(
                read_files(list(wanted), workers=asked.workers, format=asked.format)
            ) as readings:
                for (path, state), batches in zip(wanted.items(), readings, strict=True):
                    if self._take_file(path, batches):
                        self._ledger.record(path, state, format=asked.format)
                    self._done_bytes += state.st_size
        except KeyboardInterrupt:
            self._commit()
            raise
        self._commit()

    def _new_or_changed(self, sources: Iterable[str | Path]) -> dict[Path, os.stat_result]:
        wanted: dict[Path, os.stat_result] = {}
        for path in self._files(sources):
            try:
                state = path.stat()
            except OSError as error:
                self._failed(_problem(path, error))
                continue
            if self._ledger.is_current(path, state, format=self._settings.format):
                self.report.skipped += 1
            else:
                wanted[path] = state
        return wanted

    def _files(self, sources: Iterable[str | Path]) -> Iterator[Path]:
        for source in map(Path, sources):
            try:
                is_folder = stat.S_ISDIR(source.stat().st_mode)
            except OSError as error:
                self._failed(_problem(source, error))
                continue
            if is_folder:
                yield from self._files_in(source)
            else:
                yield source

    def _files_in(self, folder: Path) -> Iterator[Path]:
        found = sorted(files_below(folder, on_error=lambda e: self._failed(_problem(folder, e))))
        suffixes = known_suffixes()
        wanted = [path for path in found if suffix_of(path) in suffixes]
        self.report.passed_over += len(found) - len(wanted)
        if not wanted:
            nothing = "no file in it has a suffix that we know"
            advice = f"those are: {' '.join(suffixes)}"
            self._failed(Problem(readable_name(folder), nothing, advice=advice))
        yield from wanted

    def _failed(self, problem: Problem) -> None:
        self.report.failed += 1
        self._tell(problem)

    def _take_file(self, path: Path, batches: Iterable[Batch]) -> bool:
        whole = False
        for batch in batches:
            for problem in batch.problems:
                self._tell(problem)
            self._take(batch, path=path)
            whole = batch.last and not batch.failed
            self._commit_if_due()
            if self._on_progress:
                position = self._done_bytes + batch.position
                taken = self.report.counts.taken
                self._on_progress(Progress(path, position, self._total_bytes, taken))
        self.report.read += whole
        self.report.failed += not whole
        return whole

    def _take(self, batch: Batch, *, path: Path) -> None:
        def renamed(place: int, renamed: Renamed) -> None:
            other = renamed.namesake
            found = f"the id {other.id!r} already names another paper, from {other.source}"
            advice = f"this one is kept as {renamed.kept.id!r}"
            self._tell(Problem(readable_name(path), found, batch.lines[place], advice))

        self._intake.take(batch.documents, on_renamed=renamed)
        if batch.deletions:
            self._intake.delete(batch.deletions)

    def _tell(self, problem: Problem) -> None:
        self.report.problems += 1
        if self._on_problem:
            self._on_problem(problem)

    def _commit_if_due(self) -> None:
        taken = self.report.counts.taken - self._committed
        waited = time.monotonic() - self._committed_at
        if taken >= self._settings.commit_documents or waited >= self._settings.commit_seconds:
            self._commit()

    def _commit(self) -> None:
        self._intake.commit()
        self._ledger.save()
        self._committed = self.report.counts.taken
        self._committed_at = time.monotonic()


def files_below(folder: Path, *, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the regular files below a folder; hidden ones and libraries are left out."""
    for parent, folders, names in os.walk(folder, onerror=on_error):
        if MARKER in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(parent, name) for name in names if not name.startswith(".")):
            try:
                if stat.S_ISREG(path.stat().st_mode):
                    yield path
            except OSError as error:
                on_error(error)


def known_suffixes() -> list[str]:
    """Return every suffix that a format claims, in order."""
    return sorted({suffix for known in formats() for suffix in known.suffixes})


def _problem(path: Path, error: OSError) -> Problem:
    where = readable_name(Path(os.fsdecode(error.filename))) if error.filename else str(path)
    if isinstance(error, FileNotFoundError):
        return Problem(where, "no such file or folder", advice="check the path")
    advice = "check who may read it" if isinstance(error, PermissionError) else "check the path"
    return Problem(where, (error.strerror or str(error)).lower(), advice=advice)
