"""Why a document has its score: what each of its words adds to it.

Many scores are sums over the columns of matrices. Such a score is explained by the words that the
columns stand for: terms of the library, or words of a view's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.learn.rows import Numbers

BLOCK = 1_000
"""How many documents are explained at a time."""


@dataclass(frozen=True)
class TermSum:
    """A part of a score that is a sum over columns, each of which stands for a word."""

    rows: Any
    """A sparse matrix with one row for each document."""
    worth: Numbers
    """What each column adds to the score."""
    terms: NDArray[np.int64]
    """The number of each column's word."""
    names: Sequence[str] | None = None
    """What the numbers stand for, if not for the terms of the library."""

    def scale(self, factor: float) -> TermSum:
        """Return the sum times a factor."""
        return replace(self, worth=factor * self.worth)


class Strongest(NamedTuple):
    """The terms that move documents furthest; arrays of the same length, row by row."""

    rows: NDArray[np.int64]
    """Rising."""
    terms: NDArray[np.int64]
    """Their numbers; in a row, the strongest first."""


class TermModel:
    """A score as a sum over terms."""

    def __init__(self, terms: Sequence[str], sums: Sequence[TermSum]) -> None:
        """Explain scores by sums over terms, and over words that views have of their own."""
        self.sums = sums
        self.names = terms
        """What the numbers of words stand for."""
        firsts: dict[tuple[str, ...], int] = {}
        for own in dict.fromkeys(tuple(one.names) for one in sums if one.names is not None):
            firsts[own] = len(self.names)
            self.names = [*self.names, *own]
        self._numbered = [
            one if one.names is None else replace(one, terms=one.terms + firsts[tuple(one.names)])
            for one in sums
        ]

    def sum_terms(self, row: int) -> tuple[NDArray[np.int64], Numbers]:
        """Return the numbers of the terms that a document's score depends on, and what they add."""
        terms, values = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for view in self._numbered:
            start, stop = view.rows.indptr[row : row + 2]
            columns = view.rows.indices[start:stop]
            terms.append(view.terms[columns])
            values.append(view.rows.data[start:stop] * view.worth[columns])
        distinct, places = np.unique(np.concatenate(terms), return_inverse=True)
        total = np.bincount(places, weights=np.concatenate(values), minlength=len(distinct))
        return distinct[total != 0], total[total != 0]

    def strongest(self, *, up: int, down: int) -> tuple[Strongest, Strongest]:
        """Return the terms that move each document most: at most `up` upwards, `down` downwards.

        These are the strongest of what `sum_terms` returns, for all rows at once.
        """
        added = self._sum_all_terms()
        return self._find_furthest(added, up), self._find_furthest(-added, down)

    def _sum_all_terms(self) -> Any:
        """Return what terms add to the scores of documents, as sparse rows."""
        size = len(self.names)
        added = sparse.csr_array((self.sums[0].rows.shape[0] if self.sums else 0, size))
        for view in self._numbered:
            columns = len(view.terms)
            parts = (view.worth, view.terms, np.arange(columns + 1))
            added = added + view.rows @ sparse.csr_array(parts, shape=(columns, size))
        return added

    def _find_furthest(self, added: Any, count: int) -> Strongest:
        rows = np.repeat(np.arange(added.shape[0]), np.diff(added.indptr))
        least = _find_largest(added, count)[rows]
        kept = np.flatnonzero((added.data > 0) & (added.data >= least))
        rows, terms = rows[kept], added.indices[kept]
        # Among terms that are worth the same, those first in the alphabet go in.
        order = np.lexsort((self._alphabetical(terms), -added.data[kept], rows))
        rows, terms = rows[order], terms[order]
        is_in = np.arange(len(rows)) - np.searchsorted(rows, rows) < count
        return Strongest(rows[is_in], terms[is_in].astype(np.int64))

    def _alphabetical(self, terms: NDArray[Any]) -> NDArray[np.int64]:
        """Return the place of each term in alphabetical order."""
        found, numbers = np.unique(terms, return_inverse=True)
        names = [self.names[term] for term in found.tolist()]
        order = sorted(range(len(found)), key=names.__getitem__)
        return np.argsort(order)[numbers]


def divide_rows(rows: Any, lengths: NDArray[np.float32]) -> Any:
    """Return sparse rows, each divided by its length."""
    shorter = rows.copy()
    shorter.data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
    return shorter


def _find_largest(matrix: Any, count: int) -> Numbers:
    """Return the `count`-th largest value of each sparse row; -inf if it has fewer values."""
    lengths = np.diff(matrix.indptr)
    found = np.full(len(lengths), -np.inf)
    for start in range(0, len(lengths), BLOCK):
        of_block = lengths[start : start + BLOCK]
        first, last = matrix.indptr[start], matrix.indptr[start + len(of_block)]
        width = max(int(of_block.max()), count)
        block = np.full((len(of_block), width), -np.inf)
        block[np.arange(width) < of_block[:, None]] = matrix.data[first:last]
        place = width - count
        found[start : start + BLOCK] = np.partition(block, place, axis=1)[:, place]
    return found
