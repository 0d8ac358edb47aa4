"""Which words and headings of some papers a source is searched for.

A source tells nothing of how often its records have a word, so a table of real records that comes
with the package does (`scripts/write_word_frequencies.py`). As in `library/more_like.py`, a term is
worth the divergence of the share of the papers that have it from the share that records have it in.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from heapq import nsmallest
from importlib.resources import files
from typing import NamedTuple

from likewise.documents import Document
from likewise.library.analysis import STOP_WORDS
from likewise.library.more_like import divergence
from likewise.library.sources.source import SearchTerm

TABLE = "word_frequencies.tsv.gz"
LONGEST = 40
TITLE_BOOST = 1.0
"""How much more a word counts for each title that has it."""
LEAST_HOLDERS = 2
"""A word of one paper alone says little of what they have in common."""

_WORD = re.compile(r"[^\W_]+")
_NO_WORDS = frozenset(STOP_WORDS)


class WordFrequencies(NamedTuple):
    """In how many of some real records words and headings occur."""

    texts: int
    indexed: int
    """How many of the records have headings."""
    titles: Mapping[str, int]
    """How many titles have a word."""
    abstracts: Mapping[str, int]
    headings: Mapping[str, int]

    def share_of(self, term: SearchTerm) -> float:
        """Return the share of records that have a term; of one that none has, hardly any."""
        if term.is_heading:
            return (self.headings.get(term.text, 0) + 1) / (self.indexed + 2)
        # Nearly all words of titles are in their abstracts too.
        count = max(self.titles.get(term.text, 0), self.abstracts.get(term.text, 0))
        return (count + 1) / (self.texts + 2)


@cache
def load_frequencies() -> WordFrequencies:
    """Return the table that comes with the package."""
    packed = files("likewise.library.sources").joinpath(TABLE).read_bytes()
    first, *lines = gzip.decompress(packed).decode().splitlines()
    texts, indexed = map(int, first.split("\t"))
    titles: dict[str, int] = {}
    abstracts: dict[str, int] = {}
    headings: dict[str, int] = {}
    for line in lines:
        kind, name, *counts = line.split("\t")
        if kind == "h":
            headings[name] = int(counts[0])
        else:
            titles[name], abstracts[name] = map(int, counts)
    return WordFrequencies(texts, indexed, titles, abstracts, headings)


def list_words(text: str) -> list[str]:
    """Return the words of a text that can be searched for.

    >>> list_words("IL-6 in the rats' liver")
    ['il', 'rats', 'liver']
    """
    return [
        word
        for word in _WORD.findall(text.lower())
        if 2 <= len(word) <= LONGEST and word not in _NO_WORDS and not word.isnumeric()
    ]


def weigh_terms(
    papers: Sequence[Document], weights: Sequence[float] | None = None
) -> dict[SearchTerm, float]:
    """Return what each word and heading of some papers is worth; those worth nothing are left out.

    Args:
        papers: The papers.
        weights: How much each counts; all the same if not given.
    """
    given = list(weights) if weights is not None else [1.0] * len(papers)
    held: Counter[SearchTerm] = Counter()
    titled: Counter[SearchTerm] = Counter()
    holders: Counter[SearchTerm] = Counter()
    for paper, weight in zip(papers, given, strict=True):
        words = {SearchTerm(word) for word in list_words(paper.text)}
        headings = {SearchTerm(heading.name, is_heading=True) for heading in paper.mesh}
        for term in words | headings:
            held[term] += weight  # type: ignore[assignment]  # a Counter of weights
            holders[term] += 1
        for word in list_words(paper.title):
            titled[SearchTerm(word)] += weight  # type: ignore[assignment]
    frequencies, total = load_frequencies(), sum(given)
    least = min(LEAST_HOLDERS, len(papers))
    worth = {
        term: divergence(min(share / total, 1.0), frequencies.share_of(term))
        * (1 + TITLE_BOOST * titled[term] / total)
        for term, share in held.items()
        if holders[term] >= least
    }
    return {term: value for term, value in worth.items() if value > 0}


def pick_best(worth: Mapping[SearchTerm, float], count: int) -> list[SearchTerm]:
    """Return the terms that are worth the most, the best first."""
    return nsmallest(count, worth, key=lambda term: (-worth[term], term))
