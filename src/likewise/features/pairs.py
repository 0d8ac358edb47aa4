"""Plain words, and pairs of them that stand side by side, as tf-idf.

All that documents have is weighed, and of it only what is asked for is kept: 20,000 abstracts have
a million pairs, most of them in one document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from likewise.library.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.features.sequences import Sequences

    Numbers = NDArray[np.int64]

MOST = 0.95
"""A word in more than this share of the documents tells nothing."""
AT_ONCE = 500_000
"""Of how many words the pairs are counted together."""


class WordPairs(NamedTuple):
    """Words of documents, and pairs of words that stand side by side, as they are written."""

    words: list[str]
    keys: Numbers
    """What each column is: see `names`."""
    rows: sparse.csr_array
    """1 + ln count in title and abstract, by idf, rows of length 1 before columns were left out."""

    def columns(self) -> Numbers:
        """Return the numbers of the first and of the second word of each column, -1 for none."""
        first, second = np.divmod(self.keys, len(self.words) + 1)
        return np.stack([first, second - 1])

    def names(self) -> list[str]:
        """Return the word, or the two words, of each column."""
        second = [*(f" {word}" for word in self.words), ""]
        return [self.words[one] + second[other] for one, other in self.columns().T.tolist()]

    def of(self, rows: Numbers) -> WordPairs:
        """Return the same of these rows, in this order."""
        return self._replace(rows=self.rows[rows])


def words_and_pairs(words: Sequences, *, within: Numbers | None = None) -> WordPairs:
    """Return words and pairs of neighbours, but for those that nearly all documents have.

    Args:
        words: The words of documents in their order.
        within: The documents that a column must have an entry in, if not any: of those that no
            labelled document has, nothing can be learned. What weights are does not depend on it.
    """
    size = words.rows.shape[0] // len(FIELDS)
    squares = np.zeros(size)
    is_within = np.full(size, within is None)
    is_within[[] if within is None else within] = True
    keys, blocks = [np.empty(0, dtype=np.int64)], [sparse.csc_array((size, 0), dtype=np.float32)]
    for found in _occurrences(words, size):
        block = _weighed(found, size)
        squares += np.bincount(block.documents, weights=block.values**2, minlength=size)
        kept = np.logical_or.reduceat(is_within[block.documents], block.starts[:-1])
        parts = (block.values, block.documents.astype(np.int32), block.starts.astype(np.int32))
        columns = sparse.csc_array(parts, shape=(size, len(kept)))
        keys.append(block.keys[kept])
        blocks.append(columns[:, kept])
    rows = sparse.hstack(blocks, format="csr")
    lengths = np.sqrt(np.where(squares > 0, squares, 1)).astype(np.float32)
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return WordPairs(words.names, np.concatenate(keys), rows)


class _Block(NamedTuple):
    """Some columns, sparse, with what they stand for."""

    keys: Numbers
    starts: Numbers
    documents: Numbers
    values: NDArray[np.float32]


def _occurrences(words: Sequences, size: int) -> Iterator[Numbers]:
    """Yield a number for each word and each pair in a document, as often as it occurs, in order.

    Its quotient by the number of documents is the word or the pair, the rest is the document; a
    word stands as the pair of itself and nothing.
    """
    rows = words.rows.packed()
    numbers = np.arange(len(rows.lengths), dtype=np.int32) // len(FIELDS)
    documents = np.repeat(numbers, rows.lengths)
    seconds = np.append(rows.values[1:], 0) + 1
    # There is no pair across the end of a title.
    seconds[(rows.starts + rows.lengths - 1)[rows.lengths > 0]] = 0
    passed = np.cumsum(np.bincount(rows.values, minlength=len(words.names)))
    part_of_word = (passed // AT_ONCE).astype(np.int32)
    parts = part_of_word[rows.values]
    for part in np.unique(part_of_word):
        places = np.flatnonzero(parts == part)
        first = rows.values[places].astype(np.int64) * (len(words.names) + 1)
        pairs = (first + seconds[places]) * size + documents[places]
        found = np.concatenate([first * size + documents[places], pairs[seconds[places] > 0]])
        found.sort()
        yield found


def _weighed(found: Numbers, size: int) -> _Block:
    """Return columns by tf-idf, whose rows are not brought to any length."""
    places = np.flatnonzero(np.diff(found, prepend=-1))
    counts = np.diff(np.append(places, len(found))).astype(np.float32)
    keys, documents = np.divmod(found[places], size)
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(keys))
    frequencies = np.diff(starts)
    idf = np.log((1 + size) / (1 + frequencies)).astype(np.float32) + 1
    is_in = frequencies <= MOST * size
    is_kept = np.repeat(is_in, frequencies)
    values = (1 + np.log(counts)) * np.repeat(idf, frequencies)
    return _Block(
        keys[starts[:-1][is_in]],
        np.append(0, np.cumsum(frequencies[is_in])),
        documents[is_kept],
        values[is_kept],
    )
