"""The app: routes, what guards them, and what is open as long as it runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from likewise.errors import WriteError
from likewise.server.failures import handle_failures
from likewise.server.models.shape import RefusalAnswer
from likewise.server.settings import ServerSettings
from likewise.version import __version__

DESCRIPTION = "Find the papers of a library that are on the topic of those you have."

REFUSED: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": RefusalAnswer, "description": "What was asked is refused."},
    "5XX": {"model": RefusalAnswer, "description": "The server can't do it."},
}


def make_app(settings: ServerSettings) -> FastAPI:
    """Return the app; the library and the sessions are opened when it starts.

    It answers only to hosts that it is called by: 127.0.0.1, localhost and [::1] with its port or
    without, and `settings.names`.
    """
    from likewise.server.routes import ROUTERS, TAGS, pages
    from likewise.server.safety import guard

    app = FastAPI(
        title="likewise",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=[{"name": name, "description": told} for name, told in TAGS.items()],
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.trouble = None
    handle_failures(app)
    for router in ROUTERS:
        app.include_router(router, responses=REFUSED)
    pages.add_pages(app)
    guard(app, settings)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    try:
        async with AsyncExitStack() as stack:
            await _open(app, stack)
            yield
    except Exception as error:
        app.state.trouble = error
        raise


async def _open(app: FastAPI, stack: AsyncExitStack) -> None:
    """Open what the routes need; `stack` closes it, the last first."""
    from likewise.server.desks import Desks
    from likewise.server.desks.libraries import Libraries
    from likewise.server.jobs.jobs import Jobs
    from likewise.server.uploads.readers import Readers

    settings: ServerSettings = app.state.settings
    if settings.libraries:
        make_folder(settings.libraries, for_="libraries")
    make_folder(settings.sessions)
    libraries = app.state.libraries = await asyncio.to_thread(Libraries.open, settings)
    stack.callback(libraries.close)
    app.state.desks = Desks(settings.sessions, libraries)
    stack.push_async_callback(app.state.desks.close)
    app.state.readers = Readers(settings)
    stack.push_async_callback(app.state.readers.close)
    app.state.jobs = Jobs(
        settings.sessions,
        running=settings.running,
        waiting=settings.waiting,
        per_minute=settings.jobs_per_minute,
    )
    stack.push_async_callback(app.state.jobs.close)
    await app.state.jobs.open()


def make_folder(path: Path, *, for_: str = "sessions") -> None:
    """Make a folder if it is not there; raise WriteError if it can't be used."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "this is a file" if path.is_file() else (error.strerror or str(error)).lower()
        raise WriteError(f"{path}: no {for_} can be kept here: {reason}") from error
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise WriteError(f"{path}: no {for_} can be kept here: permission denied")
