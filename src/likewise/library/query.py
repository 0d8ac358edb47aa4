"""Queries of weighted terms, and what they find."""

from __future__ import annotations

from itertools import compress, count, islice
from operator import eq
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.library.protocol import Library

Field = Literal["title", "abstract"]
"""The parts of a document that are searched, each with its own statistics."""

FIELDS: tuple[Field, ...] = get_args(Field)


class Term(NamedTuple):
    """A term as an engine's `analyze` gives it, the field to look in, and its weight."""

    field: Field
    text: str
    weight: float = 1.0


class Query(NamedTuple):
    """Weighted terms, of which a document must contain at least `minimum`.

    A document's score is the sum over its terms of weight times BM25 in the term's field.
    """

    terms: tuple[Term, ...]
    minimum: int = 1


class Hits(NamedTuple):
    """What a search found: ids and scores, best first, ties by id."""

    ids: list[str]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.ids)


def words_query(text: str, *, library: Library, title_weight: float = 2.0) -> Query:
    """Make a query of a person's words: any may match, in title or abstract."""
    terms = dict.fromkeys(
        Term(field, term, title_weight if field == "title" else 1.0)
        for field in FIELDS
        for term in library.analyze(field, text)
    )
    return Query(tuple(terms))


def settle_ties(ids: list[str], scores: list[float]) -> None:
    """Put ids of equal scores, which stand side by side, in order.

    >>> ids = ["b", "z", "a"]
    >>> settle_ties(ids, [2.0, 1.0, 1.0])
    >>> ids
    ['b', 'a', 'z']
    """
    tied = compress(count(), map(eq, scores, islice(scores, 1, None)))
    for start, stop in _runs(tied):
        # Most ties are pairs that the engine found in order.
        if stop - start > 2 or ids[start] > ids[start + 1]:
            ids[start:stop] = sorted(ids[start:stop])


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield where runs begin and end, given each place that equals the next.

    >>> list(_runs([3, 7, 8]))
    [(3, 5), (7, 10)]
    """
    start = stop = 0
    for place in places:
        if place >= stop:
            if stop:
                yield start, stop
            start = place
        stop = place + 2
    if stop:
        yield start, stop
