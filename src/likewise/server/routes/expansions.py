"""Expansions of a session: asked for, listed, compared."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.server.jobs.jobs import Order
from likewise.server.models.jobs import Job  # noqa: TC001  # FastAPI reads them
from likewise.server.models.sessions import (  # noqa: TC001
    ChangesAnswer,
    ChosenSettings,
    ExpansionList,
)
from likewise.server.routes.answers.sessions import changes_answer, expansion_list, settings_of
from likewise.server.routes.choosing import chosen_settings
from likewise.server.routes.dependencies import TheDesk, TheJobs, TheSettings, refused

router = APIRouter(prefix="/api/sessions/{session}", tags=["expansions"])


@router.get(
    "/expansions",
    operation_id="list_expansions",
    summary="List the expansions of a session",
    response_description="The expansions, the first one first.",
    responses=refused(404, 409, 422),
)
async def list_expansions(desk: TheDesk) -> ExpansionList:
    """Return what is known of each expansion."""
    return await desk.read(expansion_list)


@router.post(
    "/expansions",
    operation_id="expand",
    summary="Expand from seeds and marks",
    status_code=202,
    response_description="The job that does it.",
    responses=refused(404, 409, 422, 429),
)
async def expand(
    desk: TheDesk, chosen: ChosenSettings, *, jobs: TheJobs, settings: TheSettings
) -> Job:
    """Start a job that finds the documents on the topic of the seeds and of what is marked.

    What is not chosen is as it was before. The job goes on whoever watches it; its result is in the
    session when it is done.
    """
    before = await desk.read(settings_of)
    how = chosen_settings(chosen, before=before)
    return await jobs.start(Order(desk.id, desk.path, settings.library, how))


@router.get(
    "/changes",
    operation_id="get_changes",
    summary="Tell what the latest expansion changed",
    response_description="What rose, fell, came above the line, and left it.",
    responses=refused(404, 409, 422),
)
async def get_changes(desk: TheDesk) -> ChangesAnswer:
    """Compare the latest expansion with the one before it, but for what was marked by then."""
    return await desk.read(changes_answer)
