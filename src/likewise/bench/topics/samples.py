"""Samples of a library as a matrix of documents by headings, and which headings occur together.

The product of the matrix's transpose with itself counts pairs of headings. Triples are pairs among
the rows of a first heading, and so on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from likewise.bench.topics.mesh import CHECK_TAGS, fold_name
from likewise.bench.topics.topics import parse_topic
from likewise.errors import TopicError
from likewise.library import Library
from likewise.library.protocol import require_headings

BATCH = 5_000
# Years alone would be so many that few documents of a topic fall into each.
PERIOD = 5


@dataclass(frozen=True, kw_only=True)
class LabelledSample:
    """Some documents and their headings, the rarest heading first."""

    names: tuple[str, ...]
    """The headings, one a column."""
    has: Any
    """A sparse matrix of ones, documents by headings."""
    sources: np.ndarray
    """A number for each document's source, such as its journal."""
    periods: np.ndarray
    """A number for the five years that each document is from; 0 if its year is not known."""

    @cached_property
    def counts(self) -> np.ndarray:
        """How many of the documents have each heading."""
        return np.asarray(self.has.sum(axis=0))

    @cached_property
    def check_tags(self) -> np.ndarray:
        """Whether each heading is a check tag."""
        return np.array([name in CHECK_TAGS for name in self.names], dtype=bool)

    @cached_property
    def _by_heading(self) -> Any:
        return self.has.tocsc()

    def find_rows(self, columns: Sequence[int]) -> np.ndarray:
        """Return the rows of the documents that have all of these headings."""
        start, indices = self._by_heading.indptr, self._by_heading.indices
        parts = (indices[start[column] : start[column + 1]] for column in columns)
        return reduce(lambda these, those: np.intersect1d(these, those, assume_unique=True), parts)


def read_sample(
    library: Library,
    ids: Sequence[str],
    *,
    minimum: int,
    on_progress: Callable[[int], None] | None = None,
) -> LabelledSample:
    """Return documents with their headings, without those that are rare in the whole library.

    Args:
        library: Where the documents are.
        ids: The documents.
        minimum: How many documents of the library must have a heading.
        on_progress: Called with how many documents were read, from time to time.
    """
    spellings = _list_common(library, minimum=minimum)
    column = {name: number for number, names in enumerate(spellings) for name in names}
    sources: defaultdict[str, int] = defaultdict(lambda: len(sources))
    pairs: list[tuple[int, int]] = []
    placed: list[tuple[int, int]] = []
    for start in range(0, len(ids), BATCH):
        for document in library.get(ids[start : start + BATCH]):
            columns = {column.get(heading.name, -1) for heading in document.mesh} - {-1}
            pairs += [(len(placed), number) for number in columns]
            placed.append((sources[document.source], (document.year or 0) // PERIOD))
        if on_progress:
            on_progress(len(placed))
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(pairs), dtype=np.int32)
    has = sparse.csr_array((ones, tuple(places)), shape=(len(placed), len(spellings)))
    where, when = np.array(placed, dtype=np.int64).reshape(-1, 2).T
    return LabelledSample(
        names=tuple(names[0] for names in spellings), has=has, sources=where, periods=when
    )


def _list_common(library: Library, *, minimum: int) -> list[list[str]]:
    """Return the headings that are not rare, the rarest first, each with all its spellings."""
    counts: defaultdict[str, int] = defaultdict(int)
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for heading, count in sorted(require_headings(library).count_headings().items()):
        key = fold_name(heading.name)
        counts[key] += count
        if heading.name not in spellings[key]:
            spellings[key].append(heading.name)
    often = sorted((count, spellings[key]) for key, count in counts.items() if count >= minimum)
    return [names for _, names in often if _is_spellable(names[0])]


def _is_spellable(name: str) -> bool:
    try:
        return parse_topic(name).terms == (name,)
    except TopicError:
        return False


class Conjunctions(NamedTuple):
    """Headings that occur together."""

    columns: np.ndarray
    """A row for each conjunction, with the columns of its headings."""
    counts: np.ndarray
    """How many documents have all of them."""


def find_conjunctions(has: Any, *, size: int, minimum: int) -> Iterator[Conjunctions]:
    """Yield the conjunctions that enough documents have, those of each first column together.

    Args:
        has: A sparse matrix of ones, documents by headings; this is quickest with the rarest first.
        size: How many headings a conjunction has; at least 2.
        minimum: How many documents must have all of them; at least 1.
    """
    has = sparse.csr_array(has, dtype=np.int32)
    by_column = has.tocsc()
    for first in range(has.shape[1]):
        rows = by_column.indices[by_column.indptr[first] : by_column.indptr[first + 1]]
        if len(rows) < minimum:
            yield _make_empty(size)
        else:
            rest = _find_among(has[rows][:, first + 1 :], size=size - 1, minimum=minimum)
            yield _put_first(first, rest)


def _find_among(has: Any, *, size: int, minimum: int) -> Conjunctions:
    often = np.flatnonzero(has.sum(axis=0) >= minimum)
    has = has[:, often]
    if size == 1:
        return Conjunctions(often[:, None], has.sum(axis=0))
    if size == 2:
        pairs = sparse.triu(has.T @ has, k=1).tocoo()
        kept = pairs.data >= minimum
        columns = np.column_stack([pairs.row[kept], pairs.col[kept]])
        return Conjunctions(often[columns], pairs.data[kept])
    parts = list(find_conjunctions(has, size=size, minimum=minimum)) or [_make_empty(size)]
    columns = np.concatenate([part.columns for part in parts])
    return Conjunctions(often[columns], np.concatenate([part.counts for part in parts]))


def _put_first(first: int, rest: Conjunctions) -> Conjunctions:
    """Add a first column to conjunctions of the columns after it."""
    column = np.full((len(rest.counts), 1), first)
    return Conjunctions(np.hstack([column, rest.columns + first + 1]), rest.counts)


def _make_empty(size: int) -> Conjunctions:
    return Conjunctions(np.empty((0, size), dtype=np.int64), np.empty(0, dtype=np.int64))
