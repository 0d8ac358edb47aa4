"""Documents fetched from a library, once for all tasks that name them, and which say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.tasks.leakage import bare, text_key
from likewise.library.query import Hits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from likewise.documents import Document
    from likewise.library.protocol import Library


class Fetched:
    """Documents of a library as methods may see them."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._keys: dict[str, bytes] = {}
        self._indexed: set[str] = set()
        self.documents: dict[str, Document] = {}
        """All that were fetched so far, by id."""

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return documents in the order asked; unknown ids are left out."""
        asked = list(ids)
        missing = [identifier for identifier in asked if identifier not in self.documents]
        for document in self._library.get(missing) if missing else ():
            self.documents[document.id] = bare(document)
            if document.mesh and document.abstract:
                self._indexed.add(document.id)
        return [self.documents[each] for each in asked if each in self.documents]

    def indexed(self, ids: Iterable[str]) -> list[str]:
        """Return those of the documents that have headings and an abstract."""
        return [document.id for document in self.get(ids) if document.id in self._indexed]

    def key(self, document: Document) -> bytes:
        """Return a key that documents have in common that say the same."""
        if document.id not in self._keys:
            self._keys[document.id] = text_key(document)
        return self._keys[document.id]

    def first(self, order: Sequence[str], count: int) -> list[str]:
        """Return the first documents of an order, without those that say what others said."""
        chosen: dict[bytes, str] = {}
        for start in range(0, len(order), max(count, 1)):
            for document in self.get(order[start : start + count]):
                if document.text and len(chosen) < count:
                    chosen.setdefault(self.key(document), document.id)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def distinct(self, hits: Hits, *, beside: Collection[str]) -> Hits:
        """Return hits without those that say what better ones or those `beside` them say."""
        said = {self.key(document) for document in self.get(beside)}
        rows = []
        found = {document.id: document for document in self.get(hits.ids)}
        for row, identifier in enumerate(hits.ids):
            key = self.key(found[identifier])
            if key not in said:
                said.add(key)
                rows.append(row)
        return Hits([hits.ids[row] for row in rows], [hits.scores[row] for row in rows])
