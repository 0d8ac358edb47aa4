"""Fetching: getting single records from a source on the network into a library.

Records come a few hundred at a time, and are committed every so often: a run that is interrupted
keeps what it has fetched, and the next one skips what is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from likewise.documents import Document
from likewise.errors import DownloadError, NotALibraryError, Problem
from likewise.library import open_library
from likewise.library.intake import Intake, IntakeListener, describe_refusal
from likewise.library.shelf import IntakeCounts
from likewise.library.sources import Arrivals, RemoteSource

_LOOKED_UP = 1000


@dataclass
class FetchReport:
    """What fetching did."""

    asked: int = 0
    """Different keys, such as PMIDs, that were asked for."""
    skipped: int = 0
    """Keys of records that were in the library already, and were not fetched."""
    fetched: int = 0
    missing: list[str] = field(default_factory=list)
    """Keys that the source has no record of."""
    left_out: list[str] = field(default_factory=list)
    """Keys whose records came, but can't be read or have no text."""
    counts: IntakeCounts = field(default_factory=IntakeCounts)
    documents: int = 0
    """Documents in the library afterwards."""


@dataclass(frozen=True, kw_only=True)
class FetchSettings:
    """How records are fetched."""

    again: bool = False
    """Whether to fetch what is in the library already."""
    commit_documents: int = 10_000
    commit_seconds: float = 60.0


def fetch_records(
    keys: Iterable[str],
    address: str | Path,
    *,
    source: RemoteSource,
    settings: FetchSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> FetchReport:
    """Bring records from a source into a library.

    Args:
        keys: The source's own keys of the records; for PubMed, PMIDs.
        address: The library; if there is none, it is made once the first records are here.
        source: Where to fetch them from.
        settings: How to fetch them.
        on_problem: Called for each record that can't be taken in.
        on_progress: Called with how many were fetched so far, and how many are to be fetched.
    """
    settings = settings or FetchSettings()
    asked = list(dict.fromkeys(keys))
    report = FetchReport(asked=len(asked))
    held, report.documents = find_held(asked, address, source=source)
    wanted = asked if settings.again else [key for key in asked if key not in held]
    report.skipped = len(asked) - len(wanted)
    fetching = _Fetching(source, report, on_problem=on_problem, on_progress=on_progress)
    blocks = fetching.fetch_blocks(wanted)
    first = next(blocks, None)
    if first is None:
        return report
    with open_library(address, write=True) as library:
        intake = Intake(library)
        report.counts = intake.counts
        try:
            listener = IntakeListener(on_refused=fetching.report_refused)
            _take_all(chain([first], blocks), intake, settings=settings, listener=listener)
        except DownloadError as error:
            raise DownloadError(f"{error}; {_describe_kept(report, len(wanted))}") from error
        report.documents = library.count()
    return report


def find_held(
    keys: Sequence[str], address: str | Path, *, source: RemoteSource
) -> tuple[set[str], int]:
    """Return which keys a library has, and how many documents; none if there is no library."""
    try:
        with open_library(address) as library:
            held: set[str] = set()
            for start in range(0, len(keys), _LOOKED_UP):
                some = {source.identity_of(key) for key in keys[start : start + _LOOKED_UP]}
                found = library.find(some - {""}) if some - {""} else []
                held |= {source.key_of(paper) for paper in found}
            return held, library.count()
    except NotALibraryError:
        return set(), 0


def _take_all(
    blocks: Iterable[list[Document]],
    intake: Intake,
    *,
    settings: FetchSettings,
    listener: IntakeListener,
) -> None:
    """Take in all documents; if fetching is interrupted, keep those that came."""
    committed, committed_at = 0, time.monotonic()
    try:
        for block in blocks:
            intake.take(block, listener=listener)
            taken = intake.counts.taken - committed
            waited = time.monotonic() - committed_at
            if taken >= settings.commit_documents or waited >= settings.commit_seconds:
                intake.commit()
                committed, committed_at = intake.counts.taken, time.monotonic()
    except (KeyboardInterrupt, DownloadError):
        intake.commit()
        raise
    intake.commit()


def _describe_kept(report: FetchReport, wanted: int) -> str:
    kept = f"{report.fetched:,} of {wanted:,} records were fetched and kept"
    return f"{kept}; run the command again for the others"


class _Fetching:
    """Fetches records block by block, and reports problems and progress meanwhile."""

    def __init__(
        self,
        source: RemoteSource,
        report: FetchReport,
        *,
        on_problem: Callable[[Problem], None] | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> None:
        self._source = source
        self._report = report
        self._on_problem = on_problem
        self._on_progress = on_progress

    def fetch_blocks(self, wanted: Sequence[str]) -> Iterator[list[Document]]:
        """Yield documents in blocks; keys that brought none are asked for once more at the end."""
        absent: list[str] = []
        for arrivals in self._source.fetch(wanted):
            absent += arrivals.missing
            yield from self._take(arrivals)
            if self._on_progress:
                self._on_progress(self._report.fetched, len(wanted))
        for arrivals in self._source.fetch(absent):
            self._report.missing += arrivals.missing
            yield from self._take(arrivals)

    def _take(self, arrivals: Arrivals) -> Iterator[list[Document]]:
        self._report.left_out += arrivals.unusable
        self._report.fetched += len(arrivals.documents)
        if self._on_problem:
            for problem in arrivals.problems:
                self._on_problem(problem)
        if arrivals.documents:
            yield list(arrivals.documents)

    def report_refused(self, _: int, error: Exception) -> None:
        """Report a record that was left out, and why."""
        found, advice = describe_refusal(error)
        if self._on_problem:
            self._on_problem(Problem(self._source.label, found, advice=advice))
