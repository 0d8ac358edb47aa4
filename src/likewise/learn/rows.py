"""Rows as estimators take them: counted ones of a sparse matrix, several kinds, and labelled."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError
from likewise.features import count_numbers

Numbers = NDArray[np.float64]
BLOCK = 10_000
"""How many rows of a large matrix are taken out of it at a time."""
CONVERTED = 1_000
"""How many of them are converted to double precision at a time: few enough for caches."""
KEPT_PRECISE = 16_000_000
"""A matrix with more entries has no copy in double precision: each product converts it."""


class CountedRows:
    """Some rows of a sparse matrix, which are never taken out of it.

    To find how many rows have a column, the rows left out are counted instead if they are fewer, so
    a model that leaves out a part costs hardly more than that part. And the product of the whole
    matrix with a model's weights is computed once, whichever rows are asked for.
    """

    def __init__(self, matrix: Any, *, rows: NDArray[np.int64] | None = None) -> None:
        """Take some rows of a matrix, or all."""
        self.source = matrix if isinstance(matrix, _SharedMatrix) else _SharedMatrix(matrix)
        size, columns = self.source.matrix.shape
        self.rows = np.arange(size) if rows is None else rows
        self.shape = (len(self.rows), columns)
        self.counted: Callable[[], NDArray[np.int64]] = lambda: self.source.count_holders(self.rows)

    def __getitem__(self, rows: Any) -> CountedRows:
        taken = CountedRows(self.source, rows=self.rows[rows])
        if 2 * taken.shape[0] >= self.shape[0]:
            left_out = np.ones(self.shape[0], dtype=bool)
            left_out[rows] = False
            taken.counted = lambda: self.found - self.source.count_holders(self.rows[left_out])
        return taken

    @cached_property
    def found(self) -> NDArray[np.int64]:
        """How many rows have each column."""
        return self.counted()

    def __matmul__(self, weights: Numbers) -> Any:
        return self.source.product(weights)[self.rows]

    def astype(self, number: type[np.floating[Any]]) -> Any:
        """Return the rows as a matrix of their own, with numbers of this type."""
        return self.source.matrix[self.rows].astype(number)

    @staticmethod
    def stack(blocks: Sequence[CountedRows]) -> CountedRows:
        """Return blocks of rows of the same matrix as one."""
        return CountedRows(blocks[0].source, rows=np.concatenate([block.rows for block in blocks]))


class _SharedMatrix:
    """The matrix that rows belong to, and each thread's latest product with it."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix
        self._last = threading.local()

    def product(self, weights: Numbers) -> Any:
        """Return the matrix times these weights, which must not be changed in place."""
        if getattr(self._last, "weights", None) is not weights:
            if self.matrix.nnz <= KEPT_PRECISE:
                product = self._precise @ weights
            else:
                starts = range(0, self.matrix.shape[0], CONVERTED)
                blocks = (view_rows(self.matrix, at, at + CONVERTED) for at in starts)
                product = np.concatenate([block @ weights for block in blocks])
            self._last.weights, self._last.product = weights, product
        return self._last.product

    @cached_property
    def _precise(self) -> Any:
        """The matrix in double precision, so that products need not convert it each time."""
        precise = copy.copy(self.matrix)
        precise.data = self.matrix.data.astype(np.float64)
        return precise

    def count_holders(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of some rows have each column."""
        is_all = len(rows) == self.matrix.shape[0] and (np.diff(rows) == 1).all()
        if is_all:
            return count_holders(self.matrix)
        blocks = (rows[at : at + BLOCK] for at in range(0, max(len(rows), 1), BLOCK))
        return np.asarray(sum(count_holders(self.matrix[some]) for some in blocks))


def view_rows(matrix: Any, start: int, stop: int) -> Any:
    """Return consecutive rows of a sparse matrix, without copying their entries."""
    bounds = matrix.indptr[start : stop + 1]
    entries = slice(bounds[0], bounds[-1])
    parts = (matrix.data[entries], matrix.indices[entries], bounds - bounds[0])
    return type(matrix)(parts, shape=(len(bounds) - 1, matrix.shape[1]))


def count_holders(rows: Any) -> NDArray[np.int64]:
    """Return how many rows of a sparse matrix have each column."""
    columns = rows.indices if rows.data.all() else rows.indices[rows.data != 0]
    return count_numbers(columns, size=rows.shape[1])


class Rows:
    """Rows of several kinds for the same documents."""

    def __init__(self, *kinds: Any) -> None:
        self.kinds = kinds
        self.shape = (kinds[0].shape[0],)

    def __getitem__(self, rows: Any) -> Rows:
        return Rows(*(kind[rows] for kind in self.kinds))


def stack_rows(blocks: Sequence[Any]) -> Any:
    """Return blocks of rows as one, whatever kind of matrix they are."""
    if isinstance(blocks[0], Rows):
        return Rows(*(stack_rows(kinds) for kinds in zip(*(b.kinds for b in blocks), strict=True)))
    if hasattr(blocks[0], "stack"):
        return blocks[0].stack(blocks)
    if hasattr(blocks[0], "tocsr"):
        from scipy import sparse

        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


def measure_shares(rows: Any) -> Numbers:
    """Return the share of rows that have each column."""
    if isinstance(rows, CountedRows):
        found = rows.found
    elif hasattr(rows, "tocsr"):
        found = count_holders(rows)
    else:
        found = np.count_nonzero(rows, axis=0)
    return np.asarray(found / rows.shape[0])


def measure_surprise(share: Numbers, background: Numbers) -> Numbers:
    """Return the divergence of one share from another, in nats.

    >>> measure_surprise(np.array([0.5, 1.0]), np.array([0.01, 0.5])).round(3)
    array([1.614, 0.693])
    """
    tiny = 1e-9
    share, background = np.clip(share, tiny, 1 - tiny), np.clip(background, tiny, 1 - tiny)
    absent = (1 - share) * np.log((1 - share) / (1 - background))
    return np.maximum(share * np.log(share / background) + absent, 0)


POSITIVE, UNLABELED, NEGATIVE = 1, 0, -1
"""The labels of rows."""


class LabelledRows(NamedTuple):
    """Rows grouped by what is known of them."""

    positive: Any
    unlabeled: Any
    negative: Any = None
    """None if there are none."""


def split_by_label(rows: Any, labels: Any) -> LabelledRows:
    """Return rows grouped by their labels.

    >>> split_by_label(np.array([[5], [6], [7]]), [1, 0, 1]).positive.tolist()
    [[5], [7]]
    """
    rows = rows if hasattr(rows, "shape") else np.asarray(rows)
    found = _check_labels(labels, size=rows.shape[0])
    negative = found == NEGATIVE
    return LabelledRows(
        rows[found == POSITIVE],
        rows[found == UNLABELED],
        rows[negative] if negative.any() else None,
    )


def make_labels(groups: LabelledRows) -> NDArray[np.int64]:
    """Return the labels of rows that are stacked in the order of their groups."""
    sizes = [0 if rows is None else rows.shape[0] for rows in groups]
    return np.repeat([POSITIVE, UNLABELED, NEGATIVE], sizes)


def _check_labels(labels: Any, *, size: int) -> Numbers:
    try:
        found = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.inf)
    found = np.where(np.isnan(found), UNLABELED, found)
    if not np.isin(found, [POSITIVE, UNLABELED, NEGATIVE]).all():
        raise SettingsError(
            "labels hold values other than 1, 0 and -1; give 1 for on topic, -1 for off topic, "
            "and 0 or NaN if nothing is known"
        )
    if found.shape != (size,):
        raise SettingsError(
            f"labels have shape {found.shape} for {size} rows; give one label for each row"
        )
    for label, name in ((POSITIVE, "on topic"), (UNLABELED, "unlabeled")):
        if not (found == label).any():
            raise SettingsError(
                f"labels are of one class alone: no row is {name} (labelled {label}); at least one "
                "is needed"
            )
    return found
