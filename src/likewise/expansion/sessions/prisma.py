"""The numbers of a PRISMA 2020 flow diagram, as a session and its library have them.

What likewise does is not made to look like screening: records that it ranked and nobody read were
not screened. The stages after screening happen elsewhere, so people give their numbers. A number
that is not known is None, and never made up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from likewise.expansion.marks import Mark, gather_marks
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.reasons import GivenNumbers, PrismaCount, add_up
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.sessions.status import read_status
from likewise.expansion.wording import format_count
from likewise.library.paper_notes import PaperNotebook
from likewise.library.protocol import Library

NO_REASON = "no reason given"


@dataclass(frozen=True, kw_only=True)
class PrismaNumbers:
    """The numbers of a flow diagram."""

    sources: tuple[PrismaCount, ...]
    """Records identified, by source."""
    identified: int | None
    """All of these together."""
    others: int
    """Seeds that no source had: papers that the reviewers brought."""
    duplicates: int | None
    """Records that were the same paper as another."""
    records: int
    """Records without duplicates, all of which could be screened; those of seeds included."""
    seeds: int
    """Seeds that nobody marked: known to be relevant, and not screened."""
    unscreened: int
    """Records that no person has screened, without the seeds."""
    below: int
    """Of these, candidates that likewise ranked below the line."""
    above: int
    """Candidates that it ranked above the line, and that nobody has read."""
    beyond: int
    """Records that it did not retrieve as candidates."""
    screened: int
    """Records that a person has marked."""
    excluded: int
    """Those marked irrelevant."""
    reasons: tuple[PrismaCount, ...]
    """Why they were excluded, in the order of the session's reasons."""
    undecided: int
    """Those marked maybe, and those that reviewers disagree on."""
    conflicts: int
    """How many of these are documents that reviewers disagree on."""
    relevant: int
    """Those marked relevant, including marked seeds."""
    sought: int | None
    not_retrieved: int | None
    assessed: int | None
    reports_excluded: tuple[PrismaCount, ...]
    included: int | None
    remarks: tuple[str, ...] = field(default=())
    """What a reader has to know about these numbers; one sentence each."""


def read_prisma(
    session: SessionFile, library: Library, *, given: GivenNumbers | None = None
) -> PrismaNumbers:
    """Return the numbers of the flow diagram of a session.

    Args:
        session: The session.
        library: Its library.
        given: Numbers that the session can't know; any not given here are those kept with it.
    """
    given = session.review.read_numbers().add(given or GivenNumbers())
    given.check()
    with session.at_one_moment():
        saved, opinions = session.expansion(), gather_marks(session.history())
        order = session.review.reasons().names
    marks = {name: one.decision for name, one in opinions.items()}
    conflicts = sum(one.is_conflict for one in opinions.values())
    counted = _count_records(session, saved, marks, library=library)
    sources, duplicates = _find_sources(given, library=library)
    identified = add_up(sources)
    labels = Counter(mark.label for mark in marks.values())
    return PrismaNumbers(
        sources=sources,
        identified=identified,
        others=counted.others,
        duplicates=duplicates,
        records=counted.records,
        seeds=counted.seeds,
        unscreened=counted.unscreened,
        below=counted.below,
        above=counted.above,
        beyond=counted.unscreened - counted.below - counted.above,
        screened=len(marks),
        excluded=labels["irrelevant"],
        reasons=_count_reasons(marks.values(), order),
        undecided=labels["maybe"],
        conflicts=conflicts,
        relevant=labels["relevant"],
        sought=given.sought,
        not_retrieved=given.not_retrieved,
        assessed=given.assessed,
        reports_excluded=given.excluded,
        included=given.included,
        remarks=(
            *_remark_sources(sources, duplicates, identified, records=counted),
            *_remark_screening(session, saved, counted, conflicts=conflicts),
        ),
    )


@dataclass(frozen=True)
class _RecordCounts:
    """How the records that could be screened divide."""

    records: int
    others: int
    seeds: int
    unscreened: int
    below: int
    above: int
    lost: int
    """Marked records that the library no longer holds."""


def _count_records(
    session: SessionFile,
    saved: SavedExpansion | None,
    marks: Mapping[str, Mark],
    *,
    library: Library,
) -> _RecordCounts:
    outside = {seed.id for seed in (saved.seeds.text_only if saved else session.start.seeds)}
    matched = set(saved.seeds.matched) if saved else set()
    asked = sorted({*marks, *matched, *outside})
    held = {document.id for document in library.get(asked)}
    others = outside - held
    lost = set(marks) - held - others
    seeds = (matched | outside) - set(marks)
    records = library.count() + len(others) + len(lost)
    unscreened = max(0, records - len(marks) - len(seeds & (held | others)))
    unread = [
        place.decision
        for place in (saved.ranking if saved else ())
        if not place.seed and place.id not in marks
    ]
    above = min(sum(unread), unscreened)
    below = min(len(unread) - sum(unread), unscreened - above)
    return _RecordCounts(
        records, len(others), len(seeds & (held | others)), unscreened, below, above, len(lost)
    )


def _count_reasons(marks: Iterable[Mark], order: Collection[str]) -> tuple[PrismaCount, ...]:
    counts = Counter(mark.reason for mark in marks if mark.label == "irrelevant")
    named = [*order, *(name for name in counts if name and name not in order)]
    told = [PrismaCount(name, counts[name]) for name in named if counts[name]]
    untold = [PrismaCount(NO_REASON, counts[""])] if counts[""] and told else []
    return (*told, *untold)


def _find_sources(
    given: GivenNumbers, *, library: Library
) -> tuple[tuple[PrismaCount, ...], int | None]:
    """Return the records of each source, and how many were duplicates, as far as is known."""
    if given.identified:
        return given.identified, given.duplicates
    counts = count_sources(library)
    if given.duplicates is None and (total := add_up(counts)) is not None:
        return counts, total - library.count()
    return counts, given.duplicates


def count_sources(library: Library) -> tuple[PrismaCount, ...]:
    """Return how many records each source of a library had, counting records that were merged.

    A library that keeps nothing about merged records knows its sources, but not these numbers.
    """
    kept = library.info().sources
    if not isinstance(library, PaperNotebook):
        return tuple(PrismaCount(name, None) for name in _add_by_file(kept))
    counts, papers = Counter(kept), library.read_papers()
    for document in library.get(sorted(papers)):
        counts[document.source] -= 1
        counts.update(record.document.source for record in papers[document.id].records)
    return tuple(PrismaCount(name, number) for name, number in _add_by_file(counts).items())


def _add_by_file(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts by the name of the file, without the format that it was read as."""
    added: Counter[str] = Counter()
    for source, number in counts.items():
        added[source.partition(":")[2] or source or "unknown source"] += number
    return {name: number for name, number in sorted(added.items()) if number}


def _remark_sources(
    sources: Collection[PrismaCount],
    duplicates: int | None,
    identified: int | None,
    *,
    records: _RecordCounts,
) -> Iterable[str]:
    if identified is None:
        yield (
            "This library does not keep how many records each source had: give them as "
            "--identified NAME=NUMBER, and the duplicates removed as --duplicates NUMBER."
        )
    elif duplicates is None:
        yield "The number of duplicates removed is not known: give it as --duplicates NUMBER."
    elif identified - duplicates != records.records - records.others - records.lost:
        there = records.records - records.others - records.lost
        yield (
            f"{identified:,} records identified without {duplicates:,} duplicates are "
            f"{identified - duplicates:,}, and the library holds {there:,}."
        )
    elif not duplicates and len(sources) > 1:
        yield (
            "No paper was found in more than one source. A library made by an earlier version "
            "can't tell: in that case, give --identified and --duplicates."
        )
    if records.lost:
        are = "is" if records.lost == 1 else "are"
        yield (
            f"{format_count(records.lost, 'marked record')} {are} no longer in the library, and "
            "counted here as screened."
        )


def _remark_screening(
    session: SessionFile, saved: SavedExpansion | None, records: _RecordCounts, *, conflicts: int
) -> Iterable[str]:
    if unseen := session.count_unseen():
        are = "is" if unseen == 1 else "are"
        yield (
            f"{format_count(unseen, 'record')} that only other reviewers have marked {are} not "
            "counted as screened here; whoever has the session's file can count all of them with: "
            "likewise prisma."
        )
    if conflicts:
        verb = "was" if conflicts == 1 else "were"
        yield f"{format_count(conflicts, 'conflict')} between reviewers {verb} not settled."
    if records.unscreened and saved and read_status(session).advice.kind != "stop":
        yield "Screening was not complete: it was not yet shown that enough was found."
