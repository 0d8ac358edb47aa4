"""Packing: values as compressed JSON, as sessions keep them."""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec

from likewise.errors import SessionError

LEVEL = 1
"""Of zlib: 20,000 places take 0.36 MB and 0.03 s; at 6, a sixth less room, thrice the time."""

MOST = 8 << 20
MOST_RATIO = 100
"""What unpacks to more than both `MOST` bytes and so many times its size was made to fill memory:
what we pack shrinks to a tenth or so."""

T = TypeVar("T")


def packed(value: object) -> bytes:
    """Return a value as compressed JSON."""
    return zlib.compress(msgspec.json.encode(value), LEVEL)


def unpacked(content: bytes, type: type[T], *, path: object) -> T:  # noqa: A002  # as msgspec
    """Return the value that was packed; `path` is the session's, for the error message."""
    try:
        return msgspec.json.decode(unpacked_json(content, path=path), type=type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error


def unpacked_json(content: bytes, *, path: object) -> bytes:
    """Return the JSON of a value that was packed."""
    try:
        return _bounded(content)
    except (zlib.error, TypeError) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error


def _bounded(content: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    unpacked_content = unpacker.decompress(content, max(MOST, MOST_RATIO * len(content)))
    if not unpacker.eof:
        raise zlib.error("it unpacks to too much" if unpacker.unconsumed_tail else "it is cut off")
    return unpacked_content
