"""Plain words, and pairs of neighbouring words, as tf-idf.

Plain words are words as they are written, including the small ones. Stems without stop words are
good for finding a topic. But whether a person chooses a paper also depends on what kind of paper it
is, and that shows in "we", "were randomised to" or "is reviewed".

All words and pairs of the documents are weighed, and only those that are asked for are kept: 20,000
abstracts have a million pairs, most of which occur in a single document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.documents import Document
from likewise.features import split_words
from likewise.features.terms import Sequences, TermCounter
from likewise.library.protocol import FIELDS

Numbers = NDArray[np.int64]


MOST = 0.95
"""A word in more than this share of the documents tells nothing, and is left out."""
AT_ONCE = 500_000
"""About how many occurrences of words or pairs are weighed at a time."""


class WordPairs(NamedTuple):
    """Words of documents as they are written, and pairs of neighbouring words."""

    words: list[str]
    keys: Numbers
    """A number for the word or pair of each column, which `columns` takes apart."""
    rows: sparse.csr_array
    """1 + ln count in title and abstract, times idf; of length 1 if no column is left out."""

    def columns(self) -> Numbers:
        """Return the numbers of the first and of the second word of each column, -1 for none."""
        first, second = np.divmod(self.keys, len(self.words) + 1)
        return np.stack([first, second - 1])

    def of(self, rows: Numbers) -> WordPairs:
        """Return the pairs of only these rows, in this order."""
        return self._replace(rows=self.rows[rows])


def make_word_pairs(words: Sequences, *, within: Numbers | None = None) -> WordPairs:
    """Return words and pairs of neighbours, except those that nearly all documents have.

    Args:
        words: The words of documents in their order.
        within: Keep only columns that one of these documents has, since nothing can be learned
            about those that no labelled document has. The weights do not depend on it.
    """
    size = words.rows.shape[0] // len(FIELDS)
    squares = np.zeros(size)
    is_within = np.full(size, within is None)
    is_within[[] if within is None else within] = True
    keys, blocks = [np.empty(0, dtype=np.int64)], [sparse.csc_array((size, 0), dtype=np.float32)]
    for found in _number_occurrences(words):
        block = _weigh_columns(found, size)
        squares += np.bincount(block.documents, weights=block.values**2, minlength=size)
        kept = np.logical_or.reduceat(is_within[block.documents], block.starts[:-1])
        parts = (block.values, block.documents, block.starts.astype(np.int32))
        columns = sparse.csc_array(parts, shape=(size, len(kept)))
        keys.append(block.keys[kept])
        blocks.append(columns[:, kept])
    rows = sparse.hstack(blocks, format="csr")
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return WordPairs(words.names, np.concatenate(keys), rows)


class _Occurrences(NamedTuple):
    """The places where words or pairs occur, sorted by word or pair and then by document."""

    keys: Numbers
    documents: NDArray[np.int32]


@dataclass(frozen=True)
class _WeighedColumns:
    """Some sparse columns, and the words or pairs that they stand for."""

    keys: Numbers
    starts: Numbers
    documents: NDArray[np.int32]
    values: NDArray[np.float32]


def _number_occurrences(words: Sequences) -> Iterator[_Occurrences]:
    """Yield the places of words, some words at a time, and then those of pairs.

    With n words, numbered from 0, the key of a pair is first * (n + 1) + second + 1, and that of a
    single word is word * (n + 1). Transposing a sparse matrix sorts it by its columns, which takes
    less time than sorting as many numbers.
    """
    rows, count = words.rows.pack(), len(words.names)
    seconds = np.zeros(len(rows.values), dtype=np.int32)
    seconds[:-1] = rows.values[1:] + 1
    # There is no pair across the end of a title.
    seconds[(rows.starts + rows.lengths - 1)[rows.lengths > 0]] = 0
    starts = np.append(0, np.cumsum(rows.lengths)[len(FIELDS) - 1 :: len(FIELDS)])
    by_word = _by_column(starts, rows.values, rows.values, columns=count)
    for firsts, places in _in_parts(by_word.starts):
        yield _Occurrences(firsts * (count + 1), by_word.rows[places])
    del by_word
    # Sort by the second word, and then by the first; the latter keeps the order of equals.
    starts, documents, words_before = _by_column(starts, seconds, rows.values, columns=count + 1)
    after = starts[1]  # those that nothing follows
    by_pair = _by_column(starts[1:] - after, words_before[after:], documents[after:], columns=count)
    for firsts, places in _in_parts(by_pair.starts):
        yield _Occurrences(firsts * (count + 1) + 1 + by_pair.rows[places], by_pair.values[places])


class _ByColumn(NamedTuple):
    """The entries of a sparse matrix, column by column."""

    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    values: NDArray[np.int32]


def _by_column(
    starts: NDArray[Any], numbers: NDArray[np.int32], values: NDArray[np.int32], *, columns: int
) -> _ByColumn:
    """Return the entries of a matrix sorted by column, given those of each row."""
    parts = (values, numbers, starts.astype(np.int32))
    made = sparse.csr_array(parts, shape=(len(starts) - 1, columns)).tocsc()
    return _ByColumn(made.indptr, made.indices, made.data)


def _in_parts(starts: NDArray[np.int32]) -> Iterator[tuple[Numbers, slice]]:
    """Yield the places of some columns at a time, and the column of each place."""
    wanted = np.arange(0, starts[-1] + AT_ONCE, AT_ONCE)
    bounds = np.unique(np.minimum(np.searchsorted(starts, wanted), len(starts) - 1))
    for first, last in pairwise(bounds.tolist()):
        lengths = np.diff(starts[first : last + 1])
        if lengths.any():
            columns = np.arange(first, last, dtype=np.int64)
            yield np.repeat(columns, lengths), slice(starts[first], starts[last])


def _weigh_columns(found: _Occurrences, size: int) -> _WeighedColumns:
    """Return columns weighed by tf-idf, before rows are scaled to length 1."""
    is_new = np.ones(len(found.keys), dtype=bool)
    is_new[1:] = np.diff(found.keys).astype(bool) | np.diff(found.documents).astype(bool)
    places = np.flatnonzero(is_new)
    counts = np.diff(np.append(places, len(found.keys))).astype(np.float32)
    keys, documents = found.keys[places], found.documents[places]
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(keys))
    frequencies = np.diff(starts)
    idf = np.log((1 + size) / (1 + frequencies)).astype(np.float32) + 1
    is_in = frequencies <= MOST * size
    is_kept = np.repeat(is_in, frequencies)
    values = (1 + np.log(counts)) * np.repeat(idf, frequencies)
    return _WeighedColumns(
        keys[starts[:-1][is_in]],
        np.append(0, np.cumsum(frequencies[is_in])),
        documents[is_kept],
        values[is_kept],
    )


def read_word_sequences(documents: Sequence[Document]) -> Sequences:
    """Return the words of documents in their order, including the small ones."""
    counter = TermCounter(lambda _, texts: list(map(split_words, texts)), by_chunk=True)
    counter.add(documents)
    return counter.words([document.id for document in documents])
