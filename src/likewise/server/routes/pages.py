"""The pages, and the files that they are made of; all else the page asks the API for."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from likewise.server.desks.folder import is_identifier, locate_session
from likewise.server.page import (
    ServedLibrary,
    find_asset,
    render_home,
    render_missing,
    render_session,
)
from likewise.server.routes.dependencies import (  # FastAPI reads the annotations
    TheLibrary,
    TheSettings,
)

GONE = "It may have been deleted, or its address may have been cut off."

router = APIRouter(include_in_schema=False)


def add_pages(app: FastAPI) -> None:
    """Let an app serve the pages."""
    app.include_router(router)


def _describe_library(library: TheLibrary, settings: TheSettings) -> ServedLibrary:
    return ServedLibrary(settings.library_name, library.count())


Served = Annotated[ServedLibrary, Depends(_describe_library)]


@router.get("/")
def show_home(library: Served, settings: TheSettings) -> HTMLResponse:
    """Return the page where searches begin, and sessions are listed."""
    return HTMLResponse(render_home(library, most_upload=settings.most_upload))


@router.get("/sessions/{session}")
def show_session(library: Served, settings: TheSettings, *, session: str) -> HTMLResponse:
    """Return the page of a session."""
    if is_identifier(session) and locate_session(settings.sessions, session).is_file():
        return HTMLResponse(render_session(library, session=session))
    return HTMLResponse(render_missing(library, message=GONE), status_code=404)


@router.get("/static/{name}")
def serve_file(request: Request, name: str) -> Response:
    """Return a style, a script or the icon, or that it is still the one the browser has."""
    found = find_asset(name)
    if found is None:
        raise HTTPException(404)
    headers = {"ETag": found.tag}
    if found.tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


@router.get("/favicon.ico")
def serve_icon(request: Request) -> Response:
    """Return the icon to what asks for it where icons used to be."""
    return serve_file(request, "favicon.svg")
