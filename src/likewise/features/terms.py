"""Term counts: each document's terms, counted once, from which all word features are made.

A text is cut into chunks (`library/analysis.py`) and each chunk is read once, however often it
occurs: to read a text is then to look numbers up. Each document has two rows, title and abstract.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.documents import Document
from likewise.features import AnalyzeAll, Ragged, split_words
from likewise.library.analysis import split_chunks
from likewise.library.protocol import FIELDS

BATCH = 1_000
"""How many documents are read at a time."""


COUNTED = 50_000
"""How many rows are counted together: meanwhile, they take several times their memory."""
BLOCK = 1_000
"""How many documents are worked on together: all at once would take several times their memory."""


class TermCounts(NamedTuple):
    """How often each term occurs in each document, title and abstract apart."""

    terms: list[str]
    """The columns, in the order in which the documents first have them."""
    title: sparse.csr_array
    abstract: sparse.csr_array


@dataclass(frozen=True)
class ReadTexts:
    """What was read from documents, to be saved: two rows for each, title and abstract."""

    digests: dict[str, bytes]
    """A digest of each document's texts, by its id, in the order of the rows."""
    chunks: list[str]
    chunk_rows: Ragged
    terms: list[str]
    term_rows: Ragged
    """Terms of documents or, if the engine `analyzes_by_chunk`, of chunks."""


class TermCounter:
    """Counts the terms of documents as they are added, without reading any text twice.

    What is returned for some documents does not depend on which others were added.
    """

    def __init__(
        self, analyze_all: AnalyzeAll, *, by_chunk: bool = False, read: ReadTexts | None = None
    ) -> None:
        """Count terms as an engine's analysis of many texts gives them.

        Args:
            analyze_all: The analysis.
            by_chunk: Whether the engine `analyzes_by_chunk`, so that it need not see whole texts.
            read: What the same analysis read before, from documents that may be added.
        """
        self._analyze_all = analyze_all
        self._by_chunk = by_chunk
        self._documents: dict[str, int] = {}
        self._digests: dict[str, bytes] = {}
        """Digests of the texts that have not changed since they were read before."""
        self._terms = ChunkReader(lambda chunks: analyze_all(FIELDS[0], chunks))
        self._words = ChunkReader(_split_chunks)
        read = read or ReadTexts({}, [], Ragged.of([]), [], Ragged.of([]))
        self._before = {name: (n, made) for n, (name, made) in enumerate(read.digests.items())}
        self._size = len(read.digests)
        """How many documents have rows; some of them were read before, and are not added yet."""
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
        is_same = bool(digest) and digest == digest_text(document)
        if is_same:
            self._documents[document.id] = number
            self._digests[document.id] = digest
        return is_same

    def _add(self, documents: Sequence[Document]) -> None:
        texts = (getattr(document, field) for document in documents for field in FIELDS)
        self._chunk_rows.append(self._chunks.rows(map(split_chunks, texts)))
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
        """Whether anything was read for the first time."""
        return self._size > len(self._before)

    def read(self, documents: Iterable[Document]) -> ReadTexts:
        """Return what was read from documents that were added."""
        digests = {
            document.id: self._digests.get(document.id) or digest_text(document)
            for document in documents
        }
        numbers = [self._documents[identifier] for identifier in digests]
        rows = Ragged.stack([Ragged.of([]), *self._chunk_rows.of(numbers)])
        terms = self._terms.of_chunks  # Chunks are read when they are counted.
        if not self._by_chunk:
            terms = Ragged.stack([Ragged.of([]), *self._term_rows.of(numbers)])
        return ReadTexts(digests, list(self._chunks), rows, list(self._terms.names), terms)

    def counts(self, ids: Sequence[str]) -> TermCounts:
        """Return the term counts of documents, in this order, with a column for each term."""
        documents = [self._documents[identifier] for identifier in ids]
        if self._by_chunk:
            terms = self._terms.sequences(self._chunk_rows.of(documents), self._chunks)
        else:
            terms = Sequences.of(list(self._terms.names), self._term_rows.of(documents))
        names, counts = terms.names, terms.counts()
        # Free this memory before as much again is needed.
        del terms
        return TermCounts(names, counts[::2], counts[1::2])

    def words(self, ids: Sequence[str]) -> Sequences:
        """Return the plain words of documents, in this order."""
        documents = [self._documents[identifier] for identifier in ids]
        return self._words.sequences(self._chunk_rows.of(documents), self._chunks)


def _split_chunks(chunks: Sequence[str]) -> list[list[str]]:
    # Chunks in ASCII, which nearly all are, are single words.
    return [[chunk] if chunk.isascii() else split_words(chunk) for chunk in chunks]


def digest_text(document: Document) -> bytes:
    """Return a digest that changes when a document's texts do."""
    text = f"{document.title}\0{document.abstract}".encode(errors="surrogatepass")
    return hashlib.blake2b(text, digest_size=8).digest()


class Numbering(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        """Give a word the next number."""
        number = self[word] = len(self)
        return number

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """Return a numbering of different words, in their order."""
        return cls((word, number) for number, word in enumerate(words))

    def rows(self, rows: Iterable[Sequence[str]]) -> Ragged:
        """Return rows of words as rows of their numbers."""
        listed = rows if isinstance(rows, list) else list(rows)
        lengths = np.fromiter(map(len, listed), np.int64, len(listed))
        words = list(chain.from_iterable(listed))
        values = np.fromiter(map(self.__getitem__, words), np.int32, len(words))
        return Ragged(values, np.cumsum(lengths) - lengths, lengths)


class GrowingRows:
    """The rows of documents, which are added in blocks."""

    def __init__(self, rows: Ragged) -> None:
        self._blocks = [rows]

    def append(self, rows: Ragged) -> None:
        """Add the rows of some more documents."""
        self._blocks.append(rows)

    def of(self, documents: Sequence[int]) -> Iterator[Ragged]:
        """Yield the rows of documents, by their numbers, in blocks."""
        self._blocks = [Ragged.stack(self._blocks)]
        for start in range(0, len(documents), BLOCK):
            yield self._blocks[0][list_rows(documents[start : start + BLOCK])].pack()


class ChunkReader:
    """Turns chunks into something else, such as terms, and reads each chunk only once."""

    def __init__(self, read: Callable[[list[str]], list[list[str]]]) -> None:
        """Store the function that reads many chunks."""
        self._read = read
        self.names = Numbering()
        self.of_chunks = Ragged.of([])

    def sequences(self, blocks: Iterable[Ragged], chunks: Numbering) -> Sequences:
        """Return rows of what the chunks turn into, given rows of the chunks' numbers."""
        known = self.of_chunks.shape[0]
        if known < len(chunks):
            new = self.names.rows(self._read(list(islice(chunks, known, None))))
            self.of_chunks = Ragged.stack([self.of_chunks, new])
        return Sequences.of(list(self.names), map(self._rows, blocks))

    def _rows(self, chunks: Ragged) -> Ragged:
        each = self.of_chunks[chunks.values].pack()
        ends = np.append(each.starts, len(each.values))
        starts = ends[chunks.starts]
        return Ragged(each.values, starts, ends[chunks.starts + chunks.lengths] - starts)


class Sequences(NamedTuple):
    """Documents as sequences of terms or words, in numbers."""

    names: list[str]
    """What each number stands for, in the order in which the documents first have it."""
    rows: Ragged
    """A document's title, its abstract, the next one's title, and so on."""

    @classmethod
    def of(cls, names: Sequence[str], blocks: Iterable[Ragged]) -> Sequences:
        """Join packed blocks of rows, without the names that occur in none of them."""
        numbers = np.full(len(names), -1, dtype=np.int32)
        found: list[int] = []
        made = [Ragged.of([])]
        for block in blocks:
            new = block.values[numbers[block.values] < 0]
            distinct, first = np.unique(new, return_index=True)
            in_order = distinct[np.argsort(first)]
            numbers[in_order] = np.arange(len(found), len(found) + len(in_order))
            found += in_order.tolist()
            made.append(Ragged(numbers[block.values], block.starts, block.lengths))
        return cls([names[number] for number in found], Ragged.stack(made))

    def counts(self) -> sparse.csr_array:
        """Return how often each name occurs in each row."""
        return count_rows(self.rows, columns=len(self.names))


def count_rows(rows: Ragged, *, columns: int) -> sparse.csr_array:
    """Return how often each number below `columns` occurs in each row."""
    starts = range(0, max(rows.shape[0], 1), COUNTED)
    blocks = [_count_block(rows[start : start + COUNTED], columns) for start in starts]
    return blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")


def _count_block(rows: Ragged, columns: int) -> sparse.csr_array:
    packed = rows.pack()
    starts = np.append(0, np.cumsum(packed.lengths)).astype(np.int32)
    parts = (np.ones(len(packed.values), np.float32), packed.values, starts)
    found = sparse.csr_array(parts, shape=(rows.shape[0], columns))
    # Transposing twice sorts the rows, and is faster than sorting them.
    counts = found.tocsc().tocsr()
    counts.sum_duplicates()
    return counts


def list_rows(documents: Sequence[int]) -> NDArray[np.int64]:
    """Return the numbers of documents' rows, those of title and abstract.

    >>> list_rows([3, 0]).tolist()
    [6, 7, 0, 1]
    """
    fields = np.arange(len(FIELDS))
    return np.asarray(np.array(documents, np.int64)[:, None] * len(FIELDS) + fields).ravel()
