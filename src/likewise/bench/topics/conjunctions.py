"""Conjunctions: which labels occur together, and in how many documents.

With documents as rows and labels as columns, the product of the matrix's transpose with itself
counts pairs. Triples are pairs among the rows of a first label, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterator


class Conjunctions(NamedTuple):
    """Conjunctions of columns, a row each, and how many documents have all of them."""

    columns: np.ndarray
    counts: np.ndarray


def conjunctions(has: Any, *, size: int, minimum: int) -> Iterator[Conjunctions]:
    """Yield the conjunctions that at least so many documents have, for each first column in turn.

    Args:
        has: A sparse matrix of ones, documents by labels. It is quickest with the rarest first.
        size: How many labels a conjunction has; at least 2.
        minimum: How many documents it must have; at least 1.
    """
    has = sparse.csr_array(has, dtype=np.int32)
    by_column = has.tocsc()
    for first in range(has.shape[1]):
        rows = by_column.indices[by_column.indptr[first] : by_column.indptr[first + 1]]
        if len(rows) < minimum:
            yield _none(size)
        else:
            rest = _conjunctions(has[rows][:, first + 1 :], size=size - 1, minimum=minimum)
            yield _after(first, rest)


def _conjunctions(has: Any, *, size: int, minimum: int) -> Conjunctions:
    often = np.flatnonzero(has.sum(axis=0) >= minimum)
    has = has[:, often]
    if size == 1:
        return Conjunctions(often[:, None], has.sum(axis=0))
    if size == 2:
        pairs = sparse.triu(has.T @ has, k=1).tocoo()
        kept = pairs.data >= minimum
        columns = np.column_stack([pairs.row[kept], pairs.col[kept]])
        return Conjunctions(often[columns], pairs.data[kept])
    parts = list(conjunctions(has, size=size, minimum=minimum)) or [_none(size)]
    columns = np.concatenate([part.columns for part in parts])
    return Conjunctions(often[columns], np.concatenate([part.counts for part in parts]))


def _after(first: int, rest: Conjunctions) -> Conjunctions:
    """Put a first column before conjunctions of those that come after it."""
    column = np.full((len(rest.counts), 1), first)
    return Conjunctions(np.hstack([column, rest.columns + first + 1]), rest.counts)


def _none(size: int) -> Conjunctions:
    return Conjunctions(np.empty((0, size), dtype=np.int64), np.empty(0, dtype=np.int64))
