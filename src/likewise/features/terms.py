"""Term counts: each document's terms, counted once, from which all word features are made."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from likewise.features.sequences import GrowingRows, Numbering, Reading, Sequences
from likewise.features.tokens import words_of
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


class TermCounter:
    """Counts terms as documents come in; what was read is not read again.

    What is returned for some documents does not depend on which others were added.
    """

    def __init__(self, analyze_all: AnalyzeAll, *, by_chunk: bool = False) -> None:
        """Count terms as an engine's analysis of many texts gives them.

        Args:
            analyze_all: The analysis.
            by_chunk: Whether the engine `analyzes_by_chunk`, so that it need not see whole texts.
        """
        self._analyze_all = analyze_all
        self._documents: dict[str, int] = {}
        self._chunks = Numbering()
        self._chunk_rows = GrowingRows()
        self._by_chunk = by_chunk
        self._terms = Reading(lambda chunks: analyze_all(FIELDS[0], chunks))
        self._term_rows = GrowingRows()
        self._words = Reading(lambda chunks: list(map(words_of, chunks)))

    def add(self, documents: Iterable[Document]) -> None:
        """Read documents, each under its id."""
        new: dict[str, Document] = {}
        for document in documents:
            if document.id not in self._documents:
                new.setdefault(document.id, document)
        rows = list(new.values())
        for start in range(0, len(rows), BATCH):
            self._add(rows[start : start + BATCH])

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
        first = len(self._documents)
        self._documents |= {document.id: first + n for n, document in enumerate(documents)}

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


def one_by_one(analyze: Analyze) -> AnalyzeAll:
    """Return the analysis of many texts that analyses one after the other."""
    return lambda field, texts: [analyze(field, text) for text in texts]
