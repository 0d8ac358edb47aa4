"""Rows of a sparse matrix for estimators that ask how many of them have a column."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


class CountedRows:
    """Some rows of a sparse matrix, which are never taken out of it.

    How many of them have a column is counted in what is left out, if that is less: models that
    leave out a part at a time cost hardly more than that part. What a model makes of a few rows
    and then of others is worked out once, for all rows of the matrix.
    """

    def __init__(self, matrix: Any, *, rows: NDArray[np.int64] | None = None) -> None:
        """Take some rows of a matrix, or all."""
        self.source = matrix if isinstance(matrix, _SharedMatrix) else _SharedMatrix(matrix)
        size, columns = self.source.matrix.shape
        self.rows = np.arange(size) if rows is None else rows
        self.shape = (len(self.rows), columns)
        self.counted: Callable[[], NDArray[np.int64]] = lambda: self.source.found(self.rows)

    def __getitem__(self, rows: Any) -> CountedRows:
        taken = CountedRows(self.source, rows=self.rows[rows])
        if 2 * taken.shape[0] >= self.shape[0]:
            left_out = np.ones(self.shape[0], dtype=bool)
            left_out[rows] = False
            taken.counted = lambda: self.found - self.source.found(self.rows[left_out])
        return taken

    @cached_property
    def found(self) -> NDArray[np.int64]:
        """How many rows have each column."""
        return self.counted()

    def __matmul__(self, weights: NDArray[np.float64]) -> Any:
        return self.source.product(weights)[self.rows]

    @staticmethod
    def stack(blocks: Sequence[CountedRows]) -> CountedRows:
        """Return blocks of rows of the same matrix as one."""
        return CountedRows(blocks[0].source, rows=np.concatenate([block.rows for block in blocks]))


class _SharedMatrix:
    """The matrix that rows are of, and its product with the last weights asked for."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self._last: tuple[Any, Any] = (None, None)

    def product(self, weights: NDArray[np.float64]) -> Any:
        """Return what each row comes to; weights must not be changed in their place."""
        if self._last[0] is not weights:
            self._last = (weights, self._precise @ weights)
        return self._last[1]

    @cached_property
    def _precise(self) -> Any:
        """The matrix as weights are: else each product would convert all of it."""
        precise = copy.copy(self.matrix)
        precise.data = self.matrix.data.astype(np.float64)
        return precise

    def found(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of some rows have each column."""
        is_all = len(rows) == self.matrix.shape[0] and (np.diff(rows) == 1).all()
        return count_holders(self.matrix if is_all else self.matrix[rows])


def count_holders(rows: Any) -> NDArray[np.int64]:
    """Return how many rows of a sparse matrix have each column."""
    columns = rows.indices if rows.data.all() else rows.indices[rows.data != 0]
    return np.bincount(columns, minlength=rows.shape[1])
