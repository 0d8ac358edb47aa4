"""More like these: from some documents to a query, and from the query to a pool.

The terms are chosen here, for every engine alike, because the engines' own more-like-this queries
choose them per shard, ignore field boosts and disagree with one another. With s the share of the
seeds that have a term in a field, and b the share of the library's documents that do, the value of
a term is its divergence

    value = s ln(s / b) + (1 - s) ln((1 - s) / (1 - b))   where s > b, else 0

(how surprised the library would be by the seeds), times the boost of its field. The most valuable
terms make the query. BM25 multiplies by the term's idf, so a term's weight in it is value / idf.

The paper's query is Elasticsearch's more_like_this. With f the number of times that a term occurs
in a field of the seeds, and n the number of the library's N documents that have it there:

    value = f (1 + ln((N + 1) / (n + 1)))

The 25 most valuable terms of each field make one query. The weight of a term is the boost of its
field, and a document must have 20 % of the terms, rounded down.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from itertools import chain
from typing import Literal, NamedTuple, get_args

from likewise.arguments import check_count
from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.library.protocol import FIELDS, Field, Hits, Library, Query, Term
from likewise.library.where import ANYWHERE, Where

_Value = Callable[[float, int, int], tuple[float, float]]

TermsBy = Literal["divergence", "tf-idf"]


@dataclass(frozen=True, kw_only=True)
class MoreLike:
    """How seeds become a query.

    `MoreLike.of_the_paper()` gives the settings of Jacovi et al. (2021); the defaults were measured
    by `make bench-terms`.

    >>> import likewise
    >>> likewise.MoreLike(max_terms=50).title_boost
    2.0
    """

    terms_by: TermsBy = "divergence"
    """How terms are valued: by divergence, or by tf-idf (all terms of a field weigh the same)."""
    max_terms: int = 200
    """How many terms the query has at most, in both fields together or `per_field`."""
    per_field: bool = False
    """Whether `max_terms` holds for each field, rather than for both together."""
    min_term_frequency: int = 1
    """How often a term must occur in all seeds together."""
    min_document_frequency: int = 2
    """How many documents of the library must have a term."""
    max_document_share: float = 1.0
    """The largest share of the library's documents that may have a term."""
    min_word_length: int = 2
    title_boost: float = 2.0
    minimum_match: float = 0.0
    """What share of the query's terms a document must have, rounded down to whole terms."""
    relax: bool = True
    """Whether to halve that share as long as too few documents reach it."""

    def __post_init__(self) -> None:
        if self.terms_by not in get_args(TermsBy):
            raise SettingsError(f"terms_by is {self.terms_by!r}; use one of {get_args(TermsBy)}")
        for name in ("max_document_share", "minimum_match"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingsError(f"{name} is {getattr(self, name)}; give a share from 0 to 1")
        check_count(self.max_terms, name="max_terms")
        if self.max_terms < 1 or self.title_boost <= 0:
            raise SettingsError("max_terms must be at least 1, and title_boost greater than 0")

    @classmethod
    def of_the_paper(cls, *, relax: bool = False) -> MoreLike:
        """Return the paper's settings, with Elasticsearch's defaults for what it does not state.

        Without `relax`, the pool has only documents with 20 % of the terms, however few they are.
        """
        return cls(
            terms_by="tf-idf",
            max_terms=25,
            per_field=True,
            min_term_frequency=2,
            min_document_frequency=5,
            min_word_length=1,
            minimum_match=0.2,
            relax=relax,
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

    Unless settings say otherwise, the share of terms that must match is halved until `limit`
    documents are found or one term is enough: hardly any document has 20 % of many terms.

    >>> from likewise import Document, more_like_these
    >>> from likewise.library.memory import MemoryLibrary
    >>> library = MemoryLibrary()
    >>> titles = ("Sleep apnea", "Sleep in shift workers", "Insulin")
    >>> library.add(Document(id=str(n), title=title) for n, title in enumerate(titles))
    >>> library.commit()
    >>> more_like_these(library, library.get(["0"]), limit=10, exclude=["0"]).hits.ids
    ['1']
    """
    settings = settings or MoreLike()
    terms = select_terms(library, seeds, settings=settings)
    return find_pool(library, terms, limit=limit, exclude=exclude, settings=settings)


def find_pool(
    library: Library,
    terms: tuple[Term, ...],
    *,
    limit: int,
    exclude: Collection[str],
    settings: MoreLike,
    where: Where = ANYWHERE,
) -> Pool:
    """Find the documents that match some terms best."""
    # A float such as 0.29 may be a little less than it says.
    minimum = max(1, math.floor(settings.minimum_match * len(terms) + 1e-9))
    while True:
        query = Query(terms, minimum, where)
        hits = library.find_best(query, limit=limit, exclude=exclude)
        if len(hits) >= limit or minimum == 1 or not settings.relax:
            return Pool(hits, query)
        minimum //= 2


def select_terms(
    library: Library, seeds: Sequence[Document], *, settings: MoreLike
) -> tuple[Term, ...]:
    """Return the most valuable terms of the seeds with their weights, best first."""
    return SeedTerms(library, seeds, settings=settings).pick_best(range(len(seeds)))


class SeedTerms:
    """The terms of seeds, looked up once, to pick the best for any selection of the seeds."""

    def __init__(self, library: Library, seeds: Sequence[Document], *, settings: MoreLike) -> None:
        self._settings = settings
        self._analyzed: dict[Field, list[list[str]]] = {
            field: library.analyze_all(field, [getattr(seed, field) for seed in seeds])
            for field in FIELDS
        }
        every = {field: set(chain(*analyzed)) for field, analyzed in self._analyzed.items()}
        self._offered = _OfferedTerms(library, every, settings=settings)

    def pick_best(self, rows: Sequence[int]) -> tuple[Term, ...]:
        """Return the most valuable terms of the seeds in some rows, best first."""
        occurrences: dict[Field, Counter[str]] = {}
        holders: dict[Field, Counter[str]] = {}
        for field, analyzed in self._analyzed.items():
            some = [analyzed[row] for row in rows]
            occurrences[field] = Counter(chain(*some))
            holders[field] = Counter(chain(*map(set, some)))
        least, by_tfidf = self._settings.min_term_frequency, self._settings.terms_by == "tf-idf"
        counted = occurrences if by_tfidf else holders
        divisor = 1 if by_tfidf else len(rows)
        known = {
            field: {term: counted[field][term] / divisor for term, n in found.items() if n >= least}
            for field, found in occurrences.items()
        }
        return self._offered.pick_best(
            known, value=_value_by_tfidf if by_tfidf else _value_by_divergence
        )


def select_by_divergence(
    library: Library, shares: Mapping[Field, Mapping[str, float]], *, settings: MoreLike
) -> tuple[Term, ...]:
    """Return the most valuable terms, given the share of the topic's documents that have each."""
    return _OfferedTerms(library, shares, settings=settings).pick_best(
        shares, value=_value_by_divergence
    )


def _value_by_divergence(share: float, frequency: int, size: int) -> tuple[float, float]:
    worth = divergence(share, frequency / size)
    return worth, worth / idf(frequency, size)


def _value_by_tfidf(count: float, frequency: int, size: int) -> tuple[float, float]:
    return count * (1 + math.log((size + 1) / (frequency + 1))), 1.0


def weigh_by_idf(library: Library, terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return terms with their weights times their idf, which is what they add to a score."""
    size = library.count()
    found = {
        field: library.document_frequencies(field, [t.text for t in terms if t.field == field])
        for field in FIELDS
    }
    return tuple(
        term._replace(weight=term.weight * idf(found[term.field][term.text], size))
        for term in terms
    )


def idf(frequency: int, size: int) -> float:
    """Return the idf, as BM25 defines it, of a term that `frequency` of `size` documents have."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


class _OfferedTerms:
    """The terms that the settings allow, with the number of documents that have each."""

    def __init__(
        self, library: Library, terms: Mapping[Field, Collection[str]], *, settings: MoreLike
    ) -> None:
        self._settings = settings
        self._size = library.count()
        least, most = settings.min_document_frequency, settings.max_document_share * self._size
        self._frequencies: dict[Field, dict[str, int]] = {}
        for field, every in terms.items():
            allowed = [term for term in every if len(term) >= settings.min_word_length]
            found = library.document_frequencies(field, allowed)
            self._frequencies[field] = {t: n for t, n in found.items() if least <= n <= most}

    def pick_best(
        self, known: Mapping[Field, Mapping[str, float]], *, value: _Value
    ) -> tuple[Term, ...]:
        """Return the terms of the highest value.

        Args:
            known: The share or the count of each term, by field.
            value: Returns a term's value and its weight, given that number, how many documents
                have the term, and how many documents there are.
        """
        valued: dict[Field, list[tuple[float, Field, str, float]]] = {field: [] for field in known}
        # Many terms have the same numbers, so each value is computed only once.
        worked_out = cache(lambda number, n: value(number, n, self._size))
        for field, terms in known.items():
            boost = self._settings.title_boost if field == "title" else 1.0
            frequencies = self._frequencies[field]
            for term, number in terms.items():
                if frequency := frequencies.get(term):
                    worth, weight = worked_out(number, frequency)
                    if weight > 0:
                        valued[field].append((-boost * worth, field, term, boost * weight))
        groups = list(valued.values()) if self._settings.per_field else [chain(*valued.values())]
        best = chain(*(nsmallest(self._settings.max_terms, group) for group in groups))
        return tuple(Term(field, term, weight) for _, field, term, weight in sorted(best))


def divergence(share: float, background: float) -> float:
    """Return how much more often than expected a term occurs, in nats; 0 if it does not.

    >>> round(divergence(0.5, 0.01), 3), divergence(0.01, 0.5)
    (1.614, 0.0)
    """
    if share <= background:
        return 0.0
    absent = (1 - share) * math.log((1 - share) / (1 - background)) if share < 1 else 0.0
    return share * math.log(share / background) + absent
