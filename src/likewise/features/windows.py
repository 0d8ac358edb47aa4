"""Sliding windows: texts beyond a model's limit, read as overlapping parts that fit.

A window holds `width` pieces, and the next one starts half a window later, until the end is
reached. A piece that k windows hold has the mean of its k states; a mark that a model wants at
the ends of a text is in every window. The vector of a text is the mean over its pieces and marks,
or the state of its first mark. Either is a weighted sum over the states of all its windows, with

    mean:  weight(piece) = 1 / (k * (pieces + marks))     k: the windows that hold the piece
    cls:   weight(first mark) = 1 / windows               and 0 for everything else

If every piece is to keep a state of its own, the weight of a piece is 1 / k, and that of a mark is
0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError
from likewise.extras import require
from likewise.features import Ragged, TokenizedTexts

if TYPE_CHECKING:
    from torch import Tensor

    Numbers = NDArray[np.int64]


POOLINGS = ("mean", "cls")
APART = "apart"
"""No pooling: each state counts only for its own piece."""


class Windows(NamedTuple):
    """The windows of several rows, in the rows' order."""

    rows: Numbers
    """The row that each window is from."""
    starts: Numbers
    """The first of its pieces, counted from the start of the row."""
    stops: Numbers


class SpecialPieces(NamedTuple):
    """The numbers of the special pieces that a model wants at the ends of a text."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.before) + len(self.after)


class PaddedWindows(NamedTuple):
    """Windows as matrices with a row for each window, padded to the longest."""

    ids: Numbers
    mask: Numbers
    """1 for pieces and marks, 0 for padding."""
    weights: NDArray[np.float32]
    """How much each state counts for the vector of its text, or for the state of its piece."""


def cut_windows(lengths: Numbers, *, width: int) -> Windows:
    """Return the windows of rows with these lengths; even an empty row has one.

    >>> cut_windows(np.array([4, 7]), width=4)
    Windows(rows=array([0, 1, 1, 1]), starts=array([0, 0, 2, 4]), stops=array([4, 4, 6, 7]))
    """
    counts = _count_windows(lengths, width=width)
    rows = np.repeat(np.arange(len(lengths)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    starts = (np.arange(len(rows)) - first) * _stride(width)
    return Windows(rows, starts, np.minimum(starts + width, lengths[rows]))


def cut_chunks(lengths: Numbers, *, tokens: int) -> Iterator[Numbers]:
    """Yield the numbers of rows in chunks of similar length, the shortest first.

    A chunk is one row, or several that take at most `tokens` once they are padded to the longest.

    >>> [chunk.tolist() for chunk in cut_chunks(np.array([5, 1, 2, 9]), tokens=6)]
    [[1, 2], [0], [3]]
    """
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        # The last row of a chunk is the longest.
        sizes = lengths[order[start:]] * np.arange(1, len(order) - start + 1)
        stop = start + max(1, int(np.searchsorted(sizes, tokens, side="right")))
        yield order[start:stop]
        start = stop


def pad_windows(
    pieces: Ragged, windows: Windows, *, width: int, marks: SpecialPieces, pooling: str = "mean"
) -> PaddedWindows:
    """Return windows of rows as matrices."""
    lengths = windows.stops - windows.starts + marks.total
    shape = (len(lengths), int(lengths.max()))
    ids, weights = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    counts = _count_windows(pieces.lengths, width=width)
    for line, (row, start, stop) in enumerate(zip(*windows, strict=True)):
        inside = pieces.row(row)[start:stop]
        ids[line, : lengths[line]] = (*marks.before, *inside, *marks.after)
        holders = _count_holders(np.arange(start, stop), windows=counts[row], width=width)
        between = slice(len(marks.before), len(marks.before) + stop - start)
        if pooling == "cls":
            weights[line, 0] = 1 / counts[row]
        elif pooling == APART:
            weights[line, between] = 1 / holders
        else:
            total = pieces.lengths[row] + marks.total
            weights[line, : lengths[line]] = 1 / (counts[row] * total)
            weights[line, between] = 1 / (holders * total)
    return PaddedWindows(ids, (np.arange(shape[1]) < lengths[:, None]).astype(np.int64), weights)


def _count_windows(lengths: Numbers, *, width: int) -> Numbers:
    """Return how many windows each row has."""
    return 1 - np.minimum(width - lengths, 0) // _stride(width)


def _count_holders(places: Numbers, *, windows: int, width: int) -> Numbers:
    """Return how many of a row's windows hold the piece at each place."""
    stride = _stride(width)
    first = np.maximum((places - width) // stride + 1, 0)
    last = np.minimum(places // stride, windows - 1)
    return np.asarray(last - first + 1)


def _stride(width: int) -> int:
    return max(1, width // 2)


def pool_vectors(
    model: Any,
    texts: TokenizedTexts,
    *,
    marks: SpecialPieces,
    width: int,
    pooling: str = "mean",
    tokens: int = 4096,
) -> Tensor:
    """Return a vector for each text, of shape (texts, dimensions), as the module describes.

    Args:
        model: The model of a `Pretrained`, or a copy of it.
        texts: The texts, cut by its tokenizer.
        marks: What the model wants at the ends of a text.
        width: How many pieces it takes at once, besides the marks.
        pooling: How the states of a text become its vector, mean or cls.
        tokens: How many pieces the model is given at once, unless one window has more.
    """
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    check_pooling(pooling, marks=marks)
    vectors: Tensor = torch.zeros(texts.shape[0], model.config.hidden_size, device=model.device)
    for seen in read_windows(
        model, texts.pieces, marks=marks, width=width, pooling=pooling, tokens=tokens
    ):
        rows = torch.from_numpy(seen.windows.rows).to(model.device)
        vectors = vectors.index_add(0, rows, torch.einsum("wt,wtd->wd", seen.weights, seen.states))
    return vectors


class SeenWindows(NamedTuple):
    """Windows that went through a transformer together."""

    windows: Windows
    weights: Tensor
    """How much each state counts, of shape (windows, pieces and marks)."""
    states: Tensor
    """Of shape (windows, pieces and marks, dimensions)."""


def read_windows(
    model: Any, pieces: Ragged, *, marks: SpecialPieces, width: int, pooling: str, tokens: int
) -> Iterator[SeenWindows]:
    """Yield windows that a transformer has read; the arguments are those of `pool_vectors`."""
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    windows = cut_windows(pieces.lengths, width=width)
    lengths = windows.stops - windows.starts + marks.total
    shown = np.flatnonzero(lengths)
    for chunk in cut_chunks(lengths[shown], tokens=tokens):
        chosen = Windows(*(each[shown[chunk]] for each in windows))
        matrices = pad_windows(pieces, chosen, width=width, marks=marks, pooling=pooling)
        ids, mask, weights = (torch.from_numpy(each).to(model.device) for each in matrices)
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        yield SeenWindows(chosen, weights, states)


def check_pooling(pooling: str, *, marks: SpecialPieces) -> None:
    """Raise if there is no such pooling, or if a model has no special piece for it."""
    if pooling not in POOLINGS:
        raise SettingsError(f"pooling is {pooling!r}; choose one of: {', '.join(POOLINGS)}")
    if pooling == "cls" and not marks.before:
        raise SettingsError("pooling is cls, but this model has no mark before a text; use mean")
