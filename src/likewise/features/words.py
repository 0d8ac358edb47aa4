"""Word features: matrices with a row for each document, and the latent topics found in them.

All are made of the same term counts. With f a term's count in a field of a document, l the field's
length and a its mean length, a term's *saturated* count is, as in BM25,

    f (k + 1) / (f + k (1 - b + b l / a))

with k and b lower than in search (`make bench-quality` measures their effect): what matters most is
that a term occurs at all.

Latent semantic analysis finds the main directions of a term matrix, by document and by word. The
singular vectors come from a random projection with power iterations (Halko, Martinsson and Tropp,
2011): a few products with the matrix instead of its whole decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.features import PADDING, UNKNOWN, TokenIds, count_numbers
from likewise.features.terms import TermCounts, count_rows

SATURATION = 0.6
LENGTH = 0.4
TITLE_BOOST = 2.0
BLOCK = 5_000
"""How many rows are put together at a time."""
MIN_DOCUMENTS = 3
"""In how many documents a term must occur to have a column in `weighted` and `tfidf`."""


class Weights(NamedTuple):
    """A matrix of some columns, and which columns these are."""

    rows: sparse.csr_array
    columns: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """Matrices of the same documents, and the terms of their columns; some are made when needed."""

    terms: list[str]
    evidence: sparse.csr_array
    """Saturated counts in the title (boosted), then in the abstract, then presence in either."""
    whole: CountWeights
    """The weights of all documents, of which these may be a part."""
    taken: NDArray[np.int64] | None = None
    """The rows of `whole` that these are; None for all."""

    @cached_property
    def weighted(self) -> sparse.csr_array:
        """Saturated counts in title and abstract, times the root of idf, in rows of length 1."""
        return self._take_rows(self.whole.weighted.rows)

    @property
    def weighted_columns(self) -> NDArray[np.int64]:
        """Which of the first columns of `evidence` each column of `weighted` is."""
        return self.whole.weighted.columns

    @cached_property
    def tfidf(self) -> sparse.csr_array:
        """1 + ln count in title and abstract together, times idf, in rows of length 1."""
        return self._take_rows(self.whole.tfidf.rows)

    @property
    def tfidf_columns(self) -> NDArray[np.int64]:
        """The term of each column of `tfidf`."""
        return self.whole.tfidf.columns

    def take_tfidf(self, rows: NDArray[np.int64]) -> sparse.csr_array:
        """Return some rows of `tfidf`; a few rows take less memory than all."""
        return self.whole.take_tfidf(rows if self.taken is None else self.taken[rows])

    def of(self, rows: NDArray[np.int64]) -> WordFeatures:
        """Return the features of only these rows, in this order."""
        taken = rows if self.taken is None else self.taken[rows]
        return replace(self, evidence=self.evidence[rows], taken=taken)

    def _take_rows(self, rows: sparse.csr_array) -> sparse.csr_array:
        return rows if self.taken is None else rows[self.taken]


class CountWeights:
    """Weighted term counts; each matrix is made when it is first asked for."""

    def __init__(self, counts: TermCounts) -> None:
        self._counts = counts

    @cached_property
    def weighted(self) -> Weights:
        """The matrix of `WordFeatures.weighted`."""
        title, abstract = saturate(self._counts.title), saturate(self._counts.abstract)
        both = sparse.hstack([title, abstract], format="csr")
        columns = find_frequent(document_frequencies(both), documents=both.shape[0])
        return Weights(_weigh(both[:, columns]), columns)

    @cached_property
    def tfidf(self) -> Weights:
        """The matrix of `WordFeatures.tfidf`."""
        counts = self._counts
        return Weights(self._weigh(counts.title, counts.abstract), self._holders.columns)

    def take_tfidf(self, rows: NDArray[np.int64]) -> sparse.csr_array:
        """Return some rows of `tfidf`; only these are made, unless all exist already."""
        if "tfidf" in vars(self):
            return self.tfidf.rows[rows]
        return self._weigh(self._counts.title[rows], self._counts.abstract[rows])

    def _weigh(self, title: sparse.csr_array, abstract: sparse.csr_array) -> sparse.csr_array:
        counts = (title + abstract).tocsr()[:, self._holders.columns]
        return tfidf(counts, idf=self._holders.idf)

    @cached_property
    def _holders(self) -> _Holders:
        title, abstract = self._counts.title, self._counts.abstract
        found = document_frequencies(title) + document_frequencies(abstract)
        for start in range(0, title.shape[0], BLOCK):
            rows = slice(start, start + BLOCK)
            found -= document_frequencies(title[rows].multiply(abstract[rows]).tocsr())
        columns = find_frequent(found, documents=title.shape[0])
        return _Holders(columns, measure_idf(found[columns], documents=title.shape[0]))


class _Holders(NamedTuple):
    """The terms that enough documents have, and how rare each is."""

    columns: NDArray[np.int64]
    idf: NDArray[np.float64]


def make_word_features(counts: TermCounts) -> WordFeatures:
    """Return the features of documents, from their term counts."""
    return WordFeatures(
        terms=counts.terms, evidence=_join_evidence(counts), whole=CountWeights(counts)
    )


def _join_evidence(counts: TermCounts) -> sparse.csr_array:
    """Return the matrix of `WordFeatures.evidence`, made some rows at a time to save memory."""
    title, abstract = saturate(counts.title), saturate(counts.abstract)
    title.data *= np.float32(TITLE_BOOST)
    size, columns = title.shape
    # What a term has in title and abstract at once is one entry less.
    most = 2 * (title.nnz + abstract.nnz)
    data, indices = np.empty(most, np.float32), np.empty(most, np.int32)
    bounds = np.zeros(size + 1, np.int32)
    for start in range(0, size, BLOCK):
        rows = slice(start, start + BLOCK)
        merged = (counts.title[rows] + counts.abstract[rows]).tocsr()
        merged.data[:] = 1
        block = sparse.hstack([title[rows], abstract[rows], merged], format="csr")
        first = bounds[start]
        bounds[start + 1 : start + 1 + BLOCK] = first + block.indptr[1:]
        data[first : first + block.nnz], indices[first : first + block.nnz] = (
            block.data,
            block.indices,
        )
    parts = (data[: bounds[-1]], indices[: bounds[-1]], bounds)
    return sparse.csr_array(parts, shape=(size, 3 * columns))


def saturate(counts: sparse.csr_array) -> sparse.csr_array:
    """Return counts as BM25 sees them.

    >>> saturate(sparse.csr_array(np.array([[1.0, 4.0, 0.0]]))).toarray().round(2)
    array([[1.  , 1.39, 0.  ]], dtype=float32)
    """
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    mean = lengths.mean() if lengths.any() else 1.0
    norms = (SATURATION * (1 - LENGTH + LENGTH * lengths / mean)).astype(np.float32)
    counted = counts.data
    made = counted * np.float32(SATURATION + 1)
    made /= counted + _repeat_by_entry(counts, norms)
    return _replace_data(counts, made)


def document_frequencies(matrix: sparse.csr_array) -> NDArray[np.int64]:
    """Return in how many rows each column has an entry."""
    return count_numbers(matrix.indices, size=matrix.shape[1])


def find_frequent(found: NDArray[np.int64], *, documents: int) -> NDArray[np.int64]:
    """Return the columns that enough documents have, given how many have each."""
    # In a handful of documents, hardly any term occurs in three.
    least = min(MIN_DOCUMENTS, max(1, documents // 10))
    return np.flatnonzero(found >= least)


def normalise_rows(matrix: Any) -> Any:
    """Return a matrix, sparse or not, with rows of length 1; empty rows stay empty."""
    squares = matrix.power(2) if sparse.issparse(matrix) else matrix * matrix
    lengths = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    factors = (1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    if sparse.issparse(matrix):
        return _replace_data(matrix, matrix.data * _repeat_by_entry(matrix, factors))
    return matrix * factors[:, None]


def _weigh(saturated_counts: sparse.csr_array) -> sparse.csr_array:
    matrix = saturated_counts.tocsr()
    idf = np.log(matrix.shape[0] / np.maximum(document_frequencies(matrix), 1))
    roots = np.sqrt(idf).astype(np.float32)
    return normalise_rows(_replace_data(matrix, matrix.data * roots[matrix.indices]))


def measure_idf(found: NDArray[np.int64], *, documents: int) -> NDArray[np.float64]:
    """Return how rare terms are, given how many of all documents have each."""
    return np.asarray(np.log((1 + documents) / (1 + found)) + 1)


def tfidf(counts: sparse.csr_array, *, idf: NDArray[np.float64] | None = None) -> sparse.csr_array:
    """Return 1 + ln count, times idf (by default that of these rows), in rows of length 1."""
    matrix = counts.tocsr()
    if idf is None:
        idf = measure_idf(document_frequencies(matrix), documents=matrix.shape[0])
    return normalise_rows(
        _replace_data(matrix, (1 + np.log(matrix.data)) * idf.astype(np.float32)[matrix.indices])
    )


def _replace_data(matrix: sparse.csr_array, data: NDArray[Any]) -> sparse.csr_array:
    parts = (data.astype(np.float32, copy=False), matrix.indices, matrix.indptr)
    return sparse.csr_array(parts, shape=matrix.shape)


def _repeat_by_entry(matrix: sparse.csr_array, values: NDArray[Any]) -> NDArray[Any]:
    """Repeat each row's value for each entry of the row."""
    return np.repeat(values, np.diff(matrix.indptr))


DIMENSIONS = 200
OVERSAMPLED = 10
ITERATIONS = 3
NEARLY_DEPENDENT = 1e-8
"""Columns count as nearly dependent if their smallest and largest squared singular values have at
most this ratio."""


class Topics(NamedTuple):
    """Documents in the space of the main directions."""

    vectors: NDArray[np.float32]
    """A row for each document, of length 1."""
    directions: NDArray[np.float32]
    """A row for each direction, a column for each term."""
    lengths: NDArray[np.float32]
    """The length of each document's vector before it was scaled to 1."""

    def of(self, rows: NDArray[np.int64]) -> Topics:
        """Return the topics of only these rows, in this order."""
        return Topics(self.vectors[rows], self.directions, self.lengths[rows])


def find_latent_topics(
    matrix: sparse.csr_array,
    *,
    rng: np.random.Generator,
    dimensions: int = DIMENSIONS,
    within: NDArray[np.int64] | None = None,
) -> Topics:
    """Return documents in the space of a term matrix's main directions.

    Args:
        matrix: A row for each document, a column for each term.
        rng: Draws where the search for directions begins.
        dimensions: How many directions to find, if the matrix has that many.
        within: The rows to find directions from, if not all.
    """
    directions = _find_directions(matrix if within is None else matrix[within], dimensions, rng=rng)
    vectors = np.asarray(matrix @ directions.T)
    lengths = np.linalg.norm(vectors, axis=1)
    return Topics(normalise_rows(vectors), directions, np.where(lengths > 0, lengths, 1))


def _find_directions(
    matrix: sparse.csr_array, dimensions: int, *, rng: np.random.Generator
) -> NDArray[np.float32]:
    dimensions = min(dimensions, max(1, min(matrix.shape) - 1), matrix.shape[1])
    width = min(dimensions + OVERSAMPLED, *matrix.shape)
    transposed = matrix.T.tocsr()
    basis = matrix @ rng.standard_normal((matrix.shape[1], width), dtype=np.float32)
    for _ in range(ITERATIONS):
        basis = matrix @ (transposed @ _orthonormalise(basis))
    # The singular vectors of a few columns, the largest value first.
    return _fix_signs(_orthonormalise(transposed @ _orthonormalise(basis)).T[:dimensions])


def _orthonormalise(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the left singular vectors of a matrix of few columns, the largest value first.

    They are found from the columns' products, which takes a fraction of the time of a whole
    decomposition and is as exact unless columns are nearly dependent.
    """
    wide = columns.astype(np.float64)
    squares, turned = np.linalg.eigh(wide.T @ wide)
    if not squares.size or squares[0] <= NEARLY_DEPENDENT * squares[-1]:
        return np.linalg.svd(columns, full_matrices=False)[0]
    turned /= np.sqrt(squares)
    return columns @ turned[:, ::-1].astype(np.float32)


def _fix_signs(directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each direction so that its largest part is positive, since solvers differ in signs."""
    highest, lowest = directions.max(axis=1, initial=0), directions.min(axis=1, initial=0)
    signs = np.where(highest >= -lowest, 1, -1)
    return np.asarray(directions * signs[:, None], dtype=np.float32)


def make_word_vectors(
    tokens: TokenIds, *, dimensions: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return a vector for each token id, with entries of deviation 1; 0 for padding and unknown.

    Words that occur in the same documents have similar vectors: these are the main directions of
    the documents' tf-idf, read by word, each scaled by the root of its weight.

    If there are too few documents for that many directions, the entries left over are 0.
    """
    title, abstract = (count_rows(f, columns=tokens.size) for f in (tokens.title, tokens.abstract))
    topics = find_latent_topics(tfidf(title + abstract), rng=rng, dimensions=dimensions)
    weights = np.linalg.norm(topics.vectors * topics.lengths[:, None], axis=0)
    vectors = np.zeros((tokens.size, dimensions), dtype=np.float32)
    vectors[:, : len(weights)] = topics.directions.T * np.sqrt(weights)
    vectors[[PADDING, UNKNOWN]] = 0
    return np.asarray(normalise_rows(vectors) * np.sqrt(dimensions), dtype=np.float32)
