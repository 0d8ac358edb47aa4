"""Requests that are tried again: on other hosts first, then later, until patience is over."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from likewise.errors import LibraryError
from likewise.library.opensearch.address import Address
from likewise.library.opensearch.credentials import Credentials
from likewise.library.opensearch.troubles import (
    RefusedAnswer,
    Trouble,
    explain_answer,
    explain_failure,
    explain_plain_to_tls,
    make_error,
    speaks_tls,
)

if TYPE_CHECKING:
    from opensearchpy import Transport


_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_TELL_AGAIN = 60.0
# With it a cluster's health is answered that did not get as good as asked for in time.
_NOT_YET = 408

_log = logging.getLogger(__name__)


class TroubleError(Exception):
    """A request that came to nothing."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


class PatientClient:
    """Sends requests, and sends them again; any number of threads may use it."""

    def __init__(self, client: Transport, address: Address, *, credentials: Credentials) -> None:
        self._client, self._address, self._credentials = client, address, credentials
        self._hosts = {str(host): host for host in address.hosts}
        self._is_met = False
        self._told: dict[object, float] = {}
        self._closed = threading.Event()

    def send(self, request: Request, *, patience: float) -> Any:
        """Return the text of the answer ("" if it is empty); for HEAD, whether it is there."""
        start = time.monotonic()
        for pause in _yield_pauses():
            try:
                return self._send_to_any(request, until=start + patience)
            except TroubleError as error:
                trouble, left = error.trouble, start + patience - time.monotonic()
                if left <= 0 or not self._may_pass(trouble):
                    # What does not pass was not waited for, whatever was before it.
                    waited = time.monotonic() - start if trouble.is_passing else 0.0
                    raise make_error(self._address, trouble, waited=waited) from error
                self._wait(trouble, min(max(pause, trouble.pause), left), left=left)
        raise AssertionError  # there is always another pause

    def close(self) -> None:
        """End all waiting."""
        self._closed.set()

    def _may_pass(self, trouble: Trouble) -> bool:
        return trouble.is_passing and (self._is_met or not trouble.is_unreached)

    def _send_to_any(self, request: Request, *, until: float) -> Any:
        troubles: list[Trouble] = []
        for _ in self._hosts:
            try:
                answer = self._send(request)
            except TroubleError as error:
                trouble = error.trouble
                troubles.append(trouble)
                if not trouble.is_passing or trouble.status == 429 or time.monotonic() >= until:
                    break
            else:
                self._tell_who_was_passed_over(troubles)
                return answer
        raise TroubleError(max(troubles, key=lambda it: (not it.is_passing, not it.is_unreached)))

    def _send(self, request: Request) -> Any:
        from likewise.library.opensearch.client import ClusterRefusedError, UnansweredError

        headers = {"content-type": request.kind} if request.kind else None
        try:
            answer = self._client.perform_request(
                request.method, request.path, body=request.body, headers=headers
            )
        except ClusterRefusedError as error:
            self._is_met = True
            if error.status_code == _NOT_YET and '"timed_out"' in error.text:
                return error.text
            raise TroubleError(self._explain_refusal(error)) from error
        except UnansweredError as error:
            raise TroubleError(self._explain_failure(error.host, error.cause)) from error
        self._is_met = True
        return answer

    def _explain_refusal(self, error: Any) -> Trouble:
        said = RefusedAnswer(
            error.host,
            error.status_code,
            error.text,
            kind=error.headers.get("content-type", ""),
            retry_after=error.headers.get("retry-after", ""),
            location=error.headers.get("location", ""),
        )
        return explain_answer(said, credentials=self._credentials)

    def _explain_failure(self, host: str, cause: BaseException) -> Trouble:
        trouble = explain_failure(host, cause)
        is_strange = trouble.is_cut and not self._is_met and not self._address.secure
        return (
            explain_plain_to_tls(host) if is_strange and speaks_tls(self._hosts[host]) else trouble
        )

    def _wait(self, trouble: Trouble, pause: float, *, left: float) -> None:
        # The first pause is for connections that the server closed since they were used last.
        if pause > _FIRST_PAUSE:
            for_ = f"trying again for up to {left:.0f} s"
            self._tell(f"{self._address}: {trouble.said}; {for_}", about=trouble)
        if self._closed.wait(pause):
            raise LibraryError(f"{self._address}: closed while {trouble.said}")

    def _tell_who_was_passed_over(self, troubles: list[Trouble]) -> None:
        for trouble in troubles:
            if trouble.is_unreached:
                self._tell(f"{trouble.said}; going on with other hosts", about=trouble)

    def _tell(self, message: str, *, about: Trouble) -> None:
        """Say it, but not over and over again."""
        what, now = (about.status, about.kinds, about.is_unreached), time.monotonic()
        if now - self._told.get(what, -_TELL_AGAIN) >= _TELL_AGAIN:
            self._told[what] = now
            _log.warning("%s", message)


def _yield_pauses() -> Iterator[float]:
    pause = _FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


class Request(NamedTuple):
    """What is asked."""

    method: str
    path: str
    """With its parameters."""
    body: bytes | None = None
    kind: str = ""
    """The type of the body, or "" if there is none."""


def make_request(
    method: str,
    path: str,
    *,
    body: object = None,
    params: Mapping[str, object] | None = None,
) -> Request:
    """Return a request; text and bytes are lines of JSON already, all else is made JSON.

    >>> make_request("POST", "/papers/_search", body={"size": 1}, params={"pretty": True}).path
    '/papers/_search?pretty=true'
    >>> make_request("GET", "/größe/_count").path
    '/gr%C3%B6%C3%9Fe/_count'
    """
    said = {name: _spell(value) for name, value in (params or {}).items() if value is not None}
    url = quote("/" + path.lstrip("/")) + ("?" if said else "") + urlencode(said)
    if body is None:
        return Request(method, url)
    are_lines = isinstance(body, str | bytes)
    return Request(
        method, url, _encode_body(body), "application/x-ndjson" if are_lines else "application/json"
    )


def _spell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encode_body(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    try:
        return body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    except UnicodeEncodeError as error:
        raise LibraryError(f"a text holds half a character ({error.reason}); mend it") from error
