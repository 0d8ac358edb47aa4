"""Why a document has its score: what each of its terms adds to it.

All views of the linear method are sums over terms: a document's score is what its terms are worth,
each view's part brought to the scale on which it is fused.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.features.words import WordFeatures

BLOCK = 1_000
"""How many documents are looked at together."""


class TermSum(NamedTuple):
    """A sum over columns that is part of a score."""

    rows: Any
    """A sparse matrix with a row a document."""
    worth: NDArray[np.float64]
    """What each column adds to the score."""
    terms: NDArray[np.int64]
    """The number of each column's term."""


class Strongest(NamedTuple):
    """The terms that move documents furthest; arrays of the same length, row by row."""

    rows: NDArray[np.int64]
    """Rising."""
    terms: NDArray[np.int64]
    """Their numbers; in a row, the strongest first."""


class TermModel:
    """A score as a sum over terms."""

    def __init__(self, words: WordFeatures, views: list[TermSum]) -> None:
        self.words = words
        self.views = views

    def contributions(self, row: int) -> dict[str, float]:
        """Return what each term adds to the score of a document."""
        terms, values = self.added(row)
        found = zip(terms.tolist(), values.tolist(), strict=True)
        return {self.words.terms[term]: value for term, value in found}

    def added(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers of the terms that a document's score depends on, and what they add."""
        terms, values = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for view in self.views:
            start, stop = view.rows.indptr[row : row + 2]
            columns = view.rows.indices[start:stop]
            terms.append(view.terms[columns])
            values.append(view.rows.data[start:stop] * view.worth[columns])
        distinct, places = np.unique(np.concatenate(terms), return_inverse=True)
        total = np.bincount(places, weights=np.concatenate(values), minlength=len(distinct))
        return distinct[total != 0], total[total != 0]

    def strongest(self, *, up: int, down: int) -> tuple[Strongest, Strongest]:
        """Return which terms move documents up, and which down, at most so many for each document.

        It is what `contributions` says, for all rows at once.
        """
        added = self._sum_all_terms()
        return self._find_furthest(added, up), self._find_furthest(-added, down)

    def _sum_all_terms(self) -> Any:
        """Return what terms add to the scores of documents, as sparse rows."""
        size = len(self.words.terms)
        added = sparse.csr_array((self.words.tfidf.shape[0], size))
        for view in self.views:
            columns = len(view.terms)
            parts = (view.worth, view.terms, np.arange(columns + 1))
            added = added + view.rows @ sparse.csr_array(parts, shape=(columns, size))
        return added

    def _find_furthest(self, added: Any, count: int) -> Strongest:
        rows = np.repeat(np.arange(added.shape[0]), np.diff(added.indptr))
        least = _find_largest(added, count)[rows]
        kept = np.flatnonzero((added.data > 0) & (added.data >= least))
        rows, terms = rows[kept], added.indices[kept]
        # Of terms that are worth the same, the first of the alphabet go in.
        order = np.lexsort((self._alphabetical(terms), -added.data[kept], rows))
        rows, terms = rows[order], terms[order]
        is_in = np.arange(len(rows)) - np.searchsorted(rows, rows) < count
        return Strongest(rows[is_in], terms[is_in].astype(np.int64))

    def _alphabetical(self, terms: NDArray[Any]) -> NDArray[np.int64]:
        """Return for each of some terms its place in the alphabet."""
        found, numbers = np.unique(terms, return_inverse=True)
        order = sorted(range(len(found)), key=lambda place: self.words.terms[found[place]])
        places = np.empty(len(found), dtype=np.int64)
        places[order] = np.arange(len(found))
        return places[numbers]


def divide_rows(rows: Any, lengths: NDArray[np.float32]) -> Any:
    """Return sparse rows, each divided by its length."""
    shorter = rows.copy()
    shorter.data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
    return shorter


def _find_largest(matrix: Any, count: int) -> NDArray[np.float64]:
    """Return the value that comes at this place, counted from the largest, in each sparse row."""
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
