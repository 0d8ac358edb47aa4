"""The order in which the documents of an embedded library came, by the stamps of its commits.

The engine stamps each commit with a number that rises with every addition and deletion, in this
process and in later ones. A document carries when it came and when it last changed: one more than
the stamp of the commit before. So whoever has seen all up to a position finds what came after it,
whatever the clock says. What was never committed has no place in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import tantivy

from likewise.library.folder import read_identity
from likewise.library.protocol import LibraryChanges
from likewise.library.tantivy_index import ORDER_FIELDS

ListIds = Callable[[tantivy.Query, tantivy.Searcher], list[str]]
"""Returns the ids of the documents that a query finds."""


class ArrivalOrder:
    """The order of one library; one of an earlier format has none."""

    def __init__(self, folder: Path, schema: tantivy.Schema, *, is_kept: bool) -> None:
        """Take the order of a library.

        Args:
            folder: The library's.
            schema: Of its index.
            is_kept: Whether the index has the fields for it.
        """
        self._folder = folder
        self._schema = schema
        self._is_kept = is_kept
        self._uncommitted: dict[str, int] = {}
        self._stamp = 0

    def begin(self, stamp: int) -> None:
        """Take note of the stamp of the latest commit; what comes next comes after it."""
        self._stamp = stamp
        self._uncommitted.clear()

    def place(self, identifier: str, searcher: tantivy.Searcher) -> tuple[bool, tuple[int, int]]:
        """Return whether a document of this id is there, and the order of the one to come."""
        now = self._stamp + 1
        first = self._uncommitted.get(identifier)
        # Most documents are new, and a look into the dictionary is far cheaper than a search.
        is_there = first is not None or searcher.doc_freq("id", identifier) > 0
        if first is None and is_there and self._is_kept:
            first = self._find_first(identifier, searcher)
        return is_there, (now if first is None else first, now)

    def note(self, identifier: str, first: int) -> None:
        """Take note of a document that was added, and when the first one of its id came."""
        self._uncommitted[identifier] = first

    def _find_first(self, identifier: str, searcher: tantivy.Searcher) -> int | None:
        asked = tantivy.Query.term_query(self._schema, "id", identifier)
        hits = searcher.search(asked, limit=1, count=False).hits
        found = searcher.fast_field_values("first", [hits[0][1]]) if hits else [None]
        return found[0]  # type: ignore[return-value]

    def list_changes(
        self, since: int | None, *, searcher: tantivy.Searcher, list_ids: ListIds
    ) -> LibraryChanges:
        """Return what has changed since a position, as one searcher sees the library."""
        identity = read_identity(self._folder)
        if not identity or not self._is_kept:
            return LibraryChanges("", 0)
        position = _find_position(searcher)
        if since is None or position <= since:
            return LibraryChanges(identity, max(position, since or 0))
        added, changed = (
            list_ids(_make_since_query(since, self._schema, field=name), searcher)
            for name in ORDER_FIELDS
        )
        new = set(added)
        revised = tuple(name for name in changed if name not in new)
        return LibraryChanges(identity, position, tuple(added), revised)


def _find_position(searcher: tantivy.Searcher) -> int:
    """Return when the latest change was that a searcher sees; 0 if there is no document."""
    wanted = {"last": {"max": {"field": "changed"}}}
    return int(searcher.aggregate(tantivy.Query.all_query(), wanted)["last"]["value"] or 0)


def _make_since_query(position: int, schema: tantivy.Schema, *, field: str) -> tantivy.Query:
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(
        schema, field, kind, position + 1, None, use_inverted_index=True
    )
