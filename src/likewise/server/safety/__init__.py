"""The guards between the network and the routes; each module guards against one thing."""

from __future__ import annotations

from fastapi import FastAPI

from likewise.server import ServerSettings
from likewise.server.safety.guards import Bodies, Headers, Mistakes
from likewise.server.safety.hosts import Hosts, Origins, list_hosts
from likewise.server.safety.tokens import Door, Tokens, add_door


def guard(app: FastAPI, settings: ServerSettings) -> None:
    """Put all guards around an app, so that every request passes them before a route sees it."""
    known = list_hosts(settings)
    door = Door(settings)
    add_door(app, door)
    # A request meets the middleware that was added last first.
    app.add_middleware(Bodies, settings=settings)
    app.add_middleware(Origins, settings=settings)
    app.add_middleware(Tokens, door=door)
    app.add_middleware(Hosts, settings=settings, known=known)
    app.add_middleware(Mistakes)
    app.add_middleware(Headers)
