"""From documents to matrices; here: texts as rows of numbered words or word pieces."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.library.protocol import FIELDS, Field

AnalyzeAll = Callable[[Field, Sequence[str]], list[list[str]]]
"""How an engine turns texts of a field into terms."""

PADDING, UNKNOWN = 0, 1
"""The ids for no word, and for any word that is not in the vocabulary."""
_WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 600
"""Longer documents are left out of training, as in the paper, so that batches can be larger."""
# A punctuation mark counts as a word, as in the paper's tokenizer.
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")


COUNTED = 2_000_000
"""How many numbers are counted at a time."""


def count_numbers(numbers: NDArray[Any], *, size: int) -> NDArray[np.int64]:
    """Return how often each number below `size` occurs.

    numpy widens what it counts, so a matrix of large pools is counted in parts, to save memory.

    >>> count_numbers(np.array([2, 0, 2], np.int32), size=4).tolist()
    [1, 0, 2, 0]
    """
    found = np.bincount(numbers[:COUNTED], minlength=size)
    for start in range(COUNTED, len(numbers), COUNTED):
        found += np.bincount(numbers[start : start + COUNTED], minlength=size)
    return found


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different lengths, which can be picked and stacked like those of a matrix."""

    values: NDArray[Any]
    """The rows, one after the other: numbers, or a vector at each place. Picking rows does not
    change them."""
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Return these rows as one block."""
        values, counted = array("i"), array("q")
        for row in rows:
            values.fromlist(list(row))
            counted.append(len(row))
        lengths = np.array(counted, dtype=np.int64)
        return cls(np.array(values, dtype=np.int32), np.cumsum(lengths) - lengths, lengths)

    @property
    def shape(self) -> tuple[int]:
        """How many rows there are."""
        return (len(self.starts),)

    def __getitem__(self, rows: NDArray[np.integer | np.bool_] | slice) -> Ragged:
        return Ragged(self.values, self.starts[rows], self.lengths[rows])

    def row(self, number: int) -> NDArray[np.int32]:
        """Return one row."""
        start = self.starts[number]
        return self.values[start : start + self.lengths[number]]

    def pack(self) -> Ragged:
        """Return a copy of these rows that holds no other values."""
        ends = np.cumsum(self.lengths)
        starts, total = ends - self.lengths, int(ends[-1]) if len(ends) else 0
        moved = self.starts - starts
        if not total or (moved == moved[0]).all():
            first = int(moved[0]) if total else 0
            return Ragged(self.values[first : first + total], starts, self.lengths)
        places = np.arange(total) + np.repeat(moved, self.lengths)
        return Ragged(self.values[places], starts, self.lengths)

    @classmethod
    def stack(cls, blocks: Sequence[Ragged]) -> Ragged:
        """Return blocks of rows as one."""
        values, offsets = blocks[0].values, [0] * len(blocks)
        if any(block.values is not values for block in blocks):
            sizes = [len(block.values) for block in blocks]
            offsets = (np.cumsum(sizes) - sizes).tolist()
            values = np.concatenate([block.values for block in blocks])
        starts = [block.starts + offset for block, offset in zip(blocks, offsets, strict=True)]
        return cls(values, np.concatenate(starts), np.concatenate([b.lengths for b in blocks]))


class TokenIds(NamedTuple):
    """The words of documents as numbers, title and abstract apart."""

    vocabulary: dict[str, int]
    title: Ragged
    abstract: Ragged

    @property
    def size(self) -> int:
        """How many ids there are, including those for padding and unknown words."""
        return len(self.vocabulary) + 2


def split_words(text: str) -> list[str]:
    """Return the words of a text, in lower case.

    >>> split_words("IL-6 in the Rat's liver")
    ['il', '6', 'in', 'the', 'rat', 's', 'liver']
    """
    return _WORD.findall(text.lower())


def token_ids(
    documents: Sequence[Document], *, analyze_all: AnalyzeAll | None = None, min_count: int = 3
) -> TokenIds:
    """Number the words of documents.

    Args:
        documents: The documents whose words are numbered.
        analyze_all: Turns the texts of a field into words, as an engine's analysis does; by
            default, words are left as they are, in lower case.
        min_count: Words that occur less often than this count as unknown.
    """
    cut = analyze_all or (lambda _, texts: list(map(split_words, texts)))
    fields = [cut(field, [getattr(d, field) for d in documents]) for field in FIELDS]
    counts = Counter(word for texts in fields for words in texts for word in words)
    frequent = sorted(word for word, count in counts.items() if count >= min_count)
    vocabulary = {word: number for number, word in enumerate(frequent, UNKNOWN + 1)}
    title, abstract = (
        Ragged.of([vocabulary.get(word, UNKNOWN) for word in words] for words in texts)
        for texts in fields
    )
    return TokenIds(vocabulary, title, abstract)


@dataclass(frozen=True, eq=False)
class TokenizedTexts:
    """Texts cut into word pieces; a row is a text, and rows are picked like those of a matrix."""

    pieces: Ragged
    """The pieces' numbers, without the marks that a model wants at the ends."""
    words: NDArray[np.int64]
    """How many words and punctuation marks each text has."""

    @property
    def shape(self) -> tuple[int]:
        """How many rows there are."""
        return self.pieces.shape

    def __getitem__(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> TokenizedTexts:
        return TokenizedTexts(self.pieces[rows], self.words[rows])

    @classmethod
    def stack(cls, blocks: Sequence[TokenizedTexts]) -> TokenizedTexts:
        """Return blocks of rows as one."""
        return cls(
            Ragged.stack([block.pieces for block in blocks]),
            np.concatenate([block.words for block in blocks]),
        )


def count_words(text: str) -> int:
    """Return how many words and punctuation marks a text has.

    >>> count_words("IL-6, in rats.")
    7
    """
    return sum(1 for _ in _WORD_OR_MARK.finditer(text))
