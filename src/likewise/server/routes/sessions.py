"""Sessions: begun, listed, shown, renamed, deleted."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter

from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.server.desks.desks import NewSession
from likewise.server.desks.folder import SessionHead, clean_name, make_name, read_change_time
from likewise.server.desks.reading import SessionReader
from likewise.server.jobs.records import Job
from likewise.server.models.sessions import (
    JobAnswer,
    NewSessionRequest,
    RemovedAnswer,
    SessionAnswer,
    SessionChangeRequest,
    SessionHeadAnswer,
    SessionsAnswer,
    SettingsAnswer,
)
from likewise.server.routes.dependencies import (
    SessionId,
    TheDesk,
    TheDesks,
    TheJobs,
    TheLibraries,
    TheOpenLibrary,
    TheViewer,
    list_refusals,
)
from likewise.server.routes.expansions import answer_expansion, choose_settings, find_settings
from likewise.server.routes.libraries import answer_document, convert_papers, make_stand_in

router = APIRouter(prefix="/api/sessions", tags=["sessions"])
one_session = APIRouter(prefix="/api/sessions/{session}", tags=["sessions"])


@router.get(
    "",
    operation_id="list_sessions",
    summary="List the sessions",
    response_description="The sessions, the one changed last first.",
)
async def list_sessions(
    desks: TheDesks, jobs: TheJobs, libraries: TheLibraries, *, viewer: TheViewer
) -> SessionsAnswer:
    """Return what is known of each session, and which files are none."""
    listing = await desks.list_heads(viewer)
    latest = {job.session: job for job in reversed(jobs.list_jobs())}
    return SessionsAnswer(
        sessions=[
            _answer_head(
                head, job=latest.get(head.id), library=libraries.find_identifier(head.library)
            )
            for head in listing.heads
        ],
        unreadable=listing.unreadable,
    )


@router.post(
    "",
    operation_id="create_session",
    summary="Begin a session",
    status_code=201,
    response_description="The session.",
    responses=list_refusals(422),
)
async def create_session(
    new: NewSessionRequest, desks: TheDesks, library: TheOpenLibrary, *, viewer: TheViewer
) -> SessionAnswer:
    """Make a session of seeds; expanding is asked for apart.

    At least three seeds with different texts are needed, in the library or by what they say. What
    is irrelevant is marked so, as far as the library holds it.
    """
    wanted = NewSession(
        name=new.name,
        seeds=convert_papers(new.seeds),
        irrelevant=convert_papers(new.irrelevant),
        settings=choose_settings(new.settings, before=ExpandSettings()),
        library=library,
    )
    async with desks.at(await desks.create(wanted)) as desk:
        return await desk.read(_answer_session, job=None, viewer=viewer)


@one_session.get(
    "",
    operation_id="get_session",
    summary="Show a session",
    response_description="The session.",
    responses=list_refusals(404, 409, 422),
)
async def get_session(desk: TheDesk, jobs: TheJobs, *, viewer: TheViewer) -> SessionAnswer:
    """Return a session: its seeds, its settings, and its latest expansion without the ranking."""
    return await desk.read(_answer_session, job=jobs.find_latest(desk.id), viewer=viewer)


@one_session.patch(
    "",
    operation_id="rename_session",
    summary="Rename a session",
    response_description="The session.",
    responses=list_refusals(404, 409, 422),
)
async def rename_session(
    desk: TheDesk, jobs: TheJobs, change: SessionChangeRequest, *, viewer: TheViewer
) -> SessionAnswer:
    """Give a session another name; an empty one makes it the title of its first seed."""
    name = clean_name(change.name)
    await desk.write(lambda session: session.rename(name or make_name(session.start.seeds)))
    return await desk.read(_answer_session, job=jobs.find_latest(desk.id), viewer=viewer)


@router.delete(
    "/{session}",
    operation_id="delete_session",
    summary="Delete a session",
    response_description="What was deleted.",
    responses=list_refusals(404, 422),
)
async def delete_session(session: SessionId, desks: TheDesks, jobs: TheJobs) -> RemovedAnswer:
    """Delete a session with all its marks, for good; its job is cancelled first."""
    await desks.delete(session, end=jobs.forget)
    return RemovedAnswer(id=session, state="deleted")


def _answer_head(head: SessionHead, *, job: Job | None, library: str) -> SessionHeadAnswer:
    said = head._asdict() | {"library": library}
    return SessionHeadAnswer(**said, job=JobAnswer.of(job) if job else None)


def _answer_session(reader: SessionReader, *, job: Job | None, viewer: str | None) -> SessionAnswer:
    state, start, seeds = reader.state, reader.session.start, _find_seeds(reader)
    counts = Counter(mark.label for mark in reader.find_decisions(viewer).values())
    return SessionAnswer(
        id=reader.identifier,
        name=state.name,
        library=reader.library_id,
        created=start.time,
        changed=read_change_time(reader.session.path),
        seeds=len(start.seeds),
        expansions=len(state.heads),
        relevant=counts["relevant"],
        irrelevant=counts["irrelevant"],
        maybe=counts["maybe"],
        job=JobAnswer.of(job) if job else None,
        settings=SettingsAnswer.of(find_settings(reader)),
        matched=[answer_document(seed) for seed in seeds.matched],
        text_only=[answer_document(seed) for seed in seeds.text_only],
        not_found=list(seeds.not_found),
        expansion=answer_expansion(reader) if state.pool else None,
    )


def _find_seeds(reader: SessionReader) -> Seeds:
    """Return the seeds as they were learned from, or before that as they are matched now."""
    if reader.state.pool is None:
        return reader.match_seeds()
    saved = reader.state.pool.saved.seeds
    held = {document.id: document for document in reader.library.get(saved.matched)}
    matched = tuple(held.get(name) or make_stand_in(name) for name in saved.matched)
    return Seeds(matched=matched, text_only=saved.text_only, not_found=saved.not_found)
