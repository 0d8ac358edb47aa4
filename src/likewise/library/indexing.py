"""Indexing: from files and folders to a library.

The ledger is written after each commit. So if a process is killed, all its commits remain, and the
ledger names only files that are whole in the library; the next run reads the rest.
"""

from __future__ import annotations

import logging
import os
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
from likewise.library.intake import Intake, describe_refusal
from likewise.library.protocol import Library
from likewise.library.reading import Batch, read_files
from likewise.library.shelf import Duplicate, IntakeCounts, Placement
from likewise.library.source_files import FoundFiles, Ledger, Rereading, find_files
from likewise.machine import has_little_memory
from likewise.progress import show_progress

_log = logging.getLogger(__name__)
_EMPTY = "check the file, or say what it is with --format; it will be read again next time"


@dataclass(frozen=True)
class IndexProgress:
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


@dataclass(frozen=True)
class _TakenFile:
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
        self._listening = listening
        self._done_bytes = 0
        self._total_bytes = 0

    def run(self, found: FoundFiles) -> None:
        """Read every file that needs it."""
        self.report.passed_over = found.passed_over
        self.report.failed = len(found.problems)
        for problem in found.problems:
            self._tell(problem)
        given, asked = found.files, self._settings
        wanted = {
            path: state
            for path, state in given.items()
            if asked.again or not self._ledger.is_current(path, state, format=asked.format)
        }
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
            self._tell(missing)

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
                self._tell(problem)
            records += self._take(batch, path=path, again=again)
            deletions += len(batch.deletions)
            whole = batch.last and not batch.failed
            if self._intake.is_due(self._settings.commit_documents, self._settings.commit_seconds):
                self._commit()
            position, taken = self._done_bytes + batch.position, self.report.counts.taken
            self._listening.on_progress(IndexProgress(path, position, self._total_bytes, taken))
        if whole and not records and not deletions:
            # The file may have been taken for another format, so that all of it was passed over.
            whole = False
            self._tell(Problem(readable_name(path), "no record in it could be used", None, _EMPTY))
        self.report.failed += not whole
        return _TakenFile(path, whole, self.report.counts.added - before, deletions)

    def _take(self, batch: Batch, *, path: Path, again: bool) -> int:
        """Take the records of a batch, and return how many there were."""
        name, refused = readable_name(path), 0

        def tell(place: int, found: str, advice: str) -> None:
            self._tell(Problem(name, found, batch.lines[place], advice))

        def report_placed(place: int, placement: Placement) -> None:
            if other := placement.namesake:
                found = f"the id {other.id!r} already names another paper, from {other.source}"
                tell(place, found, f"this one is kept as {placement.paper!r}")
            if placement.duplicate:
                self._listening.on_duplicate(placement.duplicate)

        def report_refused(place: int, error: Exception) -> None:
            nonlocal refused
            refused += 1
            tell(place, *describe_refusal(error))

        if not again:
            places = [f"{name}:{line}" if line else name for line in batch.lines]
            self._intake.take(
                batch.documents, places=places, on_placed=report_placed, on_refused=report_refused
            )
        if batch.deletions:
            self._intake.delete(batch.deletions, release=release_of(path.name), again=again)
        return len(batch.documents) - refused

    def _tell(self, problem: Problem) -> None:
        """Count a problem, and report it."""
        self.report.problems += 1
        self._listening.on_problem(problem)

    def _commit(self) -> None:
        self._intake.commit()
        self._ledger.save()
