"""The pages, and the files that they are made of; they ask the API for everything else."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from likewise.errors import LibraryError, LikewiseError
from likewise.server.desks.folder import is_identifier, locate_session
from likewise.server.desks.libraries import Libraries, NoLibrary, OpenLibrary
from likewise.server.page import ServedLibrary, find_asset, render_home, render_page
from likewise.server.routes import TheLibraries, TheSettings
from likewise.server.safety.tokens import find_reviewer

GONE = "It may have been deleted, or its address may have been cut off."

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_home(
    request: Request, libraries: TheLibraries, settings: TheSettings, *, library: str = ""
) -> HTMLResponse:
    """Return the page where searches begin, libraries are made, and sessions are listed."""
    page = render_home(
        _choose_library(libraries, library),
        most_upload=settings.most_upload,
        most_file=settings.most_file,
        has_collection=libraries.has_collection,
        reviewer=find_reviewer(request) or "",
    )
    return HTMLResponse(page)


def _choose_library(libraries: Libraries, identifier: str) -> ServedLibrary | None:
    """Return the library that is asked for, or the one changed last; None if there is none."""
    try:
        return _describe_library(libraries.get(identifier or libraries.find_latest()))
    except (NoLibrary, LibraryError):
        return None


def _describe_library(opened: OpenLibrary) -> ServedLibrary:
    return ServedLibrary(opened.name, opened.library.count(), opened.id)


@router.get("/sessions/{session}")
async def show_session(
    libraries: TheLibraries, settings: TheSettings, request: Request, *, session: str
) -> HTMLResponse:
    """Return the page of a session."""
    served = await asyncio.to_thread(_choose_library, libraries, "")
    reviewer = find_reviewer(request) or ""
    if not is_identifier(session) or not locate_session(settings.sessions, session).is_file():
        page = render_page("missing", library=served, message=GONE, reviewer=reviewer)
        return HTMLResponse(page, status_code=404)
    if libraries.has_collection:
        served = await _find_session_library(request, session)
    page = render_page("session", library=served, session=session, reviewer=reviewer)
    return HTMLResponse(page)


async def _find_session_library(request: Request, session: str) -> ServedLibrary | None:
    """Return the library of a session; None if it can't be opened: the page's script says why."""
    try:
        async with request.app.state.desks.at(session) as desk:
            return await asyncio.to_thread(_describe_library, await desk.find_library())
    except LikewiseError:
        return None


@router.get("/static/{name}")
def serve_file(request: Request, name: str) -> Response:
    """Return a style, a script or the icon, unless the browser already has the same one."""
    found = find_asset(name)
    if found is None:
        raise HTTPException(404)
    headers = {"ETag": found.tag}
    if found.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


@router.get("/favicon.ico")
def serve_icon(request: Request) -> Response:
    """Return the icon at the address where icons used to be."""
    return serve_file(request, "favicon.svg")
