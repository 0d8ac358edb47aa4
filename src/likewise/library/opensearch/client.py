"""opensearch-py as likewise uses it: single requests, with all that the server answered.

The client's own ways of failing lose the headers of an answer and which host it was, and its logs
are meant for its makers. What is left to it: pooled connections, hosts that are passed over for a
while after they failed, TLS, and signatures.
"""

from __future__ import annotations

import gzip
import logging
import os
import re
import ssl
import warnings
from collections.abc import Mapping
from typing import Any

import certifi
import urllib3
from opensearchpy import ConnectionError as ClientConnectionError
from opensearchpy import Transport, TransportError, Urllib3HttpConnection
from opensearchpy.serializer import Deserializer

from likewise.errors import LibraryError
from likewise.library.opensearch.address import Address, Host
from likewise.library.opensearch.credentials import Credentials

CA = "LIKEWISE_OPENSEARCH_CA"
INSECURE = "LIKEWISE_OPENSEARCH_INSECURE"

CONNECT_TIMEOUT = 10.0
CONNECTIONS = 16
"""How many connections to a host are kept."""

_EVERY_STATUS = range(100, 1000)
# Gateways that stand before a node, and the node itself: another one may do better.
_OF_THIS_HOST = (502, 503, 504)
_DEAD_FOR = 5.0
_DEAD_DOUBLINGS = 4
_QUICK = 1

_log = logging.getLogger(__name__)


class ClusterRefusedError(TransportError):
    """An answer that is not what was asked for."""

    def __init__(self, host: str, status: int, *, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(status, "", None)
        self.host, self.text, self.headers = host, text, headers


class UnansweredError(ClientConnectionError):
    """A request that got no answer."""

    def __init__(self, host: str, cause: BaseException) -> None:
        super().__init__("N/A", "", cause)
        self.host, self.cause = host, cause


class _Node(Urllib3HttpConnection):
    def perform_request(self, method: str, url: str, *rest: Any, **options: Any) -> Any:
        place = self.host.partition("://")[2]
        options["ignore"] = _EVERY_STATUS
        try:
            status, headers, text = super().perform_request(method, url, *rest, **options)
        except TransportError as error:
            cause = error.info if isinstance(error.info, BaseException) else error
            raise UnansweredError(place, cause) from cause
        if not 200 <= status < 300:
            raise ClusterRefusedError(place, status, text=text, headers=headers)
        return status, headers, text

    def _gzip_compress(self, body: Any) -> bytes:
        return gzip.compress(body, compresslevel=_QUICK)

    def log_request_success(self, *said: Any, **more: Any) -> None:
        """Log nothing: these logs repeat bodies, and whatever secret a server sends back."""

    def log_request_fail(self, *said: Any, **more: Any) -> None:
        """Log nothing: whoever asked tells what became of it."""

    def _raise_warnings(self, warning_headers: Any) -> None:
        for header in warning_headers:
            _log.debug("the server remarks: %s", header)


class _RawDeserializer(Deserializer):
    """Leaves the answer's text to whoever knows its shape."""

    def __init__(self) -> None:
        super().__init__({"application/json": None})  # type: ignore[dict-item]

    def loads(self, s: str, mimetype: str | None = None) -> Any:  # noqa: ARG002
        return s


def make_client(
    address: Address, credentials: Mapping[Host, Credentials], *, timeout: float
) -> Transport:
    """Return what sends requests to the hosts of an address, each of them once."""
    _quieten()
    client = Transport(
        [_describe_node(host, credentials[host]) for host in address.hosts],
        connection_class=_Node,
        use_ssl=address.secure,
        ssl_context=_make_tls_context(address) if address.secure else None,
        timeout=urllib3.Timeout(connect=min(timeout, CONNECT_TIMEOUT), read=timeout),
        pool_maxsize=CONNECTIONS,
        http_compress=not all(host.is_loopback for host in address.hosts),
        max_retries=0,
        retry_on_timeout=True,
        retry_on_status=_OF_THIS_HOST,
        dead_timeout=_DEAD_FOR,
        timeout_cutoff=_DEAD_DOUBLINGS,
    )
    client.deserializer = _RawDeserializer()
    return client


def close_client(client: Transport) -> None:
    """Close all connections, also to hosts that are passed over at present."""
    for connection, _ in client.connection_pool.connection_opts:
        connection.close()


def _describe_node(host: Host, credentials: Credentials) -> dict[str, Any]:
    node: dict[str, Any] = {"host": host.name, "port": host.port}
    if credentials.authorization:
        node["headers"] = {"authorization": credentials.authorization}
    return node | {"http_auth": credentials.signer}


def _make_tls_context(address: Address) -> ssl.SSLContext:
    authority = os.environ.get(CA) or None
    try:
        context = ssl.create_default_context(cafile=authority)
    except OSError as error:
        raise LibraryError(
            f"{CA} is {authority!r}, which holds no certificates ({error.strerror or error}); "
            "give the file of the authority that signed the server's, as PEM"
        ) from None
    if not context.cert_store_stats()["x509_ca"]:
        # Systems without certificates of their own get those that came with the client.
        context.load_verify_locations(certifi.where())
    if os.environ.get(INSECURE, "") in {"", "0"}:
        return context
    _log.warning("%s is set: who answers at %s is not checked", INSECURE, address)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for host in address.hosts:
        about = rf".*host '{re.escape(host.name)}'"
        warnings.filterwarnings("ignore", about, urllib3.exceptions.InsecureRequestWarning)
    return context


def _quieten() -> None:
    """Keep the client's own warnings, tracebacks among them, out of what people read."""
    own = logging.getLogger("opensearch")
    if own.level == logging.NOTSET:
        own.setLevel(logging.CRITICAL)
