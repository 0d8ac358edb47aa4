"""Sliding windows: texts beyond a model's limit, as overlapping parts that are within it.

A window holds `width` pieces, and the next one starts half a window later, until the end is
reached. A piece that k windows hold has the mean of its k states; a mark that a model wants at
the ends of a text is in every window. The vector of a text is the mean over its pieces and marks,
or the state of its first mark. Either is a weighted sum over the states of all its windows, with

    mean:  weight(piece) = 1 / (k * (pieces + marks))     k: the windows that hold the piece
    cls:   weight(first mark) = 1 / windows               and 0 for everything else

Where every piece is to keep a state of its own (`states.py`), the weight of a piece is 1 / k, and
that of a mark is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.features.tokens import Ragged

    Numbers = NDArray[np.int64]

POOLINGS = ("mean", "cls")
APART = "apart"
"""No pooling: what each state counts in the state of its own piece."""


class Windows(NamedTuple):
    """The windows of several rows, in the rows' order."""

    rows: Numbers
    """Which row each window is of."""
    starts: Numbers
    """The first of its pieces, counted from the start of the row."""
    stops: Numbers


class Marks(NamedTuple):
    """The numbers of the special pieces that a model wants at the ends of a text."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.before) + len(self.after)


class Padded(NamedTuple):
    """Windows as matrices, a row a window, filled up to the longest."""

    ids: Numbers
    mask: Numbers
    """1 for pieces and marks, 0 for what only fills up."""
    weights: NDArray[np.float32]
    """How much each state counts in the vector of its text, or in the state of its piece."""


def windows_over(lengths: Numbers, *, width: int) -> Windows:
    """Return the windows of rows of these lengths; a row of no pieces has one too.

    >>> windows_over(np.array([4, 7]), width=4)
    Windows(rows=array([0, 1, 1, 1]), starts=array([0, 0, 2, 4]), stops=array([4, 4, 6, 7]))
    """
    counts = _counts(lengths, width=width)
    rows = np.repeat(np.arange(len(lengths)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    starts = (np.arange(len(rows)) - first) * _stride(width)
    return Windows(rows, starts, np.minimum(starts + width, lengths[rows]))


def chunks(lengths: Numbers, *, tokens: int) -> Iterator[Numbers]:
    """Yield the numbers of rows, the shortest first, in chunks that have little to fill up.

    A chunk is one row, or several that filled up to the longest have at most `tokens`.

    >>> [chunk.tolist() for chunk in chunks(np.array([5, 1, 2, 9]), tokens=6)]
    [[1, 2], [0], [3]]
    """
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        # The longest of a chunk is its last.
        sizes = lengths[order[start:]] * np.arange(1, len(order) - start + 1)
        stop = start + max(1, int(np.searchsorted(sizes, tokens, side="right")))
        yield order[start:stop]
        start = stop


def padded(
    pieces: Ragged, windows: Windows, *, width: int, marks: Marks, pooling: str = "mean"
) -> Padded:
    """Return windows of rows as matrices."""
    lengths = windows.stops - windows.starts + marks.total
    shape = (len(lengths), int(lengths.max()))
    ids, weights = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    counts = _counts(pieces.lengths, width=width)
    for line, (row, start, stop) in enumerate(zip(*windows, strict=True)):
        inside = pieces.row(row)[start:stop]
        ids[line, : lengths[line]] = (*marks.before, *inside, *marks.after)
        holders = _holders(np.arange(start, stop), windows=counts[row], width=width)
        between = slice(len(marks.before), len(marks.before) + stop - start)
        if pooling == "cls":
            weights[line, 0] = 1 / counts[row]
        elif pooling == APART:
            weights[line, between] = 1 / holders
        else:
            total = pieces.lengths[row] + marks.total
            weights[line, : lengths[line]] = 1 / (counts[row] * total)
            weights[line, between] = 1 / (holders * total)
    return Padded(ids, (np.arange(shape[1]) < lengths[:, None]).astype(np.int64), weights)


def _counts(lengths: Numbers, *, width: int) -> Numbers:
    """Return how many windows each row has."""
    return 1 - np.minimum(width - lengths, 0) // _stride(width)


def _holders(places: Numbers, *, windows: int, width: int) -> Numbers:
    """Return how many of a row's windows hold the piece at each place."""
    stride = _stride(width)
    first = np.maximum((places - width) // stride + 1, 0)
    last = np.minimum(places // stride, windows - 1)
    return np.asarray(last - first + 1)


def _stride(width: int) -> int:
    return max(1, width // 2)
