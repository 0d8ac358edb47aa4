"""Bodies: whole before the app sees them, not too large, and not too slow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from likewise.server.failures import ServerError, refusal_of
from likewise.server.safety.guards import ENTER, UPLOAD

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from likewise.server.settings import ServerSettings


MOST_TOKEN = 10_000
"""The most bytes of the form that asks for the token; whoever sends it is not known yet."""


class TooLarge(ServerError):  # noqa: N818  # it reads as what it says
    """A body of more bytes than are taken."""

    status = 413
    kind = "too-large"


class TooSlow(ServerError):  # noqa: N818
    """A body that did not come in time."""

    status = 408
    kind = "too-slow"


class Gone(Exception):  # noqa: N818
    """Whoever asked is not there any more."""


class Bodies:
    """Reads a body, up to a limit of bytes and of time, and hands it on."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        self.app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then let the app answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except ServerError as error:
            answer = refusal_of(error)
            answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
        except Gone:
            return
        else:
            await self.app(scope, _replayed(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most = {UPLOAD: self._settings.most_upload, ENTER: MOST_TOKEN}.get(
            scope["path"], self._settings.most_body
        )
        if _announced(scope) > most:
            raise _too_large(most)
        seconds = self._settings.slowest_body
        try:
            return await asyncio.wait_for(_whole(receive, most=most), seconds)
        except TimeoutError as error:
            message = f"the body did not come within {seconds:g} seconds; send it again"
            raise TooSlow(message) from error


def _announced(scope: Scope) -> int:
    """Return how many bytes a request says that it has; the server has checked the number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)


async def _whole(receive: Receive, *, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"this takes at most {most / 1_000_000:g} MB at once; send less")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, then whatever comes after it."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
