"""Bodies: whole before the app sees them, not too large, and not too slow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from likewise.server.failures import ServerError, refusal_of
from likewise.server.safety.guards import ENTER, UPLOAD

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from likewise.server.settings import ServerSettings


MOST_TOKEN = 10_000
"""The most bytes of the form that asks for the token; whoever sends it is not known yet."""
MOST_AT_ONCE = 4
"""How many of the largest files are held in memory at once; of smaller ones, more."""
SECONDS_TO_WAIT = 5


class TooLarge(ServerError):  # noqa: N818  # it reads as what it says
    """A body of more bytes than are taken."""

    status = 413
    kind = "too-large"


class TooSlow(ServerError):  # noqa: N818
    """A body that did not come in time."""

    status = 408
    kind = "too-slow"


class TooMuch(ServerError):  # noqa: N818
    """A body beside too many others."""

    status = 503
    kind = "busy"


class Gone(Exception):  # noqa: N818
    """Whoever asked is not there any more."""


class Bodies:
    """Reads a body, up to a limit of bytes and of time, and hands it on."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        self.app = app
        self._settings = settings
        self._held = 0
        """How many bytes of bodies are held now, of all requests together."""

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
            return
        except Gone:
            return
        try:
            await self.app(scope, _replayed(body, receive), send)
        finally:
            self._held -= len(body)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most = {UPLOAD: self._settings.most_upload, ENTER: MOST_TOKEN}.get(
            scope["path"], self._settings.most_body
        )
        if _announced(scope) > most:
            raise _too_large(most)
        seconds = self._settings.slowest_body
        try:
            return await asyncio.wait_for(self._whole(receive, most=most), seconds)
        except TimeoutError as error:
            message = f"the body did not come within {seconds:g} seconds; send it again"
            raise TooSlow(message) from error

    async def _whole(self, receive: Receive, *, most: int) -> bytes:
        """Return a body, whose bytes are counted as held until the request is answered."""
        parts: list[bytes] = []
        size = 0
        try:
            async for part in _parts(receive):
                parts.append(part)
                size += len(part)
                self._held += len(part)
                self._check(size, most=most)
            return b"".join(parts)
        except BaseException:
            self._held -= size
            raise

    def _check(self, size: int, *, most: int) -> None:
        if size > most:
            raise _too_large(most)
        if self._held > MOST_AT_ONCE * self._settings.most_upload:
            message = "too much is being sent at once; send it again a little later"
            raise TooMuch(message, retry_after=SECONDS_TO_WAIT)


def _announced(scope: Scope) -> int:
    """Return how many bytes a request says that it has; the server has checked the number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    is_more = True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        yield message.get("body", b"")
        is_more = message.get("more_body", False)


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
