"""What goes wrong on the way to a server, whether to try again, and how long to wait first."""

from __future__ import annotations

import random
import re
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from urllib.parse import urlsplit

from urllib3 import exceptions

from likewise.errors import DownloadError

NOT_NOW = frozenset({408, 425, 429})
"""Answers that ask to come again later; all from 500 on do too."""
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 600.0
"""A server that wants to be left alone for longer is given up, as a person would."""

_STATUSES = {
    401: "asks for a password",
    403: "refuses to hand it out",
    404: "has no such file",
    407: "is behind a proxy that asks for a password",
    410: "has no such file any more",
    429: "is asked too often",
}


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


class FailureKind(Enum):
    """Why a request got no answer."""

    PROXY = auto()
    UNKNOWN_HOST = auto()
    UNREACHED = auto()
    CONNECT_TIMEOUT = auto()
    READ_TIMEOUT = auto()
    CERTIFICATE = auto()
    TLS = auto()
    CUT = auto()
    REDIRECTIONS = auto()
    OTHER = auto()


class NoAnswerError(Exception):
    """A request that got no answer: why, and the error at the bottom of it."""

    def __init__(self, kind: FailureKind, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.kind = kind
        self.cause = cause

    @classmethod
    def of(cls, error: exceptions.HTTPError) -> NoAnswerError:
        """Return what an error of urllib3 means."""
        return cls(classify_failure(error), _find_innermost(_find_reason(error)))


def classify_failure(error: exceptions.HTTPError) -> FailureKind:
    """Return why a request that ended with an error of urllib3 got no answer."""
    reason = _find_reason(error)
    match reason:
        case exceptions.ProxyError():
            return FailureKind.PROXY
        case exceptions.SSLError() if _is_about_certificate(reason):
            return FailureKind.CERTIFICATE
        case exceptions.SSLError():
            return FailureKind.TLS
        case exceptions.NameResolutionError():
            return FailureKind.UNKNOWN_HOST
        case exceptions.NewConnectionError():
            return FailureKind.UNREACHED
        case exceptions.ConnectTimeoutError():
            return FailureKind.CONNECT_TIMEOUT
        case exceptions.ReadTimeoutError():
            return FailureKind.READ_TIMEOUT
        case exceptions.ProtocolError() | exceptions.DecodeError():
            return FailureKind.CUT
        case exceptions.ResponseError():
            return FailureKind.REDIRECTIONS
    return FailureKind.OTHER


def translate_error(error: exceptions.HTTPError) -> Exception:
    """Return the error that tells of one of urllib3: one that passes, or one that stays."""
    kind = classify_failure(error)
    if kind in _PASSING:
        return PassingTroubleError(_PASSING[kind])
    if kind in _STAYING:
        return DownloadError(_STAYING[kind])
    return DownloadError(f"can't be asked: {' '.join(str(_find_reason(error)).split())}")


_PASSING = {
    FailureKind.PROXY: (
        "can't be reached through the proxy; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
    ),
    FailureKind.UNKNOWN_HOST: "can't be found; check the network and the address",
    FailureKind.UNREACHED: "can't be reached; check the network and the address",
    FailureKind.CONNECT_TIMEOUT: "does not answer in time; check the network",
    FailureKind.READ_TIMEOUT: "does not answer in time; check the network",
    FailureKind.TLS: "cuts the connection",
    FailureKind.CUT: "cuts the connection",
}
_STAYING = {
    FailureKind.CERTIFICATE: (
        "has a certificate that can't be verified; if your network has a certificate of its own, "
        "name its file in SSL_CERT_FILE"
    ),
    FailureKind.REDIRECTIONS: "sends from one address to the next, without an end",
}


def describe_status(status: int) -> str:
    """Return what a status that brings nothing means, in words that go on from "the server".

    >>> describe_status(404), describe_status(502), describe_status(418)
    ('has no such file (404)', 'is out of order for now (502)', 'gives an odd answer (418)')
    """
    words = "gives an odd answer"
    if status >= 500:
        words = "is out of order for now"
    elif 300 <= status < 400:
        words = "sends on to another address, which is not followed"
    return f"{_STATUSES.get(status, words)} ({status})"


def check_address(url: str) -> None:
    """Refuse what is no address of a server that speaks HTTP."""
    try:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return
    except ValueError:
        pass
    shown = re.sub(r"//[^/]*@", "//", url)
    raise DownloadError(f"{shown!r}: not a web address, such as https://host/file")


def plain_address(url: str) -> str:
    """Return an address as it may be shown: without what may be secret, or endless.

    >>> plain_address("https://me:secret@host:8/a/b?api_key=1")
    'https://host:8/a/b'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


class Pace:
    """At most so many requests a second, evenly spaced, whichever thread makes them.

    Requests reach a server later than they are sent, and one may be held up more than the next. But
    none arrives after its answer: counted from answers, a server never sees too many in a second.
    """

    def __init__(
        self, per_second: float | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._next = clock()
        # As many answers as requests are allowed, and how long that many requests take at least.
        self._answered: deque[float] = deque(maxlen=max(1, int(per_second or 1)))
        self._period = self._gap * (self._answered.maxlen or 1)
        self._lock = threading.Lock()

    def take_turn(self) -> float:
        """Take the next turn, and return how many seconds it is away.

        >>> pace = Pace(2, clock=lambda: 100.0)
        >>> pace.take_turn(), pace.take_turn(), pace.take_turn()
        (0.0, 0.5, 1.0)
        """
        with self._lock:
            now = self._clock()
            turn = max(self._next, now)
            if len(self._answered) == self._answered.maxlen:
                turn = max(turn, self._answered[0] + self._period)
            self._next = turn + self._gap
            return turn - now

    def note_answer(self) -> None:
        """Take note that a request is answered, or failed."""
        if self._gap:
            with self._lock:
                self._answered.append(self._clock())


def choose_pause(
    trial: int, *, pause: float, longest: float = LONGEST_PAUSE, rng: random.Random | None = None
) -> float:
    """Return how long to wait after so many trials: twice as long each time, and a bit at random.

    Without chance, all whom a busy server has turned away would come back at the same moment.

    >>> [choose_pause(trial, pause=0.1, longest=5.0) for trial in (1, 2, 3, 99)]
    [0.1, 0.2, 0.4, 5.0]
    """
    whole = min(pause * 2.0 ** min(trial - 1, 30), longest)
    return whole * rng.uniform(0.5, 1) if rng else whole


def parse_retry_after(value: str | None, *, now: float | None = None) -> float | None:
    """Return how long a Retry-After asks to wait, whether it gives seconds or a date.

    >>> parse_retry_after("120"), parse_retry_after(None), parse_retry_after("soon")
    (120.0, None, None)
    >>> parse_retry_after("Thu, 01 Jan 1970 00:02:00 GMT", now=90.0)
    30.0
    """
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _find_reason(error: exceptions.HTTPError) -> Exception:
    """Return what made urllib3 give up a request that it was not to try again."""
    return (isinstance(error, exceptions.MaxRetryError) and error.reason) or error


def _is_about_certificate(error: Exception) -> bool:
    causes = (*error.args, error.__cause__)
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)


def _find_innermost(error: BaseException) -> BaseException:
    """Return the reason of the reason: urllib3 wraps what it meets."""
    for inner in (*error.args, error.__cause__):
        if isinstance(inner, BaseException):
            return _find_innermost(inner)
    return error
