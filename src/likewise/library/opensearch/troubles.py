"""What goes wrong between us and a cluster, as one line that says what to do."""

from __future__ import annotations

import http.client
import socket
import ssl
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import LibraryError, NotALibraryError

if TYPE_CHECKING:
    from likewise.library.opensearch.address import Address, Host

RETRYABLE = frozenset({429, 502, 503, 504})
"""Statuses, of requests and of single items of them, that pass by themselves."""


class ClusterError(LibraryError):
    """What a cluster refused, or why it could not be asked."""

    def __init__(
        self, message: str, *, status: int = 0, kinds: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(message)
        self.status = status
        """The status of the server's answer, or 0 if there was none."""
        self.kinds = kinds
        """What the server calls it, in all layers: "search_context_missing_exception", ..."""


class Trouble(NamedTuple):
    """Why a request came to nothing."""

    said: str
    advice: str = ""
    is_passing: bool = False
    """Whether it may be gone in a while."""
    is_unreached: bool = False
    """Whether there was nobody to ask."""
    is_cut: bool = False
    """Whether they hung up."""
    pause: float = 0.0
    """How many seconds the server asks to wait."""
    status: int = 0
    kinds: frozenset[str] = frozenset()
    lacks_index: bool = False


def error_of(address: Address, trouble: Trouble, *, waited: float = 0.0) -> LibraryError:
    """Return the error that a person meets."""
    if trouble.lacks_index:
        return NotALibraryError(f"{address}: {trouble.said}; {_way_to(address)}")
    lasting = f", for {waited:.0f} s now" if waited >= 1 else ""
    advice = f"; {trouble.advice}" if trouble.advice else ""
    said = f"{address}: {trouble.said}{lasting}{advice}"
    return ClusterError(said, status=trouble.status, kinds=trouble.kinds)


def of_failure(host: str, cause: BaseException) -> Trouble:
    """Return what a request without an answer means."""
    failed = _innermost(cause)
    if isinstance(failed, ssl.SSLError):
        return _of_tls(host, failed)
    if isinstance(failed, socket.gaierror):
        return Trouble(
            f"the host {host} is not known",
            "check its name",
            is_passing=True,
            is_unreached=True,
        )
    name = type(cause).__name__
    if name in {"NewConnectionError", "ConnectTimeoutError"}:
        why = failed.strerror if isinstance(failed, OSError) and failed.strerror else "no answer"
        return Trouble(
            f"{host} can't be reached ({why.lower()})",
            "check host and port, and whether the server runs",
            is_passing=True,
            is_unreached=True,
        )
    if name == "ReadTimeoutError":
        advice = "the server may be overloaded: try again later"
        return Trouble(f"{host} does not answer in time", advice, is_passing=True)
    if isinstance(failed, UnicodeError):
        return no_opensearch(host, "no text")
    if isinstance(failed, http.client.BadStatusLine) and _is_strange(failed):
        return no_opensearch(host, "no HTTP")
    return _cut(host)


def no_opensearch(host: str, found: str) -> Trouble:
    """Return the trouble of something else that answers there."""
    advice = "check host and port (and whether it is http or https)"
    return Trouble(f"{host} does not answer as OpenSearch does (it sent {found})", advice)


def speaks_tls(host: Host) -> bool:
    """Return whether a host expects TLS: those that do hang up on plain requests."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(host, timeout=5) as plain, context.wrap_socket(plain):
            return True
    except OSError:
        return False


def of_plain_to_tls(host: str) -> Trouble:
    """Return the trouble of plain requests to a server that expects TLS."""
    advice = "write the address with +https, as in opensearch+https://"
    return Trouble(f"{host} expects TLS", advice)


def _of_tls(host: str, failed: ssl.SSLError) -> Trouble:
    if isinstance(failed, ssl.SSLCertVerificationError):
        advice = (
            "set LIKEWISE_OPENSEARCH_CA to the file (PEM) of the authority that signed it, "
            "and use the host's name as the certificate has it"
        )
        return Trouble(
            f"the certificate of {host} is not trusted ({failed.verify_message})", advice
        )
    if isinstance(failed, ssl.SSLEOFError):
        return _cut(host)
    reason = (failed.reason or "no reason given").replace("_", " ").lower()
    # What a server that speaks plain HTTP makes of our first words, in the words of OpenSSL.
    if reason in {"wrong version number", "record layer failure", "unknown protocol"}:
        return Trouble(f"{host} speaks no TLS", "write the address without +https")
    return Trouble(f"TLS with {host} failed ({reason})", "look into the server's log")


def _cut(host: str) -> Trouble:
    advice = "look into the server's log"
    return Trouble(f"{host} cuts the connection", advice, is_passing=True, is_cut=True)


def _innermost(cause: BaseException) -> BaseException:
    """Return the reason of the reason: clients wrap what they meet."""
    for inner in (*cause.args, cause.__cause__):
        if isinstance(inner, BaseException):
            return _innermost(inner)
    return cause


def _is_strange(failed: http.client.BadStatusLine) -> bool:
    return not isinstance(failed, http.client.RemoteDisconnected) and bool(str(failed).strip("'"))


def _way_to(address: Address) -> str:
    if any(address.fields):
        return "check its name"
    return f"make it with: likewise index FILES --into {address}"
