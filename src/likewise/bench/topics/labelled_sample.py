"""The headings of a library's documents as a matrix, with where and when they were published."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from likewise.bench.topics.check_tags import CHECK_TAGS
from likewise.bench.topics.mesh_tree import name_key
from likewise.bench.topics.topics import parse_topic
from likewise.errors import TopicError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.library import Library

BATCH = 5_000
# Years alone would be so many that few documents of a topic fall into each.
PERIOD = 5


@dataclass(frozen=True, kw_only=True)
class LabelledSample:
    """Documents with their headings, the rarest heading first."""

    names: tuple[str, ...]
    """The headings, one a column."""
    has: Any
    """A sparse matrix of ones, documents by headings."""
    sources: np.ndarray
    """The number of each document's source."""
    periods: np.ndarray
    """The number of the five years that each document is from, 0 if that is not known."""

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

    def rows(self, columns: Sequence[int]) -> np.ndarray:
        """Return the documents that have all of some headings."""
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
    """Return documents with those headings that at least so many of the whole library have.

    Args:
        library: Where they are.
        ids: The documents.
        minimum: How many documents must have a heading.
        on_progress: Called with the number of documents after some were read.
    """
    spellings = _often(library, minimum=minimum)
    column = {name: number for number, names in enumerate(spellings) for name in names}
    sources: defaultdict[str, int] = defaultdict(lambda: len(sources))
    pairs: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []
    for start in range(0, len(ids), BATCH):
        for document in library.get(ids[start : start + BATCH]):
            columns = {column.get(heading.name, -1) for heading in document.mesh} - {-1}
            pairs += [(len(told), number) for number in columns]
            told.append((sources[document.source], (document.year or 0) // PERIOD))
        if on_progress:
            on_progress(len(told))
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(pairs), dtype=np.int32)
    has = sparse.csr_array((ones, tuple(places)), shape=(len(told), len(spellings)))
    where, when = np.array(told, dtype=np.int64).reshape(-1, 2).T
    return LabelledSample(
        names=tuple(names[0] for names in spellings), has=has, sources=where, periods=when
    )


def _often(library: Library, *, minimum: int) -> list[list[str]]:
    """Return common headings that can be spelled, rarest first, each by all its spellings."""
    counts: defaultdict[str, int] = defaultdict(int)
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for heading, count in sorted(library.headings().items()):
        key = name_key(heading.name)
        counts[key] += count
        if heading.name not in spellings[key]:
            spellings[key].append(heading.name)
    often = sorted((count, spellings[key]) for key, count in counts.items() if count >= minimum)
    return [names for _, names in often if _can_be_spelled(names[0])]


def _can_be_spelled(name: str) -> bool:
    try:
        return parse_topic(name).terms == (name,)
    except TopicError:
        return False
