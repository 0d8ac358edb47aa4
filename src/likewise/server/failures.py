"""What goes wrong, as HTTP says it: one shape, whoever refuses."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, NamedTuple

from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from likewise import errors
from likewise.errors import LikewiseError
from likewise.library.opensearch.troubles import ClusterError
from likewise.server.models.failures import Failure, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from fastapi import FastAPI, Request

LOG = logging.getLogger(__name__)
MOST_MESSAGE = 2_000

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""What steers screens, or can't be sent."""


class ServerError(LikewiseError):
    """Something that this server refuses; its class says with which status."""

    status: int = 400
    kind: str = "refused"

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        """Refuse.

        Args:
            message: One line for people: what, where, and the way out.
            retry_after: After how many seconds it may be asked again.
        """
        super().__init__(message)
        self.retry_after = retry_after


class Said(NamedTuple):
    """How HTTP says an error."""

    status: int
    kind: str


SAID: dict[type[LikewiseError], Said] = {
    LikewiseError: Said(400, "refused"),
    errors.ReadError: Said(422, "unreadable-file"),
    errors.WriteError: Said(507, "not-written"),
    errors.UnknownFormatError: Said(422, "unknown-format"),
    errors.UnknownDocumentError: Said(404, "unknown-document"),
    errors.DownloadError: Said(502, "not-fetched"),
    errors.SettingsError: Said(422, "settings"),
    errors.ScoresError: Said(422, "scores"),
    errors.SeedsError: Said(422, "seeds"),
    errors.SessionError: Said(409, "session"),
    errors.MissingExtraError: Said(422, "missing-extra"),
    errors.LibraryError: Said(409, "library"),
    errors.NotALibraryError: Said(503, "library"),
    errors.LibraryBusyError: Said(503, "library-busy"),
    ClusterError: Said(503, "library"),
}
"""An error that is not here is said as the class that it derives from."""

NOT_UNDERSTOOD = Said(400, "not-understood")
NO_TOKEN = Said(401, "no-token")
UNKNOWN_ADDRESS = Said(404, "unknown-address")
UNKNOWN_METHOD = Said(405, "unknown-method")
NOT_VALID = Said(422, "not-valid")
SYSTEM = Said(500, "system")
MISTAKE = Said(500, "mistake")

NOT_OURS: dict[Said, str] = {
    NOT_UNDERSTOOD: "A body that is no JSON in UTF-8.",
    NO_TOKEN: "A request without the token that this server asks for.",
    UNKNOWN_ADDRESS: "An address that nothing is at.",
    UNKNOWN_METHOD: "A method that the address does not take.",
    NOT_VALID: "A request that is not as the schema says.",
    SYSTEM: "Something that the server's system refuses, as a disk does that is gone.",
    MISTAKE: "A mistake of likewise; please report it.",
}
"""How what is no error of likewise is said, and what it is."""

_STATUSES = {how.status: how for how in (NOT_UNDERSTOOD, UNKNOWN_ADDRESS, UNKNOWN_METHOD)}


def said(error: LikewiseError) -> Said:
    """Return how HTTP says an error.

    >>> said(errors.NotFiniteError("no number"))
    Said(status=422, kind='scores')
    """
    if isinstance(error, ServerError):
        return Said(error.status, error.kind)
    return next(SAID[ancestor] for ancestor in type(error).__mro__ if ancestor in SAID)


def one_line(text: object) -> str:
    r"""Return a text as one line that can be sent and shown, whatever it holds.

    >>> one_line("a\r\nb\ud800 c")
    'a b c'
    """
    line = " ".join(STEERING.sub(" ", str(text)).split())
    return f"{line[: MOST_MESSAGE - 1]}…" if len(line) > MOST_MESSAGE else line


def refusal(how: Said, message: object, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that refuses something."""
    failure = Failure(status=how.status, kind=how.kind, message=one_line(message))
    return Response(
        Refusal(error=failure).model_dump_json(),
        status_code=how.status,
        headers=headers,
        media_type="application/json",
    )


def refusal_of(error: LikewiseError, *, folder: Path | None = None) -> Response:
    """Return the answer that tells of an error; where `folder` lies is not told."""
    how = said(error)
    message = str(error).replace(f"{folder}/", "") if folder else str(error)
    if how.status >= 500:
        LOG.error("%s", one_line(error))
    retry_after = getattr(error, "retry_after", None)
    headers = None if retry_after is None else {"Retry-After": str(retry_after)}
    return refusal(how, message, headers=headers)


def mistake(error: Exception) -> Response:
    """Return the answer to what should not happen; where it happened is for the log alone."""
    LOG.error("a mistake of likewise", exc_info=error)
    if isinstance(error, OSError) and error.strerror:
        return refusal(SYSTEM, f"the server's system says: {error.strerror.lower()}")
    message = f"{type(error).__name__}: this is a mistake of likewise; please report it"
    return refusal(MISTAKE, message)


def handle_failures(app: FastAPI) -> None:
    """Let an app answer everything that goes wrong in the one shape."""
    app.add_exception_handler(LikewiseError, _likewise_error)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _http_error)


async def _likewise_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, LikewiseError):
        return mistake(error)
    return refusal_of(error, folder=request.app.state.settings.sessions)


async def _not_valid(_request: Request, error: Exception) -> Response:
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    return refusal(NOT_VALID, told(problems))


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return mistake(error)
    how = _STATUSES.get(error.status_code, Said(error.status_code, "refused"))
    return refusal(how, _http_message(request, error), headers=error.headers)


def _http_message(request: Request, error: HTTPException) -> str:
    if error.status_code == 404:
        return f"{request.url.path}: nothing is here; /api/openapi.json lists what is"
    if error.status_code == 405:
        return f"{request.url.path} takes no {request.method}"
    if error.status_code == 400:
        return "the body can't be read; send JSON, in UTF-8"
    return str(error.detail)


def told(problems: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong with a request: the first thing, what was found, and how many more.

    >>> told([{"loc": ("query", "limit"), "msg": "Input should be at most 100", "input": "900"}])
    "limit: input should be at most 100; found '900'"
    """
    if not problems:
        return "the request is not valid"
    first, *others = problems
    where = ".".join(_place(first.get("loc", ()))) or "the body"
    message = str(first.get("msg", "not valid"))
    found = "" if first.get("type") == "missing" else f"; found {_short(first.get('input'))}"
    more = f" (and {len(others)} more)" if others else ""
    return f"{where}: {message[:1].lower()}{message[1:]}{found}{more}"


def _place(location: Sequence[object]) -> list[str]:
    return [_cut(str(part), 60) for part in location[1:]]


def _short(value: object) -> str:
    if isinstance(value, dict | list | bytes):
        return {dict: "an object", list: "a list"}.get(type(value), "bytes")
    return _cut(repr(value), 80)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
