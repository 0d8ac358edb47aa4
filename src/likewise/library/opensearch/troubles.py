"""What goes wrong with a cluster, and what its refusals mean: one line that says what to do."""

from __future__ import annotations

import http.client
import os
import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from likewise.errors import ClusterError, LibraryError, NotALibraryError
from likewise.library.opensearch.address import Address, Host
from likewise.library.opensearch.credentials import (
    API_KEY,
    HOSTS,
    PASSWORD,
    USER,
    Credentials,
)
from likewise.web.connections import WebReply
from likewise.web.troubles import FailureKind, NoAnswerError

RETRYABLE = frozenset({429, 502, 503, 504})
"""Statuses, of requests and of their single items, for troubles that pass by themselves."""

_LOST_NODE = frozenset(
    {
        "no_shard_available_action_exception",
        "node_closed_exception",
        "node_disconnected_exception",
        "node_not_connected_exception",
        "receive_timeout_transport_exception",
        "unavailable_shards_exception",
    }
)
_BUSY = frozenset(
    {
        "circuit_breaking_exception",
        "rejected_execution_exception",
        "es_rejected_execution_exception",
    }
)
PASSING = _LOST_NODE | _BUSY
"""A server's names for failures, of parts of an answer, that pass by themselves."""
_FULL = "read-only-allow-delete"
_ACTION = re.compile(r"\[((?:indices|cluster):[^\[\]]+)\]")
_LENGTH = 200


@dataclass(frozen=True)
class Trouble:
    """Why a request failed."""

    said: str
    advice: str = ""
    is_passing: bool = False
    """Whether it may be gone in a while."""
    is_unreached: bool = False
    """Whether the host could not be reached."""
    is_cut: bool = False
    """Whether the server hung up."""
    pause: float = 0.0
    """How many seconds the server asks to wait."""
    status: int = 0
    kinds: frozenset[str] = frozenset()
    lacks_index: bool = False


def make_error(address: Address, trouble: Trouble, *, waited: float = 0.0) -> LibraryError:
    """Return the error to raise for a trouble."""
    if trouble.lacks_index:
        return NotALibraryError(f"{address}: {trouble.said}; {_advise_on_index(address)}")
    lasting = f", for {waited:.0f} s now" if waited >= 1 else ""
    advice = f"; {trouble.advice}" if trouble.advice else ""
    said = f"{address}: {trouble.said}{lasting}{advice}"
    return ClusterError(said, status=trouble.status, kinds=trouble.kinds)


def explain_failure(host: str, failure: NoAnswerError) -> Trouble:
    """Return what a request without an answer means."""
    kind, cause = failure.kind, failure.cause
    if kind in {FailureKind.TLS, FailureKind.CERTIFICATE} and isinstance(cause, ssl.SSLError):
        return _explain_tls(host, cause)
    if kind == FailureKind.UNKNOWN_HOST:
        return Trouble(
            f"the host {host} is not known",
            "check its name",
            is_passing=True,
            is_unreached=True,
        )
    if kind in {FailureKind.UNREACHED, FailureKind.CONNECT_TIMEOUT}:
        why = cause.strerror if isinstance(cause, OSError) and cause.strerror else "no answer"
        return Trouble(
            f"{host} can't be reached ({why.lower()})",
            "check host and port, and whether the server is running",
            is_passing=True,
            is_unreached=True,
        )
    if kind == FailureKind.READ_TIMEOUT:
        advice = "the server may be overloaded: try again later"
        return Trouble(f"{host} does not answer in time", advice, is_passing=True)
    if isinstance(cause, http.client.BadStatusLine) and _is_strange(cause):
        return explain_other_server(host, "no HTTP")
    return _explain_cut(host)


def explain_other_server(host: str, found: str) -> Trouble:
    """Return the trouble that something other than OpenSearch answers there."""
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


def explain_plain_to_tls(host: str) -> Trouble:
    """Return the trouble that a server expects TLS, but was asked without it."""
    advice = "write the address with +https, such as opensearch+https://"
    return Trouble(f"{host} expects TLS", advice)


def _explain_tls(host: str, failed: ssl.SSLError) -> Trouble:
    if isinstance(failed, ssl.SSLCertVerificationError):
        advice = (
            "set LIKEWISE_OPENSEARCH_CA to the file (PEM) of the authority that signed it, "
            "and use the host's name as the certificate has it"
        )
        return Trouble(
            f"the certificate of {host} is not trusted ({failed.verify_message})", advice
        )
    if isinstance(failed, ssl.SSLEOFError):
        return _explain_cut(host)
    reason = (failed.reason or "no reason given").replace("_", " ").lower()
    # What OpenSSL says if the server answers with plain HTTP.
    if reason in {"wrong version number", "record layer failure", "unknown protocol"}:
        return Trouble(f"{host} does not speak TLS", "write the address without +https")
    return Trouble(f"TLS with {host} failed ({reason})", "look into the server's log")


def _explain_cut(host: str) -> Trouble:
    advice = "look into the server's log"
    return Trouble(f"{host} cuts the connection", advice, is_passing=True, is_cut=True)


def _is_strange(failed: http.client.BadStatusLine) -> bool:
    return not isinstance(failed, http.client.RemoteDisconnected) and bool(str(failed).strip("'"))


def _advise_on_index(address: Address) -> str:
    if any(address.fields):
        return "check its name"
    return f"make it with: likewise index FILES --into {address}"


@dataclass(frozen=True)
class _ServerRefusal:
    """An answer that refuses something, the host that gave it, and why."""

    host: str
    reply: WebReply
    reason: str
    """The server's own words."""
    kinds: frozenset[str]
    told: str
    """The reason as people may read it: in one line, not too long, and without secrets."""

    @property
    def status(self) -> int:
        return self.reply.status

    def read_header(self, name: str) -> str:
        return self.reply.headers.get(name, "")


def explain_answer(host: str, reply: WebReply, *, credentials: Credentials) -> Trouble:
    """Return what a refusal means, and whether it passes by itself."""
    reason, kinds = _read_reason(reply.content)
    refusal = _ServerRefusal(host, reply, reason, kinds, _shorten(credentials.hide(reason)))
    trouble = _explain_known(refusal, login=credentials.origin) or _explain_other(refusal)
    return replace(trouble, status=reply.status, kinds=kinds)


def _explain_known(refusal: _ServerRefusal, *, login: str) -> Trouble | None:
    if refusal.status == 401:
        return _explain_login(refusal.host, login)
    if _FULL in refusal.reason:
        advice = "make room on the cluster, then run the command again; what was committed is safe"
        return Trouble("the cluster's disks are full, so the index is read-only now", advice)
    if "cluster_block_exception" in refusal.kinds and refusal.status == 403:
        return Trouble(f"the index is blocked ({refusal.told})", "lift the block in its settings")
    if "index_closed_exception" in refusal.kinds:
        return Trouble("the index is closed", "open it with POST /INDEX/_open")
    if refusal.status == 403:
        return _explain_permission(refusal)
    if "index_not_found_exception" in refusal.kinds and refusal.status == 404:
        found = re.search(r"\[([^\[\]]+)\]", refusal.reason)
        name = f" {found[1]!r}" if found else ""
        return Trouble(f"there is no index{name} on this cluster", lacks_index=True)
    if refusal.status == 413:
        advice = "raise http.max_content_length of the server, or the limit of a proxy before it"
        return Trouble(f"{refusal.host} accepts no request as large as this", advice)
    if "maxClauseCount" in refusal.reason or "too_many_clauses" in refusal.kinds:
        advice = "raise indices.query.bool.max_clause_count of the server, or ask for fewer terms"
        return Trouble(f"more terms than the server takes ({refusal.told})", advice)
    return None


def _explain_other(refusal: _ServerRefusal) -> Trouble:
    if refusal.status in RETRYABLE or refusal.kinds & _LOST_NODE:
        return _explain_passing(refusal)
    is_moved = refusal.read_header("location").startswith("https://")
    if is_moved or b"HTTPS port" in refusal.reply.content:
        return explain_plain_to_tls(refusal.host)
    if not refusal.reason:
        kind = refusal.read_header("content-type").partition(";")[0] or "nothing"
        return explain_other_server(refusal.host, f"{kind} with status {refusal.status}")
    return Trouble(f"{refusal.host} refuses this ({refusal.status}: {refusal.told})")


def _explain_passing(refusal: _ServerRefusal) -> Trouble:
    because = f": {refusal.told}" if refusal.told else ""
    # A place in a list of hits that the server forgot does not come back; the caller starts anew.
    lasting = "search_context_missing_exception" in refusal.kinds
    busy = refusal.status == 429
    return Trouble(
        f"{refusal.host} {'is too busy' if busy else 'is not ready'} ({refusal.status}{because})",
        "try again later"
        if busy
        else "look at the cluster's health: nodes may be down, or their disks full",
        is_passing=not lasting,
        pause=float(pause) if (pause := refusal.read_header("retry-after")).isdecimal() else 0.0,
    )


def _explain_login(host: str, login: str) -> Trouble:
    if login:
        return Trouble(f"{host} does not accept {login} (401)", "check whether that is right")
    advice = f"set {USER} and {PASSWORD}, or {API_KEY}, or write them to ~/.netrc"
    if os.environ.get(HOSTS):
        advice = f"if it may get the credentials that are set, add it to {HOSTS}; else {advice}"
    return Trouble(f"{host} asks for a user and a password (401)", advice)


def _explain_permission(refusal: _ServerRefusal) -> Trouble:
    action = _ACTION.search(refusal.reason)
    what = action[1] if action else refusal.told or "no reason given"
    advice = "ask those who run the cluster for the permission, or use other credentials"
    return Trouble(f"this is not allowed: {what} (403)", advice)


def _read_reason(content: bytes) -> tuple[str, frozenset[str]]:
    """Return the reason nearest to the root, and the kinds of all layers."""
    try:
        answer = msgspec.json.decode(content or b"{}")
    except msgspec.DecodeError:
        return "", frozenset()
    error = answer.get("error") or answer.get("message") if isinstance(answer, dict) else None
    if isinstance(error, str):
        return error, frozenset()
    layers = list(_walk_layers(error))
    reasons = [str(layer["reason"]) for layer in layers if isinstance(layer.get("reason"), str)]
    kinds = frozenset(str(layer["type"]) for layer in layers if layer.get("type"))
    # Outer layers say no more than that all shards failed.
    return reasons[-1] if reasons else ", ".join(sorted(kinds)), kinds


def _walk_layers(error: Any) -> Iterator[dict[str, Any]]:
    """Yield an error and all its causes, the root last."""
    if not isinstance(error, dict):
        return
    yield error
    shards = [shard.get("reason") for shard in error.get("failed_shards") or ()]
    for cause in (error.get("caused_by"), *reversed(shards), *(error.get("root_cause") or ())[:1]):
        yield from _walk_layers(cause)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LENGTH else f"{line[:_LENGTH]}..."
