"""Synthetic documents with the lengths and the skewed vocabulary of real abstracts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from likewise.documents import Document

VOCABULARY = 60_000
TITLE_WORDS = 12
ABSTRACT_WORDS = 130


def make_documents(count: int, *, seed: int = 1) -> Iterator[Document]:
    """Yield documents whose words are drawn by Zipf's law."""
    rng = np.random.default_rng(seed)
    words = _make_vocabulary(rng)
    shares = 1 / (np.arange(VOCABULARY) + 10.0)
    bounds = np.cumsum(shares / shares.sum())
    for number in range(count):
        length = TITLE_WORDS + int(np.clip(rng.normal(ABSTRACT_WORDS, 30), 20, 300))
        drawn = [words[index] for index in np.searchsorted(bounds, rng.random(length))]
        pmid = str(10_000_000 + 7 * number)
        yield Document(
            id=pmid,
            pmid=pmid,
            title=" ".join(drawn[:TITLE_WORDS]),
            abstract=" ".join(drawn[TITLE_WORDS:]),
            year=1990 + number % 35,
            source="synthetic",
        )


def _make_vocabulary(rng: np.random.Generator) -> list[str]:
    words: set[str] = set()
    while len(words) < VOCABULARY:
        consonants = rng.choice(list("bcdfghklmnprstvz"), 4)
        vowels = rng.choice(list("aeiou"), 4)
        syllables = [c + v for c, v in zip(consonants, vowels, strict=True)]
        words.add("".join(syllables[: rng.integers(2, 5)]))
    shuffled = sorted(words)
    rng.shuffle(shuffled)
    return shuffled
