"""Fetching: single records of PubMed, from the E-utilities into a library.

Records come a few hundred at a time, and are committed every so often: a run that is broken off
keeps what it had, and the next one passes over what is there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from likewise.documents import Document
from likewise.documents.releases import FETCHED
from likewise.documents.remote.eutils import MOST_FETCHED, Eutils, find_own_pmids
from likewise.errors import DownloadError, NotALibraryError, Problem
from likewise.library.engines import open_library
from likewise.library.intake import Intake, IntakeListener, describe_refusal
from likewise.library.reading import read_batches
from likewise.library.shelf import IntakeCounts

PUBMED = "PubMed"
# Readers call records after the name of what they are read from.
_EFETCH = FETCHED.removeprefix("pubmed:")
_LOOKED_UP = 1000


@dataclass
class FetchReport:
    """What fetching did."""

    asked: int = 0
    """Different PMIDs that were asked for."""
    skipped: int = 0
    """Those that were in the library already, and were not fetched."""
    fetched: int = 0
    missing: list[str] = field(default_factory=list)
    """PMIDs that PubMed has no record of."""
    left_out: list[str] = field(default_factory=list)
    """PMIDs whose records came, but can't be read or say nothing."""
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
    pmids: Iterable[str],
    address: str | Path,
    *,
    eutils: Eutils,
    settings: FetchSettings | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> FetchReport:
    """Bring the records of PMIDs from PubMed into a library.

    Args:
        pmids: Which.
        address: The library; it is made, where there is none, once the first records are here.
        eutils: Where to ask.
        settings: How.
        on_problem: Called for each record that can't be taken in.
        on_progress: Called with how many were asked for so far, and how many there are to ask for.
    """
    settings = settings or FetchSettings()
    asked = list(dict.fromkeys(pmids))
    report = FetchReport(asked=len(asked))
    held, report.documents = _find_held(asked, address)
    wanted = asked if settings.again else [pmid for pmid in asked if pmid not in held]
    report.skipped = len(asked) - len(wanted)
    arrivals = _Arrivals(eutils, report, on_problem=on_problem, on_progress=on_progress)
    blocks = arrivals.fetch_blocks(wanted)
    first = next(blocks, None)
    if first is None:
        return report
    with open_library(address, write=True) as library:
        intake = Intake(library)
        report.counts = intake.counts
        try:
            listener = IntakeListener(on_refused=arrivals.report_refused)
            _take_all(chain([first], blocks), intake, settings=settings, listener=listener)
        except DownloadError as error:
            raise DownloadError(f"{error}; {_describe_kept(report, len(wanted))}") from error
        report.documents = library.count()
    return report


def _find_held(pmids: Sequence[str], address: str | Path) -> tuple[set[str], int]:
    """Return which PMIDs a library has, and how many documents; none if there is no library."""
    try:
        with open_library(address) as library:
            held: set[str] = set()
            for some in _split_groups(pmids, _LOOKED_UP):
                held |= {paper.pmid for paper in library.find({f"pmid:{pmid}" for pmid in some})}
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
    """Take in all documents, and keep those that came if the others don't."""
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
    kept = f"{report.fetched:,} of {wanted:,} records are here, and kept"
    return f"{kept}; run the command again for the others"


class _Arrivals:
    """Fetches records block by block, and reports problems and progress meanwhile."""

    def __init__(
        self,
        eutils: Eutils,
        report: FetchReport,
        *,
        on_problem: Callable[[Problem], None] | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> None:
        self._eutils = eutils
        self._report = report
        self._on_problem = on_problem
        self._on_progress = on_progress

    def fetch_blocks(self, wanted: Sequence[str]) -> Iterator[list[Document]]:
        """Yield documents in blocks; PMIDs that brought none are asked for once more at the end."""
        absent: list[str] = []
        for group in _split_groups(wanted, MOST_FETCHED):
            yield from self._fetch_block(group, absent=absent)
            if self._on_progress:
                self._on_progress(self._report.fetched, len(wanted))
        for group in _split_groups(absent, MOST_FETCHED):
            yield from self._fetch_block(group, absent=self._report.missing)

    def _fetch_block(self, group: Sequence[str], *, absent: list[str]) -> Iterator[list[Document]]:
        records = self._eutils.fetch(group)
        came = find_own_pmids(records)
        absent += [pmid for pmid in group if pmid not in came]
        if not came:
            return
        # Nobody asked for others, whatever they are.
        papers = {paper.pmid: paper for paper in self._read(records) if paper.pmid in set(group)}
        self._report.left_out += [pmid for pmid in group if pmid in came and pmid not in papers]
        self._report.fetched += len(papers)
        if papers:
            yield list(papers.values())

    def report_refused(self, _: int, error: Exception) -> None:
        """Tell of a record that was left out, and why."""
        found, advice = describe_refusal(error)
        if self._on_problem:
            self._on_problem(Problem(PUBMED, found, advice=advice))

    def _read(self, records: bytes) -> Iterator[Document]:
        """Yield the documents in an answer, read as any file of PubMed is."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, _EFETCH)
            path.write_bytes(records)
            for batch in read_batches(path, "pubmed"):
                if self._on_problem:
                    for problem in batch.problems:
                        self._on_problem(problem._replace(path=PUBMED, line=None))
                yield from batch.documents


def _split_groups(pmids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (pmids[start : start + size] for start in range(0, len(pmids), size))
