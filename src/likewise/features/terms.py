"""Term counts: each document's terms, counted once, from which all word features are made."""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from likewise.features.sequences import GrowingRows, Numbering, Reading, Sequences
from likewise.features.tokens import Ragged, words_of
from likewise.library.analysis import chunks_of
from likewise.library.query import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scipy import sparse

    from likewise.documents import Document

    Analyze = Callable[[Field, str], list[str]]
    AnalyzeAll = Callable[[Field, Sequence[str]], list[list[str]]]

BATCH = 1_000
"""So many documents' terms are held at a time."""


class TermCounts(NamedTuple):
    """How often each term occurs in each document, title and abstract apart."""

    terms: list[str]
    """The columns, in the order in which the documents first have them."""
    title: sparse.csr_array
    abstract: sparse.csr_array


class ReadTexts(NamedTuple):
    """What was read in documents, to be kept: two rows each, title and abstract."""

    digests: dict[str, bytes]
    """Of each document's texts, by its id, in the order of the rows."""
    chunks: list[str]
    chunk_rows: Ragged
    terms: list[str]
    term_rows: Ragged
    """Those of documents; or, where the engine `analyzes_by_chunk`, those of chunks."""


class TermCounter:
    """Counts terms as documents come in; what was read is not read again.

    What is returned for some documents does not depend on which others were added.
    """

    def __init__(
        self, analyze_all: AnalyzeAll, *, by_chunk: bool = False, read: ReadTexts | None = None
    ) -> None:
        """Count terms as an engine's analysis of many texts gives them.

        Args:
            analyze_all: The analysis.
            by_chunk: Whether the engine `analyzes_by_chunk`, so that it need not see whole texts.
            read: What the same analysis has read before, in documents that may be added.
        """
        self._analyze_all = analyze_all
        self._by_chunk = by_chunk
        self._documents: dict[str, int] = {}
        self._digests: dict[str, bytes] = {}
        """Of the texts that have not changed since they were read before."""
        self._terms = Reading(lambda chunks: analyze_all(FIELDS[0], chunks))
        self._words = Reading(_words_of_chunks)
        self._size = 0
        """How many documents have rows; some of those that were read before may not be added."""
        self._start(read or ReadTexts({}, [], Ragged.of([]), [], Ragged.of([])))

    def _start(self, read: ReadTexts) -> None:
        self._before = {name: (n, made) for n, (name, made) in enumerate(read.digests.items())}
        self._size = len(read.digests)
        self._chunks = Numbering.of(read.chunks)
        self._chunk_rows = GrowingRows(read.chunk_rows)
        self._terms.names = Numbering.of(read.terms)
        self._term_rows = GrowingRows(Ragged.of([]) if self._by_chunk else read.term_rows)
        if self._by_chunk:
            self._terms.of_chunks = read.term_rows

    def add(self, documents: Iterable[Document]) -> None:
        """Read documents, each under its id."""
        new: dict[str, Document] = {}
        for document in documents:
            if document.id not in self._documents:
                new.setdefault(document.id, document)
        rows = [document for document in new.values() if not self._was_read(document)]
        for start in range(0, len(rows), BATCH):
            self._add(rows[start : start + BATCH])

    def _was_read(self, document: Document) -> bool:
        number, digest = self._before.get(document.id, (0, b""))
        is_same = bool(digest) and digest == text_digest(document)
        if is_same:
            self._documents[document.id] = number
            self._digests[document.id] = digest
        return is_same

    def _add(self, documents: Sequence[Document]) -> None:
        texts = (getattr(document, field) for document in documents for field in FIELDS)
        self._chunk_rows.append(self._chunks.rows(map(chunks_of, texts)))
        if not self._by_chunk:
            analyzed = [
                self._analyze_all(field, [getattr(document, field) for document in documents])
                for field in FIELDS
            ]
            in_turn = chain.from_iterable(zip(*analyzed, strict=True))
            self._term_rows.append(self._terms.names.rows(in_turn))
        self._documents |= {document.id: self._size + n for n, document in enumerate(documents)}
        self._size += len(documents)

    @property
    def has_read(self) -> bool:
        """Whether anything was read that had not been before."""
        return self._size > len(self._before)

    def read(self, documents: Iterable[Document]) -> ReadTexts:
        """Return what was read in documents that were added."""
        digests = {
            document.id: self._digests.get(document.id) or text_digest(document)
            for document in documents
        }
        numbers = [self._documents[identifier] for identifier in digests]
        rows = Ragged.stack([Ragged.of([]), *self._chunk_rows.of(numbers)])
        if self._by_chunk:
            # Chunks are read when they are counted.
            known = self._terms.of_chunks
            return ReadTexts(digests, list(self._chunks), rows, list(self._terms.names), known)
        terms = Ragged.stack([Ragged.of([]), *self._term_rows.of(numbers)])
        return ReadTexts(digests, list(self._chunks), rows, list(self._terms.names), terms)

    def counts(self, ids: Sequence[str]) -> TermCounts:
        """Return the term counts of documents, in this order, with a column for each term."""
        documents = [self._documents[identifier] for identifier in ids]
        if self._by_chunk:
            terms = self._terms.sequences(self._chunk_rows.of(documents), self._chunks)
        else:
            terms = Sequences.of(list(self._terms.names), self._term_rows.of(documents))
        counts = terms.counts()
        return TermCounts(terms.names, counts[::2], counts[1::2])

    def words(self, ids: Sequence[str]) -> Sequences:
        """Return the plain words of documents, in this order."""
        documents = [self._documents[identifier] for identifier in ids]
        return self._words.sequences(self._chunk_rows.of(documents), self._chunks)


def _words_of_chunks(chunks: Sequence[str]) -> list[list[str]]:
    # Those that are ASCII, nearly all, are words.
    return [[chunk] if chunk.isascii() else words_of(chunk) for chunk in chunks]


def text_digest(document: Document) -> bytes:
    """Return what tells, for all that is likely, whether a document's texts have changed."""
    text = f"{document.title}\0{document.abstract}".encode(errors="surrogatepass")
    return hashlib.blake2b(text, digest_size=8).digest()


def one_by_one(analyze: Analyze) -> AnalyzeAll:
    """Return the analysis of many texts that analyses one after the other."""
    return lambda field, texts: [analyze(field, text) for text in texts]
