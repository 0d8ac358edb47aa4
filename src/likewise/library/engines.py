"""Where a library is, and which engine opens it: a folder's, or that of an address's scheme.

A package of one's own adds an engine by an entry point in the group `likewise.engines`: the scheme
of its addresses, and the place of an `Engine`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

from likewise.errors import LibraryError, SettingsError
from likewise.extras import Offer, load_plug_in, plug_ins
from likewise.library.protocol import Library

GROUP = "likewise.engines"
_CLUSTER = "likewise.library.opensearch.library:ENGINE"
BUILT_IN = (
    EntryPoint("opensearch", _CLUSTER, GROUP),
    EntryPoint("opensearch+https", _CLUSTER, GROUP),
    EntryPoint("elasticsearch", _CLUSTER, GROUP),
    EntryPoint("elasticsearch+https", _CLUSTER, GROUP),
)


class Engine(NamedTuple):
    """The functions that open libraries at addresses of a scheme."""

    open: Callable[..., Library]
    """Opens the library at an address; `write` says whether to write to it, and make it."""
    name: Callable[[str], str]
    """Returns a short name of the library at an address, which can be part of a file's name."""
    add_fields: Callable[[str, str], str] | None = None
    """Returns an address that also names fields; None if this engine's fields have fixed names."""
    is_split: bool = False
    """Whether a library has `shards` and `replicas`, which `open` takes then."""


def open_library(
    address: str | Path,
    *,
    write: bool = False,
    shards: int | None = None,
    replicas: int | None = None,
) -> Library:
    """Open a library for reading, or with `write` for writing too, making it if need be.

    Args:
        address: A folder, or the address of a library that another engine keeps.
        write: Whether to write to it.
        shards: Into how many parts a new index is split.
        replicas: How many copies a new index has of each part.
    """
    engine = find_engine(address)
    copies = {"shards": shards, "replicas": replicas}
    if engine and engine.is_split:
        return engine.open(str(address), write=write, **copies)
    if shards is not None or replicas is not None:
        raise SettingsError(f"{address}: only an index on a cluster has shards and replicas")
    if engine:
        return engine.open(str(address), write=write)
    from likewise.library.embedded import EmbeddedLibrary

    return EmbeddedLibrary(address, write=write)


def find_engine(address: str | Path) -> Engine | None:
    """Return the engine of an address, or None for a folder."""
    # Two letters at least: a drive has one. Whatever looks like an address is none of a folder.
    found = re.match(r"([a-z+]{2,}):/", str(address), re.IGNORECASE)
    if not found:
        return None
    entry = list_engines().get(found[1])
    if entry is None:
        # Whatever follows may hold a password.
        raise LibraryError(
            f"{found[1]}://...: no engine answers to this; give a folder, or an address such "
            "as opensearch://localhost:9200/papers"
        )
    engine = load_plug_in(entry, kind="engine")
    if not isinstance(engine, Engine):
        raise Offer.of(entry, kind="engine").error("is no Engine")
    return engine


def list_engines() -> Mapping[str, EntryPoint]:
    """Return the entry point of every engine by the scheme of its addresses; none is loaded."""
    return {entry.name: entry for entry in BUILT_IN} | dict(plug_ins(GROUP))


def add_fields(address: str, fields: str) -> str:
    """Return an address that also says which field of an index is what."""
    engine = find_engine(address)
    if engine is None or engine.add_fields is None:
        raise SettingsError(
            f"{address}: fields are named for an index that exists on a cluster, "
            "not for a folder; leave --fields out"
        )
    return engine.add_fields(address, fields)
