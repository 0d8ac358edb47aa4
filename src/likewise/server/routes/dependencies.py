"""What routes are given: the library, the desks, the jobs and the settings of their app."""

from __future__ import annotations

from collections.abc import AsyncIterator  # FastAPI reads the annotations
from typing import Annotated, Any

from fastapi import Depends, Path, Request

from likewise.library.protocol import Library
from likewise.server.desks.desk import Desk
from likewise.server.desks.desks import Desks
from likewise.server.desks.folder import IDENTIFIER
from likewise.server.jobs.jobs import Jobs
from likewise.server.models.shape import RefusalAnswer
from likewise.server.settings import ServerSettings

SessionId = Annotated[str, Path(pattern=IDENTIFIER, description="The session's id.")]

_REFUSED = {
    404: "There is none.",
    409: "Not as things stand.",
    422: "What was asked makes no sense.",
    429: "Too many; Retry-After says when to ask again.",
}


async def _get_library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


async def _get_desks(request: Request) -> Desks:
    desks: Desks = request.app.state.desks
    return desks


async def _get_jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


async def _get_settings(request: Request) -> ServerSettings:
    settings: ServerSettings = request.app.state.settings
    return settings


async def _open_desk(request: Request, session: SessionId) -> AsyncIterator[Desk]:
    async with request.app.state.desks.at(session) as desk:
        yield desk


TheLibrary = Annotated[Library, Depends(_get_library)]
TheDesks = Annotated[Desks, Depends(_get_desks)]
TheJobs = Annotated[Jobs, Depends(_get_jobs)]
TheSettings = Annotated[ServerSettings, Depends(_get_settings)]
TheDesk = Annotated[Desk, Depends(_open_desk)]
"""The desk of the session that the address names."""


def list_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how an operation may be refused, for the schema."""
    return {
        status: {"model": RefusalAnswer, "description": _REFUSED[status]} for status in statuses
    }
