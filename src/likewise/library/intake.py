"""Taking records into a library: what is new, what is known already, and what becomes of the two.

An arriving record that is the same paper as one in the library is not added beside it. A newer
record of the same id and format revises it, any other is merged with it (the richer one's fields
win); either way the paper keeps the id it has. A record whose id already names *another* paper
(two exports that both count from 1) is kept too, under an id made for it, and that is told.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.documents import Document
from likewise.documents.identity import merge, revise, same_paper, with_id
from likewise.library.identifiers import library_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.library.protocol import Library


@dataclass
class Counts:
    """What became of the records."""

    added: int = 0
    revised: int = 0
    merged: int = 0
    unchanged: int = 0
    deleted: int = 0
    renamed: int = 0
    """Those among the added whose id named another paper."""

    @property
    def taken(self) -> int:
        """How many records there were."""
        return self.added + self.revised + self.merged + self.unchanged


class Renamed(NamedTuple):
    """A record that was kept under another id, and the paper that had its id already."""

    kept: Document
    namesake: Document


class Intake:
    """Takes records into a library, block by block."""

    def __init__(self, library: Library) -> None:
        self.counts = Counts()
        self._library = library
        self._uncommitted: defaultdict[int, list[Document]] = defaultdict(list)

    def take(
        self,
        documents: Sequence[Document],
        *,
        renewing: bool = False,
        on_renamed: Callable[[int, Renamed], None] | None = None,
    ) -> None:
        """Take documents in.

        Args:
            documents: A block of them; a few thousand at a time is best.
            renewing: Whether their file was read before, so that an id of the same file may
                come to name another paper.
            on_renamed: Called with the place of a document that got another id.
        """
        keys = [library_keys(document) for document in documents]
        if any(map(self._is_uncommitted, documents, keys)):
            self.commit()
        shelf = _Shelf(self._found({key for some in keys for key in some}))
        for place, document in enumerate(documents):
            renamed = shelf.put(document, keys[place], counts=self.counts, renewing=renewing)
            if renamed and on_renamed:
                on_renamed(place, renamed)
        self._library.add(shelf.changed.values())
        for document in shelf.changed.values():
            self._remember(document, shelf.keys[document.id])

    def delete(self, pmids: Iterable[str]) -> None:
        """Remove withdrawn PubMed records."""
        keys = {f"pmid:{pmid}" for pmid in pmids}
        if any(hash(key) in self._uncommitted for key in keys):
            self.commit()
        withdrawn = [document.id for document in self._found(keys) if document.id == document.pmid]
        self._library.delete(withdrawn)
        self.counts.deleted += len(withdrawn)

    def commit(self) -> None:
        """Make everything taken so far durable."""
        self._library.commit()
        self._uncommitted.clear()

    def _found(self, keys: set[str]) -> list[Document]:
        return self._library.find(keys) if self._library.count() else []

    def _remember(self, document: Document, keys: list[str]) -> None:
        # Searches see only what was committed. Until then, as much of a document is kept here as
        # tells whether another is the same paper.
        card = Document(
            id=document.id,
            pmid=document.pmid,
            doi=document.doi,
            pmcid=document.pmcid,
            title=document.title,
            year=document.year,
        )
        for key in keys:
            self._uncommitted[hash(key)].append(card)

    def _is_uncommitted(self, document: Document, keys: list[str]) -> bool:
        return any(
            card.id == document.id or same_paper(card, document)
            for key in keys
            for card in self._uncommitted.get(hash(key), ())
        )


class _Shelf:
    """The papers that a block of arriving records may be the same as."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.changed: dict[str, Document] = {}
        self.keys: dict[str, list[str]] = {}
        self._papers: dict[str, Document] = {}
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for document in documents:
            self._place(document, library_keys(document))

    def put(
        self, document: Document, keys: list[str], *, counts: Counts, renewing: bool
    ) -> Renamed | None:
        """Put a record where it belongs, and tell if it was kept under another id."""
        known = self._same(document, keys)
        if known is None:
            return self._put_unknown(document, keys, counts=counts, renewing=renewing)
        if document.id != known.id and document.id in self._papers:
            # That id is another paper's: it must not become an alias of this one.
            document = _with_made_id(document)
        if known.id == document.id and _format(known) == _format(document):
            result, kind = revise(known, document), "revised"
        else:
            result, kind = merge(known, document), "merged"
        if result == known:
            counts.unchanged += 1
        else:
            setattr(counts, kind, getattr(counts, kind) + 1)
            self._change(result, library_keys(result))
        return None

    def _put_unknown(
        self, document: Document, keys: list[str], *, counts: Counts, renewing: bool
    ) -> Renamed | None:
        namesake = self._papers.get(document.id)
        if namesake and not (renewing and namesake.source == document.source):
            kept = _with_made_id(document)
            counts.added += 1
            counts.renamed += 1
            self._change(kept, library_keys(kept))
            return Renamed(kept, namesake)
        counts.revised += bool(namesake)
        counts.added += not namesake
        self._change(document, keys)
        return None

    def _same(self, document: Document, keys: list[str]) -> Document | None:
        candidates = dict.fromkeys(found for key in keys for found in self._by_key.get(key, ()))
        for identifier in candidates:
            if same_paper(self._papers[identifier], document):
                return self._papers[identifier]
        # Nothing to tell two records apart by: the same id of the same text is the same paper.
        namesake = self._papers.get(document.id)
        return namesake if namesake and namesake.text == document.text else None

    def _change(self, document: Document, keys: list[str]) -> None:
        self.changed[document.id] = document
        self._place(document, keys)

    def _place(self, document: Document, keys: list[str]) -> None:
        self._papers[document.id] = document
        self.keys[document.id] = keys
        for key in keys:
            if document.id not in self._by_key[key]:
                self._by_key[key].append(document.id)


def _format(document: Document) -> str:
    return document.source.partition(":")[0]


def _with_made_id(document: Document) -> Document:
    supplied = f"supplied:{document.id}"
    others = (*document.other_ids, supplied)
    return with_id(msgspec.structs.replace(document, id="", other_ids=others))
