"""What stands between the network and the routes: each module guards against one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.server.safety.bodies import Bodies
from likewise.server.safety.entering import Door, add_door
from likewise.server.safety.headers import Headers
from likewise.server.safety.hosts import Hosts, known_hosts
from likewise.server.safety.mistakes import Mistakes
from likewise.server.safety.origins import Origins
from likewise.server.safety.tokens import Tokens

if TYPE_CHECKING:
    from fastapi import FastAPI

    from likewise.server.settings import ServerSettings


def guard(app: FastAPI, settings: ServerSettings) -> None:
    """Put everything that guards an app around it."""
    known = known_hosts(settings)
    door = Door(settings)
    add_door(app, door)
    # What is added last is met first.
    app.add_middleware(Bodies, settings=settings)
    app.add_middleware(Origins, settings=settings)
    app.add_middleware(Tokens, door=door)
    app.add_middleware(Hosts, settings=settings, known=known)
    app.add_middleware(Mistakes)
    app.add_middleware(Headers)
