"""The background of a gathered library: how often words occur in papers that were not gathered.

A library that was gathered for a topic has the topic's words in nearly every document, so that it
can't tell which words are the topic's. What it lacks are the other papers of the source. Real
records, which the table of `terms.py` was made of, stand in for them wherever words are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from typing import cast

from likewise.library.analysis import analyze_texts
from likewise.library.more_like import idf
from likewise.library.protocol import FIELDS, Field, GatheredLibrary, Hits, Library, Query
from likewise.library.sources.terms import load_frequencies
from likewise.library.where import ANYWHERE, Where


def add_background(library: Library) -> Library:
    """Return a library that was gathered with the background it lacks; any other as it is."""
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
        """Return in how many documents' field each term occurs, the background included."""
        others, size = count_background()[field], load_frequencies().texts
        found = self._library.document_frequencies(field, terms)
        return {term: n + min(others.get(term, 0), size) for term, n in found.items()}

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
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
        return self._library.search(
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
