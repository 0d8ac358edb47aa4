"""Latent semantic analysis: the main directions of a term matrix, by document and by word.

The singular vectors are found by random projection with power iterations (Halko, Martinsson and
Tropp, 2011): a few products with the matrix instead of its whole decomposition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.features.terms import count_rows
from likewise.features.tokens import PADDING, UNKNOWN, TokenIds
from likewise.features.words import normalise_rows, tfidf

DIMENSIONS = 200
OVERSAMPLED = 10
ITERATIONS = 3
NEARLY_DEPENDENT = 1e-8
"""Columns count as nearly dependent if their smallest and largest squared singular values have at
most this ratio."""


class Topics(NamedTuple):
    """Documents in the space of the main directions."""

    vectors: NDArray[np.float32]
    """A row a document, of length 1."""
    directions: NDArray[np.float32]
    """A row a direction, a column a term."""
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
        matrix: A row a document, a column a term.
        rng: Draws where the search for directions begins.
        dimensions: How many there are, if the matrix has so many.
        within: The rows that directions are found from, if not all.
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

    They are found by way of the columns' products, which takes a fraction of the time of a whole
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
    """Return a vector for each token id, with parts of deviation 1; 0 for padding and unknown.

    Words that occur in the same documents are alike: vectors are the main directions of the
    documents' tf-idf, read by word, each scaled by the root of its weight.

    Where documents are too few for so many directions, the parts that are left over are 0.
    """
    topics = find_latent_topics(tfidf(_count_words(tokens)), rng=rng, dimensions=dimensions)
    weights = np.linalg.norm(topics.vectors * topics.lengths[:, None], axis=0)
    vectors = np.zeros((tokens.size, dimensions), dtype=np.float32)
    vectors[:, : len(weights)] = topics.directions.T * np.sqrt(weights)
    vectors[[PADDING, UNKNOWN]] = 0
    return np.asarray(normalise_rows(vectors) * np.sqrt(dimensions), dtype=np.float32)


def _count_words(tokens: TokenIds) -> sparse.csr_array:
    """Return how often each word occurs in each document."""
    title, abstract = (
        count_rows(field, columns=tokens.size) for field in (tokens.title, tokens.abstract)
    )
    return (title + abstract).tocsr()
