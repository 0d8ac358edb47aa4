"""Guards that every request passes: of its body, of the answer's headers, of our mistakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likewise.errors import LikewiseError
from likewise.server.failures import ServerError, answer_error, answer_mistake
from likewise.server.settings import ServerSettings

API = "/api/"
STATIC = "/static/"
ENTER = "/enter"
UPLOAD = "/api/seeds/file"


MOST_TOKEN = 10_000
"""The most bytes of the form that asks for the token; whoever sends it is not known yet."""
MOST_AT_ONCE = 4
"""How many of the largest files are held in memory at once; of smaller ones, more."""
SECONDS_TO_WAIT = 5
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Guard:
    """A middleware that looks at a request, but not at its body, before the app does."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            answer = self.answer(Request(scope))
        except LikewiseError as error:
            answer = answer_error(error)
        await (answer or self.app)(scope, receive, send)

    def answer(self, request: Request) -> Response | None:  # noqa: ARG002  # for those who look
        """Return None to let a request through, else what to answer; or raise a ServerError."""
        return None


def get_path(request: Request) -> str:
    """Return the path asked for, whatever the request says of its host."""
    return str(request.scope["path"])


def is_api(request: Request) -> bool:
    """Tell whether a program asks, and not a person for a page."""
    return f"{get_path(request)}/".startswith(API)


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


class Disconnection(Exception):  # noqa: N818
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
            answer = answer_error(error)
            answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
            return
        except Disconnection:
            return
        try:
            await self.app(scope, _replay_body(body, receive), send)
        finally:
            self._held -= len(body)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most = {UPLOAD: self._settings.most_upload, ENTER: MOST_TOKEN}.get(
            scope["path"], self._settings.most_body
        )
        if _read_announced_size(scope) > most:
            raise _refuse_size(most)
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
            async for part in _read_parts(receive):
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
            raise _refuse_size(most)
        if self._held > MOST_AT_ONCE * self._settings.most_upload:
            message = "too much is being sent at once; send it again a little later"
            raise TooMuch(message, retry_after=SECONDS_TO_WAIT)


def _read_announced_size(scope: Scope) -> int:
    """Return how many bytes a request says that it has; the server has checked the number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)


async def _read_parts(receive: Receive) -> AsyncIterator[bytes]:
    is_more = True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnection
        yield message.get("body", b"")
        is_more = message.get("more_body", False)


def _refuse_size(most: int) -> TooLarge:
    return TooLarge(f"this takes at most {most / 1_000_000:g} MB at once; send less")


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, then whatever comes after it."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class Headers:
    """Sets the headers that keep an answer to this page, this browser and this moment."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer, with our headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Scripts and styles may be kept, and are asked for anew: their ETag says if they changed.
        keeping = "no-cache" if scope["path"].startswith(STATIC) else "no-store"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**ALWAYS, "Cache-Control": keeping})
                del headers["Server"]
            await send(message)

        await self.app(scope, receive, send_guarded)


class Mistakes:
    """Answers what nobody else did."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer; if it breaks before it did, say so."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except Exception as error:
            # Half an answer can only be broken off: then its reader knows that it is not whole.
            if is_begun:
                raise
            await answer_mistake(error)(scope, receive, send)
