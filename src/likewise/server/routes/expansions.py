"""Expansions of a session, and jobs: start them, list them, watch them and cancel them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse

from likewise.errors import SettingsError
from likewise.expansion.saved import Move
from likewise.expansion.sessions.expanding import find_latest_settings
from likewise.expansion.sessions.records import SessionLook
from likewise.expansion.settings import ExpandSettings
from likewise.learn.methods import METHODS
from likewise.learn.spelling import choose_keep, parse_method
from likewise.learn.thresholds import parse_keep
from likewise.library.sources import LABELS
from likewise.library.sources.kept import find_origin
from likewise.server.desks.reading import SessionReader
from likewise.server.jobs import WorkRequest
from likewise.server.jobs.records import Job
from likewise.server.models.sessions import (
    ChangesAnswer,
    ExpansionAnswer,
    ExpansionHeadAnswer,
    ExpansionsAnswer,
    JobAnswer,
    JobsAnswer,
    LookAnswer,
    LookRequest,
    LooksAnswer,
    MoveAnswer,
    SettingsRequest,
)
from likewise.server.routes import (
    TheDesk,
    TheJobs,
    TheReviewer,
    TheSessionLibrary,
    list_refusals,
    make_session_router,
)
from likewise.server.routes.libraries import LOST

router = make_session_router("expansions")

MOST_CHANGES = 50
"""How many documents are listed that came above the line, and how many that left it."""


@router.get(
    "/expansions",
    summary="List the expansions of a session",
    response_description="The expansions, the oldest first.",
)
async def list_expansions(desk: TheDesk) -> ExpansionsAnswer:
    """Return what is known of each expansion."""
    heads = await desk.read(lambda reader: reader.state.heads)
    return ExpansionsAnswer(expansions=[ExpansionHeadAnswer.of(one) for one in heads])


@router.post(
    "/expansions",
    summary="Expand from seeds and marks",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(429),
)
async def expand(
    desk: TheDesk, chosen: SettingsRequest, *, jobs: TheJobs, opened: TheSessionLibrary
) -> JobAnswer:
    """Start a job that finds the documents on the topic of the seeds and of what is marked.

    Settings that are not given stay as they were. The job runs even if nobody watches it; its
    result is in the session when it is done.
    """
    before = await desk.read(find_settings)
    how = choose_settings(chosen, before=before)
    work = WorkRequest(str(desk.path), opened.address, how)
    return JobAnswer.of(await jobs.start(work, library=opened.id))


@router.get(
    "/changes",
    summary="Compare the latest expansion with the one before",
    response_description="What rose, fell, came above the line, and left it.",
)
async def get_changes(desk: TheDesk) -> ChangesAnswer:
    """Compare the latest expansion with the one before it, without seeds and marked documents.

    Both are compared as they were learned, wherever somebody has moved the line since.
    """
    return await desk.read(_answer_changes)


@router.post(
    "/looks",
    summary="Look for what is new",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(429),
)
async def watch(
    desk: TheDesk,
    asked: LookRequest | None = None,
    *,
    jobs: TheJobs,
    opened: TheSessionLibrary,
) -> JobAnswer:
    """Start a job that finds likely documents that came into the library since the last look.

    What it finds is in the ranking when it is done, and new until it is marked. If nothing on topic
    came, the ranking stays as it is. A library that was gathered from a source can be updated from
    it first.
    """
    await desk.read(SessionReader.get_pool)
    source = asked.source if asked else ""
    if source and source != await asyncio.to_thread(find_origin, opened.address):
        raise SettingsError(
            f"this library was not gathered from {source!r}; look without a source, or bring "
            "records with: likewise watch SESSION SOURCE"
        )
    work = WorkRequest(str(desk.path), opened.address, is_watch=True, source=source)
    return JobAnswer.of(await jobs.start(work, library=opened.id))


@router.get(
    "/looks", summary="List what looks found", response_description="The looks, the latest first."
)
async def list_looks(
    desk: TheDesk, *, opened: TheSessionLibrary, reviewer: TheReviewer = ""
) -> LooksAnswer:
    """Return the looks for what is new, and what they found."""
    origin = await asyncio.to_thread(find_origin, opened.address)
    return await desk.read(_answer_looks, origin=origin, reviewer=reviewer)


def _answer_looks(reader: SessionReader, *, origin: str, reviewer: str) -> LooksAnswer:
    looks = reader.find_looks()
    return LooksAnswer(
        source=origin,
        source_label=LABELS.get(origin, ""),
        since=looks[-1].time if looks else "",
        new=len(reader.find_new(reviewer)),
        looks=[_answer_look(look) for look in reversed(looks) if look.content.has_news],
    )


def _answer_look(look: SessionLook) -> LookAnswer:
    content = look.content
    return LookAnswer.of(
        content,
        number=look.number,
        time=look.time,
        added=None if content.added < 0 else content.added,
        warnings=content.notices,
    )


def answer_expansion(reader: SessionReader) -> ExpansionAnswer:
    """Return the latest expansion without its ranking."""
    pool, head = reader.get_pool(), reader.state.heads[-1]
    return ExpansionAnswer.of(
        pool.saved.estimates,
        **head._asdict() | {"decided": pool.cut},
        learned=pool.learned,
        rounds=pool.saved.rounds,
        warnings=pool.saved.warnings,
    )


def find_settings(reader: SessionReader) -> ExpandSettings:
    """Return the settings of a session's latest expansion, or those it began with."""
    pool = reader.state.pool
    return find_latest_settings(pool.saved if pool else None, reader.session.start)


def choose_settings(chosen: SettingsRequest, *, before: ExpandSettings) -> ExpandSettings:
    """Return the settings, changed as chosen; raise SettingsError if that makes no sense."""
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
        MoveAnswer.of(move, document=move.id, title=titles.get(move.id, LOST)) for move in moves
    ]


jobs_router = APIRouter(prefix="/api/jobs", tags=["jobs"])

QUIET_SECONDS = 15.0
"""After this long without news, a comment is sent, so that nobody hangs up."""

JobId = Annotated[str, Path(max_length=64, description="The job's id.")]


@jobs_router.get(
    "", summary="List the jobs", response_description="The jobs of this server, the latest first."
)
async def list_jobs(jobs: TheJobs) -> JobsAnswer:
    """Return the jobs that wait, run, or ended not long ago."""
    return JobsAnswer(jobs=[JobAnswer.of(job) for job in jobs.list_jobs()])


@jobs_router.get(
    "/{job}",
    summary="Show a job",
    response_description="The job.",
    responses=list_refusals(404, 422),
)
async def get_job(job: JobId, jobs: TheJobs) -> JobAnswer:
    """Return a job, and how far it has come."""
    return JobAnswer.of(jobs.get(job))


@jobs_router.delete(
    "/{job}",
    summary="Cancel a job",
    response_description="The job, which has ended.",
    responses=list_refusals(404, 422),
)
async def cancel_job(job: JobId, jobs: TheJobs) -> JobAnswer:
    """End a job for good; a job that has already ended stays as it is."""
    return JobAnswer.of(await jobs.cancel(job))


@jobs_router.get(
    "/{job}/events",
    summary="Watch a job",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events called `job`, each with a job as JSON; the current "
            "state at once, then every change, until the job has ended.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **list_refusals(404, 422),
    },
)
async def watch_job(job: JobId, jobs: TheJobs) -> StreamingResponse:
    """Report on a job while it runs."""
    return StreamingResponse(stream_events(jobs.watch(job)), media_type="text/event-stream")


async def stream_events(
    states: AsyncIterator[Job], *, quiet: float = QUIET_SECONDS
) -> AsyncIterator[str]:
    """Yield a job's states as server-sent events.

    Args:
        states: The states.
        quiet: After how many seconds without news a comment is sent.
    """
    following = asyncio.ensure_future(anext(states, None))
    try:
        while True:
            done, _ = await asyncio.wait([following], timeout=quiet)
            if not done:
                yield ": still here\n\n"
                continue
            job = following.result()
            if job is None:
                return
            yield f"event: job\ndata: {JobAnswer.of(job).model_dump_json()}\n\n"
            following = asyncio.ensure_future(anext(states, None))
    finally:
        following.cancel()
