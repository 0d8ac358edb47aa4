"""What a server's refusals mean: its status, its words, and whether they pass by themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.library.opensearch.credentials import API_KEY, PASSWORD, USER
from likewise.library.opensearch.troubles import (
    RETRYABLE,
    Trouble,
    no_opensearch,
    of_plain_to_tls,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.library.opensearch.credentials import Credentials

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
"""What a server calls the failures, of parts of an answer, that pass by themselves."""
_FULL = "read-only-allow-delete"
_ACTION = re.compile(r"\[((?:indices|cluster):[^\[\]]+)\]")
_LENGTH = 200


class Answer(NamedTuple):
    """What came back, and from where."""

    host: str
    status: int
    text: str
    kind: str = ""
    """The type of its content, as in text/html."""
    retry_after: str = ""
    location: str = ""


class Said(NamedTuple):
    """What the server says of it."""

    reason: str = ""
    kinds: frozenset[str] = frozenset()
    told: str = ""
    """The reason as people may read it: in one line, not too long, and without secrets."""


def of_answer(answer: Answer, *, credentials: Credentials) -> Trouble:
    """Return what an answer other than the one asked for means."""
    said = _said(answer.text)
    said = said._replace(told=_short(credentials.hide(said.reason)))
    trouble = _known(answer, said, login=credentials.origin) or _other(answer, said)
    return trouble._replace(status=answer.status, kinds=said.kinds)


def _known(answer: Answer, said: Said, *, login: str) -> Trouble | None:
    if answer.status == 401:
        return _of_login(answer.host, login)
    if _FULL in said.reason:
        advice = "make room on the cluster, then run the command again; what was committed is safe"
        return Trouble("the cluster's disks are full, so the index is read-only now", advice)
    if "cluster_block_exception" in said.kinds and answer.status == 403:
        return Trouble(f"the index is blocked ({said.told})", "lift the block in its settings")
    if "index_closed_exception" in said.kinds:
        return Trouble("the index is closed", "open it with POST /INDEX/_open")
    if answer.status == 403:
        return _of_permission(said)
    if "index_not_found_exception" in said.kinds and answer.status == 404:
        found = re.search(r"\[([^\[\]]+)\]", said.reason)
        name = f" {found[1]!r}" if found else ""
        return Trouble(f"there is no index{name} on this cluster", lacks_index=True)
    if answer.status == 413:
        advice = "raise http.max_content_length of the server, or of what stands before it"
        return Trouble(f"{answer.host} takes no request as large as this", advice)
    if "maxClauseCount" in said.reason or "too_many_clauses" in said.kinds:
        advice = "raise indices.query.bool.max_clause_count of the server, or ask for fewer terms"
        return Trouble(f"more terms than the server takes ({said.told})", advice)
    return None


def _other(answer: Answer, said: Said) -> Trouble:
    if answer.status in RETRYABLE or said.kinds & _LOST_NODE:
        return _of_passing(answer, said)
    if answer.location.startswith("https://") or "HTTPS port" in answer.text:
        return of_plain_to_tls(answer.host)
    if not said.reason:
        kind = answer.kind.partition(";")[0] or "nothing"
        return no_opensearch(answer.host, f"{kind} with status {answer.status}")
    return Trouble(f"{answer.host} refuses this ({answer.status}: {said.told})")


def _of_passing(answer: Answer, said: Said) -> Trouble:
    because = f": {said.told}" if said.told else ""
    # A place in a list of hits that was forgotten does not come back; whoever asked starts anew.
    lasting = "search_context_missing_exception" in said.kinds
    busy = answer.status == 429
    return Trouble(
        f"{answer.host} {'is too busy' if busy else 'is not ready'} ({answer.status}{because})",
        "try again later"
        if busy
        else "look at the cluster's health: nodes may be down, or their disks full",
        is_passing=not lasting,
        pause=float(answer.retry_after) if answer.retry_after.isdecimal() else 0.0,
    )


def _of_login(host: str, login: str) -> Trouble:
    if login:
        return Trouble(f"{host} does not accept {login} (401)", "check whether that is right")
    advice = f"set {USER} and {PASSWORD}, or {API_KEY}, or write them to ~/.netrc"
    return Trouble(f"{host} asks for a user and a password (401)", advice)


def _of_permission(said: Said) -> Trouble:
    action = _ACTION.search(said.reason)
    what = action[1] if action else said.told or "no reason given"
    advice = "ask those who run the cluster for the permission, or use other credentials"
    return Trouble(f"this is not allowed: {what} (403)", advice)


def _said(text: str) -> Said:
    """Return the reason nearest to the root, and the kinds of all layers."""
    try:
        answer = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return Said()
    error = answer.get("error") or answer.get("message") if isinstance(answer, dict) else None
    if isinstance(error, str):
        return Said(error)
    layers = list(_layers(error))
    reasons = [str(layer["reason"]) for layer in layers if isinstance(layer.get("reason"), str)]
    kinds = frozenset(str(layer["type"]) for layer in layers if layer.get("type"))
    # Outer layers say no more than that all shards failed.
    return Said(reasons[-1] if reasons else ", ".join(sorted(kinds)), kinds)


def _layers(error: Any) -> Iterator[dict[str, Any]]:
    """Yield an error and what it was caused by, the cause that comes first last."""
    if not isinstance(error, dict):
        return
    yield error
    shards = [shard.get("reason") for shard in error.get("failed_shards") or ()]
    for cause in (error.get("caused_by"), *reversed(shards), *(error.get("root_cause") or ())[:1]):
        yield from _layers(cause)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LENGTH else f"{line[:_LENGTH]}..."
