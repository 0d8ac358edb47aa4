"""Indexing: from files and folders to a library, so that people can trust it.

What is taken in is committed every so often, and the ledger is written after each commit. A process
that is killed at any moment thus leaves a library with everything committed, and a ledger that
names no file which is not whole; the next run reads the rest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.documents.formats import formats, suffix_of
from likewise.errors import Problem
from likewise.library.addresses import open_library
from likewise.library.intake import Counts, Intake
from likewise.library.ledger import Ledger
from likewise.library.reading import Batch, read_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from likewise.library.intake import Renamed


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
    problems: int = 0
    counts: Counts = field(default_factory=Counts)
    documents: int = 0
    """Documents in the library afterwards."""


@dataclass(frozen=True, kw_only=True)
class IndexSettings:
    """How files are taken in."""

    workers: int | None = None
    """How many files are read at a time; by default as many as there are cores, at most 4."""
    commit_documents: int = 60_000
    commit_seconds: float = 60.0


def index_files(
    sources: Sequence[str | Path],
    address: str | Path,
    *,
    settings: IndexSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Read files and folders into a library.

    Args:
        sources: Files, and folders whose files of known suffixes are read, in order of their names.
        address: The library; it is made where there is none.
        settings: How.
        on_problem: Called for each record or file that can't be read.
        on_progress: Called after every few hundred records.
    """
    with open_library(address, write=True) as library:
        job = _Job(Intake(library), Ledger(Path(address)), settings or IndexSettings())
        job.listen(on_problem=on_problem, on_progress=on_progress)
        job.run(sources)
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
        paths = self._new_or_changed(sources)
        states = [path.stat() for path in paths]
        self._total_bytes = sum(state.st_size for state in states)
        try:
            readings = read_files(paths, workers=self._settings.workers)
            for path, state, batches in zip(paths, states, readings, strict=True):
                before = self.report.counts.taken
                if self._take_file(path, batches):
                    taken = self.report.counts.taken - before
                    self._ledger.record(
                        path, size=state.st_size, modified=state.st_mtime_ns, documents=taken
                    )
                self._done_bytes += state.st_size
        finally:
            # Also on the way out of an interrupt: what was taken so far is kept.
            self._commit()

    def _new_or_changed(self, sources: Iterable[str | Path]) -> list[Path]:
        wanted = []
        for path in self._files(sources):
            if self._ledger.is_current(path):
                self.report.skipped += 1
            elif path not in wanted:
                wanted.append(path)
        return wanted

    def _files(self, sources: Iterable[str | Path]) -> Iterator[Path]:
        for source in map(Path, sources):
            if source.is_dir():
                found = sorted(files_in(source))
                if not found:
                    advice = f"those are: {' '.join(known_suffixes())}"
                    found_none = "no file in it has a suffix that we know"
                    self._failed(Problem(str(source), found_none, advice=advice))
                yield from found
            elif source.exists():
                yield source
            else:
                self._failed(
                    Problem(str(source), "no such file or folder", advice="check the path")
                )

    def _failed(self, problem: Problem) -> None:
        self.report.failed += 1
        self._tell(problem)

    def _take_file(self, path: Path, batches: Iterable[Batch]) -> bool:
        renewing = self._ledger.knows(path)
        whole = False
        for batch in batches:
            for problem in batch.problems:
                self._tell(problem)
            self._take(batch, path=path, renewing=renewing)
            whole = batch.last and not batch.failed
            self._commit_if_due()
            if self._on_progress:
                position = self._done_bytes + batch.position
                taken = self.report.counts.taken
                self._on_progress(Progress(path, position, self._total_bytes, taken))
        self.report.read += whole
        self.report.failed += not whole
        return whole

    def _take(self, batch: Batch, *, path: Path, renewing: bool) -> None:
        def renamed(place: int, renamed: Renamed) -> None:
            other = renamed.namesake
            found = f"the id {other.id!r} already names another paper, from {other.source}"
            advice = f"this one is kept as {renamed.kept.id!r}"
            self._tell(Problem(str(path), found, batch.lines[place], advice))

        self._intake.take(batch.documents, renewing=renewing, on_renamed=renamed)
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


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder whose suffix belongs to a format, hidden ones left out."""
    suffixes = set(known_suffixes())
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.is_file() and suffix_of(path) in suffixes:
            yield path


def known_suffixes() -> list[str]:
    """Return every suffix that a format claims, in order."""
    return sorted({suffix for known in formats() for suffix in known.suffixes})
