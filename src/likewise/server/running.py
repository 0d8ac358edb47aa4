"""Running the server: its socket, its address, its beginning and its end."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from likewise.errors import SettingsError
from likewise.server.app import make_app
from likewise.server.safety.hosts import is_everywhere
from likewise.server.visits import Visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.server.settings import ServerSettings

TRIED_PORTS = 20
BACKLOG = 128
SECONDS_TO_END = 3
"""How long answers that are on their way are waited for, at the end."""


def bound_socket(host: str, port: int, *, is_chosen: bool) -> socket.socket:
    """Return a socket that listens; if the port was not chosen by the user, the next free one is.

    Raises SettingsError if there is none.
    """
    last = port if is_chosen or not port else min(port + TRIED_PORTS, 65_535)
    for tried in range(port, last + 1):
        try:
            return _listening(host, tried)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = (error.strerror or str(error)).lower()
                raise SettingsError(f"{host}:{tried}: can't listen here: {reason}") from error
    ports = f"port {port} is" if last == port else f"ports {port} to {last} are"
    raise SettingsError(f"{host}: {ports} taken by another program; choose one with --port")


def _listening(host: str, port: int) -> socket.socket:
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


def address_of(settings: ServerSettings) -> str:
    """Return where a browser finds the server, with the token that it needs if it needs one.

    >>> from pathlib import Path
    >>> from likewise.server.settings import ServerSettings
    >>> address_of(ServerSettings(library="lib", sessions=Path("s"), host="::1"))
    'http://[::1]:8765/'
    """
    host = socket.gethostname() if is_everywhere(settings.host) else settings.host
    place = f"[{host}]" if ":" in host else host
    start = f"http://{place}:{settings.port}/"
    return f"{start}enter?token={quote(settings.token, safe='')}" if settings.token else start


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
        # Addresses may hold the token, and what was asked is nobody's business.
        access_log=False,
        log_config=None,
        lifespan="on",
        http=Visit,
        # So many are let in before the first of them is looked at.
        backlog=BACKLOG,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        ws="none",
    )
    server = _Server(config, on_started=on_started)
    try:
        with suppress(KeyboardInterrupt), _told_little():
            server.run(sockets=[listening])
    except SystemExit as end:
        # What hinders the start is told like anything else.
        raise app.state.trouble or end from None


class _Server(uvicorn.Server):
    """A server that says when it has started, and that ends its jobs before its answers."""

    def __init__(self, config: uvicorn.Config, *, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: who watches a job is told that it is over, and need not be waited for."""
        if isinstance(self.config.app, FastAPI) and not self.force_exit:
            await self.config.app.state.jobs.close()
        await super().shutdown(sockets=sockets)


@contextmanager
def _told_little() -> Iterator[None]:
    """Leave out what uvicorn says of its own course, but not what broke an answer."""
    log = logging.getLogger("uvicorn.error")
    log.addFilter(_is_broken)
    try:
        yield
    finally:
        log.removeFilter(_is_broken)


def _is_broken(record: logging.LogRecord) -> bool:
    return bool(record.exc_info and record.exc_info[0] is not asyncio.CancelledError)
