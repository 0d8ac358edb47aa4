"""Real documents repeated with variation: as many as are wanted, with headings.

A copy has the headings of its original and most of its words. The others are exchanged for words
of another document, drawn for each copy, so that words are as frequent as they were, and no two
copies say the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from likewise.documents import Document

EXCHANGED = 0.3
"""The share of a copy's words that are another document's."""
FIRST_ID = 100_000_000
"""Above all identifiers that PubMed has given out."""


def repeat_documents(
    originals: Sequence[Document], count: int, *, seed: int = 1
) -> Iterator[Document]:
    """Yield the originals as they are, and copies of them until there are so many."""
    rng = np.random.default_rng(seed)
    yield from originals[:count]
    rest = max(count - len(originals), 0)
    for number, original in enumerate(itertools.islice(itertools.cycle(originals), rest)):
        other = originals[rng.integers(len(originals))]
        identifier = str(FIRST_ID + number)
        yield msgspec.structs.replace(
            original,
            id=identifier,
            # A paper of its own, that no identifier makes one with its original.
            pmid=identifier,
            doi="",
            pmcid="",
            other_ids=(),
            title=exchange_words(original.title, other.title, rng=rng),
            abstract=exchange_words(original.abstract, other.abstract, rng=rng),
        )


def exchange_words(text: str, other: str, *, rng: np.random.Generator) -> str:
    """Return a text with some of its words exchanged for those of another."""
    words, others = text.split(), other.split()
    if not others:
        return text
    places = np.flatnonzero(rng.random(len(words)) < EXCHANGED).tolist()
    chosen = rng.integers(len(others), size=len(places)).tolist()
    for place, choice in zip(places, chosen, strict=True):
        words[place] = others[choice]
    return " ".join(words)
