"""One request to a server, and its answer as it comes in."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import urllib3
from urllib3.exceptions import HTTPError

from likewise.documents.remote.patience import seconds_asked_for
from likewise.documents.remote.web_troubles import (
    NOT_NOW,
    ConnectionCutError,
    NotFoundError,
    PassingTroubleError,
    RefusedError,
    StoppedError,
    answer_trouble,
    plain_address,
    trouble_of,
)
from likewise.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from urllib3.response import BaseHTTPResponse

CHUNK = 2**16
_GZIP = b"\x1f\x8b"

# Trials are counted by who asks; only redirections are left to urllib3.
_REDIRECTIONS = urllib3.Retry(
    total=None, connect=0, read=0, redirect=5, status=0, other=0, respect_retry_after_header=False
)


class Asked(NamedTuple):
    """A request; one that carries a key must not `follow` to wherever an answer points."""

    url: str
    headers: Mapping[str, str]
    method: str = "GET"
    form: str | None = None
    follow: bool = True


class Answer:
    """What a server answers, as it comes in."""

    def __init__(self, response: BaseHTTPResponse, *, is_stopped: Callable[[], bool]) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._is_stopped = is_stopped

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes as the server sends them: a packed file stays packed.

        Raises:
            ConnectionCutError: If the connection ends before the file does.
        """
        try:
            for chunk in self._response.stream(CHUNK, decode_content=False):
                if self._is_stopped():
                    raise StoppedError
                yield chunk
        except HTTPError as error:
            raise ConnectionCutError(f"the server {trouble_of(error)}") from error


def open_answer(pool: urllib3.PoolManager, asked: Asked) -> BaseHTTPResponse:
    """Return an answer that brings what was asked for, none of its bytes read yet.

    Raises:
        PassingTroubleError: If the server asks to come again later.
        HTTPError: If the connection fails.
    """
    try:
        response = pool.request(
            asked.method,
            asked.url,
            body=asked.form,
            headers={**pool.headers, **asked.headers},
            preload_content=False,
            retries=_REDIRECTIONS,
            redirect=asked.follow,
        )
    except HTTPError:
        raise
    except ValueError as error:  # of Python's own, about the address that the server points to
        pool.clear()  # The answer's connection would never be given back.
        trouble = "sends on to what is no address of the web"
        raise DownloadError(f"{plain_address(asked.url)}: the server {trouble}") from error
    if response.status in {200, 206, 416} and not _is_laid_open(response, asked.url):
        return response
    said = _said(response)
    put_away(response)
    raise _refusal(response, asked.url, said=said)


def unpacked(content: bytes, headers: Mapping[str, str], *, most: int) -> bytes:
    """Return what a server packed on the way, or the beginning of it if there is more than `most`.

    That something is packed is also said of what is not, as of the sum of a packed file.

    Raises:
        PassingTroubleError: If it breaks off.
    """
    if "gzip" not in headers.get("Content-Encoding", "") or not content.startswith(_GZIP):
        return content
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(content, most + 1)
    except zlib.error as error:
        raise PassingTroubleError("sends what can't be unpacked") from error
    if len(found) <= most and not unpacker.eof:
        raise PassingTroubleError("cuts the connection")
    return found


def put_away(response: BaseHTTPResponse) -> None:
    """Let go of an answer, read to its end or not."""
    # A connection whose answer was not read to its end is of no use for another request, and
    # would keep its place in the pool for ever.
    response.close()
    response.release_conn()


def _is_laid_open(response: BaseHTTPResponse, url: str) -> bool:
    """Tell whether what was asked for in private came over a connection that anybody can change."""
    steps = response.retries.history if response.retries else ()
    pointed_to = ((step.redirect_location or "").lower() for step in steps)
    return url.startswith("https:") and any(place.startswith("http:") for place in pointed_to)


def _said(response: BaseHTTPResponse) -> bytes:
    """Return the beginning of what the server says with a refusal."""
    try:
        return response.read(CHUNK, decode_content=True)
    except HTTPError:
        return b""


def _refusal(response: BaseHTTPResponse, url: str, *, said: bytes) -> Exception:
    status = response.status
    trouble = answer_trouble(status)
    if _is_laid_open(response, url):
        trouble = "sends on to an address without encryption, which is not taken"
        return DownloadError(f"{plain_address(url)}: the server {trouble}")
    if status in NOT_NOW or status >= 500:
        after = seconds_asked_for(response.headers.get("Retry-After"))
        return PassingTroubleError(trouble, after=after)
    message = f"{plain_address(url)}: the server {trouble}"
    if status == 400:
        return RefusedError(message, answer=said)
    kind = NotFoundError if status in {404, 410} else DownloadError
    return kind(message)
