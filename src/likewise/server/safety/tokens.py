"""Tokens: who has none sees nothing but the page that asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.server.failures import NO_TOKEN, refusal
from likewise.server.safety.entering import enter_page
from likewise.server.safety.guards import ENTER, STATIC, Guard, is_api, path_of

if TYPE_CHECKING:
    from fastapi import Request, Response
    from starlette.types import ASGIApp

    from likewise.server.safety.entering import Door

_REFUSED = (
    "this server needs its token, which it printed when it started; "
    "send it as: Authorization: Bearer TOKEN"
)


class Tokens(Guard):
    """Lets through who has the token or its cookie."""

    def __init__(self, app: ASGIApp, *, door: Door) -> None:
        super().__init__(app)
        self._door = door

    def answer(self, request: Request) -> Response | None:
        """Ask for the token, of a program in the one shape, of a person by a form."""
        path = path_of(request)
        if path == ENTER or path.startswith(STATIC) or self._door.is_open_to(request):
            return None
        if is_api(request):
            headers = {"WWW-Authenticate": "Bearer"}
            return refusal(NO_TOKEN, _REFUSED, headers=headers)
        return enter_page()
