"""Where a library is, and which engine opens it: a folder, or an address of another engine."""

from __future__ import annotations

import re
from pathlib import Path

from likewise.errors import LibraryError, SettingsError
from likewise.library.protocol import Library


def open_library(
    address: str | Path,
    *,
    write: bool = False,
    shards: int | None = None,
    replicas: int | None = None,
) -> Library:
    """Open a library for reading, or with `write` for writing too, making it if need be.

    Args:
        address: A folder, or the address of an index on a cluster.
        write: Whether to write to it.
        shards: Of an index that is made: into how many parts it is split.
        replicas: Of an index that is made: how many copies there are of each part.
    """
    # Two letters at least: a drive has one. Whatever looks like an address is none of a folder.
    scheme = re.match(r"([a-z+]{2,}):/", str(address), re.IGNORECASE)
    if scheme:
        _check_scheme(scheme[1])
        from likewise.library.opensearch.library import OpenSearchLibrary

        return OpenSearchLibrary(str(address), write=write, shards=shards, replicas=replicas)
    if shards is not None or replicas is not None:
        raise SettingsError(f"{address}: only an index on a cluster has shards and replicas")
    from likewise.library.embedded import EmbeddedLibrary

    return EmbeddedLibrary(address, write=write)


def _check_scheme(scheme: str) -> None:
    from likewise.library.opensearch.address import SCHEMES

    if scheme not in SCHEMES:
        # Whatever follows may hold a password.
        raise LibraryError(
            f"{scheme}://...: no engine answers to this; give a folder, or an address as in "
            "opensearch://localhost:9200/papers"
        )
