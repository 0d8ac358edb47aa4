"""Token ids: each document's words as numbers, made once, for models that read words in order."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from likewise.library.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.features.terms import AnalyzeAll

PADDING, UNKNOWN = 0, 1
"""Ids that stand for no word, and for every word that is not in the vocabulary."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different lengths, which can be picked and stacked like those of a matrix."""

    values: NDArray[Any]
    """The rows, one after the other: numbers, or a vector at each place. Picking rows leaves it as
    it is."""
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Put rows together."""
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

    def packed(self) -> Ragged:
        """Return the same rows with no other values than theirs."""
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
        """How many ids there are, with those for padding and unknown words."""
        return len(self.vocabulary) + 2


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case.

    >>> words_of("IL-6 in the Rat's liver")
    ['il', '6', 'in', 'the', 'rat', 's', 'liver']
    """
    return _WORD.findall(text.lower())


def token_ids(
    documents: Sequence[Document], *, analyze_all: AnalyzeAll | None = None, min_count: int = 3
) -> TokenIds:
    """Number the words of documents.

    Args:
        documents: Whose words are numbered.
        analyze_all: What makes words of a field's texts, such as an engine's analysis; by default,
            words are left as they are, in lower case.
        min_count: Words that occur less often than this are all unknown.
    """
    cut = analyze_all or (lambda _, texts: list(map(words_of, texts)))
    fields = [cut(field, [getattr(d, field) for d in documents]) for field in FIELDS]
    counts = Counter(word for texts in fields for words in texts for word in words)
    frequent = sorted(word for word, count in counts.items() if count >= min_count)
    vocabulary = {word: number for number, word in enumerate(frequent, UNKNOWN + 1)}
    title, abstract = (
        Ragged.of([vocabulary.get(word, UNKNOWN) for word in words] for words in texts)
        for texts in fields
    )
    return TokenIds(vocabulary, title, abstract)
