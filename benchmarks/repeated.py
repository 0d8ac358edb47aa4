"""Real documents repeated with variation: as many as are wanted, with headings.

A copy has the headings of its original and most of its words. Some are exchanged for words of
another document, drawn for each copy, so that words are as frequent as they were and no two copies
say the same. And a few are new, so that the vocabulary grows with the collection as that of real
records does (Heaps' law: a power of the number of words). New words come back as rare words do:
most are in one or two documents, a few in many (Simon's process).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from likewise.documents import Document

EXCHANGED = 0.3
"""The share of a copy's words that are another document's."""
FIRST_ID = 100_000_000
"""Above all identifiers that PubMed has given out."""
HEAPS = (27.9, 0.53)
"""Factor and exponent of the vocabulary: fitted on the two sample files of PubMed, from 8,000
documents to all 50,787 (`python -m benchmarks.scale.vocabulary` measures it)."""
NEW = 0.2
"""The share of a new word's occurrences that are its first."""


def repeat_documents(
    originals: Sequence[Document], count: int, *, start: int = 0, seed: int = 1
) -> Iterator[Document]:
    """Yield the documents numbered `start` to `count`: the originals, then copies.

    The same `start` gives the same copies; files of a collection can be made one by one.
    """
    rng = np.random.default_rng((seed, start))
    yield from originals[start:count]
    words = [_Words(one.title.split(), one.abstract.split()) for one in originals]
    tokens = sum(len(one.title) + len(one.abstract) for one in words) / len(words)
    for number in range(max(start, len(originals)), count):
        at = number % len(originals)
        made = _Words(*(list(part) for part in words[at]))
        exchange_words(made, words[rng.integers(len(originals))], rng=rng)
        first, last = (
            _count_new_words(tokens * place, tokens * len(originals))
            for place in (number, number + 1)
        )
        for occurrence in range(first, last):
            _put_word(made, _spell(_find_first(occurrence)), rng=rng)
        identifier = str(FIRST_ID + number)
        yield msgspec.structs.replace(
            originals[at],
            id=identifier,
            # A copy is a paper of its own: no identifier makes it a duplicate of its original.
            pmid=identifier,
            doi="",
            pmcid="",
            other_ids=(),
            title=" ".join(made.title),
            abstract=" ".join(made.abstract),
        )


class _Words(NamedTuple):
    """The words of a document."""

    title: list[str]
    abstract: list[str]


def exchange_words(words: _Words, others: _Words, *, rng: np.random.Generator) -> None:
    """Exchange some words for those of another document, part by part."""
    for part, other in zip(words, others, strict=True):
        if not part or not other:
            continue
        size = round(EXCHANGED * len(part))
        places = rng.integers(len(part), size=size).tolist()
        chosen = rng.integers(len(other), size=size).tolist()
        for place, choice in zip(places, chosen, strict=True):
            part[place] = other[choice]


def _count_new_words(tokens: float, originals: float) -> int:
    """Return how often new words have occurred since the originals, after `tokens` words."""
    factor, exponent = HEAPS
    return int(factor * (tokens**exponent - originals**exponent) / NEW)


def _find_first(occurrence: int) -> int:
    """Return the first occurrence of the word that occurs here.

    A word is new with a probability of `NEW`; otherwise it is the word of an earlier occurrence,
    each as likely. Both follow from the occurrence's number, so that nothing has to be kept.
    """
    while True:
        random = np.random.default_rng((occurrence, 7)).random(2)
        if occurrence == 0 or random[0] < NEW:
            return occurrence
        occurrence = int(random[1] * occurrence)


def _spell(number: int) -> str:
    """Return a unique word for a number: syllables, and an ending that no stemmer knows."""
    spelled = ""
    while number or not spelled:
        number, rest = divmod(number, 100)
        spelled += "bcdfghjklmnpqrstvwzx"[rest // 5] + "aeiou"[rest % 5]
    return f"{spelled}xq"


def _put_word(words: _Words, word: str, *, rng: np.random.Generator) -> None:
    part = words.abstract or words.title
    part[rng.integers(len(part))] = word
