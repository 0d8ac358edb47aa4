"""Texts as word pieces: cut once, for models that read pieces in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likewise.features.tokens import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_WORDS = 600
"""Longer documents are left out of training, as in the paper; they limit the size of batches."""

# A punctuation mark is a word, as it is to the tokenizer of the paper.
_WORD = re.compile(r"\w+|[^\w\s]")


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


def longer_than(texts: TokenizedTexts, words: int = MOST_WORDS) -> NDArray[np.bool_]:
    """Tell which rows have more words than that: those to leave out of training, never of scoring.

    >>> texts = TokenizedTexts(Ragged.of([[7], [7, 8, 9]]), np.array([1, 3]))
    >>> longer_than(texts, 2)
    array([False,  True])
    """
    return texts.words > words


def count_words(text: str) -> int:
    """Return how many words and punctuation marks a text has.

    >>> count_words("IL-6, in rats.")
    7
    """
    return sum(1 for _ in _WORD.finditer(text))
