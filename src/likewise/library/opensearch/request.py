"""Requests: what is asked of a cluster, ready to be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from likewise.errors import LibraryError

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    said = {name: _spelled(value) for name, value in (params or {}).items() if value is not None}
    url = quote("/" + path.lstrip("/")) + ("?" if said else "") + urlencode(said)
    if body is None:
        return Request(method, url)
    are_lines = isinstance(body, str | bytes)
    return Request(
        method, url, _encoded(body), "application/x-ndjson" if are_lines else "application/json"
    )


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encoded(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    try:
        return body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    except UnicodeEncodeError as error:
        raise LibraryError(f"a text holds half a character ({error.reason}); mend it") from error
