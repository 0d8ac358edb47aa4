"""Terms of sources: those to search a source for, and how common they are elsewhere.

A source does not say how many of its records have a word, so a table comes with the package, which
was counted on real records (`scripts/write_word_frequencies.py`). As in `library/more_like.py`, the
value of a term is the divergence of the share of the papers that have it from the share of those
records that do. Its weight is the value divided by its idf, since services that rank by BM25
multiply by it.

A library that was gathered for a topic has the topic's words in nearly every document, so that it
can't tell which words are the topic's. What it lacks are the other papers of the source. The table
stands in for them wherever words are counted.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from importlib.resources import files
from typing import cast

from likewise.documents import Document
from likewise.library.analysis import STOP_WORDS, analyze_texts
from likewise.library.more_like import divergence, idf
from likewise.library.protocol import FIELDS, Field, GatheredLibrary, Hits, Library, Query
from likewise.library.sources import SearchTerm
from likewise.library.where import ANYWHERE, Where

TABLE = "word_frequencies.tsv.gz"
LONGEST = 40
TITLE_BOOST = 1.0
"""How much more a word counts for each title that has it."""
MOST_TERMS = 200
"""How many terms are weighed: those that are worth the most."""
LEAST_HOLDERS = 2
"""A word of one paper alone says little about what the papers have in common."""

_WORD = re.compile(r"[^\W_]+")
_NO_WORDS = frozenset(STOP_WORDS)


@dataclass(frozen=True)
class WordFrequencies:
    """How many of some real records have each word and heading."""

    texts: int
    indexed: int
    """How many of the records have headings."""
    titles: Mapping[str, int]
    """How many titles have each word."""
    abstracts: Mapping[str, int]
    headings: Mapping[str, int]

    def share_of(self, term: SearchTerm) -> float:
        """Return the share of records that have a term; never quite 0, even if none has it."""
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
    """Return the most valuable words and headings of some papers, and how much each weighs.

    All papers count the same, unless `weights` says how much each does.
    """
    weights = [1.0] * len(papers) if weights is None else weights
    held: Counter[SearchTerm] = Counter()
    titled: Counter[SearchTerm] = Counter()
    holders: Counter[SearchTerm] = Counter()
    for paper, weight in zip(papers, weights, strict=True):
        words = {SearchTerm(word) for word in list_words(paper.text)}
        headings = {SearchTerm(heading.name, is_heading=True) for heading in paper.mesh}
        for term in words | headings:
            held[term] += weight  # type: ignore[assignment]  # a Counter of weights
            holders[term] += 1
        for word in list_words(paper.title):
            titled[SearchTerm(word)] += weight  # type: ignore[assignment]
    frequencies, total = load_frequencies(), sum(weights)
    least = min(LEAST_HOLDERS, len(papers))
    worth = {
        term: divergence(min(share / total, 1.0), frequencies.share_of(term))
        * (1 + TITLE_BOOST * titled[term] / total)
        for term, share in held.items()
        if holders[term] >= least
    }
    best = pick_best({term: value for term, value in worth.items() if value > 0}, MOST_TERMS)
    size = frequencies.texts
    return {
        term: worth[term] / idf(round(frequencies.share_of(term) * size), size) for term in best
    }


def pick_best(weights: Mapping[SearchTerm, float], count: int) -> list[SearchTerm]:
    """Return the terms that weigh the most, the best first."""
    return nsmallest(count, weights, key=lambda term: (-weights[term], term))


def add_background(library: Library) -> Library:
    """Return a gathered library with the background that it lacks; any other as it is."""
    if isinstance(library, GatheredLibrary) and library.read_reach():
        return cast("Library", BackedLibrary(library))
    return library


class BackedLibrary:
    """A gathered library that counts documents and words as if it held the background too.

    It finds no more than the library itself, but scores by the rarity of words in both together.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, the background included."""
        return self._library.count(where) + load_frequencies().texts

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field, the background included."""
        others, size = count_background()[field], load_frequencies().texts
        found = self._library.document_frequencies(field, terms)
        return {term: n + min(others.get(term, 0), size) for term, n in found.items()}

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, each term weighed by its rarity in both."""
        weighed = []
        for field in FIELDS:
            terms = [term for term in query.terms if term.field == field]
            names = [term.text for term in terms]
            own = self._library.document_frequencies(field, names)
            both = self.document_frequencies(field, names)
            sizes = self._library.count(), self.count()
            for term in terms:
                own_idf, both_idf = idf(own[term.text], sizes[0]), idf(both[term.text], sizes[1])
                weighed.append(term._replace(weight=term.weight * both_idf / own_idf))
        return self._library.find_best(
            query._replace(terms=tuple(weighed)), limit=limit, exclude=exclude
        )


@cache
def count_background() -> Mapping[Field, Mapping[str, int]]:
    """Return how many records of the background have each term, as libraries analyse words."""
    frequencies = load_frequencies()
    words = list(frequencies.titles)
    counts: dict[Field, Counter[str]] = {"title": Counter(), "abstract": Counter()}
    for word, terms in zip(words, analyze_texts(words), strict=True):
        for term in terms:
            counts["title"][term] += frequencies.titles[word]
            counts["abstract"][term] += frequencies.abstracts[word]
    return counts
