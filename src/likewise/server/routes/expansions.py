"""Expansions of a session: asked for, listed, compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastapi import APIRouter

from likewise.errors import SettingsError
from likewise.expansion.saved import Move
from likewise.expansion.sessions.expanding import find_latest_settings
from likewise.expansion.sessions.records import SessionLook
from likewise.expansion.settings import ExpandSettings
from likewise.learn.methods import METHODS
from likewise.learn.spelling import choose_keep, parse_method
from likewise.learn.thresholds import parse_keep
from likewise.server.desks.reading import SessionReader
from likewise.server.jobs.messages import JobOrder
from likewise.server.models.sessions import (
    ChangesAnswer,
    ExpansionAnswer,
    ExpansionHeadAnswer,
    ExpansionsAnswer,
    IntervalAnswer,
    JobAnswer,
    LookAnswer,
    LookFindAnswer,
    LooksAnswer,
    MoveAnswer,
    RoundAnswer,
    SettingsRequest,
)
from likewise.server.routes.dependencies import (
    TheDesk,
    TheJobs,
    TheReviewer,
    TheSessionLibrary,
    list_refusals,
)
from likewise.server.routes.libraries import make_stand_in

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
    return await desk.read(_answer_expansions)


@router.post(
    "/expansions",
    operation_id="expand",
    summary="Expand from seeds and marks",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(404, 409, 422, 429),
)
async def expand(
    desk: TheDesk, chosen: SettingsRequest, *, jobs: TheJobs, opened: TheSessionLibrary
) -> JobAnswer:
    """Start a job that finds the documents on the topic of the seeds and of what is marked.

    What is not chosen is as it was before. The job goes on whoever watches it; its result is in the
    session when it is done.
    """
    before = await desk.read(find_settings)
    how = choose_settings(chosen, before=before)
    order = JobOrder(desk.id, opened.address, how, library_id=opened.id)
    return JobAnswer.of(await jobs.start(order))


@router.get(
    "/changes",
    operation_id="get_changes",
    summary="Compare the latest expansion with the one before",
    response_description="What rose, fell, came above the line, and left it.",
    responses=list_refusals(404, 409, 422),
)
async def get_changes(desk: TheDesk) -> ChangesAnswer:
    """Compare the latest expansion with the one before it, but for what was marked by then.

    Both are taken as they were learned, wherever somebody moved the line since.
    """
    return await desk.read(_answer_changes)


@router.post(
    "/looks",
    operation_id="watch",
    summary="Look for what is new",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(404, 409, 422, 429),
)
async def watch(desk: TheDesk, *, jobs: TheJobs, opened: TheSessionLibrary) -> JobAnswer:
    """Start a job that finds what came into the library since the last look, and is likely.

    What it finds is in the ranking when it is done, and new until it is marked. If nothing on topic
    came, the ranking stays as it is.
    """
    await desk.read(SessionReader.get_pool)
    order = JobOrder(desk.id, opened.address, library_id=opened.id, is_watch=True)
    return JobAnswer.of(await jobs.start(order))


@router.get(
    "/looks",
    operation_id="list_looks",
    summary="List what looks found",
    response_description="The looks, the latest first.",
    responses=list_refusals(404, 409, 422),
)
async def list_looks(desk: TheDesk, *, reviewer: TheReviewer = "") -> LooksAnswer:
    """Return when it was looked for what is new, and what was found."""
    return await desk.read(_answer_looks, reviewer=reviewer)


def _answer_looks(reader: SessionReader, *, reviewer: str) -> LooksAnswer:
    looks = reader.find_looks()
    return LooksAnswer(
        since=looks[-1].time if looks else "",
        new=len(reader.find_new(reviewer)),
        looks=[_answer_look(look) for look in reversed(looks) if look.content.has_news],
    )


def _answer_look(look: SessionLook) -> LookAnswer:
    content = look.content
    return LookAnswer(
        number=look.number,
        time=look.time,
        added=None if content.added < 0 else content.added,
        changed=content.changed,
        finds=[LookFindAnswer.of(find) for find in content.finds],
        revised=list(content.revised),
        warnings=content.notices,
    )


def answer_expansion(reader: SessionReader) -> ExpansionAnswer:
    """Return the latest expansion without its ranking."""
    pool, head = reader.get_pool(), reader.state.heads[-1]
    estimates = pool.saved.estimates
    return ExpansionAnswer(
        number=head.number,
        time=head.time,
        mark=head.mark,
        pool=head.pool,
        decided=pool.cut,
        learned=pool.learned,
        precision=estimates.precision,
        recall=estimates.recall,
        relevant=IntervalAnswer.of(estimates.relevant),
        outside=IntervalAnswer.of(estimates.outside) if estimates.outside else None,
        rounds=[RoundAnswer.of(one) for one in pool.saved.rounds],
        warnings=list(pool.saved.warnings),
    )


def find_settings(reader: SessionReader) -> ExpandSettings:
    """Return the settings of a session's latest expansion, or those it began with."""
    pool = reader.state.pool
    return find_latest_settings(pool.saved if pool else None, reader.session.start)


def choose_settings(chosen: SettingsRequest, *, before: ExpandSettings) -> ExpandSettings:
    """Return settings with what was chosen; raise SettingsError if that makes no sense."""
    wanted = chosen.model_dump(exclude_none=True)
    if wanted.get("method", "linear") not in list_offered_methods():
        raise SettingsError(
            f"the method {wanted['method']!r} is not offered here; "
            f"choose one of: {', '.join(list_offered_methods())}"
        )
    if "keep" in wanted:
        parse_keep(wanted["keep"])
    settings = before.with_chosen(**wanted)
    choose_keep(settings.keep, parse_method(settings.method))
    return settings


def list_offered_methods() -> list[str]:
    """Return the methods that need no extra and take seconds.

    >>> list_offered_methods()
    ['linear', 'naive', 'bm25', 'copkmeans']
    """
    return [name for name, known in METHODS.items() if not (known.extra or known.is_costly)]


def _answer_expansions(reader: SessionReader) -> ExpansionsAnswer:
    return ExpansionsAnswer(expansions=[ExpansionHeadAnswer.of(one) for one in reader.state.heads])


def _answer_changes(reader: SessionReader) -> ChangesAnswer:
    changes = reader.find_changes()
    decided, dropped = changes.decided[:MOST_CHANGES], changes.dropped[:MOST_CHANGES]
    moves = [*decided, *dropped, *changes.risen, *changes.fallen]
    held = reader.library.get(list(dict.fromkeys(move.id for move in moves)))
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
