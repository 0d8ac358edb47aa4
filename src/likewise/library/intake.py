"""Taking records into a library, block by block, so that each paper is in it once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from likewise.documents import Document
from likewise.library.editions import Editions
from likewise.library.shelf import Counts, Shelf, shelf_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.documents import Deletion
    from likewise.documents.releases import Release
    from likewise.library.protocol import Library
    from likewise.library.shelf import Renamed

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Document).decode


class Intake:
    """Takes records into a library."""

    def __init__(self, library: Library, *, newest: Release | None = None) -> None:
        """Take records into a library.

        Args:
            library: Open for writing.
            newest: The latest release of PubMed that it has read before.
        """
        self.counts = Counts()
        self._library = library
        self._editions = Editions(newest)
        self._pending = _Pending()
        self._is_empty: bool | None = None

    def take(
        self,
        documents: Sequence[Document],
        *,
        on_renamed: Callable[[int, Renamed], None] | None = None,
    ) -> None:
        """Take documents in.

        Args:
            documents: A block of them; a few hundred or thousand at a time is best.
            on_renamed: Called with the place of a document that got another id.
        """
        keys = [shelf_keys(document) for document in documents]
        found = self._found({key for some in keys for key in some})
        shelf = Shelf(found, editions=self._editions)
        for place, document in enumerate(documents):
            renamed = shelf.put(document, keys[place], counts=self.counts)
            if renamed and on_renamed:
                on_renamed(place, renamed)
        # What takes the place of others comes first, lest an interrupt leave neither.
        self._library.add(shelf.changed.values())
        for document in shelf.changed.values():
            self._pending.add(document, shelf.keys[document.id])
        self._remove([gone for gone in shelf.removed if gone not in shelf.changed])

    def delete(
        self,
        deletions: Iterable[Deletion],
        *,
        release: Release | None = None,
        again: bool = False,
    ) -> None:
        """Remove withdrawn PubMed records, but no editions that came after the notices.

        Args:
            deletions: The notices.
            release: The release of the file that they are from.
            again: Whether they were heard before, and are for records that have come since.
        """
        withdraws = self._editions.withdraws_again if again else self._editions.withdraws
        notices = {each.pmid: each for each in sorted(deletions, key=lambda each: each.version)}
        withdrawn = [
            paper.id
            for paper in self._found({f"pmid:{pmid}" for pmid in notices})
            if paper.id == paper.pmid in notices and withdraws(notices[paper.pmid], release, paper)
        ]
        self._remove(withdrawn)
        self.counts.deleted += len(withdrawn)

    def commit(self) -> None:
        """Make everything taken so far durable."""
        self._library.commit()
        self._pending = _Pending()
        self._is_empty = None

    def _found(self, keys: set[str]) -> list[Document]:
        if not keys:
            return []
        if self._is_empty is None:
            # Nothing else writes to the library, so that it stays so until the next commit.
            self._is_empty = not self._library.count()
        committed = [] if self._is_empty else self._library.find(keys)
        found = [d for d in committed if not self._pending.changes(d.id)]
        # In one order, wherever the last commit fell.
        return sorted([*found, *self._pending.find(keys)], key=lambda document: document.id)

    def _remove(self, ids: Sequence[str]) -> None:
        self._library.delete(ids)
        for identifier in ids:
            self._pending.remove(identifier)


class _Pending:
    """What was added and removed since the last commit, which searches do not see yet."""

    def __init__(self) -> None:
        self._documents: dict[str, bytes] = {}
        self._removed: set[str] = set()
        self._by_key: defaultdict[int, list[str]] = defaultdict(list)

    def changes(self, identifier: str) -> bool:
        """Tell whether the document of an id is no longer what searches see."""
        return identifier in self._documents or identifier in self._removed

    def add(self, document: Document, keys: list[str]) -> None:
        """Note a document that was added."""
        self._documents[document.id] = _encode(document)
        self._removed.discard(document.id)
        for key in keys:
            self._by_key[hash(key)].append(document.id)

    def remove(self, identifier: str) -> None:
        """Note a document that was removed."""
        self._documents.pop(identifier, None)
        self._removed.add(identifier)

    def find(self, keys: Iterable[str]) -> list[Document]:
        """Return the documents that may hold any of these keys."""
        ids = {found for key in keys for found in self._by_key.get(hash(key), ())}
        return [_decode(self._documents[i]) for i in sorted(ids) if i in self._documents]
