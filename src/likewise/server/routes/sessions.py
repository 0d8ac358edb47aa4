"""Sessions: begun, listed, shown, renamed, deleted."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.expansion.settings import ExpandSettings
from likewise.server.desks.desks import NewSession
from likewise.server.desks.folder import clean_name, make_name
from likewise.server.models.sessions import (
    NewSessionRequest,
    RemovedAnswer,
    SessionAnswer,
    SessionChangeRequest,
    SessionsAnswer,
)
from likewise.server.routes.dependencies import (
    SessionId,
    TheDesk,
    TheDesks,
    TheJobs,
    TheSettings,
    list_refusals,
)
from likewise.server.routes.documents import convert_papers
from likewise.server.routes.expansions import answer_head, answer_session, choose_settings

router = APIRouter(prefix="/api/sessions", tags=["sessions"])
one_session = APIRouter(prefix="/api/sessions/{session}", tags=["sessions"])


@router.get(
    "",
    operation_id="list_sessions",
    summary="List the sessions",
    response_description="The sessions, the one changed last first.",
)
async def list_sessions(desks: TheDesks, jobs: TheJobs) -> SessionsAnswer:
    """Return what is known of each session, and which files are none."""
    listing = await desks.heads()
    latest = {job.session: job for job in reversed(jobs.all())}
    return SessionsAnswer(
        sessions=[answer_head(head, job=latest.get(head.id)) for head in listing.heads],
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
    new: NewSessionRequest, desks: TheDesks, settings: TheSettings
) -> SessionAnswer:
    """Make a session of seeds; expanding is asked for apart.

    At least three seeds with different texts are needed, in the library or by what they say.
    """
    begun = NewSession(
        name=new.name,
        seeds=convert_papers(new.seeds),
        settings=choose_settings(new.settings, before=ExpandSettings()),
        library=settings.library,
    )
    async with desks.at(await desks.create(begun)) as desk:
        return await desk.read(answer_session, job=None)


@one_session.get(
    "",
    operation_id="get_session",
    summary="Show a session",
    response_description="The session.",
    responses=list_refusals(404, 409, 422),
)
async def get_session(desk: TheDesk, jobs: TheJobs) -> SessionAnswer:
    """Return a session: its seeds, its settings, and its latest expansion without the ranking."""
    return await desk.read(answer_session, job=jobs.of_session(desk.id))


@one_session.patch(
    "",
    operation_id="rename_session",
    summary="Rename a session",
    response_description="The session.",
    responses=list_refusals(404, 409, 422),
)
async def rename_session(
    desk: TheDesk, jobs: TheJobs, change: SessionChangeRequest
) -> SessionAnswer:
    """Give a session another name; an empty one makes it the title of its first seed."""
    name = clean_name(change.name)
    await desk.write(lambda session: session.rename(name or make_name(session.start.seeds)))
    return await desk.read(answer_session, job=jobs.of_session(desk.id))


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
