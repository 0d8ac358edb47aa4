"""Pooling: from texts in word pieces to a vector for each, by a transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import SettingsError
from likewise.extras import require
from likewise.features.windows import POOLINGS, Windows, chunks, padded, windows_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from likewise.features.pieces import TokenizedTexts
    from likewise.features.tokens import Ragged
    from likewise.features.windows import Marks


def pooled(
    model: Any,
    texts: TokenizedTexts,
    *,
    marks: Marks,
    width: int,
    pooling: str = "mean",
    tokens: int = 4096,
) -> Tensor:
    """Return a vector for each text, of shape (texts, dimensions): see `windows.py`.

    Args:
        model: That of a `Pretrained`, or a copy of it.
        texts: What its tokenizer made.
        marks: What the model wants at the ends of a text.
        width: How many pieces it takes at once, besides the marks.
        pooling: How the states of a text become its vector, mean or cls.
        tokens: So many pieces are put before the model at once, or those of one window.
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
    model: Any, pieces: Ragged, *, marks: Marks, width: int, pooling: str, tokens: int
) -> Iterator[SeenWindows]:
    """Put all windows of texts before a transformer; arguments are those of `pooled`."""
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    windows = windows_over(pieces.lengths, width=width)
    lengths = windows.stops - windows.starts + marks.total
    shown = np.flatnonzero(lengths)
    for chunk in chunks(lengths[shown], tokens=tokens):
        chosen = Windows(*(each[shown[chunk]] for each in windows))
        matrices = padded(pieces, chosen, width=width, marks=marks, pooling=pooling)
        ids, mask, weights = (torch.from_numpy(each).to(model.device) for each in matrices)
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        yield SeenWindows(chosen, weights, states)


def check_pooling(pooling: str, *, marks: Marks) -> None:
    """Refuse a pooling that there is not, or that a model has no mark for."""
    if pooling not in POOLINGS:
        raise SettingsError(f"pooling is {pooling!r}; choose one of: {', '.join(POOLINGS)}")
    if pooling == "cls" and not marks.before:
        raise SettingsError("pooling is cls, but this model has no mark before a text; use mean")
