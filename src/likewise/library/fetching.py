"""Fetching: getting single records from a source on the network into a library.

Records come a few hundred at a time, and are committed every so often: a run that is interrupted
keeps what it has fetched, and the next one skips what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from likewise.documents import Document
from likewise.errors import DownloadError, NotALibraryError, Problem
from likewise.library import open_library
from likewise.library.intake import Intake, OnRefused, describe_refusal
from likewise.library.shelf import IntakeCounts
from likewise.library.sources import Arrivals, RemoteSource, split_groups

_LOOKED_UP = 1000
COMMIT_DOCUMENTS, COMMIT_SECONDS = 10_000, 60.0


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


def fetch_records(
    keys: Iterable[str],
    address: str | Path,
    *,
    source: RemoteSource,
    again: bool = False,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[int, int], None] = lambda _fetched, _wanted: None,
) -> FetchReport:
    """Bring records from a source into a library.

    Args:
        keys: The source's own keys of the records; for PubMed, PMIDs.
        address: The library; if there is none, it is made once the first records are here.
        source: Where to fetch them from.
        again: Whether to fetch what is in the library already.
        on_problem: Called for each record that can't be taken in.
        on_progress: Called with how many were fetched so far, and how many are to be fetched.
    """
    asked = list(dict.fromkeys(keys))
    report = FetchReport(asked=len(asked))
    held, report.documents = find_held(() if again else asked, address, source=source)
    wanted = [key for key in asked if key not in held]
    report.skipped = len(asked) - len(wanted)
    fetching = _Fetching(source, report, on_problem, on_progress)
    blocks = fetching.fetch_blocks(wanted)
    first = next(blocks, None)
    if first is None:
        return report
    with open_library(address, write=True) as library:
        intake = Intake(library)
        report.counts = intake.counts
        try:
            _take_all(chain([first], blocks), intake, on_refused=fetching.report_refused)
        except DownloadError as error:
            kept = f"{report.fetched:,} of {len(wanted):,} records were fetched and kept"
            raise DownloadError(f"{error}; {kept}; run the command again for the others") from error
        report.documents = library.count()
    return report


def find_held(
    keys: Sequence[str], address: str | Path, *, source: RemoteSource
) -> tuple[set[str], int]:
    """Return which keys a library has, and how many documents; none if there is no library."""
    try:
        with open_library(address) as library:
            held: set[str] = set()
            for some in split_groups(keys, _LOOKED_UP):
                sought = {source.identity_of(key) for key in some} - {""}
                held |= {source.key_of(paper) for paper in (library.find(sought) if sought else ())}
            return held, library.count()
    except NotALibraryError:
        return set(), 0


def _take_all(blocks: Iterable[list[Document]], intake: Intake, *, on_refused: OnRefused) -> None:
    """Take in all documents; if fetching is interrupted, keep those that came."""
    try:
        for block in blocks:
            intake.take(block, on_refused=on_refused)
            if intake.is_due(COMMIT_DOCUMENTS, COMMIT_SECONDS):
                intake.commit()
    except (KeyboardInterrupt, DownloadError):
        intake.commit()
        raise
    intake.commit()


@dataclass(frozen=True)
class _Fetching:
    """Fetches records block by block, and reports problems and progress meanwhile."""

    source: RemoteSource
    report: FetchReport
    on_problem: Callable[[Problem], None]
    on_progress: Callable[[int, int], None]

    def fetch_blocks(self, wanted: Sequence[str]) -> Iterator[list[Document]]:
        """Yield documents in blocks; keys that brought none are asked for once more at the end."""
        absent: list[str] = []
        for arrivals in self.source.fetch(wanted):
            absent += arrivals.missing
            yield from self._take(arrivals)
            self.on_progress(self.report.fetched, len(wanted))
        for arrivals in self.source.fetch(absent):
            self.report.missing += arrivals.missing
            yield from self._take(arrivals)

    def _take(self, arrivals: Arrivals) -> Iterator[list[Document]]:
        self.report.left_out += arrivals.unusable
        self.report.fetched += len(arrivals.documents)
        for problem in arrivals.problems:
            self.on_problem(problem)
        if arrivals.documents:
            yield list(arrivals.documents)

    def report_refused(self, _: int, error: Exception) -> None:
        """Report a record that was left out, and why."""
        found, advice = describe_refusal(error)
        self.on_problem(Problem(self.source.label, found, advice=advice))
