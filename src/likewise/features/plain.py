"""Plain words: words as they are written, the small ones too.

Stems and the lack of stop words serve to find a topic. Whether a person takes a paper also depends
on what kind of paper it is, and that is told by "we", "were randomised to" or "is reviewed".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.features.terms import TermCounter, one_by_one
from likewise.features.tokens import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.documents import Document
    from likewise.features.sequences import Sequences


def word_sequences(documents: Sequence[Document]) -> Sequences:
    """Return the words of documents in their order, the small ones too."""
    counter = TermCounter(one_by_one(lambda _, text: words_of(text)), by_chunk=True)
    counter.add(documents)
    return counter.words([document.id for document in documents])
