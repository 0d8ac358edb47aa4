"""Latent semantic analysis: the main directions of a term matrix.

The singular vectors are found by random projection with power iterations (Halko, Martinsson and
Tropp, 2011): a few products with the matrix instead of its whole decomposition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.features.words import unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

DIMENSIONS = 200
OVERSAMPLED = 10
ITERATIONS = 3
NEARLY_DEPENDENT = 1e-8
"""The ratio of the squares of the smallest and the largest singular value, at most."""


class Topics(NamedTuple):
    """Documents in the space of the main directions."""

    vectors: NDArray[np.float32]
    """A row a document, of length 1."""
    directions: NDArray[np.float32]
    """A row a direction, a column a term."""
    lengths: NDArray[np.float32]
    """How long each document's vector was before it was made 1."""

    def of(self, rows: NDArray[np.int64]) -> Topics:
        """Return the same of these rows, in this order."""
        return Topics(self.vectors[rows], self.directions, self.lengths[rows])


def latent_topics(
    matrix: sparse.csr_array,
    *,
    rng: np.random.Generator,
    dimensions: int = DIMENSIONS,
    within: NDArray[np.int64] | None = None,
) -> Topics:
    """Return documents in the space of a term matrix's main directions.

    Args:
        matrix: A row a document, a column a term.
        rng: Where the search for directions begins.
        dimensions: How many there are, if the matrix has so many.
        within: The rows that directions are found from, if not all.
    """
    directions = _directions(matrix if within is None else matrix[within], dimensions, rng=rng)
    vectors = np.asarray(matrix @ directions.T)
    lengths = np.linalg.norm(vectors, axis=1)
    return Topics(unit_rows(vectors), directions, np.where(lengths > 0, lengths, 1))


def _directions(
    matrix: sparse.csr_array, dimensions: int, *, rng: np.random.Generator
) -> NDArray[np.float32]:
    dimensions = min(dimensions, max(1, min(matrix.shape) - 1), matrix.shape[1])
    width = min(dimensions + OVERSAMPLED, *matrix.shape)
    transposed = matrix.T.tocsr()
    basis = matrix @ rng.standard_normal((matrix.shape[1], width), dtype=np.float32)
    for _ in range(ITERATIONS):
        basis = matrix @ (transposed @ _orthonormal(basis))
    # The singular vectors of a few columns, the largest value first.
    return _signed(_orthonormal(transposed @ _orthonormal(basis)).T[:dimensions])


def _orthonormal(columns: NDArray[np.float32]) -> NDArray[np.float32]:
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


def _signed(directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each direction so that its largest part is positive: signs are the solver's whim."""
    highest, lowest = directions.max(axis=1, initial=0), directions.min(axis=1, initial=0)
    signs = np.where(highest >= -lowest, 1, -1)
    return np.asarray(directions * signs[:, None], dtype=np.float32)
