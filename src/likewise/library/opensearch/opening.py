"""From an address to an index: how documents lie in it, and making it where there is none."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import LibraryError, SettingsError
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.mapping import FORMAT, WINDOW, format_of, index_body
from likewise.library.opensearch.troubles import ClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout

logger = logging.getLogger(__name__)

MOST_SHARDS = 1024
"""What servers take at most, if nobody told them otherwise."""


class Copies(NamedTuple):
    """Into how many parts an index is split, and how many copies there are of each."""

    shards: int | None = None
    replicas: int | None = None

    def check(self) -> None:
        """Raise a SettingsError for what no index can have."""
        if self.shards is not None and not 1 <= self.shards <= MOST_SHARDS:
            raise SettingsError(f"shards is {self.shards}; it is a number from 1 to {MOST_SHARDS}")
        if self.replicas is not None and self.replicas < 0:
            raise SettingsError(f"replicas is {self.replicas}; it is 0 or more")


def find_layout(connection: Connection) -> Layout:
    """Return how documents lie in the index of an address, whoever made it."""
    return _layout(connection, connection.ask("GET", _path(connection)))


def claim_layout(connection: Connection, *, copies: Copies) -> OwnLayout:
    """Return the layout of an index of ours to write to, which is made where there is none."""
    copies.check()
    found = connection.ask("GET", _path(connection), missing={})
    if not found:
        _make(connection, copies)
        found = connection.ask("GET", _path(connection))
    if any(_format(index) is None for index in found.values()):
        raise LibraryError(
            f"{connection.address}: this index was not made by likewise, which only reads it; "
            "index into a name that is not taken"
        )
    if len(found) > 1:
        raise LibraryError(
            f"{connection.address}: this name stands for {len(found)} indexes; "
            "name the one to write to"
        )
    _compare(connection, copies, *found.values())
    # By its own name, whatever else it is called: two writers shall meet in one notebook.
    own = _own_layout(connection, found)
    return replace(own, index=own.single)


def _layout(connection: Connection, found: Mapping[str, Any]) -> Layout:
    if found and all(_format(index) is not None for index in found.values()):
        return _own_layout(connection, found)
    from likewise.library.opensearch.foreign import foreign_layout

    return foreign_layout(connection, found)


def _own_layout(connection: Connection, found: Mapping[str, Any]) -> OwnLayout:
    address = connection.address
    newest = max(_format(index) or 0 for index in found.values())
    if newest > FORMAT:
        raise LibraryError(
            f"{address}: this index is of format {newest}, made by a later likewise; "
            "use that, or a newer one"
        )
    if any(address.fields):
        raise LibraryError(
            f"{address}: likewise made this index, and knows its fields; leave them out"
        )
    windows = [int(_settings(index).get("max_result_window", 10_000)) for index in found.values()]
    return OwnLayout(address.index, tuple(sorted(found)), window=min([*windows, WINDOW]))


def _make(connection: Connection, copies: Copies) -> None:
    if any(connection.address.fields):
        raise LibraryError(
            f"{connection.address}: there is no such index, and one that likewise makes has fields "
            "of its own; leave them out"
        )
    body = index_body(shards=copies.shards or 1, replicas=copies.replicas)
    try:
        connection.ask("PUT", _path(connection), body=body)
    except ClusterError as error:
        # Another process was quicker, or an attempt of ours whose answer was lost.
        if "resource_already_exists_exception" not in error.kinds:
            raise


def _compare(connection: Connection, copies: Copies, index: Mapping[str, Any]) -> None:
    """Say what can't be had of an index that is there already."""
    shards = int(_settings(index).get("number_of_shards", 1))
    if copies.shards not in (None, shards):
        raise SettingsError(
            f"{connection.address}: this index was made with --shards {shards}, which can't be "
            f"changed; index into a new one for {copies.shards}"
        )
    replicas = _settings(index).get("number_of_replicas")
    if copies.replicas is not None and str(copies.replicas) != replicas:
        logger.warning(
            "%s: this index is there already, and keeps its replicas", connection.address
        )


def _format(index: Mapping[str, Any]) -> int | None:
    return format_of(index.get("mappings", {}))


def _settings(index: Mapping[str, Any]) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = index.get("settings", {}).get("index", {})
    return settings


def _path(connection: Connection) -> str:
    return f"/{connection.address.index}"
