"""More like these: from some documents to a query, and from the query to a pool.

The terms are chosen here, once, for every engine, since engines' own more-like-this choose them per
shard, ignore field boosts and disagree with one another. With s the share of the seeds that have a
term in a field, and b the share of the library's documents that do, a term is worth its divergence

    value = s ln(s / b) + (1 - s) ln((1 - s) / (1 - b))   where s > b, else 0

(how surprised the library would be by the seeds), times the boost of its field. The most valuable
terms make the query. BM25 multiplies by the term's idf, so a term weighs value / idf in it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from likewise.errors import SettingsError
from likewise.library.query import FIELDS, Field, Hits, Query, Term

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from likewise.documents import Document
    from likewise.library.protocol import Library


TermsBy = Literal["divergence", "tf-idf"]


@dataclass(frozen=True, kw_only=True)
class MoreLike:
    """How seeds become a query.

    `MoreLike.of_the_paper()` gives the settings of Jacovi et al. (2021); the defaults were measured
    by `make bench-terms`.
    """

    terms_by: TermsBy = "divergence"
    """What a term is worth: its divergence, or (all terms then weigh the same) tf-idf."""
    max_terms: int = 200
    """How many terms the query has at most, over both fields."""
    min_term_frequency: int = 1
    """How often a term must occur, over all seeds."""
    min_document_frequency: int = 2
    """In how many documents of the library a term must occur."""
    max_document_share: float = 1.0
    """In what share of the library's documents a term may occur at most."""
    min_word_length: int = 2
    title_boost: float = 2.0
    minimum_match: float = 0.0
    """What share of the query's terms a document must have, unless too few documents do."""

    def __post_init__(self) -> None:
        if self.terms_by not in get_args(TermsBy):
            raise SettingsError(f"terms_by is {self.terms_by!r}; it is one of {get_args(TermsBy)}")
        for name in ("max_document_share", "minimum_match"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingsError(f"{name} is {getattr(self, name)}; it is a share, from 0 to 1")
        if self.max_terms < 1 or self.title_boost <= 0:
            raise SettingsError("max_terms is at least 1, and title_boost greater than 0")

    @classmethod
    def of_the_paper(cls) -> MoreLike:
        """Return the settings of the paper, where it states them, and Elasticsearch's defaults."""
        return cls(
            terms_by="tf-idf",
            max_terms=25,
            min_term_frequency=2,
            min_document_frequency=5,
            min_word_length=1,
            minimum_match=0.2,
        )


class Pool(NamedTuple):
    """What was found for some seeds, and by which query."""

    hits: Hits
    query: Query


def more_like_these(
    library: Library,
    seeds: Sequence[Document],
    *,
    limit: int,
    exclude: Collection[str] = (),
    settings: MoreLike | None = None,
) -> Pool:
    """Find the documents most like the seeds.

    The share of terms that must match is halved until `limit` documents are found or one term is
    enough: 20 % of many terms would leave next to nothing.
    """
    settings = settings or MoreLike()
    terms = select_terms(library, seeds, settings=settings)
    minimum = max(1, math.ceil(settings.minimum_match * len(terms)))
    while True:
        query = Query(terms, minimum)
        hits = library.search(query, limit=limit, exclude=exclude)
        if len(hits) >= limit or minimum == 1:
            return Pool(hits, query)
        minimum //= 2


def select_terms(
    library: Library, seeds: Sequence[Document], *, settings: MoreLike
) -> tuple[Term, ...]:
    """Return the most valuable terms of the seeds with their weights, best first."""
    occurrences: dict[Field, Counter[str]] = {field: Counter() for field in FIELDS}
    holders: dict[Field, Counter[str]] = {field: Counter() for field in FIELDS}
    for field in FIELDS:
        for terms in library.analyze_all(field, [getattr(seed, field) for seed in seeds]):
            occurrences[field].update(terms)
            holders[field].update(set(terms))
    kept = {
        field: [term for term, n in counted.items() if n >= settings.min_term_frequency]
        for field, counted in occurrences.items()
    }
    if settings.terms_by == "tf-idf":
        counts = {f: {term: float(occurrences[f][term]) for term in kept[f]} for f in FIELDS}
        return _best(library, counts, value=lambda count, _, idf: (count * idf, 1.0),
                     settings=settings)  # fmt: skip
    shares = {f: {term: holders[f][term] / len(seeds) for term in kept[f]} for f in FIELDS}
    return terms_by_divergence(library, shares, settings=settings)


def terms_by_divergence(
    library: Library, shares: Mapping[Field, Mapping[str, float]], *, settings: MoreLike
) -> tuple[Term, ...]:
    """Return the most valuable terms, given the share of the topic's documents that have each."""

    def value(share: float, background: float, idf: float) -> tuple[float, float]:
        worth = divergence(share, background)
        return worth, worth / idf

    return _best(library, shares, value=value, settings=settings)


def _best(
    library: Library,
    known: Mapping[Field, Mapping[str, float]],
    *,
    value: Callable[[float, float, float], tuple[float, float]],
    settings: MoreLike,
) -> tuple[Term, ...]:
    """Return the terms of the highest value.

    Args:
        library: Says how often each term occurs.
        known: What is known of each term in each field.
        value: Makes of that, the term's share of the library and its idf a value and a weight.
        settings: Say which terms are allowed, and how many.
    """
    size = library.count()
    valued: list[tuple[float, Field, str, float]] = []
    for field, terms in known.items():
        boost = settings.title_boost if field == "title" else 1.0
        allowed = [term for term in terms if len(term) >= settings.min_word_length]
        for term, frequency in library.document_frequencies(field, allowed).items():
            most = settings.max_document_share * size
            if settings.min_document_frequency <= frequency <= most:
                idf = math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
                worth, weight = value(terms[term], frequency / size, idf)
                if weight > 0:
                    valued.append((-boost * worth, field, term, boost * weight))
    best = nsmallest(settings.max_terms, valued)
    return tuple(Term(field, term, weight) for _, field, term, weight in best)


def divergence(share: float, background: float) -> float:
    """Return how much more often than expected a term occurs, in nats; 0 if it does not.

    >>> round(divergence(0.5, 0.01), 3), divergence(0.01, 0.5)
    (1.614, 0.0)
    """
    if share <= background:
        return 0.0
    absent = (1 - share) * math.log((1 - share) / (1 - background)) if share < 1 else 0.0
    return share * math.log(share / background) + absent
