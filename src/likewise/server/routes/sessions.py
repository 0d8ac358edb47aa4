"""Sessions: begun, listed, shown, renamed, deleted."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.expansion.settings import ExpandSettings
from likewise.server.desks.desks import Begun
from likewise.server.desks.naming import clean_name, default_name
from likewise.server.models.sessions import (
    NewSession,
    Removed,
    SessionAnswer,
    SessionChange,
    SessionList,
)
from likewise.server.routes.answers.sessions import (
    head_answer,
    session_answer,
)
from likewise.server.routes.choosing import chosen_settings
from likewise.server.routes.dependencies import (
    SessionId,
    TheDesk,
    TheDesks,
    TheJobs,
    TheSettings,
    refused,
)
from likewise.server.routes.shown import papers_given

router = APIRouter(prefix="/api/sessions", tags=["sessions"])
one_session = APIRouter(prefix="/api/sessions/{session}", tags=["sessions"])


@router.get(
    "",
    operation_id="list_sessions",
    summary="List the sessions",
    response_description="The sessions, the one changed last first.",
)
async def list_sessions(desks: TheDesks, jobs: TheJobs) -> SessionList:
    """Return what is known of each session, and which files are none."""
    listing = await desks.heads()
    latest = {job.session: job for job in reversed(jobs.all())}
    return SessionList(
        sessions=[head_answer(head, job=latest.get(head.id)) for head in listing.heads],
        unreadable=listing.unreadable,
    )


@router.post(
    "",
    operation_id="create_session",
    summary="Begin a session",
    status_code=201,
    response_description="The session.",
    responses=refused(422),
)
async def create_session(new: NewSession, desks: TheDesks, settings: TheSettings) -> SessionAnswer:
    """Make a session of seeds; expanding is asked for apart.

    At least three seeds with different texts are needed, in the library or by what they say.
    """
    begun = Begun(
        name=new.name,
        seeds=papers_given(new.seeds),
        settings=chosen_settings(new.settings, before=ExpandSettings()),
        library=settings.library,
    )
    async with desks.at(await desks.create(begun)) as desk:
        return await desk.read(session_answer, job=None)


@one_session.get(
    "",
    operation_id="get_session",
    summary="Show a session",
    response_description="The session.",
    responses=refused(404, 409, 422),
)
async def get_session(desk: TheDesk, jobs: TheJobs) -> SessionAnswer:
    """Return a session: its seeds, its settings, and its latest expansion without the ranking."""
    return await desk.read(session_answer, job=jobs.of_session(desk.id))


@one_session.patch(
    "",
    operation_id="rename_session",
    summary="Rename a session",
    response_description="The session.",
    responses=refused(404, 409, 422),
)
async def rename_session(desk: TheDesk, jobs: TheJobs, change: SessionChange) -> SessionAnswer:
    """Give a session another name; an empty one makes it the title of its first seed."""
    name = clean_name(change.name)
    await desk.write(lambda session: session.rename(name or default_name(session.start.seeds)))
    return await desk.read(session_answer, job=jobs.of_session(desk.id))


@router.delete(
    "/{session}",
    operation_id="delete_session",
    summary="Delete a session",
    response_description="What was deleted.",
    responses=refused(404, 422),
)
async def delete_session(session: SessionId, desks: TheDesks, jobs: TheJobs) -> Removed:
    """Delete a session with all its marks, for good; its job is cancelled first."""
    await desks.delete(session, end=jobs.forget)
    return Removed(id=session, state="deleted")
