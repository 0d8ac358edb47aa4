"""Indexing: from files and folders to a library.

The ledger is written after each commit. So if a process is killed, all its commits remain, and the
ledger names only files that are whole in the library; the next run reads the rest.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from likewise.documents.formats import format_named
from likewise.documents.releases import release_of
from likewise.documents.sources import readable_name
from likewise.errors import NotALibraryError, Problem
from likewise.library import open_library
from likewise.library.intake import Intake, IntakeListener, describe_refusal
from likewise.library.protocol import Library
from likewise.library.reading import Batch, read_files
from likewise.library.shelf import Duplicate, IntakeCounts, Placement, RenamedRecord
from likewise.library.source_files import FoundFiles, Ledger, Rereading, find_files
from likewise.machine import has_little_memory
from likewise.progress import show_progress

_log = logging.getLogger(__name__)
_EMPTY = "check the file, or say what it is with --format; it will be read again next time"


class IndexProgress(NamedTuple):
    """How far indexing has come."""

    file: Path
    bytes: int
    total_bytes: int
    documents: int

    @property
    def share(self) -> float:
        """The share of the files' bytes that was read, from 0 to 1."""
        return self.bytes / max(self.total_bytes, 1)


@dataclass
class IndexReport:
    """What indexing did."""

    read: int = 0
    """Files read to their end."""
    skipped: int = 0
    """Files that were read before and have not changed."""
    reread: int = 0
    """PubMed files that were read again for their deletions, after an earlier file came in."""
    failed: int = 0
    """Files that could not be read to their end, or held nothing that could be used."""
    passed_over: int = 0
    """Files in folders whose suffix belongs to no format."""
    problems: int = 0
    counts: IntakeCounts = field(default_factory=IntakeCounts)
    documents: int = 0
    """Documents in the library afterwards."""
    has_library: bool = True
    """Whether there is a library: none is made if there is no file to read."""


@dataclass(frozen=True, kw_only=True)
class IndexSettings:
    """How files are taken in."""

    workers: int | None = None
    """How many files are read at a time; by default as many as there are cores, at most 4."""
    format: str | None = None
    """The format of all files, if content and suffix would mislead."""
    again: bool = False
    """Whether to read unchanged files again too, such as after an update of likewise."""
    commit_documents: int = field(default_factory=lambda: 15_000 if has_little_memory() else 60_000)
    commit_seconds: float = 60.0
    shards: int | None = None
    """How many parts to split a new index on a cluster into."""
    replicas: int | None = None
    """How many copies of each part a new index on a cluster keeps."""


def index_files(  # noqa: PLR0913  # a caller may want any of the callbacks alone
    sources: str | Path | Sequence[str | Path],
    address: str | Path,
    *,
    settings: IndexSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
    on_duplicate: Callable[[Duplicate], None] | None = None,
    progress: bool = True,
) -> IndexReport:
    """Read files and folders into a library.

    >>> import likewise, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "refs.jsonl").write_text('{"title": "Sleep and shifts"}')
    ...     likewise.index_files(f"{folder}/refs.jsonl", f"{folder}/lib", progress=False).documents
    1

    Args:
        sources: A file or folder, or a list of them. Folders are read in the order of file names,
            PubMed's in the order of years and numbers; files of unknown suffixes are skipped.
        address: The library; it is made if there is none.
        settings: How to read and commit.
        on_problem: Called for each record or file that can't be read; without it, they are logged.
        on_progress: Called after every few hundred records.
        on_duplicate: Called for each record of a paper that was there already.
        progress: Whether to show a bar, on a terminal or in a notebook, if `on_progress` is None.
    """
    settings = settings or IndexSettings()
    if settings.format:
        format_named(settings.format)  # before a library is made
    found = find_files([sources] if isinstance(sources, str | Path) else sources)
    if not found.files:
        return _report_nothing(found, address, on_problem or _log.warning)
    copies = {"shards": settings.shards, "replicas": settings.replicas}
    with (
        open_library(address, write=True, **copies) as library,
        show_progress("indexing", show=progress and on_progress is None) as move,
    ):
        show = on_progress or (lambda at: move(at.file.name, at.share, f"{at.documents:,} so far"))
        listening = IndexListener(
            on_problem or _log.warning, show, on_duplicate or (lambda _: None)
        )
        job = _IndexRun(library, settings, listening)
        job.run(found)
        return replace(job.report, documents=library.count())


def _report_nothing(
    found: FoundFiles, address: str | Path, on_problem: Callable[[Problem], None]
) -> IndexReport:
    """Report that there is no file to read, without making a library."""
    report = IndexReport(passed_over=found.passed_over, has_library=False)
    report.failed = report.problems = len(found.problems)
    for problem in found.problems:
        on_problem(problem)
    with suppress(NotALibraryError), open_library(address) as library:
        report.documents, report.has_library = library.count(), True
    return report


class IndexListener(NamedTuple):
    """The callbacks that are told what happens while files are indexed."""

    on_problem: Callable[[Problem], None]
    on_progress: Callable[[IndexProgress], None]
    on_duplicate: Callable[[Duplicate], None]


class _TakenFile(NamedTuple):
    path: Path
    whole: bool
    added: int
    deletions: int


class _IndexRun:
    """One run of indexing."""

    def __init__(self, library: Library, settings: IndexSettings, listening: IndexListener) -> None:
        self._ledger = Ledger(library)
        self._intake = Intake(library, newest=self._ledger.find_newest_release())
        self.report = IndexReport(counts=self._intake.counts)
        self._settings = settings
        self.listening = listening
        self._committed_at = time.monotonic()
        self._committed = 0
        self._done_bytes = 0
        self._total_bytes = 0

    def run(self, found: FoundFiles) -> None:
        """Read every file that needs it."""
        self.report.passed_over = found.passed_over
        self.report.failed = len(found.problems)
        for problem in found.problems:
            self.tell(problem)
        given = found.files
        wanted = {path: state for path, state in given.items() if self._is_wanted(path, state)}
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
        if missing := rereading.describe_missing(given):
            self.tell(missing)

    def _is_wanted(self, path: Path, state: os.stat_result) -> bool:
        is_read = self._ledger.is_current(path, state, format=self._settings.format)
        return self._settings.again or not is_read

    def _read(
        self, files: Mapping[Path, os.stat_result], *, again: bool = False
    ) -> list[_TakenFile]:
        """Read files or, with `again`, only the deletions in them."""
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
        whole, records, deletions, before = False, 0, 0, self.report.counts.added
        self._intake.begin_file()
        for batch in batches:
            for problem in batch.problems:
                self.tell(problem)
            records += self._take(batch, path=path, again=again)
            deletions += len(batch.deletions)
            whole = batch.last and not batch.failed
            self._commit_if_due()
            position, taken = self._done_bytes + batch.position, self.report.counts.taken
            self.listening.on_progress(IndexProgress(path, position, self._total_bytes, taken))
        if whole and not records and not deletions:
            # The file may have been taken for another format, so that all of it was passed over.
            whole = False
            self.tell(Problem(readable_name(path), "no record in it could be used", None, _EMPTY))
        self.report.failed += not whole
        return _TakenFile(path, whole, self.report.counts.added - before, deletions)

    def _take(self, batch: Batch, *, path: Path, again: bool) -> int:
        """Take the records of a batch, and return how many there were."""
        records = _BatchRecords(self, path, batch)
        if not again:
            listener = IntakeListener(records.report_placed, records.report_refused)
            self._intake.take(batch.documents, places=records.places, listener=listener)
        if batch.deletions:
            self._intake.delete(batch.deletions, release=release_of(path.name), again=again)
        return len(batch.documents) - records.refused

    def tell(self, problem: Problem) -> None:
        """Count a problem, and report it."""
        self.report.problems += 1
        self.listening.on_problem(problem)

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


class _BatchRecords:
    """Reports what becomes of the records of a batch, each with its file and line."""

    def __init__(self, run: _IndexRun, path: Path, batch: Batch) -> None:
        self._run = run
        self._path = readable_name(path)
        self._lines = batch.lines
        self.refused = 0
        self.places = [f"{self._path}:{line}" if line else self._path for line in batch.lines]

    def report_placed(self, place: int, placement: Placement) -> None:
        """Report a record that was kept under another id, or that is a duplicate."""
        if placement.renamed:
            self._report_renamed(place, placement.renamed)
        if placement.duplicate:
            self._run.listening.on_duplicate(placement.duplicate)

    def _report_renamed(self, place: int, renamed: RenamedRecord) -> None:
        other = renamed.namesake
        found = f"the id {other.id!r} already names another paper, from {other.source}"
        advice = f"this one is kept as {renamed.kept.id!r}"
        self._run.tell(Problem(self._path, found, self._lines[place], advice))

    def report_refused(self, place: int, error: Exception) -> None:
        """Report a record that was left out, and why."""
        self.refused += 1
        found, advice = describe_refusal(error)
        self._run.tell(Problem(self._path, found, self._lines[place], advice))
