"""The engine on OpenSearch and Elasticsearch: an index on a cluster.

Terms are made here, by `library/analysis.py`, and the index holds them as they are, so that every
server finds the same. What is not committed may be lost, or may be visible already, but no document
is ever half there.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, NamedTuple

from likewise.documents import Document
from likewise.errors import ClusterError, LibraryError, SettingsError
from likewise.library import Engine
from likewise.library.opensearch.address import add_fields, parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.foreign import IndexLayout, read_foreign_layout
from likewise.library.opensearch.layouts import (
    FIRST_WITH_LIMITS,
    INDEX_FORMAT,
    WINDOW,
    OwnLayout,
    make_index_body,
    make_link_properties,
    read_format,
    read_meta,
)
from likewise.library.opensearch.links import ClusterLinks
from likewise.library.opensearch.notebook import Notebook
from likewise.library.opensearch.reading import IndexReader
from likewise.library.opensearch.writer import IndexWriter
from likewise.library.paper_notes import PaperNote
from likewise.library.protocol import FileState, Library, LibraryInfo

logger = logging.getLogger(__name__)
MOST_SHARDS = 1024
"""How many shards servers allow by default."""


class OpenSearchLibrary(IndexReader, Library):
    """A library in an index on a cluster."""

    def __init__(
        self,
        address: str,
        *,
        write: bool = False,
        shards: int | None = None,
        replicas: int | None = None,
    ) -> None:
        """Open an index; with `write`, make it if there is none, and claim it for writing."""
        self.address = parse_address(address)
        self._writer: IndexWriter | None = None
        self._has_notes: bool | None = None
        connection = Connection(self.address)
        try:
            if write:
                own = claim_layout(connection, copies=Copies(shards, replicas))
                super().__init__(connection, own)
                self._writer = IndexWriter(connection, own)
            else:
                super().__init__(connection, find_layout(connection))
        except BaseException:
            connection.close()
            raise

    @property
    def engine(self) -> str:
        """The server's name and version, such as "opensearch 2.5.0"."""
        return f"{self._connection.distribution} {self._connection.version}".rstrip()

    @property
    def place(self) -> str:
        """Its address."""
        return str(self.address)

    def __repr__(self) -> str:
        # Printing it, as a debugger does, must not wait for a server.
        return f"<Library {self.place}>"

    # Writing

    def add(
        self, documents: Iterable[Document], *, keys: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add documents, replacing those of the same ids; visible and durable after `commit`."""
        self._require_writer().add(documents, keys=keys)

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents, as of the next `commit`; unknown ids are ignored."""
        self._require_writer().delete(ids)

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        self._require_writer().commit()

    def list_files(self) -> dict[str, FileState]:
        """Return the files that were read to their end, as they were then, by path."""
        return notebook.list_files() if (notebook := self._notebook) else {}

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note durably, at once, that files were read; call it once their records are committed."""
        self._require_writer().notebook.note_files(states)

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""
        if (notebook := self._notebook) is None:
            return {}
        if self._writer and self._has_notes is None:
            # Nobody else writes meanwhile. Most libraries have no notes, so one question is enough.
            self._has_notes = notebook.has_papers()
        return {} if self._writer and not self._has_notes else notebook.read_papers(ids)

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""
        self._require_writer().notebook.note_papers(notes)
        self._has_notes = True

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name."""
        return notebook.read_rulings() if (notebook := self._notebook) else {}

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest ruling on a record holds."""
        self._require_writer().notebook.note_rulings(rulings)

    def _require_writer(self) -> IndexWriter:
        if self._writer is None:
            raise LibraryError(f"{self.address}: this library was opened for reading only")
        return self._writer

    @property
    def _notebook(self) -> Notebook | None:
        """The notebook of the index, if likewise made it."""
        if self._writer:
            return self._writer.notebook
        own = self._layout
        return Notebook(self._connection, own.single) if isinstance(own, OwnLayout) else None

    # Reading

    def open_links(self) -> ClusterLinks | None:
        """Return the links of the library, or None if it knows of none."""
        if not isinstance(self._layout, OwnLayout) or not self._layout.has_links:
            return None
        links = ClusterLinks(self._connection, self._layout)
        return links if links.count_all().links else None

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        changed = notebook.read_state().changed if (notebook := self._notebook) else ""
        return self._describe(changed=changed)

    def close(self) -> None:
        """Close the library; what was not committed may be lost."""
        try:
            if self._writer:
                writer, self._writer = self._writer, None
                writer.close()
        finally:
            self._connection.close()


class Copies(NamedTuple):
    """How many parts an index is split into, and how many copies there are of each."""

    shards: int | None = None
    replicas: int | None = None

    def check(self) -> None:
        """Raise SettingsError for numbers that no index can have."""
        if self.shards is not None and not 1 <= self.shards <= MOST_SHARDS:
            raise SettingsError(f"shards is {self.shards}; give a number from 1 to {MOST_SHARDS}")
        if self.replicas is not None and self.replicas < 0:
            raise SettingsError(f"replicas is {self.replicas}; give 0 or more")


def find_layout(connection: Connection) -> IndexLayout:
    """Return the layout of the index at an address, whoever made it."""
    found = connection.ask("GET", f"/{connection.address.index}")
    if found and all(read_format(index) is not None for index in found.values()):
        return _make_own_layout(connection, found)
    return read_foreign_layout(connection, found)


def claim_layout(connection: Connection, *, copies: Copies) -> OwnLayout:
    """Return the layout of an index of likewise to write to, making the index if need be."""
    copies.check()
    found = connection.ask("GET", f"/{connection.address.index}", missing={})
    if not found:
        _make_index(connection, copies)
        found = connection.ask("GET", f"/{connection.address.index}")
    if any(read_format(index) is None for index in found.values()):
        raise LibraryError(
            f"{connection.address}: this index was not made by likewise, which only reads it; "
            "index into a name that is not taken yet"
        )
    if len(found) > 1:
        raise LibraryError(
            f"{connection.address}: this name stands for {len(found)} indexes; "
            "name the one to write to"
        )
    _compare_copies(connection, copies, *found.values())
    # By its own name, not by an alias: two writers must meet in the same notebook.
    own = _make_own_layout(connection, found)
    return _add_link_fields(connection, replace(own, index=own.single))


def _make_own_layout(connection: Connection, found: Mapping[str, Any]) -> OwnLayout:
    address = connection.address
    formats = [read_format(index) or 0 for index in found.values()]
    if max(formats) > INDEX_FORMAT:
        raise LibraryError(
            f"{address}: this index is of format {max(formats)}, made by a later likewise; "
            "use that version, or a newer one"
        )
    if any(address.fields):
        raise LibraryError(
            f"{address}: likewise made this index, and knows its fields; leave them out"
        )
    windows = [
        int(_read_settings(index).get("max_result_window", 10_000)) for index in found.values()
    ]
    return OwnLayout(
        address.index,
        tuple(sorted(found)),
        window=min([*windows, WINDOW]),
        has_limits=min(formats) >= FIRST_WITH_LIMITS,
        has_links=any(map(_has_link_fields, found.values())),
        made=read_meta(next(iter(found.values()))).get("made", ""),
    )


def _has_link_fields(index: Mapping[str, Any]) -> bool:
    found = index.get("mappings", {}).get("properties", {}).get("find", {})
    return make_link_properties().keys() <= set(found.get("properties", {}))


def _add_link_fields(connection: Connection, layout: OwnLayout) -> OwnLayout:
    """Add the fields for what documents cite to an index that an earlier likewise made."""
    if layout.has_links:
        return layout
    added = {"properties": {"find": {"properties": make_link_properties()}}}
    try:
        connection.ask("PUT", f"/{layout.index}/_mapping", body=added)
    except ClusterError as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        logger.warning("%s: what documents cite is not indexed (%s)", connection.address, error)
        return layout
    return replace(layout, has_links=True)


def _make_index(connection: Connection, copies: Copies) -> None:
    if any(connection.address.fields):
        raise LibraryError(
            f"{connection.address}: there is no such index, and likewise knows the fields of one "
            "that it makes; leave them out"
        )
    body = make_index_body(shards=copies.shards or 1, replicas=copies.replicas)
    try:
        connection.ask("PUT", f"/{connection.address.index}", body=body)
    except ClusterError as error:
        # Another process was quicker, or an attempt of ours whose answer was lost.
        if "resource_already_exists_exception" not in error.kinds:
            raise


def _compare_copies(connection: Connection, copies: Copies, index: Mapping[str, Any]) -> None:
    """Refuse another number of shards for an existing index; warn that its replicas stay."""
    shards = int(_read_settings(index).get("number_of_shards", 1))
    if copies.shards not in (None, shards):
        raise SettingsError(
            f"{connection.address}: this index was made with --shards {shards}, which can't be "
            f"changed; index into a new one for {copies.shards}"
        )
    replicas = _read_settings(index).get("number_of_replicas")
    if copies.replicas is not None and str(copies.replicas) != replicas:
        logger.warning("%s: this index exists already, and keeps its replicas", connection.address)


def _read_settings(index: Mapping[str, Any]) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = index.get("settings", {}).get("index", {})
    return settings


ENGINE = Engine(
    OpenSearchLibrary,
    name=lambda address: parse_address(address).index,
    add_fields=add_fields,
    is_split=True,
)
