"""What routes depend on: the library, the desks, the jobs and the settings of their app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator  # FastAPI reads the annotations
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Header, Path, Query, Request

from likewise.expansion.marks import check_reviewer
from likewise.expansion.sessions.reasons import is_same_name
from likewise.library.protocol import Library
from likewise.server import ServerSettings
from likewise.server.desks import Desks
from likewise.server.desks.desk import Desk
from likewise.server.desks.folder import IDENTIFIER
from likewise.server.desks.libraries import Libraries, OpenLibrary
from likewise.server.failures import ServerError
from likewise.server.jobs.jobs import Jobs
from likewise.server.models import RefusalAnswer
from likewise.server.processes import Readers
from likewise.server.safety.tokens import find_reviewer

SessionId = Annotated[str, Path(pattern=IDENTIFIER, description="The session's id.")]

_REFUSED = {
    404: "There is no such thing.",
    409: "This is not possible as things stand.",
    422: "The request makes no sense.",
    429: "Too many jobs; Retry-After says when to ask again.",
}


class NotTheReviewer(ServerError, status=403, kind="not-the-reviewer"):
    """A request in the name of a reviewer who is not the owner of its token."""


async def _get_reviewer(
    request: Request,
    name: Annotated[
        str,
        Header(
            alias="Likewise-Reviewer",
            max_length=600,
            pattern=r"^[ -~]*$",
            description="Who asks, if several people mark; percent-encoded beyond ASCII. If the "
            "server needs tokens, the token says who asks, and no other name is accepted.",
        ),
    ] = "",
) -> str:
    asker, known = check_reviewer(unquote(name)), find_reviewer(request)
    if known is None or is_same_name(asker, known):
        return asker if known is None else known
    if not known:
        raise NotTheReviewer(
            f"the token of this request is for all, so nobody knows whether {asker} asks; "
            "start the server with: likewise serve --reviewer NAME"
        )
    if asker:
        raise NotTheReviewer(f"the token of this request belongs to {known}, and not to {asker}")
    return known


async def _get_viewer(reviewer: Annotated[str, Depends(_get_reviewer)]) -> str | None:
    return reviewer or None


async def _get_library(
    request: Request,
    library: Annotated[
        str, Query(max_length=64, description="The library's id, if there are several.")
    ] = "",
) -> Library:
    opened: OpenLibrary = await asyncio.to_thread(request.app.state.libraries.get, library)
    return opened.library


def _depend_on(name: str) -> Any:
    """Return a dependency on something that the app keeps open while it runs."""

    async def get(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(get)


async def _open_desk(request: Request, session: SessionId) -> AsyncIterator[Desk]:
    async with request.app.state.desks.at(session) as desk:
        yield desk


async def _get_session_library(desk: Annotated[Desk, Depends(_open_desk)]) -> OpenLibrary:
    return await desk.find_library()


LibraryId = Annotated[str, Path(max_length=64, description="The library's id.")]
TheReviewer = Annotated[str, Depends(_get_reviewer)]
TheViewer = Annotated[str | None, Depends(_get_viewer)]
"""The reviewer whose view counts; None, who sees everything, if no name was given."""
TheLibrary = Annotated[Library, Depends(_get_library)]
"""The library that the request names, or the only one."""
TheSessionLibrary = Annotated[OpenLibrary, Depends(_get_session_library)]
"""The library of the session that the address names."""
TheLibraries = Annotated[Libraries, _depend_on("libraries")]
TheDesks = Annotated[Desks, _depend_on("desks")]
TheJobs = Annotated[Jobs, _depend_on("jobs")]
TheReaders = Annotated[Readers, _depend_on("readers")]
TheSettings = Annotated[ServerSettings, _depend_on("settings")]
TheDesk = Annotated[Desk, Depends(_open_desk)]
"""The desk of the session that the address names."""


def list_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return how an operation may be refused, for the schema."""
    return {
        status: {"model": RefusalAnswer, "description": _REFUSED[status]} for status in statuses
    }


def make_session_router(tag: str) -> APIRouter:
    """Return a router for operations on the session that the address names."""
    refusals = list_refusals(404, 409, 422)
    return APIRouter(prefix="/api/sessions/{session}", tags=[tag], responses=refusals)
