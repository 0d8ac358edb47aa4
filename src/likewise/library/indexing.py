"""Indexing: from files and folders to a library, so that people can trust it.

What is taken in is committed every so often, and the ledger is written after each commit. A process
that is killed at any moment thus leaves a library with everything committed, and a ledger that
names no file which is not whole; the next run reads the rest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from likewise.documents.releases import release_of
from likewise.documents.sources import readable_name
from likewise.errors import Problem
from likewise.library.engines import open_library
from likewise.library.intake import Intake, IntakeCounts, RenamedRecord
from likewise.library.protocol import Library
from likewise.library.reading import Batch, read_files
from likewise.library.source_files import Ledger, Rereading, find_files


class IndexProgress(NamedTuple):
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
    reread: int = 0
    """Files of PubMed that were read once more, for their deletions, after an earlier one."""
    failed: int = 0
    """Files that could not be read to their end."""
    passed_over: int = 0
    """Files in folders whose suffix is of no format."""
    problems: int = 0
    counts: IntakeCounts = field(default_factory=IntakeCounts)
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
    shards: int | None = None
    """Of an index that is made on a cluster: into how many parts it is split."""
    replicas: int | None = None
    """Of an index that is made on a cluster: how many copies there are of each part."""


def index_files(
    sources: str | Path | Sequence[str | Path],
    address: str | Path,
    *,
    settings: IndexSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
) -> IndexReport:
    """Read files and folders into a library.

    Args:
        sources: Files, and folders whose files of known suffixes are read, in order of their names
            (PubMed's in the order of their years and numbers). One may be given without a list.
        address: The library; it is made where there is none.
        settings: How.
        on_problem: Called for each record or file that can't be read.
        on_progress: Called after every few hundred records.
    """
    settings = settings or IndexSettings()
    with open_library(
        address, write=True, shards=settings.shards, replicas=settings.replicas
    ) as library:
        job = _IndexRun(library, settings)
        job.listen(on_problem=on_problem, on_progress=on_progress)
        job.run([sources] if isinstance(sources, str | Path) else sources)
        job.report.documents = library.count()
        return job.report


class _TakenFile(NamedTuple):
    path: Path
    whole: bool
    added: int
    deletions: int


class _IndexRun:
    """One run of indexing."""

    def __init__(self, library: Library, settings: IndexSettings) -> None:
        self._ledger = Ledger(library)
        self._intake = Intake(library, newest=self._ledger.find_newest_release())
        self.report = IndexReport(counts=self._intake.counts)
        self._settings = settings
        self._committed_at = time.monotonic()
        self._committed = 0
        self._on_problem: Callable[[Problem], None] | None = None
        self._on_progress: Callable[[IndexProgress], None] | None = None
        self._done_bytes = 0
        self._total_bytes = 0

    def listen(
        self,
        *,
        on_problem: Callable[[Problem], None] | None,
        on_progress: Callable[[IndexProgress], None] | None,
    ) -> None:
        """Say where problems and progress go."""
        self._on_problem, self._on_progress = on_problem, on_progress

    def run(self, sources: Iterable[str | Path]) -> None:
        """Read every file that needs it."""
        given = self._find_given(sources)
        wanted = self._select_new_or_changed(given)
        rereading = Rereading(self._ledger, wanted)
        try:
            taken = self._read(wanted)
            self.report.read = sum(each.whole for each in taken)
            if not any(each.added and rereading.precedes(each.path) for each in taken):
                rereading.call_off()
            heard = [path for path in given if self._ledger.is_to_be_heard_again(path)]
            again = {path: given[path] for path in heard if path not in wanted}
            self.report.reread = sum(each.whole for each in self._read(again, again=True))
        except KeyboardInterrupt:
            self._commit()
            raise
        self._commit()
        self.report.skipped = len(given) - len(wanted) - len(again)
        if problem := rereading.describe_missing(given):
            self._tell(problem)

    def _find_given(self, sources: Iterable[str | Path]) -> dict[Path, os.stat_result]:
        found = find_files(sources)
        self.report.passed_over = found.passed_over
        self.report.failed = len(found.problems)
        for problem in found.problems:
            self._tell(problem)
        return found.files

    def _select_new_or_changed(
        self, given: Mapping[Path, os.stat_result]
    ) -> dict[Path, os.stat_result]:
        asked = self._settings.format
        return {
            path: state
            for path, state in given.items()
            if not self._ledger.is_current(path, state, format=asked)
        }

    def _read(
        self, files: Mapping[Path, os.stat_result], *, again: bool = False
    ) -> list[_TakenFile]:
        """Read files, or again the deletions in them alone."""
        self._total_bytes += sum(state.st_size for state in files.values())
        asked, taken = self._settings, []
        with closing(read_files(list(files), workers=asked.workers, format=asked.format)) as read:
            for (path, state), batches in zip(files.items(), read, strict=True):
                taken.append(self._take_file(path, batches, again=again))
                if taken[-1].whole:
                    deletions = taken[-1].deletions
                    self._ledger.record(path, state, format=asked.format, deletions=deletions)
                self._done_bytes += state.st_size
        return taken

    def _take_file(self, path: Path, batches: Iterable[Batch], *, again: bool) -> _TakenFile:
        whole, deletions, before = False, 0, self.report.counts.added
        for batch in batches:
            for problem in batch.problems:
                self._tell(problem)
            self._take(batch, path=path, again=again)
            deletions += len(batch.deletions)
            whole = batch.last and not batch.failed
            self._commit_if_due()
            if self._on_progress:
                position = self._done_bytes + batch.position
                taken = self.report.counts.taken
                self._on_progress(IndexProgress(path, position, self._total_bytes, taken))
        self.report.failed += not whole
        return _TakenFile(path, whole, self.report.counts.added - before, deletions)

    def _take(self, batch: Batch, *, path: Path, again: bool) -> None:
        def report_renamed(place: int, renamed: RenamedRecord) -> None:
            other = renamed.namesake
            found = f"the id {other.id!r} already names another paper, from {other.source}"
            advice = f"this one is kept as {renamed.kept.id!r}"
            self._tell(Problem(readable_name(path), found, batch.lines[place], advice))

        if not again:
            self._intake.take(batch.documents, on_renamed=report_renamed)
        if batch.deletions:
            self._intake.delete(batch.deletions, release=release_of(path.name), again=again)

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
