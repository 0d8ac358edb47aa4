"""Connections that are kept open, and one request over them, straight or through a proxy."""

from __future__ import annotations

import ssl
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import HTTPError, LocationParseError, ProxySchemeUnknown
from urllib3.response import BaseHTTPResponse

from likewise.errors import DownloadError, SettingsError
from likewise.version import __version__
from likewise.web.troubles import (
    NOT_NOW,
    ConnectionCutError,
    NotFoundError,
    PassingTroubleError,
    RefusedError,
    StoppedError,
    describe_status,
    parse_retry_after,
    plain_address,
    translate_error,
)

AGENT = f"likewise/{__version__}"
CHUNK = 2**16

_GZIP = b"\x1f\x8b"
# Callers count their own trials; only redirections are left to urllib3.
_REDIRECTIONS = urllib3.Retry(
    total=None, connect=0, read=0, redirect=5, status=0, other=0, respect_retry_after_header=False
)


@dataclass(frozen=True)
class WebRequest:
    """A request; one that carries a key must not `follow` redirections."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: bytes | str | None = None
    follow: bool = True


class WebReply(NamedTuple):
    """A server's whole answer, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """By name, ignoring case."""
    content: bytes


class WebAnswer:
    """A server's answer, as it comes in."""

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
            raise ConnectionCutError(f"the server {translate_error(error)}") from error


class ConnectionPools:
    """A pool of connections for each proxy in use, and one for direct connections.

    `WebClient` says what the arguments mean. Requests beyond the most connections wait.
    """

    def __init__(
        self,
        *,
        connections: int,
        timeout: float,
        connect_timeout: float | None = None,
        tls: ssl.SSLContext | None = None,
        has_proxies: bool = True,
    ) -> None:
        self._has_proxies = has_proxies
        self._options: dict[str, Any] = {
            "maxsize": connections,
            "block": True,
            "timeout": urllib3.Timeout(connect=connect_timeout or timeout, read=timeout),
            "headers": {"User-Agent": AGENT},
            "ssl_context": tls,
        }
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._lock = threading.Lock()

    def pool_for(self, url: str) -> urllib3.PoolManager:
        """Return the pool whose connections lead to an address."""
        proxy = find_proxy(url) if self._has_proxies else ""
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = self._make_pool(proxy)
            return self._pools[proxy]

    def close(self) -> None:
        """Close the unused connections; the others are closed when they are given back."""
        with self._lock:
            for pool in self._pools.values():
                pool.clear()
            self._pools.clear()

    def _make_pool(self, proxy: str) -> urllib3.PoolManager:
        if not proxy:
            return urllib3.PoolManager(**self._options)
        parts = urlsplit(proxy)
        secret = f"{parts.username or ''}:{parts.password or ''}" if parts.username else None
        headers = urllib3.make_headers(proxy_basic_auth=secret)
        try:
            return urllib3.ProxyManager(
                plain_address(proxy), proxy_headers=headers, **self._options
            )
        except (ProxySchemeUnknown, LocationParseError) as error:
            raise SettingsError(
                f"the environment names {plain_address(proxy)}, which is not an HTTP proxy; "
                "set HTTPS_PROXY and HTTP_PROXY like http://proxy.example.org:8080"
            ) from error


def find_proxy(url: str) -> str:
    """Return the proxy that the environment names for an address; "" if it names none."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def open_response(pool: urllib3.PoolManager, request: WebRequest) -> BaseHTTPResponse:
    """Return a server's answer, whatever its status, before any of its content is read.

    Raises:
        HTTPError: If the connection fails.
    """
    try:
        return pool.request(
            request.method,
            request.url,
            body=request.body,
            headers={**pool.headers, **request.headers},
            preload_content=False,
            retries=_REDIRECTIONS,
            redirect=request.follow,
        )
    except HTTPError:
        raise
    except ValueError as error:  # Python's own, about the address that the server redirects to
        pool.clear()  # The answer's connection would never be given back.
        trouble = "redirects to something that is not a web address"
        raise DownloadError(f"{plain_address(request.url)}: the server {trouble}") from error


def open_answer(pool: urllib3.PoolManager, request: WebRequest) -> BaseHTTPResponse:
    """Return an answer that holds what was asked for, before any of its content is read.

    Raises:
        PassingTroubleError: If the server asks us to try again later.
        HTTPError: If the connection fails.
    """
    response = open_response(pool, request)
    if response.status in {200, 206, 416} and not _is_laid_open(response, request.url):
        return response
    complaint = _read_complaint(response)
    put_away(response)
    raise _explain_refusal(response, request.url, complaint=complaint)


def unpack_content(content: bytes, headers: Mapping[str, str], *, most: int) -> bytes:
    """Return content unpacked if it came packed; if there is more than `most`, cut the rest off.

    Servers also call content packed that is not, such as the checksum of a packed file.

    Raises:
        PassingTroubleError: If it is cut off or damaged.
    """
    if "gzip" not in headers.get("Content-Encoding", "") or not content.startswith(_GZIP):
        return content
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacker.decompress(content, most + 1)
    except zlib.error as error:
        raise PassingTroubleError("sends data that can't be unpacked") from error
    if len(unpacked) <= most and not unpacker.eof:
        raise PassingTroubleError("cuts the connection")
    return unpacked


def put_away(response: BaseHTTPResponse) -> None:
    """Release an answer, whether or not it was read to its end."""
    # A connection whose answer was not read to its end is of no use for another request, and
    # would keep its place in the pool for ever.
    response.close()
    response.release_conn()


def _is_laid_open(response: BaseHTTPResponse, url: str) -> bool:
    """Return whether a request over HTTPS was redirected to an address without encryption."""
    steps = response.retries.history if response.retries else ()
    pointed_to = ((step.redirect_location or "").lower() for step in steps)
    return url.startswith("https:") and any(place.startswith("http:") for place in pointed_to)


def _read_complaint(response: BaseHTTPResponse) -> bytes:
    """Return the beginning of the text that came with a refusal."""
    try:
        return response.read(CHUNK, decode_content=True)
    except HTTPError:
        return b""


def _explain_refusal(response: BaseHTTPResponse, url: str, *, complaint: bytes) -> Exception:
    status = response.status
    trouble = describe_status(status)
    if _is_laid_open(response, url):
        trouble = "redirects to an unencrypted address, which is not followed"
        return DownloadError(f"{plain_address(url)}: the server {trouble}")
    if status in NOT_NOW or status >= 500:
        after = parse_retry_after(response.headers.get("Retry-After"))
        return PassingTroubleError(trouble, after=after)
    message = f"{plain_address(url)}: the server {trouble}"
    if status == 400:
        return RefusedError(message, answer=complaint)
    kind = NotFoundError if status in {404, 410} else DownloadError
    return kind(message)
