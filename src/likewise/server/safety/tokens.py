"""Tokens: without one, a visitor sees only the page that asks for it; then a cookie will do."""

from __future__ import annotations

import hashlib
import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import parse_qs

from fastapi import FastAPI, Request, Response  # FastAPI reads them
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp

from likewise.server.failures import NO_TOKEN, ServerError, make_refusal
from likewise.server.page import render_enter
from likewise.server.safety.guards import ENTER, STATIC, Guard, get_path, is_api
from likewise.server.settings import ServerSettings

_REFUSED = (
    "this server needs its token, which it printed when it started; "
    "send it as: Authorization: Bearer TOKEN"
)


STAYS = 7 * 24 * 60 * 60
"""For how many seconds a browser keeps the cookie."""
WRONG = "This is not the token."
GO_ON = '<!doctype html><html lang="en"><title>likewise</title><a href="/">Go on</a></html>'
MOST_ADDRESSES = 1_000


class Tokens(Guard):
    """Lets through who has the token or its cookie."""

    def __init__(self, app: ASGIApp, *, door: Door) -> None:
        super().__init__(app)
        self._door = door

    def answer(self, request: Request) -> Response | None:
        """Ask for the token, of a program in the one shape, of a person by a form."""
        path = get_path(request)
        if path == ENTER or path.startswith(STATIC) or self._door.is_open_to(request):
            return None
        if is_api(request):
            headers = {"WWW-Authenticate": "Bearer"}
            return make_refusal(NO_TOKEN, _REFUSED, headers=headers)
        return make_enter_page()


class TooManyTokens(ServerError):  # noqa: N818  # it reads as what it says
    """More wrong tokens than anybody mistypes."""

    status = 429
    kind = "too-many-tokens"


class Door:
    """Knows who may come in."""

    def __init__(self, settings: ServerSettings) -> None:
        self._token = settings.token
        self._cookie = make_cookie(settings.token) if settings.token else ""
        # Browsers keep cookies by host alone, and there may be another server on this one.
        self._name = f"likewise-{settings.port}"
        self._attempts = Attempts()

    def is_open_to(self, request: Request) -> bool:
        """Tell whether a request may pass: it has the cookie, or the token, or none is needed."""
        if self._token is None or _is_same(request.cookies.get(self._name, ""), self._cookie):
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.takes(token.strip(), request)

    def takes(self, token: str, request: Request) -> bool:
        """Tell whether a token is ours; after too many wrong ones nobody looks at them."""
        if self._token is None:
            return True
        address = request.client.host if request.client else ""
        wait = self._attempts.wait(address)
        if wait:
            raise TooManyTokens(
                f"too many wrong tokens; try again in {wait} seconds", retry_after=wait
            )
        if _is_same(token, self._token):
            return True
        self._attempts.add(address, token)
        return False

    def let_in(self, *, by_link: bool = False) -> Response:
        """Return the answer to the right token: the way to the page, and a cookie to come with.

        Where a link on somebody else's page led here, browsers keep the cookie back from wherever
        they are redirected to. So a page of ours does it, which goes on by itself.
        """
        answer: Response = RedirectResponse("/", status_code=303)
        if by_link and self._token is not None:
            answer = HTMLResponse(GO_ON, headers={"Refresh": "0; url=/"})
        if self._token is not None:
            answer.set_cookie(
                self._name, self._cookie, max_age=STAYS, httponly=True, samesite="strict"
            )
        return answer


def make_cookie(token: str) -> str:
    """Return what a cookie holds in place of a token.

    It can be made of the token alone, so that it outlives the server; to try tokens by cookies, one
    would have to compute each.
    """
    return hashlib.scrypt(token.encode(), salt=b"likewise cookie", n=2**14, r=8, p=1).hex()


def _is_same(given: str, ours: str) -> bool:
    """Compare in a time that tells nothing of how much is right."""
    digests = (hashlib.sha256(text.encode(errors="replace")).digest() for text in (given, ours))
    return hmac.compare_digest(*digests)


def add_door(app: FastAPI, door: Door) -> None:
    """Add the address that takes the token, in its query or from the form."""

    @app.get(ENTER, include_in_schema=False)
    async def look(request: Request, token: str = "") -> Response:
        if token:
            return (
                door.let_in(by_link=True) if door.takes(token, request) else make_enter_page(WRONG)
            )
        return door.let_in() if door.is_open_to(request) else make_enter_page()

    @app.post(ENTER, include_in_schema=False)
    async def enter(request: Request) -> Response:
        fields = parse_qs((await request.body()).decode(errors="replace"))
        token = fields.get("token", [""])[0].strip()
        return door.let_in() if door.takes(token, request) else make_enter_page(WRONG)


def make_enter_page(problem: str = "") -> Response:
    """Return the page that asks for the token."""
    return HTMLResponse(render_enter(address=ENTER, problem=problem), status_code=401)


class Attempts:
    """Wrong tokens of late, by the address that they came from.

    The same wrong token counts once: a browser that still has an old one is no guesser.
    """

    def __init__(
        self,
        *,
        most: int = 10,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._wrong: OrderedDict[str, dict[bytes, float]] = OrderedDict()

    def wait(self, address: str) -> int:
        """Return after how many seconds an address may try again; 0 if now."""
        wrong = self._of_late(address)
        if len(wrong) < self._most:
            return 0
        return max(1, math.ceil(min(wrong.values()) + self._seconds - self._clock()))

    def add(self, address: str, token: str) -> None:
        """Note a wrong token."""
        wrong = self._of_late(address)
        wrong.setdefault(hashlib.sha256(token.encode(errors="replace")).digest(), self._clock())
        self._wrong[address] = wrong
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def _of_late(self, address: str) -> dict[bytes, float]:
        since = self._clock() - self._seconds
        wrong = self._wrong.get(address, {})
        return {digest: when for digest, when in wrong.items() if when > since}
