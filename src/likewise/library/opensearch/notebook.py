"""The notebook: what likewise has to remember about an index, in a small hidden one beside it.

It holds which files were read, when the index was last committed to, which settings are to be put
back, who is writing, and notes of papers. Searches need none of it.

Each note of a paper and each ruling is an entry of its own, named after a digest of what it is
about. A field that begins with its kind is there to list all entries of one kind.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from likewise.errors import ClusterError, LibraryError
from likewise.library.opensearch.bulk import (
    Bulk,
    ChangeOutcome,
    StoredVersion,
    make_create_lines,
    make_delete_lines,
    make_put_lines,
)
from likewise.library.opensearch.connection import (
    WHOLE,
    Connection,
    PartFailure,
    ask_until_whole,
    split_batches,
)
from likewise.library.paper_notes import PaperNote  # msgspec reads annotations
from likewise.library.protocol import FileState  # msgspec reads annotations

_Noted = TypeVar("_Noted", bound=msgspec.Struct)

logger = logging.getLogger(__name__)

SUFFIX = "-likewise"
PAGE = 5000
NOTES_A_PAGE = 500
_PAPER, _RULING = "paper", "ruling"
_STATE = "state"
_CONFLICT = 409
_GONE = 404
_encode = msgspec.json.Encoder().encode


class PutBack(msgspec.Struct, frozen=True, omit_defaults=True):
    """Settings of an index as they were before they were changed for writing."""

    refresh_interval: str | None = None
    """None if it was not set."""
    replicas: int | None = None
    """None if it was not changed."""


class IndexState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of an index between two runs."""

    changed: str = ""
    """When it was last committed to, in ISO 8601, or "" if never."""
    put_back: PutBack | None = None
    index: str = ""
    """The `uuid` of the index that the notes are about."""
    made: str = ""
    """An id that tells that index from others, even if it was restored from a snapshot."""


class NotebookEntry(NamedTuple):
    """The value of an entry of the notebook, and its version."""

    value: Any
    version: StoredVersion


class _File(msgspec.Struct, frozen=True):
    """A file that was read."""

    path: str
    state: FileState
    order: str
    """The value by which pages are ordered."""


class NotedPaper(msgspec.Struct, frozen=True):
    """The note of a paper, as an entry of a notebook."""

    paper: str
    note: PaperNote
    listed: str


class NotedRuling(msgspec.Struct, frozen=True):
    """A ruling, as an entry of a notebook."""

    record: str
    paper: str
    listed: str


class _Entry(msgspec.Struct, rename={"source": "_source"}):
    source: Any = None
    error: PartFailure | None = None


class _EntriesAnswer(msgspec.Struct):
    docs: list[_Entry] = []


class Notebook:
    """The notebook of an index."""

    def __init__(self, connection: Connection, index: str) -> None:
        self.name = f"{index}{SUFFIX}"
        self.connection = connection
        self.patience: float | None = None
        """How many seconds to keep asking the server; None for the connection's patience."""
        self.path = f"/{self.name}"

    def make(self) -> None:
        """Make the notebook if there is none."""
        found = self.ask("GET", self.path, missing={})
        if any(index.get("mappings", {}).get("_meta") != _META for index in found.values()):
            raise LibraryError(
                f"{self.connection.address}: likewise keeps its notes in an index {self.name}, but "
                "there is one that holds other things; index into another name, or delete that one"
            )
        if found:
            self._complete(found)
            return
        try:
            self.ask("PUT", self.path, body={"settings": _SETTINGS, "mappings": _MAPPINGS})
        except ClusterError as error:
            # Another process, or an attempt of ours whose answer was lost, has been quicker.
            if "resource_already_exists_exception" not in error.kinds:
                raise

    def _complete(self, found: Mapping[str, Any]) -> None:
        """Add the fields that a notebook of an earlier likewise lacks."""
        lacking = [
            name
            for index in found.values()
            for name in _FIELDS
            if name not in index.get("mappings", {}).get("properties", {})
        ]
        if lacking:
            self.ask("PUT", f"{self.path}/_mapping", body={"properties": _FIELDS})

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return what the cluster answers, with the notebook's patience."""
        return self.connection.ask(method, path, patience=self.patience, **options)

    def send(self, changes: Mapping[str, bytes], **options: Any) -> dict[str, ChangeOutcome]:
        """Send changes of entries, with the notebook's patience."""
        return Bulk(self.connection, self.name, patience=self.patience).send(changes, **options)

    def begin(self, index: str, *, made: str = "") -> None:
        """Begin the notes of an index; forget those of an earlier index of the same name.

        An index that was restored may be older than its notes. Then files are read again, but
        people's rulings and the notes of papers still hold.

        Args:
            index: Its `uuid`, which changes when it is restored.
            made: The id that it was given when it was made; "" if an earlier likewise made it.
        """
        noted = self.read_state()
        if noted.index == index:
            return
        is_restored = bool(made) and noted.made == made
        if noted != IndexState():
            logger.warning(
                "%s: the index %s, so files read into the old one no longer count",
                self.connection.address,
                "was restored" if is_restored else "is new",
            )
            names = ["order"] if is_restored else list(_FIELDS)
            asked = {"bool": {"should": [{"exists": {"field": name}} for name in names]}}
            path = f"{self.path}/_delete_by_query"
            self.ask("POST", path, body={"query": asked}, params=_AT_ONCE)
        kept = noted if is_restored else IndexState(made=made)
        self.note_state(msgspec.structs.replace(kept, index=index))

    def convert_note(self, value: object, shape: type[_Noted]) -> _Noted:
        """Return a note in its own type; raise LibraryError if likewise can't have written it."""
        try:
            return msgspec.convert(value, shape)
        except msgspec.ValidationError as error:
            raise LibraryError(
                f"{self.connection.address}: the notes in the index {self.name} are damaged "
                f"({error}); delete it: then files count as not read, and can be indexed again"
            ) from error

    # Files, notes of papers, and rulings

    def list_files(self) -> dict[str, FileState]:
        """Return the files that were read, as they were then, by path."""
        entries = self._list_entries({"exists": {"field": "order"}}, by="order", page=PAGE)
        files = [self.convert_note(entry, _File) for entry in entries]
        return {file.path: file.state for file in files}

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note durably that files were read."""
        changes = {}
        for path, state in states.items():
            order = _digest(path)
            name = f"file-{order}"
            changes[name] = make_put_lines(name, _encode(_File(path, state, order)))
        self._send_pages(changes, page=PAGE)

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""
        entries = self._list_notes(_PAPER) if ids is None else self._get_papers(ids)
        noted = [self.convert_note(entry, NotedPaper) for entry in entries]
        return {each.paper: each.note for each in noted}

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""
        changes = {}
        for name, note in notes.items():
            listed = _name_note(_PAPER, name)
            kept = _encode(NotedPaper(name, note, listed)) if note else None
            changes[listed] = make_put_lines(listed, kept) if kept else make_delete_lines(listed)
        self._send_pages(changes, page=NOTES_A_PAGE)

    def has_papers(self) -> bool:
        """Return whether there is a note of any paper."""
        return any(self._list_notes(_PAPER, page=1))

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name."""
        noted = [self.convert_note(entry, NotedRuling) for entry in self._list_notes(_RULING)]
        return {each.record: each.paper for each in noted}

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest ruling on a record holds."""
        changes = {}
        for record, paper in rulings.items():
            listed = _name_note(_RULING, record)
            changes[listed] = make_put_lines(listed, _encode(NotedRuling(record, paper, listed)))
        self._send_pages(changes, page=NOTES_A_PAGE)

    def _list_notes(self, kind: str, *, page: int = NOTES_A_PAGE) -> Iterator[object]:
        query = {"prefix": {"listed": {"value": f"{kind}-"}}}
        return self._list_entries(query, by="listed", page=page)

    def _list_entries(self, query: dict[str, Any], *, by: str, page: int) -> Iterator[object]:
        # If the notebook was lost, the server has made an index without this field of what came
        # since.
        in_order = {by: {"order": "asc", "unmapped_type": "keyword"}}
        asked: dict[str, Any] = {"size": page, "sort": [in_order], "query": query}
        while True:
            path = f"{self.path}/_search"
            answer = self.ask("POST", path, body=asked, params=WHOLE, missing={})
            hits = answer["hits"]["hits"] if answer else []
            yield from (hit["_source"] for hit in hits)
            if len(hits) < page:
                return
            asked["search_after"] = hits[-1]["sort"]

    def _get_papers(self, ids: Collection[str]) -> Iterator[object]:
        names = [_name_note(_PAPER, name) for name in sorted(ids)]
        # Notes that are not there, which are nearly all, are left out of the answer.
        params = {"filter_path": "docs._source,docs.error.type,docs.error.reason"}
        for some in split_batches(names, NOTES_A_PAGE):
            ask = partial(
                self.ask,
                "POST",
                f"{self.path}/_mget",
                body={"ids": some},
                params=params,
                missing=_EntriesAnswer(),
                shape=_EntriesAnswer,
            )
            # A note whose shard can't be reached now is not missing.
            answer = ask_until_whole(self.connection, ask, _list_failures)
            yield from (entry.source for entry in answer.docs if entry.source is not None)

    def _send_pages(self, changes: Mapping[str, bytes], *, page: int) -> None:
        for names in split_batches(changes, page):
            self.send({name: changes[name] for name in names}, refresh=True)

    # State

    def read_state(self) -> IndexState:
        """Return the state that was noted last, or an empty one."""
        entry = self.read_entry(_STATE)
        return self.convert_note(entry.value, IndexState) if entry else IndexState()

    def note_state(self, state: IndexState) -> None:
        """Note the state of the index durably."""
        self.send({_STATE: make_put_lines(_STATE, _encode(state))})

    # Entries that several writers may want to change at once

    def read_entry(self, name: str) -> NotebookEntry | None:
        """Return the entry of this name, or None if there is none."""
        found = self.ask("GET", f"{self.path}/_doc/{name}", missing={})
        if not found.get("found"):
            return None
        return NotebookEntry(
            found["_source"], StoredVersion(found["_seq_no"], found["_primary_term"])
        )

    def write(
        self, name: str, value: msgspec.Struct, *, over: StoredVersion | None
    ) -> StoredVersion | None:
        """Write an entry over the version that was seen, or a new one if there was none.

        Return the new version; or None, writing nothing, if somebody else wrote it meanwhile.
        """
        source = _encode(value)
        lines = make_put_lines(name, source, over=over) if over else make_create_lines(name, source)
        outcome = self.send({name: lines}, may_be=(_CONFLICT, _GONE))[name]
        return outcome.version if outcome.status < 300 else None

    def erase(self, name: str, *, over: StoredVersion) -> bool:
        """Erase an entry, unless it was written meanwhile; return whether it is gone."""
        lines = make_delete_lines(name, over=over)
        return self.send({name: lines}, may_be=(_CONFLICT, _GONE))[name].status != _CONFLICT


_AT_ONCE = {"refresh": "true", "conflicts": "proceed"}
_META = {"likewise": {"notebook": 1}}
# The fields by whose order files, and notes of papers, are listed.
_FIELDS = {"order": {"type": "keyword"}, "listed": {"type": "keyword"}}
_SETTINGS = {"index": {"hidden": True, "number_of_shards": 1, "auto_expand_replicas": "0-1"}}
_MAPPINGS = {"_meta": _META, "dynamic": False, "properties": _FIELDS}


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _name_note(kind: str, about: str) -> str:
    return f"{kind}-{_digest(about)}"


def _list_failures(answer: _EntriesAnswer) -> Iterator[PartFailure]:
    failed = (entry.error for entry in answer.docs if entry.error)
    return (failure for failure in failed if failure.type != "index_not_found_exception")
