"""Guards for every request: they limit bodies, add headers to answers, and catch our mistakes."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likewise.errors import LikewiseError
from likewise.server import ServerSettings
from likewise.server.failures import ServerError, answer_error, answer_mistake

API = "/api/"
STATIC = "/static/"
ENTER = "/enter"
UPLOAD = "/api/seeds/file"
STREAMED = re.compile(r"/api/libraries/[^/]+/files")
"""Files that are written to the disk as they come, and so are never held in memory."""


MOST_TOKEN = 10_000
"""The most bytes that the form for the token may send, since its sender is still unknown."""
MOST_AT_ONCE = 4
"""How many files of the largest size may be in memory at once."""
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


class Middleware(ABC):
    """Stands between the server and the app in whatever is HTTP."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Treat an HTTP request, and pass on what is none, such as the start of the app."""
        is_request = scope["type"] == "http"
        await (self.treat if is_request else self.app)(scope, receive, send)

    @abstractmethod
    async def treat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or answer it."""


class Guard(Middleware):
    """A middleware that looks at a request before the app does, but not at its body."""

    async def treat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or answer it."""
        try:
            answer = self.answer(Request(scope))
        except LikewiseError as error:
            answer = answer_error(error)
        await (answer or self.app)(scope, receive, send)

    @abstractmethod
    def answer(self, request: Request) -> Response | None:
        """Return None to pass a request on, or an answer to it; raise ServerError to refuse it."""


def get_path(request: Request) -> str:
    """Return the path of a request, which does not depend on its Host header."""
    return str(request.scope["path"])


def is_api(request: Request) -> bool:
    """Return whether a request is for the API, and not for a page."""
    return f"{get_path(request)}/".startswith(API)


class TooLarge(ServerError, status=413, kind="too-large"):
    """A body with more bytes than the server accepts."""


class TooSlow(ServerError, status=408, kind="too-slow"):
    """A body that did not arrive in time."""


class TooMuch(ServerError, status=503, kind="busy"):
    """A body that arrives while too many others are in memory."""


class Bodies(Middleware):
    """Reads whole bodies, within limits of size and time, before the app sees the request."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        super().__init__(app)
        self._settings = settings
        self._held = 0
        """How many bytes of bodies are in memory now, over all requests."""

    async def treat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then pass the request on to the app."""
        if STREAMED.fullmatch(scope["path"]):
            await self._stream(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except ServerError as error:
            await _hang_up(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        try:
            await self.app(scope, _replay_body(body, receive), send)
        finally:
            self._held -= len(body)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app read a body part by part, each of which must come in time."""
        most, seconds = self._settings.most_file, self._settings.slowest_body
        if _read_announced_size(scope) > most:
            await _hang_up(_refuse_size(most))(scope, receive, send)
            return

        async def receive_in_time() -> Message:
            try:
                return await asyncio.wait_for(receive(), seconds)
            except TimeoutError as error:
                message = f"nothing more came within {seconds:g} seconds; send it again"
                raise TooSlow(message) from error

        await self.app(scope, receive_in_time, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        most = {UPLOAD: self._settings.most_upload, ENTER: MOST_TOKEN}.get(
            scope["path"], self._settings.most_body
        )
        if _read_announced_size(scope) > most:
            raise _refuse_size(most)
        seconds = self._settings.slowest_body
        try:
            return await asyncio.wait_for(self._whole(scope, receive, most=most), seconds)
        except TimeoutError as error:
            message = f"the body did not arrive within {seconds:g} seconds; send it again"
            raise TooSlow(message) from error

    async def _whole(self, scope: Scope, receive: Receive, *, most: int) -> bytes:
        """Return a whole body; its bytes count as held until the request is answered."""
        parts: list[bytes] = []
        size = 0
        try:
            async for part in Request(scope, receive).stream():
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
            message = "too much is being sent to this server at once; try again in a few seconds"
            raise TooMuch(message, retry_after=SECONDS_TO_WAIT)


def _read_announced_size(scope: Scope) -> int:
    """Return the Content-Length of a request, which uvicorn has checked; 0 if it has none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)


def _hang_up(error: ServerError) -> Response:
    """Return the answer to a body that is not read to its end."""
    answer = answer_error(error)
    answer.headers["Connection"] = "close"
    return answer


def _refuse_size(most: int) -> TooLarge:
    return TooLarge(f"at most {most / 1_000_000:g} MB may be sent here at once; send less")


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the app a body that was already read, then what follows it."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class Headers(Middleware):
    """Adds the headers that keep an answer from other sites, from frames and from caches."""

    async def treat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer, and add the headers to its answer."""
        # Browsers may keep scripts and styles, but ask each time whether their ETag has changed.
        keeping = "no-cache" if scope["path"].startswith(STATIC) else "no-store"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**ALWAYS, "Cache-Control": keeping})
                del headers["Server"]
            await send(message)

        await self.app(scope, receive, send_guarded)


class Mistakes(Middleware):
    """Answers with one line if the app raises an error that nobody has caught."""

    async def treat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer; if it raises before it has begun to, answer in its place."""
        is_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except Exception as error:
            # An answer that has begun can only be cut off, which tells its reader that it is
            # not whole.
            if is_begun:
                raise
            await answer_mistake(error)(scope, receive, send)
