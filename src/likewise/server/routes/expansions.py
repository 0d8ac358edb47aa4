"""Expansions of a session: asked for, listed, compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from fastapi import APIRouter

from likewise.errors import SettingsError
from likewise.expansion.saved import Move
from likewise.expansion.settings import ExpandSettings
from likewise.learn.intervals import Interval
from likewise.learn.methods import METHODS
from likewise.learn.spelling import choose_keep, parse_method
from likewise.learn.thresholds import parse_keep
from likewise.server.desks.folder import SessionHead, read_change_time
from likewise.server.desks.reading import SessionReader
from likewise.server.jobs.jobs import JobOrder
from likewise.server.models.documents import DocumentAnswer
from likewise.server.models.sessions import (
    ChangesAnswer,
    ExpansionAnswer,
    ExpansionHeadAnswer,
    ExpansionsAnswer,
    IntervalAnswer,
    JobAnswer,
    MoveAnswer,
    RoundAnswer,
    SessionAnswer,
    SessionHeadAnswer,
    SettingsAnswer,
    SettingsRequest,
)
from likewise.server.routes.answers.marks import answer_interval
from likewise.server.routes.dependencies import TheDesk, TheJobs, TheSettings, list_refusals
from likewise.server.routes.documents import answer_document, make_stand_in

router = APIRouter(prefix="/api/sessions/{session}", tags=["expansions"])


MOST_CHANGES = 50
"""How many documents are named that came above the line, or left it."""


@router.get(
    "/expansions",
    operation_id="list_expansions",
    summary="List the expansions of a session",
    response_description="The expansions, the first one first.",
    responses=list_refusals(404, 409, 422),
)
async def list_expansions(desk: TheDesk) -> ExpansionsAnswer:
    """Return what is known of each expansion."""
    return await desk.read(answer_expansions)


@router.post(
    "/expansions",
    operation_id="expand",
    summary="Expand from seeds and marks",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(404, 409, 422, 429),
)
async def expand(
    desk: TheDesk, chosen: SettingsRequest, *, jobs: TheJobs, settings: TheSettings
) -> JobAnswer:
    """Start a job that finds the documents on the topic of the seeds and of what is marked.

    What is not chosen is as it was before. The job goes on whoever watches it; its result is in the
    session when it is done.
    """
    before = await desk.read(find_settings)
    how = choose_settings(chosen, before=before)
    return await jobs.start(JobOrder(desk.id, desk.path, settings.library, how))


@router.get(
    "/changes",
    operation_id="get_changes",
    summary="Tell what the latest expansion changed",
    response_description="What rose, fell, came above the line, and left it.",
    responses=list_refusals(404, 409, 422),
)
async def get_changes(desk: TheDesk) -> ChangesAnswer:
    """Compare the latest expansion with the one before it, but for what was marked by then."""
    return await desk.read(answer_changes)


class _SeedAnswers(NamedTuple):
    matched: list[DocumentAnswer]
    text_only: list[DocumentAnswer]
    not_found: list[str]


def answer_head(head: SessionHead, *, job: JobAnswer | None) -> SessionHeadAnswer:
    """Return a session in a list."""
    return SessionHeadAnswer(**head._asdict(), job=job)


def answer_session(reading: SessionReader, *, job: JobAnswer | None) -> SessionAnswer:
    """Return a session."""
    standing, start = reading.standing(), reading.session.start
    seeds, settings = _answer_seeds(reading), find_settings(reading)
    return SessionAnswer(
        id=reading.identifier,
        name=standing.name,
        created=start.time,
        changed=read_change_time(reading.session.path),
        seeds=len(start.seeds),
        expansions=len(standing.heads),
        relevant=standing.count("relevant"),
        irrelevant=standing.count("irrelevant"),
        maybe=standing.count("maybe"),
        job=job,
        settings=SettingsAnswer(
            method=settings.method,
            keep=settings.keep,
            pool=settings.pool,
            rounds=settings.rounds,
            seed=settings.seed,
        ),
        matched=seeds.matched,
        text_only=seeds.text_only,
        not_found=seeds.not_found,
        expansion=answer_expansion(reading) if standing.ranked else None,
    )


def find_settings(reading: SessionReader) -> ExpandSettings:
    """Return how a session was expanded last, or is to be."""
    ranked = reading.standing().ranked
    if ranked is None:
        return reading.session.start.settings
    try:
        return msgspec.convert(ranked.saved.settings, ExpandSettings)
    except msgspec.ValidationError:  # written by another version
        return reading.session.start.settings


def answer_expansion(reading: SessionReader) -> ExpansionAnswer:
    """Return the latest expansion without its ranking."""
    ranked, head = reading.ranked(), reading.standing().heads[-1]
    estimates, outside = ranked.saved.estimates, ranked.saved.estimates.outside
    return ExpansionAnswer(
        number=head.number,
        time=head.time,
        mark=head.mark,
        pool=head.pool,
        decided=ranked.cut,
        learned=ranked.learned,
        precision=estimates.precision,
        recall=estimates.recall,
        relevant=_answer_interval(estimates.relevant),
        outside=_answer_interval(outside) if outside else None,
        rounds=[
            RoundAnswer(added=done.added, likely=done.likely, decided=done.decided)
            for done in ranked.saved.rounds
        ],
        warnings=list(ranked.saved.warnings),
    )


def _answer_interval(saved: Interval) -> IntervalAnswer:
    return answer_interval(saved.value, saved.low, saved.high)


def answer_expansions(reading: SessionReader) -> ExpansionsAnswer:
    """Return the expansions of a session."""
    return ExpansionsAnswer(
        expansions=[
            ExpansionHeadAnswer(
                number=head.number,
                time=head.time,
                mark=head.mark,
                pool=head.pool,
                decided=head.decided,
            )
            for head in reading.standing().heads
        ]
    )


def answer_changes(reading: SessionReader) -> ChangesAnswer:
    """Return what the latest expansion says otherwise than the one before it."""
    changes = reading.changes()
    decided, dropped = changes.decided[:MOST_CHANGES], changes.dropped[:MOST_CHANGES]
    moves = [*decided, *dropped, *changes.risen, *changes.fallen]
    held = reading.library.get(list(dict.fromkeys(move.id for move in moves)))
    titles = {document.id: document.title for document in held}
    return ChangesAnswer(
        decided=_answer_moves(decided, titles),
        dropped=_answer_moves(dropped, titles),
        risen=_answer_moves(changes.risen, titles),
        fallen=_answer_moves(changes.fallen, titles),
        came=len(changes.decided),
        left=len(changes.dropped),
    )


def _answer_moves(moves: Sequence[Move], titles: Mapping[str, str]) -> list[MoveAnswer]:
    return [
        MoveAnswer(
            document=move.id,
            title=titles.get(move.id, make_stand_in(move.id).title),
            before=move.before,
            after=move.after,
        )
        for move in moves
    ]


def _answer_seeds(reading: SessionReader) -> _SeedAnswers:
    """Return the seeds as they were learned from, or before that as they are matched now."""
    ranked = reading.standing().ranked
    if ranked is None:
        found = reading.match_seeds()
        matched, text_only, not_found = found.matched, found.text_only, found.not_found
    else:
        seeds = ranked.saved.seeds
        held = {document.id: document for document in reading.library.get(seeds.matched)}
        matched = tuple(held.get(name) or make_stand_in(name) for name in seeds.matched)
        text_only, not_found = seeds.text_only, seeds.not_found
    return _SeedAnswers(
        list(map(answer_document, matched)), list(map(answer_document, text_only)), list(not_found)
    )


def choose_settings(chosen: SettingsRequest, *, before: ExpandSettings) -> ExpandSettings:
    """Return settings with what was chosen; raise SettingsError if that makes no sense."""
    if chosen.method is not None and chosen.method not in list_offered_methods():
        raise SettingsError(
            f"the method {chosen.method!r} is not offered here; "
            f"choose one of: {', '.join(list_offered_methods())}"
        )
    if chosen.keep is not None:
        parse_keep(chosen.keep)
    settings = before.with_chosen(**chosen.model_dump(exclude_none=True))
    choose_keep(settings.keep, parse_method(settings.method))
    return settings


def list_offered_methods() -> list[str]:
    """Return the methods that need no extra and take seconds.

    >>> offered_methods()
    ['linear', 'naive', 'bm25', 'copkmeans']
    """
    return [name for name, known in METHODS.items() if not (known.extra or known.is_costly)]
