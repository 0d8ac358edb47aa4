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
"""Statuses that ask us to try again later; so do all from 500 on."""
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 600.0
"""Seconds; if a server asks for a longer wait, we give up."""

_STATUSES = {
    401: "asks for a password",
    403: "refuses to hand it out",
    404: "has no such file",
    407: "is behind a proxy that asks for a password",
    410: "has no such file any more",
    429: "is getting too many requests",
}


class NotFoundError(DownloadError):
    """An address at which the server has nothing."""


class RefusedError(DownloadError):
    """A request that the server does not understand (400), with what it says about it."""

    def __init__(self, message: str, *, answer: bytes = b"") -> None:
        super().__init__(message)
        self.answer = answer


class ConnectionCutError(DownloadError):
    """A connection that was lost in the middle; continuing from there is worth a try."""


class StoppedError(DownloadError):
    """Ends a thread that waits or fetches, when the whole download is given up."""

    def __init__(self) -> None:
        super().__init__("stopped")


class PassingTroubleError(Exception):
    """A trouble that may have passed by the next trial.

    Args:
        reason: What happened, in words that continue "the server".
        after: The seconds that the server asks us to wait.
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
    """A request that got no answer: why, and the error that caused it."""

    def __init__(self, kind: FailureKind, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.kind = kind
        self.cause = cause

    @classmethod
    def of(cls, error: exceptions.HTTPError) -> NoAnswerError:
        """Translate an error of urllib3."""
        return cls(classify_failure(error), _find_innermost(_find_reason(error)))


def classify_failure(error: exceptions.HTTPError) -> FailureKind:
    """Return why a request got no answer, given the error that urllib3 raised."""
    reason = _find_reason(error)
    causes = (*reason.args, reason.__cause__)
    if isinstance(reason, exceptions.SSLError) and any(
        isinstance(cause, ssl.SSLCertVerificationError) for cause in causes
    ):
        return FailureKind.CERTIFICATE
    kinds = (kind for error_class, kind in _KINDS.items() if isinstance(reason, error_class))
    return next(kinds, FailureKind.OTHER)


def translate_error(error: exceptions.HTTPError) -> Exception:
    """Translate an error of urllib3 into a trouble that may pass, or an error that will stay."""
    kind = classify_failure(error)
    if kind in _PASSING:
        return PassingTroubleError(_PASSING[kind])
    if kind in _STAYING:
        return DownloadError(_STAYING[kind])
    return DownloadError(f"gives no answer: {' '.join(str(_find_reason(error)).split())}")


# Subclasses come before the classes that they are of.
_KINDS = {
    exceptions.ProxyError: FailureKind.PROXY,
    exceptions.SSLError: FailureKind.TLS,
    exceptions.NameResolutionError: FailureKind.UNKNOWN_HOST,
    exceptions.NewConnectionError: FailureKind.UNREACHED,
    exceptions.ConnectTimeoutError: FailureKind.CONNECT_TIMEOUT,
    exceptions.ReadTimeoutError: FailureKind.READ_TIMEOUT,
    exceptions.ProtocolError: FailureKind.CUT,
    exceptions.DecodeError: FailureKind.CUT,
    exceptions.ResponseError: FailureKind.REDIRECTIONS,
}
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
    FailureKind.REDIRECTIONS: "redirects from one address to the next without end",
}


def describe_status(status: int) -> str:
    """Return what a status other than success means, in words that continue "the server".

    >>> describe_status(404), describe_status(502), describe_status(418)
    ('has no such file (404)', 'is out of order for now (502)', 'gives an odd answer (418)')
    """
    words = "gives an odd answer"
    if status >= 500:
        words = "is out of order for now"
    elif 300 <= status < 400:
        words = "redirects to another address, which is not followed"
    return f"{_STATUSES.get(status, words)} ({status})"


def check_address(url: str) -> None:
    """Raise DownloadError unless a text is the address of an HTTP server."""
    try:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return
    except ValueError:
        pass
    shown = re.sub(r"//[^/]*@", "//", url)
    raise DownloadError(f"{shown!r}: not a web address, such as https://host/file")


def plain_address(url: str) -> str:
    """Return an address that is safe to show: without user, password and query.

    >>> plain_address("https://me:secret@host:8/a/b?api_key=1")
    'https://host:8/a/b'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


class Pace:
    """Limits the requests per second, evenly spaced, over all threads.

    Requests reach a server later than they are sent, and some are delayed more than others. But
    none arrives after its answer. So we count from answers, and a server never sees too many.
    """

    def __init__(
        self, per_second: float | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._next = clock()
        # The last answers, as many as requests are allowed, and the least time for that many.
        self._answered: deque[float] = deque(maxlen=max(1, int(per_second or 1)))
        self._period = self._gap * (self._answered.maxlen or 1)
        self._lock = threading.Lock()

    def take_turn(self) -> float:
        """Take the next turn, and return how many seconds away it is.

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
        """Note that a request was answered, or failed."""
        if self._gap:
            with self._lock:
                self._answered.append(self._clock())


def choose_pause(trial: int, *, pause: float, rng: random.Random | None = None) -> float:
    """Return how long to wait after a trial: twice as long each time, with some randomness.

    Without randomness, all clients of a busy server would come back at the same moment.

    >>> [choose_pause(trial, pause=0.1) for trial in (1, 2, 3, 99)]
    [0.1, 0.2, 0.4, 60.0]
    """
    whole = min(pause * 2.0 ** min(trial - 1, 30), LONGEST_PAUSE)
    return whole * rng.uniform(0.5, 1) if rng else whole


def parse_retry_after(value: str | None, *, now: float | None = None) -> float | None:
    """Return how many seconds a Retry-After header asks to wait; it may also give a date.

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
    """Return why urllib3 gave up a request, or the error itself if it has no reason."""
    return (isinstance(error, exceptions.MaxRetryError) and error.reason) or error


def _find_innermost(error: BaseException) -> BaseException:
    """Return the error at the bottom, since urllib3 wraps the errors that it meets."""
    for inner in (*error.args, error.__cause__):
        if isinstance(inner, BaseException):
            return _find_innermost(inner)
    return error
