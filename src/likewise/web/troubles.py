"""What goes wrong on the way to a server, in plain words, whether to try again, and how long to wait before."""

from __future__ import annotations

import random
import re
import ssl
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from urllib3 import exceptions

from likewise.errors import DownloadError

NOT_NOW = frozenset({408, 425, 429})
"""Answers that ask to come again later; all from 500 on do too."""

_ANSWERS = {
    401: "asks for a password",
    403: "refuses to hand it out",
    404: "has no such file",
    407: "is behind a proxy that asks for a password",
    410: "has no such file any more",
    429: "is asked too often",
}


LONGEST_PAUSE = 60.0
LONGEST_WAIT = 600.0
"""A server that wants to be left alone for longer is given up, as a person would."""


class NotFoundError(DownloadError):
    """An address that the server has nothing for."""


class RefusedError(DownloadError):
    """A request that the server does not understand (400), with what it says of it."""

    def __init__(self, message: str, *, answer: bytes = b"") -> None:
        super().__init__(message)
        self.answer = answer


class ConnectionCutError(DownloadError):
    """A connection that was lost in the middle; going on from there is worth a try."""


class StoppedError(DownloadError):
    """What ends a thread that fetches, when the whole is given up."""

    def __init__(self) -> None:
        super().__init__("stopped")


class PassingTroubleError(Exception):
    """Something that may be over the next time.

    Args:
        reason: What happened, in words that go on from "the server".
        after: The seconds that the server asks to be left alone for.
    """

    def __init__(self, reason: str, *, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


def check_address(url: str) -> None:
    """Refuse what is no address of a server that speaks HTTP."""
    try:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return
    except ValueError:
        pass
    shown = re.sub(r"//[^/]*@", "//", url)
    raise DownloadError(f"{shown!r}: no address of the web, such as https://host/file")


def plain_address(url: str) -> str:
    """Return an address as it may be shown: without what may be secret, or endless.

    >>> plain_address("https://me:secret@host:8/a/b?api_key=1")
    'https://host:8/a/b'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def describe_status(status: int) -> str:
    """Return what a status that brings nothing means, in words that go on from "the server".

    >>> answer_trouble(404), answer_trouble(502), answer_trouble(418)
    ('has no such file (404)', 'is out of order for now (502)', 'gives an odd answer (418)')
    """
    words = "gives an odd answer"
    if status >= 500:
        words = "is out of order for now"
    elif 300 <= status < 400:
        words = "sends on to another address, which is not followed"
    return f"{_ANSWERS.get(status, words)} ({status})"


def translate_error(error: exceptions.HTTPError) -> Exception:
    """Return what stands for an error of urllib3: one that passes, or one that stays."""
    reason = error.reason if isinstance(error, exceptions.MaxRetryError) else error
    match reason:
        case exceptions.ProxyError():
            return PassingTroubleError(
                "can't be reached through the proxy; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
            )
        case exceptions.SSLError() if _is_about_certificate(reason):
            return DownloadError(
                "has a certificate that can't be verified; if your network has a certificate of "
                "its own, name its file in SSL_CERT_FILE"
            )
        case exceptions.NameResolutionError():
            return PassingTroubleError("can't be found; check the network and the address")
        case exceptions.NewConnectionError():
            return PassingTroubleError("can't be reached; check the network and the address")
        case exceptions.ConnectTimeoutError() | exceptions.ReadTimeoutError():
            return PassingTroubleError("does not answer in time; check the network")
        case exceptions.ProtocolError() | exceptions.SSLError() | exceptions.DecodeError():
            return PassingTroubleError("cuts the connection")
        case exceptions.ResponseError():
            return DownloadError("sends from one address to the next, without an end")
    return DownloadError(f"can't be asked: {' '.join(str(reason).split())}")


def _is_about_certificate(error: Exception) -> bool:
    causes = (*error.args, error.__cause__)
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)


class Pace:
    """At most so many requests a second, evenly spaced, whichever thread makes them."""

    def __init__(
        self, per_second: float | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._next = clock()
        self._lock = threading.Lock()

    def delay(self) -> float:
        """Take the next turn, and return how many seconds it is away.

        >>> pace = Pace(2, clock=lambda: 100.0)
        >>> pace.delay(), pace.delay(), pace.delay()
        (0.0, 0.5, 1.0)
        """
        with self._lock:
            now = self._clock()
            turn = max(self._next, now)
            self._next = turn + self._gap
            return turn - now


def choose_pause(trial: int, *, pause: float, rng: random.Random) -> float:
    """Return how long to wait before a trial: twice as long each time, and a bit at random.

    Without chance, all whom a busy server has turned away would come back at the same moment.
    """
    whole = min(pause * 2.0 ** min(trial - 1, 30), LONGEST_PAUSE)
    return whole * rng.uniform(0.5, 1)


def parse_retry_after(retry_after: str | None, *, now: float | None = None) -> float | None:
    """Return how long a Retry-After asks to wait, whether it gives seconds or a date.

    >>> seconds_asked_for("120"), seconds_asked_for(None), seconds_asked_for("soon")
    (120.0, None, None)
    >>> seconds_asked_for("Thu, 01 Jan 1970 00:02:00 GMT", now=90.0)
    30.0
    """
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))
