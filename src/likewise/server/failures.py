"""How the server reports what went wrong: all failures have one shape; and its own errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from likewise import errors
from likewise.errors import LikewiseError
from likewise.server.jobs import hide_folders
from likewise.server.models import FailureAnswer, RefusalAnswer

LOG = logging.getLogger(__name__)
MOST_MESSAGE = 2_000

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Characters that control a screen, or that can't be sent."""
STOPPING = "the server is being stopped; start it again"


class ServerError(LikewiseError):
    """A refusal of this server; its class sets the HTTP status, and a word for programs."""

    status: ClassVar[int]
    kind: ClassVar[str]

    def __init_subclass__(cls, *, status: int, kind: str) -> None:
        cls.status = status
        cls.kind = kind

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        """Make the error.

        Args:
            message: One line for people: what, where, and the way out.
            retry_after: After how many seconds the client may ask again.
        """
        super().__init__(message)
        self.retry_after = retry_after


class ErrorKind(NamedTuple):
    """The HTTP status of an error, and a word for programs."""

    status: int
    kind: str


KINDS: dict[type[LikewiseError], ErrorKind] = {
    LikewiseError: ErrorKind(400, "refused"),
    errors.ReadError: ErrorKind(422, "unreadable-file"),
    errors.WriteError: ErrorKind(507, "not-written"),
    errors.UnknownFormatError: ErrorKind(422, "unknown-format"),
    errors.UnknownDocumentError: ErrorKind(404, "unknown-document"),
    errors.DownloadError: ErrorKind(502, "not-fetched"),
    errors.ArgumentTypeError: ErrorKind(422, "argument"),
    errors.SettingsError: ErrorKind(422, "settings"),
    errors.ScoresError: ErrorKind(422, "scores"),
    errors.SeedsError: ErrorKind(422, "seeds"),
    errors.SessionError: ErrorKind(409, "session"),
    errors.MissingExtraError: ErrorKind(422, "missing-extra"),
    errors.LibraryError: ErrorKind(409, "library"),
    errors.NotALibraryError: ErrorKind(503, "library"),
    errors.LibraryBusyError: ErrorKind(503, "library-busy"),
    errors.UnknownLibraryError: ErrorKind(404, "unknown-library"),
    errors.LibraryNameError: ErrorKind(409, "library-name"),
    errors.ClusterError: ErrorKind(503, "library"),
}
"""The kind of each class of errors; a class that is not here has the kind of its base class."""

NOT_UNDERSTOOD = ErrorKind(400, "not-understood")
NO_TOKEN = ErrorKind(401, "no-token")
UNKNOWN_ADDRESS = ErrorKind(404, "unknown-address")
UNKNOWN_METHOD = ErrorKind(405, "unknown-method")
NOT_VALID = ErrorKind(422, "not-valid")
SYSTEM = ErrorKind(500, "system")
MISTAKE = ErrorKind(500, "mistake")

NOT_OURS: dict[ErrorKind, str] = {
    NOT_UNDERSTOOD: "A body that is not JSON in UTF-8.",
    NO_TOKEN: "A request without the token that this server asks for.",
    UNKNOWN_ADDRESS: "An address where there is nothing.",
    UNKNOWN_METHOD: "A method that the address does not take.",
    NOT_VALID: "A request that does not match the schema.",
    SYSTEM: "Something that the server's system refuses, such as writing to a full disk.",
    MISTAKE: "A mistake of likewise; please report it.",
}
"""The kinds of failures that have no error class in likewise, each with what it means."""

_STATUSES = {how.status: how for how in (NOT_UNDERSTOOD, UNKNOWN_ADDRESS, UNKNOWN_METHOD)}


def classify_error(error: LikewiseError) -> ErrorKind:
    """Return the HTTP status and the kind of an error.

    >>> classify_error(errors.NotFiniteError("no number"))
    ErrorKind(status=422, kind='scores')
    """
    if isinstance(error, ServerError):
        return ErrorKind(error.status, error.kind)
    return next(KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS)


def clean_line(text: object) -> str:
    r"""Return a text as one line that can be sent and shown, whatever it holds.

    >>> clean_line("a\r\nb\ud800 c")
    'a b c'
    """
    line = " ".join(STEERING.sub(" ", str(text)).split())
    return f"{line[: MOST_MESSAGE - 1]}…" if len(line) > MOST_MESSAGE else line


def make_refusal(
    how: ErrorKind, message: object, *, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer that refuses a request."""
    failure = FailureAnswer(status=how.status, kind=how.kind, message=clean_line(message))
    return Response(
        RefusalAnswer(error=failure).model_dump_json(),
        status_code=how.status,
        headers=headers,
        media_type="application/json",
    )


def answer_error(error: LikewiseError, *, places: Sequence[str | Path] = ()) -> Response:
    """Return the answer to an error, without the folders that these places are in."""
    how = classify_error(error)
    message = hide_folders(error, places)
    if how.status >= 500:
        LOG.error("%s", clean_line(error))
    retry_after = getattr(error, "retry_after", None)
    headers = None if retry_after is None else {"Retry-After": str(retry_after)}
    return make_refusal(how, message, headers=headers)


def answer_mistake(error: Exception) -> Response:
    """Return the answer to a mistake of ours; only the log says where it happened."""
    LOG.error("a mistake of likewise", exc_info=error)
    if isinstance(error, OSError) and error.strerror:
        return make_refusal(SYSTEM, f"the server's system says: {error.strerror.lower()}")
    message = f"{type(error).__name__}: this is a bug in likewise; please report it"
    return make_refusal(MISTAKE, message)


def handle_failures(app: FastAPI) -> None:
    """Make an app answer every failure in the same shape."""

    @app.exception_handler(LikewiseError)
    async def handle_error(_request: Request, error: LikewiseError) -> Response:
        settings = app.state.settings
        libraries = [settings.libraries / "any"] if settings.libraries else []
        return answer_error(error, places=[settings.sessions / "any", settings.library, *libraries])

    @app.exception_handler(RequestValidationError)
    async def handle_invalid(_request: Request, error: RequestValidationError) -> Response:
        return make_refusal(NOT_VALID, describe_problems(error.errors()))

    @app.exception_handler(HTTPException)
    async def handle_http_error(request: Request, error: HTTPException) -> Response:
        how = _STATUSES.get(error.status_code, ErrorKind(error.status_code, "refused"))
        return make_refusal(how, _describe_http_error(request, error), headers=error.headers)


def _describe_http_error(request: Request, error: HTTPException) -> str:
    if error.status_code == 404:
        return f"{request.url.path}: nothing is here; /api/openapi.json lists what is"
    if error.status_code == 405:
        return f"{request.url.path} takes no {request.method}"
    if error.status_code == 400:
        return "the body can't be read; send JSON, in UTF-8"
    return str(error.detail)


def describe_problems(problems: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong with a request: the first problem, what was found, and how many more.

    >>> found = {"loc": ("query", "limit"), "msg": "Input should be at most 100", "input": "900"}
    >>> describe_problems([found])
    "limit: input should be at most 100; found '900'"
    """
    first, *others = problems
    parts = (_cut_text(str(part), 60) for part in first.get("loc", ())[1:])
    where = ".".join(parts) or "the body"
    message = str(first.get("msg", "not valid"))
    found = (
        "" if first.get("type") == "missing" else f"; found {_shorten_value(first.get('input'))}"
    )
    more = f" (and {len(others)} more)" if others else ""
    return f"{where}: {message[:1].lower()}{message[1:]}{found}{more}"


def _shorten_value(value: object) -> str:
    if isinstance(value, dict | list | bytes):
        return {dict: "an object", list: "a list"}.get(type(value), "bytes")
    return _cut_text(repr(value), 80)


def _cut_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


class UnknownSession(ServerError, status=404, kind="unknown-session"):
    """A session that does not exist."""

    def __init__(self, session: str) -> None:
        super().__init__(f"there is no session {session}; GET /api/sessions lists all sessions")


class NoExpansion(ServerError, status=409, kind="no-expansion"):
    """A session that has no expansion yet."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session} has no expansion yet; "
            f"POST /api/sessions/{session}/expansions makes one"
        )


class NothingBefore(ServerError, status=404, kind="no-expansion"):
    """A session with fewer than two expansions, so that there is nothing to compare."""

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session} has not been expanded twice yet, so there is nothing to compare"
        )


class TooManyJobs(ServerError, status=429, kind="too-many-jobs"):
    """More jobs than the server takes; Retry-After says when to ask again."""


class JobRunning(ServerError, status=409, kind="job-running"):
    """A session that is being expanded already."""


class UnknownJob(ServerError, status=404, kind="unknown-job"):
    """A job that the server does not know, or no longer knows."""


class Stopping(ServerError, status=503, kind="stopping"):
    """A server that is being stopped begins nothing new."""
