"""Plain words: tf-idf of words as they are written, the small ones too.

Stems and the lack of stop words serve to find a topic. Whether a person takes a paper also depends
on what kind of paper it is, and that is told by "we", "were randomised to" or "is reviewed".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.features.terms import TermCounter, one_by_one
from likewise.features.tokens import words_of
from likewise.features.words import frequent, tfidf

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from likewise.documents import Document
    from likewise.features.sequences import Sequences

MOST = 0.95
"""A word in more than this share of the documents tells nothing."""


class PlainWords(NamedTuple):
    """The words of documents as they are written."""

    words: list[str]
    """The columns."""
    rows: sparse.csr_array
    """1 + ln count in title and abstract, by idf, rows of length 1."""

    def of(self, rows: NDArray[np.int64]) -> PlainWords:
        """Return the same of these rows, in this order."""
        return PlainWords(self.words, self.rows[rows])


def plain_words(documents: Sequence[Document]) -> PlainWords:
    """Return the words of documents, but for those that hardly any or nearly all have."""
    return plain_words_of(word_sequences(documents))


def word_sequences(documents: Sequence[Document]) -> Sequences:
    """Return the words of documents in their order, the small ones too."""
    counter = TermCounter(one_by_one(lambda _, text: words_of(text)), by_chunk=True)
    counter.add(documents)
    return counter.words([document.id for document in documents])


def plain_words_of(words: Sequences) -> PlainWords:
    """Return words that were read before, but for those that hardly any or nearly all have."""
    counts = words.counts()
    merged = (counts[::2] + counts[1::2]).tocsr()
    columns = frequent(merged, most=MOST)
    return PlainWords(
        [words.names[column] for column in columns.tolist()], tfidf(merged[:, columns])
    )
