"""The app: its routes, its guards, what it keeps open while it runs, and its socket."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from likewise.errors import SettingsError, WriteError
from likewise.server import ServerSettings
from likewise.server.failures import ErrorKind, handle_failures, make_refusal
from likewise.server.models import RefusalAnswer
from likewise.server.safety.hosts import is_everywhere
from likewise.version import __version__

DESCRIPTION = "Find the papers of a library that are on the topic of those you have."

TAGS = {
    "libraries": "The libraries of this server, the files sent into them, and the file formats.",
    "documents": "Search the library, and read what it holds.",
    "seeds": "Match papers with the library before you make a session of them.",
    "sessions": "Seeds, expansions and marks, in one file of the server's folder.",
    "expansions": "Turn the seeds and marks of a session into a ranked and decided list.",
    "jobs": "Expansions and intakes of files that wait, run, or have ended.",
    "rankings": "The latest list, page by page; the line through it; numbers for its figures.",
    "marks": "Mark documents; ask what to look at next, and how much is left.",
    "review": "Reasons, tags, notes and criteria; how far reviewers agree; what a paper reports.",
    "exports": "A session as a file.",
}
"""The kinds of operations, in the order in which the schema describes them."""

REFUSED: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": RefusalAnswer, "description": "The server refuses the request."},
    "5XX": {"model": RefusalAnswer, "description": "The server can't do what was asked."},
}


def make_app(settings: ServerSettings) -> FastAPI:
    """Return the app; the library and the sessions are opened when it starts.

    It answers only requests for its own hosts, with or without its port: 127.0.0.1, localhost,
    [::1], `settings.host` and `settings.names`.
    """
    app = FastAPI(
        title="likewise",
        version=__version__,
        description=DESCRIPTION,
        openapi_tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=attrgetter("name"),
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.trouble = None
    handle_failures(app)
    _add_routes(app)
    add_guards(app, settings)
    return app


def _add_routes(app: FastAPI) -> None:
    """Add the routes to an app, in the order in which the schema lists the operations."""
    from likewise.server.routes import (
        collection,
        expansions,
        libraries,
        marks,
        pages,
        rankings,
        reports,
        review,
        sessions,
    )

    for router in (
        collection.router,
        collection.one_library,
        libraries.duplicates_router,
        libraries.router,
        libraries.documents,
        sessions.seeds_router,
        sessions.router,
        sessions.one_session,
        expansions.router,
        rankings.router,
        marks.router,
        review.router,
        reports.router,
        sessions.exports_router,
        expansions.jobs_router,
    ):
        app.include_router(router, responses=REFUSED)
    app.include_router(pages.router)


def add_guards(app: FastAPI, settings: ServerSettings) -> None:
    """Put all guards around an app, so that every request passes them before a route sees it."""
    from likewise.server.safety.guards import Bodies, Headers, Mistakes
    from likewise.server.safety.hosts import Hosts, Origins, list_hosts
    from likewise.server.safety.tokens import Door, Tokens, add_door

    known = list_hosts(settings)
    door = Door(settings)
    add_door(app, door)
    # The middleware that was added last is the first to see a request.
    app.add_middleware(Bodies, settings=settings)
    app.add_middleware(Origins, settings=settings)
    app.add_middleware(Tokens, door=door)
    app.add_middleware(Hosts, settings=settings, known=known)
    app.add_middleware(Mistakes)
    app.add_middleware(Headers)


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
    """Open what the routes need; `stack` closes it in reverse order."""
    from likewise.server.desks import Desks
    from likewise.server.desks.libraries import Libraries
    from likewise.server.jobs.jobs import Jobs
    from likewise.server.processes import Readers

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
        has_spare=True,
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


TRIED_PORTS = 20
BACKLOG = 128
SECONDS_TO_END = 3
"""How long a server that ends waits for the answers that are on their way."""


MOST_CONNECTIONS = 1_000
"""How many connections may be open at once."""
SECONDS_TO_ASK = 20.0
"""Seconds within which a client must send its request, except for the body."""
_BUSY = ErrorKind(503, "busy")
_GARBLED = ErrorKind(400, "not-understood")


def bind_socket(host: str, port: int, *, is_chosen: bool) -> socket.socket:
    """Return a socket that listens; unless the user chose the port, take the next free one.

    Raises SettingsError if it can't listen there.
    """
    last = port if is_chosen or not port else min(port + TRIED_PORTS, 65_535)
    for tried in range(port, last + 1):
        try:
            return _listen_on(host, tried)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = (error.strerror or str(error)).lower()
                raise SettingsError(f"{host}:{tried}: can't listen here: {reason}") from error
    ports = f"port {port} is" if last == port else f"ports {port} to {last} are"
    raise SettingsError(f"{host}: {ports} taken by another program; choose one with --port")


def _listen_on(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    opened = socket.socket(family, kind, protocol)
    try:
        # A server that was just stopped may be started again at once.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError:
        opened.close()
        raise
    return opened


def format_address(settings: ServerSettings, *, token: str | None = None) -> str:
    """Return the address of the server for a browser, with a token if there is one.

    Args:
        settings: The server's settings.
        token: A reviewer's token; without it, the one for all.

    >>> from pathlib import Path
    >>> from likewise.server import ServerSettings
    >>> format_address(ServerSettings(library="lib", sessions=Path("s"), host="::1"))
    'http://[::1]:8765/'
    """
    host = socket.gethostname() if is_everywhere(settings.host) else settings.host
    place = f"[{host}]" if ":" in host else host
    start, token = f"http://{place}:{settings.port}/", token or settings.token
    return f"{start}enter?token={quote(token, safe='')}" if token else start


def serve(
    settings: ServerSettings, listening: socket.socket, *, on_started: Callable[[], None]
) -> None:
    """Serve until the process is told to end, then end the jobs, and return.

    Args:
        settings: What to serve; its port is the socket's.
        listening: The socket.
        on_started: Called once the first request would be answered.
    """
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        # Addresses may hold the token, and what visitors ask is nobody's business.
        access_log=False,
        log_config=None,
        lifespan="on",
        http=Visit,
        # This many connections are let in before the server looks at the first of them.
        backlog=BACKLOG,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        ws="none",
    )
    server = _UvicornServer(app, config, on_started=on_started)
    try:
        with suppress(KeyboardInterrupt), _quieten_uvicorn():
            server.run(sockets=[listening])
    except SystemExit as end:
        # What prevented the start is reported like any other error.
        raise app.state.trouble or end from None


class _UvicornServer(uvicorn.Server):
    """A server that says when it has started, and that ends its jobs before its answers."""

    def __init__(
        self, app: FastAPI, config: uvicorn.Config, *, on_started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._app = app
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server and a reader, then report that it has started."""
        await super().startup(sockets=sockets)
        if self.started:
            await self._app.state.readers.warm_up()
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, but first tell those who watch a job or wait for a reader that it is over."""
        if not self.force_exit:
            await self._app.state.readers.close()
            await self._app.state.jobs.close()
        await super().shutdown(sockets=sockets)


@contextmanager
def _quieten_uvicorn() -> Iterator[None]:
    """Drop what uvicorn logs about itself, but not what broke an answer."""
    log = logging.getLogger("uvicorn.error")
    log.addFilter(_is_broken)
    try:
        yield
    finally:
        log.removeFilter(_is_broken)


def _is_broken(record: logging.LogRecord) -> bool:
    return bool(record.exc_info and record.exc_info[0] is not asyncio.CancelledError)


def limit_connections() -> int:
    """Return how many connections may be open, so that files can still be opened too."""
    try:
        import resource
    except ImportError:  # only Unix has such limits
        return MOST_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 2)
    )


class Visit(H11Protocol):
    """A connection; it is refused if too many are open, and closed if it asks for nothing."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Wait for a request, or refuse the connection if too many are open."""
        super().connection_made(transport)
        if len(self.connections) > limit_connections():
            self._refuse(_BUSY, "too many connections are open; close some, or try again later")
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Take in what the client sent."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request."""
        super().connection_lost(exc)
        self._stop_waiting()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # the name and the words are uvicorn's
        """Answer something that is not HTTP."""
        self._refuse(_GARBLED, "this is not an HTTP 1.1 request")

    def _wait(self) -> None:
        """Wait for a request, unless all of it except the body is here."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, how: ErrorKind, message: str) -> None:
        """Answer without the app, unless an answer is on its way, and hang up."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = bytes(make_refusal(how, message).body)
            head = (
                f"HTTP/1.1 {how.status} {HTTPStatus(how.status).phrase}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self.transport.close()
