"""Texts as rows of numbers: what is read in each of them, in its order.

A text is cut into chunks (`library/analysis.py`) and each chunk is read once, however often it
occurs: reading texts then is looking numbers up. Each document has two rows, title and abstract.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from scipy import sparse

from likewise.features.tokens import Ragged
from likewise.library.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

BLOCK = 1_000
"""How many documents are worked on together: all at once would take several times their memory."""


class Numbering(dict[str, int]):
    """Numbers words in the order in which they are first asked for."""

    def __missing__(self, word: str) -> int:
        """Give a word the next number."""
        number = self[word] = len(self)
        return number

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """Number different words in their order."""
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

    def __init__(self, rows: Ragged | None = None) -> None:
        self._blocks = [rows or Ragged.of([])]

    def append(self, rows: Ragged) -> None:
        """Add the rows of some more documents."""
        self._blocks.append(rows)

    def of(self, documents: Sequence[int]) -> Iterator[Ragged]:
        """Yield the rows of documents, by their numbers, in blocks."""
        self._blocks = [Ragged.stack(self._blocks)]
        for start in range(0, len(documents), BLOCK):
            yield self._blocks[0][rows_of(documents[start : start + BLOCK])].packed()


class Reading:
    """Reads chunks as something else, such as terms, each chunk once."""

    def __init__(self, read: Callable[[list[str]], list[list[str]]]) -> None:
        """Read chunks by a function of many."""
        self._read = read
        self.names = Numbering()
        self.of_chunks = Ragged.of([])

    def sequences(self, blocks: Iterable[Ragged], chunks: Numbering) -> Sequences:
        """Return rows of chunks, as they are numbered, as rows of what they are read as."""
        known = self.of_chunks.shape[0]
        if known < len(chunks):
            new = self.names.rows(self._read(list(islice(chunks, known, None))))
            self.of_chunks = Ragged.stack([self.of_chunks, new])
        return Sequences.of(list(self.names), map(self._rows, blocks))

    def _rows(self, chunks: Ragged) -> Ragged:
        each = self.of_chunks[chunks.values].packed()
        ends = np.append(each.starts, len(each.values))
        starts = ends[chunks.starts]
        return Ragged(each.values, starts, ends[chunks.starts + chunks.lengths] - starts)


class Sequences(NamedTuple):
    """What documents are read as, word by word."""

    names: list[str]
    """What each number stands for, in the order in which the documents first have it."""
    rows: Ragged
    """A document's title, its abstract, the next one's title, and so on."""

    @classmethod
    def of(cls, names: Sequence[str], blocks: Iterable[Ragged]) -> Sequences:
        """Put packed blocks of rows together, without those of the names that are in none."""
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
        return row_counts(self.rows, columns=len(self.names))


def row_counts(rows: Ragged, *, columns: int) -> sparse.csr_array:
    """Return how often each number below `columns` occurs in each row."""
    packed = rows.packed()
    starts = np.append(0, np.cumsum(packed.lengths)).astype(np.int32)
    parts = (np.ones(len(packed.values), np.float32), packed.values, starts)
    found = sparse.csr_array(parts, shape=(rows.shape[0], columns))
    # Transposed and back, rows are sorted, sooner than if they were sorted.
    counts = found.tocsc().tocsr()
    counts.sum_duplicates()
    return counts


def rows_of(documents: Sequence[int]) -> NDArray[np.int64]:
    """Return the numbers of the rows of documents.

    >>> rows_of([3, 0]).tolist()
    [6, 7, 0, 1]
    """
    fields = np.arange(len(FIELDS))
    return np.asarray(np.array(documents, np.int64)[:, None] * len(FIELDS) + fields).ravel()
