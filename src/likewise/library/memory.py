"""The reference engine: everything in memory, nothing clever, for tests and small collections.

It scores like the embedded engine. With N documents, n of which contain the term, f its
count in the document's field, l the field's length and a the mean length over all documents:

    idf  = ln(1 + (N - n + 0.5) / (n + 0.5))
    BM25 = idf * f * (k1 + 1) / (f + k1 * (1 - b + b * l / a))

where l is rounded down as the engine stores it, in one byte (`round_length`).
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from likewise.arguments import require_identifiers
from likewise.documents import Document
from likewise.library.keys import list_filled_fields, list_headings, list_keys, prepare_document
from likewise.library.links import MemoryLinks
from likewise.library.more_like import idf
from likewise.library.paper_notes import PaperNote
from likewise.library.protocol import (
    FIELDS,
    Field,
    FileState,
    Heading,
    Hits,
    Library,
    LibraryChanges,
    LibraryInfo,
    Query,
)
from likewise.library.where import ANYWHERE, Where

K1 = 1.2
B = 0.75


class MemoryLibrary(Library):
    """A library that lives as long as the process."""

    engine = "memory"
    place = ""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._pending: dict[str, Document | None] = {}
        self._counts: dict[Field, dict[str, Counter[str]]] = {field: {} for field in FIELDS}
        # Kept, since adding up the terms of all documents would take most of a search's time.
        self._lengths: dict[Field, int] = dict.fromkeys(FIELDS, 0)
        self._files: dict[str, FileState] = {}
        self._notes: dict[str, PaperNote] = {}
        self._rulings: dict[str, str] = {}
        self._identity = secrets.token_hex(8)
        self._commits = 0
        self._order: dict[str, tuple[int, int]] = {}
        """The commits in which each document came and last changed."""

    def add(
        self,
        documents: Iterable[Document],
        *,
        keys: Mapping[str, Sequence[str]] | None = None,  # noqa: ARG002  # nothing is kept
    ) -> None:
        """Add documents, replacing those of the same ids."""
        self._pending |= {document.id: document for document in map(prepare_document, documents)}

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents."""
        self._pending |= dict.fromkeys(ids)

    def commit(self) -> None:
        """Make everything added and deleted so far visible."""
        self._commits += 1
        for identifier, document in self._pending.items():
            self._documents.pop(identifier, None)
            first, _ = self._order.pop(identifier, (self._commits, 0))
            if document:
                self._order[identifier] = first, self._commits
            for field in FIELDS:
                self._lengths[field] -= self._counts[field].pop(identifier, Counter()).total()
                if document:
                    terms = self.analyze(field, getattr(document, field))
                    self._counts[field][identifier] = Counter(terms)
                    self._lengths[field] += len(terms)
            if document:
                self._documents[identifier] = document
        self._pending = {}

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order given."""
        ids = require_identifiers(ids)
        return [self._documents[identifier] for identifier in ids if identifier in self._documents]

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys."""
        wanted = set(keys)
        found = [d for d in self._documents.values() if not wanted.isdisjoint(list_keys(d))]
        return sorted(found, key=lambda document: document.id)

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field."""
        frequencies = Counter(chain.from_iterable(self._counts[field].values()))
        return {term: frequencies[term] for term in terms}

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query."""
        scores: defaultdict[str, float] = defaultdict(float)
        matched: Counter[str] = Counter()
        for term in query.terms:
            for identifier, score in self._score(term.field, term.text).items():
                scores[identifier] += term.weight * score
                matched[identifier] += 1
        excluded = set(exclude)
        found = {
            identifier: score
            for identifier, score in scores.items()
            if matched[identifier] >= query.minimum
            and identifier not in excluded
            and query.where.matches(self._documents[identifier])
        }
        best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return Hits([identifier for identifier, _ in best], [score for _, score in best])

    def _score(self, field: Field, term: str) -> dict[str, float]:
        counts = self._counts[field]
        having = {identifier: count for identifier, count in counts.items() if term in count}
        if not having:
            return {}
        mean = self._lengths[field] / len(counts)
        rarity = idf(len(having), len(counts))
        scores = {}
        for identifier, count in having.items():
            norm = K1 * (1 - B + B * round_length(count.total()) / mean)
            scores[identifier] = rarity * count[term] * (K1 + 1) / (count[term] + norm)
        return scores

    def count_headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        return dict(Counter(h for d in self._documents.values() for h in list_headings(d)))

    def find_having(self, terms: Sequence[Collection[Heading]]) -> list[str]:
        """Return the ids of the documents that have a heading of each of the terms."""
        return sorted(
            identifier
            for identifier, document in self._documents.items()
            if all(not set(term).isdisjoint(list_headings(document)) for term in terms)
        )

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the ids of all documents, or of those within some limits."""
        return sorted(name for name, found in self._documents.items() if where.matches(found))

    def list_changes(self, since: int | None = None) -> LibraryChanges:
        """Return what has changed since a position; without one, only the library's position."""
        if since is None:
            return LibraryChanges(self._identity, self._commits)
        changed = {name: first for name, (first, last) in self._order.items() if last > since}
        return LibraryChanges(
            self._identity,
            max(self._commits, since),
            added=tuple(sorted(name for name, first in changed.items() if first > since)),
            revised=tuple(sorted(name for name, first in changed.items() if first <= since)),
        )

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, or how many are within some limits."""
        return sum(map(where.matches, self._documents.values()))

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        documents = self._documents.values()
        return LibraryInfo(
            documents=len(documents),
            fields=dict(Counter(name for d in documents for name in list_filled_fields(d))),
            sources=dict(Counter(d.source for d in documents)),
            bytes=0,
            changed="",
        )

    def list_files(self) -> dict[str, FileState]:
        """Return every file that was noted, by its path."""
        return dict(self._files)

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note that files were read."""
        self._files |= states

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""
        wanted = self._notes.keys() if ids is None else ids
        return {name: self._notes[name] for name in wanted if name in self._notes}

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id; None erases one."""
        kept = {**self._notes, **notes}
        self._notes = {name: note for name, note in kept.items() if note}

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name."""
        return dict(self._rulings)

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings."""
        self._rulings |= rulings

    def open_links(self) -> MemoryLinks | None:
        """Return the links of the documents, or None if there are none."""
        links = MemoryLinks(self._documents.values())
        return links if links.graphs else None

    def close(self) -> None:
        """Drop what was not committed."""
        self._pending = {}


def round_length(length: int) -> int:
    """Return a field's length as engines keep it in one byte: exact to 40, then ever coarser.

    >>> [round_length(n) for n in (7, 40, 41, 150, 1000)]
    [7, 40, 40, 144, 984]
    """
    above = length - 24
    shift = max(0, above.bit_length() - 4) if above > 0 else 0
    return 24 + (above >> shift << shift)
