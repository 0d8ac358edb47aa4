"""What guards have in common: a request is let through, or answered at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request

from likewise.errors import LikewiseError
from likewise.server.failures import refusal_of

if TYPE_CHECKING:
    from fastapi import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

API = "/api/"
STATIC = "/static/"
ENTER = "/enter"
UPLOAD = "/api/seeds/file"


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
            answer = refusal_of(error)
        await (answer or self.app)(scope, receive, send)

    def answer(self, request: Request) -> Response | None:  # noqa: ARG002  # for those who look
        """Return None to let a request through, else what to answer; or raise a ServerError."""
        return None


def path_of(request: Request) -> str:
    """Return the path asked for, whatever the request says of its host."""
    return str(request.scope["path"])


def is_api(request: Request) -> bool:
    """Tell whether a program asks, and not a person for a page."""
    return f"{path_of(request)}/".startswith(API)
