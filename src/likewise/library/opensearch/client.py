"""Requests to a cluster: sent to one host, then to others, again and again until patience ends.

A host that does not answer is passed over for a while, and longer each time that it fails again.
"""

from __future__ import annotations

import gzip
import logging
import os
import re
import ssl
import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import msgspec
import urllib3

from likewise.errors import LibraryError
from likewise.extras import require
from likewise.library.opensearch.address import Address, Host, HostRing
from likewise.library.opensearch.credentials import Credentials, join_credentials
from likewise.library.opensearch.troubles import (
    Trouble,
    explain_answer,
    explain_failure,
    explain_other_server,
    explain_plain_to_tls,
    make_error,
    speaks_tls,
)
from likewise.web import WebClient
from likewise.web.connections import WebRequest
from likewise.web.troubles import NoAnswerError

CA = "LIKEWISE_OPENSEARCH_CA"
INSECURE = "LIKEWISE_OPENSEARCH_INSECURE"

CONNECT_TIMEOUT = 10.0
CONNECTIONS = 16
"""How many connections to a host there are at most."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_TELL_AGAIN = 60.0
# The status of an answer about a cluster's health that did not get good enough in time.
_NOT_YET = 408
# From gateways in front of a node, and from the node itself: another one may do better.
_OF_THIS_HOST = (502, 503, 504)
_QUICK = 1

_log = logging.getLogger(__name__)


class TroubleError(Exception):
    """A request that failed, and why."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


class PatientClient:
    """Sends requests, again if need be; any number of threads may use it."""

    def __init__(
        self, address: Address, credentials: Mapping[Host, Credentials], *, timeout: float
    ) -> None:
        self._address = address
        self._credentials = credentials
        self._joined = join_credentials(credentials.values())
        self._hosts = HostRing(address.hosts)
        self._is_packed = not all(host.is_loopback for host in address.hosts)
        self._web = WebClient(
            connections=CONNECTIONS,
            timeout=timeout,
            connect_timeout=min(timeout, CONNECT_TIMEOUT),
            tls=_make_tls_context(address) if address.secure else None,
            has_proxies=False,
        )
        self._is_met = False
        self._told: dict[object, float] = {}
        self._closed = threading.Event()

    def send(self, request: Request, *, patience: float) -> str:
        """Return the text of the answer."""
        start, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            try:
                return self._send_to_any(request, until=start + patience)
            except TroubleError as error:
                trouble, left = error.trouble, start + patience - time.monotonic()
                may_pass = trouble.is_passing and (self._is_met or not trouble.is_unreached)
                if left <= 0 or not may_pass:
                    # Nobody waited for a trouble that does not pass, whatever came before it.
                    waited = time.monotonic() - start if trouble.is_passing else 0.0
                    raise make_error(self._address, trouble, waited=waited) from error
                self._wait(trouble, min(max(pause, trouble.pause), left), left=left)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def close(self) -> None:
        """End all waiting, and close all connections."""
        self._closed.set()
        self._web.close()

    def _send_to_any(self, request: Request, *, until: float) -> str:
        troubles: list[Trouble] = []
        for _ in self._address.hosts:
            try:
                answer = self._send(request, self._hosts.choose())
            except TroubleError as error:
                trouble = error.trouble
                troubles.append(trouble)
                if not trouble.is_passing or trouble.status == 429 or time.monotonic() >= until:
                    break
            else:
                self._tell_who_was_passed_over(troubles)
                return answer
        raise TroubleError(max(troubles, key=lambda it: (not it.is_passing, not it.is_unreached)))

    def _send(self, request: Request, host: Host) -> str:
        try:
            reply = self._web.exchange(self._address_request(request, host))
            text = reply.content.decode()
        except NoAnswerError as error:
            self._hosts.note_failure(host)
            raise TroubleError(self._explain_failure(host, error)) from error
        except UnicodeError as error:
            raise TroubleError(explain_other_server(str(host), "no text")) from error
        self._is_met = True
        if reply.status in _OF_THIS_HOST:
            self._hosts.note_failure(host)
        if 200 <= reply.status < 300:
            self._hosts.note_success(host)
            return text
        if reply.status == _NOT_YET and '"timed_out"' in text:
            return text
        raise TroubleError(explain_answer(str(host), reply, credentials=self._joined))

    def _address_request(self, request: Request, host: Host) -> WebRequest:
        """Return a request for one host: compressed, and with the credentials for it."""
        url = f"{'https' if self._address.secure else 'http'}://{host}{request.path}"
        headers, body = {}, request.body
        if request.kind:
            headers["Content-Type"] = request.kind
        if self._is_packed:
            headers["Accept-Encoding"] = "gzip"
        if self._is_packed and body:
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, compresslevel=_QUICK)
        its = self._credentials[host]
        if its.authorization:
            headers["Authorization"] = its.authorization
        if its.signer:
            headers |= its.signer(request.method, url, body)
        return WebRequest(url, headers, method=request.method, body=body, follow=False)

    def _explain_failure(self, host: Host, error: NoAnswerError) -> Trouble:
        trouble = explain_failure(str(host), error)
        is_strange = trouble.is_cut and not self._is_met and not self._address.secure
        return explain_plain_to_tls(str(host)) if is_strange and speaks_tls(host) else trouble

    def _wait(self, trouble: Trouble, pause: float, *, left: float) -> None:
        # The first pause is for connections that the server has closed since their last use.
        if pause > _FIRST_PAUSE:
            for_ = f"trying again for up to {left:.0f} s"
            self._tell(f"{self._address}: {trouble.said}; {for_}", about=trouble)
        if self._closed.wait(pause):
            raise LibraryError(f"{self._address}: closed while {trouble.said}")

    def _tell_who_was_passed_over(self, troubles: list[Trouble]) -> None:
        for trouble in troubles:
            if trouble.is_unreached:
                self._tell(f"{trouble.said}; continuing with other hosts", about=trouble)

    def _tell(self, message: str, *, about: Trouble) -> None:
        """Log a warning, but the same one only once a minute."""
        what, now = (about.status, about.kinds, about.is_unreached), time.monotonic()
        if now - self._told.get(what, -_TELL_AGAIN) >= _TELL_AGAIN:
            self._told[what] = now
            _log.warning("%s", message)


@dataclass(frozen=True)
class Request:
    """A request, before a host is chosen for it."""

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
    """Return a request; a body of bytes is lines of JSON already, any other is encoded.

    >>> make_request("POST", "/papers/_search", body={"size": 1}, params={"pretty": True}).path
    '/papers/_search?pretty=true'
    >>> make_request("GET", "/größe/_count").path
    '/gr%C3%B6%C3%9Fe/_count'
    """
    said = {name: _spell(value) for name, value in (params or {}).items() if value is not None}
    url = quote("/" + path.lstrip("/")) + ("?" if said else "") + urlencode(said)
    if body is None:
        return Request(method, url)
    if isinstance(body, bytes):
        return Request(method, url, body, "application/x-ndjson")
    try:
        return Request(method, url, msgspec.json.encode(body), "application/json")
    except UnicodeEncodeError as error:
        raise LibraryError(f"a text holds half a character ({error.reason}); correct it") from error


def _spell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _make_tls_context(address: Address) -> ssl.SSLContext:
    authority = os.environ.get(CA) or None
    try:
        context = ssl.create_default_context(cafile=authority)
    except OSError as error:
        raise LibraryError(
            f"{CA} is {authority!r}, which holds no certificates ({error.strerror or error}); "
            "give the PEM file of the authority that signed the server's certificate"
        ) from None
    if not context.cert_store_stats()["x509_ca"]:
        # Systems without certificates of their own get those of a package.
        certifi = require(
            "certifi", for_="TLS without the system's certificates", extra="opensearch"
        )
        context.load_verify_locations(certifi.where())
    if os.environ.get(INSECURE, "") in {"", "0"}:
        return context
    _log.warning("%s is set: the certificate of %s is not checked", INSECURE, address)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for host in address.hosts:
        about = rf".*host '{re.escape(host.name)}'"
        warnings.filterwarnings("ignore", about, urllib3.exceptions.InsecureRequestWarning)
    return context
