"""Tokens: without one a visitor sees only the page that asks for it; a cookie then replaces it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import math
import os
import secrets
import stat
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

import msgspec
from fastapi import FastAPI, Request, Response  # FastAPI reads them
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp

from likewise.documents import replace_file
from likewise.errors import SessionError, SettingsError
from likewise.expansion.sessions.reasons import check_name, make_key
from likewise.server import ReviewerToken, ServerSettings, check_names
from likewise.server.failures import NO_TOKEN, ServerError, make_refusal
from likewise.server.page import render_page
from likewise.server.safety import find_visitor, parse_proxy
from likewise.server.safety.guards import ENTER, STATIC, Guard, get_path, is_api

LOG = logging.getLogger(__name__)

_REFUSED = (
    "this server needs its token, which it printed when it started; "
    "send it as: Authorization: Bearer TOKEN"
)


STAYS = 7 * 24 * 60 * 60
"""How many seconds a browser keeps the cookie."""
WRONG = "This is not the token."
GO_ON = '<!doctype html><html lang="en"><title>likewise</title><a href="/">Continue</a></html>'
MOST_ADDRESSES = 1_000
REVIEWER = "likewise.reviewer"
"""The key in a request's scope that holds the reviewer whose token it has."""


class Tokens(Guard):
    """Refuses requests that have neither the token nor the cookie."""

    def __init__(self, app: ASGIApp, *, door: Door) -> None:
        super().__init__(app)
        self._door = door

    def answer(self, request: Request) -> Response | None:
        """Return None if a request may pass; else refuse a program, and show a person the form."""
        path = get_path(request)
        if self._door.is_open or path == ENTER or path.startswith(STATIC):
            return None
        if known := self._door.find_pass(request):
            request.scope[REVIEWER] = known.reviewer
            return None
        if is_api(request):
            headers = {"WWW-Authenticate": "Bearer"}
            return make_refusal(NO_TOKEN, _REFUSED, headers=headers)
        return make_enter_page()


class TooManyTokens(ServerError, status=429, kind="too-many-tokens"):
    """More wrong tokens from one address than anybody mistypes."""


def find_reviewer(request: Request) -> str | None:
    """Return the reviewer whose token a request has; "" for the token for all, None for none."""
    found: str | None = request.scope.get(REVIEWER)
    return found


class DoorPass(NamedTuple):
    """What lets somebody in."""

    reviewer: str
    """Whose it is; "" if there is one token for all."""
    token: str
    cookie: str


class Door:
    """Decides who may enter, by a token or a cookie, and counts wrong tokens."""

    def __init__(self, settings: ServerSettings) -> None:
        given = [ReviewerToken("", settings.token)] if settings.token else settings.reviewers
        self._passes = [DoorPass(*one, make_cookie(one.token)) for one in given]
        # Browsers keep cookies by host and not by port, and two servers may run on one host.
        self._name = f"likewise-{settings.port}"
        self._proxies = tuple(map(parse_proxy, settings.proxies))
        self._attempts = Attempts()

    @property
    def is_open(self) -> bool:
        """Whether nobody needs a token."""
        return not self._passes

    def find_pass(self, request: Request) -> DoorPass | None:
        """Return the pass whose cookie or token a request has; None if it has neither."""
        cookie = request.cookies.get(self._name, "")
        if found := _choose([one for one in self._passes if _is_same(cookie, one.cookie)]):
            return found
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self.take(token.strip(), request) if scheme.lower() == "bearer" else None

    def take(self, token: str, request: Request) -> DoorPass | None:
        """Return the pass of a token; raise TooManyTokens if too many wrong ones came before.

        The right token always passes: nobody else at the same address, such as a proxy's, can lock
        its holder out. Guessers are kept out by the length of tokens; the limit slows them down.
        """
        if found := _choose([one for one in self._passes if _is_same(token, one.token)]):
            return found
        visitor = find_visitor(request, self._proxies)
        if wait := self._attempts.wait(visitor):
            raise TooManyTokens(
                f"too many wrong tokens; try again in {wait} seconds", retry_after=wait
            )
        if self._attempts.add(visitor, token):
            LOG.warning("%s: too many wrong tokens from this address", visitor or "unknown")
        return None

    def let_in(self, known: DoorPass | None, *, by_link: bool = False) -> Response:
        """Return the answer to the right token: it sets the cookie, and leads to the page.

        After a link on another site, browsers do not send a new cookie along with a redirect. Then
        the answer is a small page of our own, which moves on by itself.
        """
        answer: Response = RedirectResponse("/", status_code=303)
        if by_link and known:
            answer = HTMLResponse(GO_ON, headers={"Refresh": "0; url=/"})
        if known:
            answer.set_cookie(
                self._name, known.cookie, max_age=STAYS, httponly=True, samesite="strict"
            )
        return answer

    def answer_token(self, token: str, request: Request, *, by_link: bool = False) -> Response:
        """Let in whoever has the right token, and ask others again."""
        if self.is_open:
            return self.let_in(None)
        known = self.take(token, request)
        return self.let_in(known, by_link=by_link) if known else make_enter_page(WRONG)


def _choose(matching: list[DoorPass]) -> DoorPass | None:
    """Return the match; all were compared, so that the time taken does not tell which it is."""
    return matching[0] if matching else None


def make_cookie(token: str) -> str:
    """Return the value of the cookie that stands for a token.

    It depends on the token alone, so that it stays valid when the server is started again. It is
    slow to compute, so that cookies are no quick way to guess tokens.
    """
    return hashlib.scrypt(token.encode(), salt=b"likewise cookie", n=2**14, r=8, p=1).hex()


def _is_same(given: str, ours: str) -> bool:
    """Compare two texts in a time that does not depend on how much of them agrees."""
    digests = (hashlib.sha256(text.encode(errors="replace")).digest() for text in (given, ours))
    return hmac.compare_digest(*digests)


def add_door(app: FastAPI, door: Door) -> None:
    """Add the routes that take the token: from the query of a link, or from the form."""

    @app.get(ENTER, include_in_schema=False)
    async def look(request: Request, token: str = "") -> Response:
        if token:
            return door.answer_token(token, request, by_link=True)
        known = None if door.is_open else door.find_pass(request)
        return door.let_in(known) if known or door.is_open else make_enter_page()

    @app.post(ENTER, include_in_schema=False)
    async def enter(request: Request) -> Response:
        fields = parse_qs((await request.body()).decode(errors="replace"))
        return door.answer_token(fields.get("token", [""])[0].strip(), request)


def make_enter_page(problem: str = "") -> Response:
    """Return the page that asks for the token."""
    return HTMLResponse(render_page("enter", address=ENTER, problem=problem), status_code=401)


class Attempts:
    """Counts the wrong tokens of the last minute by the address that they came from.

    The same wrong token counts once: a browser that still has an old one is not guessing.
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
        """Return how many seconds an address has to wait before it may try again; 0 if none."""
        wrong = self._of_late(address)
        if len(wrong) < self._most:
            return 0
        return max(1, math.ceil(min(wrong.values()) + self._seconds - self._clock()))

    def add(self, address: str, token: str) -> bool:
        """Count a wrong token, and tell whether the address has now sent too many."""
        wrong = self._of_late(address)
        wrong.setdefault(hashlib.sha256(token.encode(errors="replace")).digest(), self._clock())
        self._wrong[address] = wrong
        self._wrong.move_to_end(address)
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        return len(wrong) >= self._most

    def _of_late(self, address: str) -> dict[bytes, float]:
        since = self._clock() - self._seconds
        wrong = self._wrong.get(address, {})
        return {digest: when for digest, when in wrong.items() if when > since}


FILE = "reviewers.json"
PRIVATE = 0o600
MOST_REVIEWERS = 50


def keep_tokens(folder: Path, names: Sequence[str]) -> tuple[ReviewerToken, ...]:
    """Return the token of each reviewer; make, and keep, those of reviewers who have none yet.

    They are kept beside the sessions, for the next time the server starts, and in plain text, since
    it prints their addresses at every start. Only the file's owner may read it.

    Args:
        folder: The folder of the sessions.
        names: The reviewers; two that differ only in case and spaces are refused.
    """
    named = check_reviewers(names)
    kept = read_tokens(folder)
    tokens = {make_key(one.reviewer): one.token for one in kept}
    chosen = tuple(
        ReviewerToken(name, tokens.get(make_key(name)) or secrets.token_urlsafe(32))
        for name in named
    )
    every = tuple({make_key(one.reviewer): one for one in (*kept, *chosen)}.values())
    if every != kept:
        with replace_file(folder / FILE, mode=PRIVATE) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(every), indent=1) + b"\n")
    return chosen


def read_tokens(folder: Path) -> tuple[ReviewerToken, ...]:
    """Return all tokens that are kept in a folder."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SettingsError(f"{path}: can't be read: {error.strerror or error}") from error
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise SettingsError(
            f"{path}: others can read the tokens in it; delete it, and new ones are made"
        )
    try:
        return msgspec.json.decode(content, type=tuple[ReviewerToken, ...])
    except msgspec.DecodeError as error:
        raise SettingsError(f"{path}: damaged; delete it, and new tokens are made") from error


def check_reviewers(names: Sequence[str]) -> list[str]:
    """Return the names, cleaned; raise SettingsError if one can't be used or appears twice."""
    if len(names) > MOST_REVIEWERS:
        raise SettingsError(f"{len(names)} reviewers; a server knows {MOST_REVIEWERS} at most")
    try:
        named = [check_name(name, "reviewer") for name in names]
    except SessionError as error:
        raise SettingsError(f"{error} (--reviewer)") from error
    check_names(named)
    return named
