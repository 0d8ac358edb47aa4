"""States of word pieces: each piece of a text as a transformer reads it in its context.

Texts beyond the model's limit are read through sliding windows, each starting half a window after
the one before, and a piece that several windows hold has the mean of its states there
(`windows.py`). Marks, which a model wants at the ends of a text, have none: they are no pieces.

States are many: 20,000 abstracts of 300 pieces and 768 dimensions are 9 GB, at two bytes each. So
those that are to be kept go into a temporary file, which is mapped into memory: what is not looked
at takes none, and what is, as much as there is room for.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import WriteError
from likewise.extras import require
from likewise.features.pooling import read_windows
from likewise.features.tokens import Ragged
from likewise.features.windows import APART

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from torch import Tensor

    from likewise.features.pooling import SeenWindows
    from likewise.features.pretrained import Pretrained
    from likewise.features.windows import Marks

    OnStep = Callable[[int, int, str], None]

TEXTS_AT_ONCE = 32
"""So many texts are read before their states are written: it bounds the memory."""


def piece_states(
    model: Any, pieces: Ragged, *, marks: Marks, width: int, tokens: int = 4096
) -> Tensor:
    """Return the state of every piece, row after row, of shape (pieces, dimensions).

    Args:
        model: That of a `Pretrained`, or a copy of it.
        pieces: The numbers of the texts' pieces.
        marks: What the model wants at the ends of a text.
        width: How many pieces it takes at once, besides the marks.
        tokens: So many pieces are put before the model at once, or those of one window.
    """
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    firsts = np.cumsum(pieces.lengths) - pieces.lengths
    total = int(pieces.lengths.sum())
    states: Tensor = torch.zeros(total, model.config.hidden_size, device=model.device)
    for seen in read_windows(model, pieces, marks=marks, width=width, pooling=APART, tokens=tokens):
        is_piece, places = _places(seen, firsts, before=len(marks.before))
        chosen, rows = (torch.from_numpy(each).to(model.device) for each in (is_piece, places))
        weighed = seen.states[chosen] * seen.weights[chosen][:, None]
        states = states.index_add(0, rows, weighed)
    return states


def _places(
    seen: SeenWindows, firsts: NDArray[np.int64], *, before: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Tell which states of windows are those of pieces, and which pieces of all these are."""
    rows, starts, stops = seen.windows
    columns = np.arange(seen.weights.shape[1]) - before
    is_piece = (columns >= 0) & (columns < (stops - starts)[:, None])
    return is_piece, ((firsts[rows] + starts)[:, None] + columns)[is_piece]


def keep_states(
    pretrained: Pretrained,
    pieces: Ragged,
    *,
    tokens: int = 1,
    on_step: OnStep | None = None,
) -> Ragged:
    """Return the states of all pieces as rows of half precision, kept in a temporary file.

    The file is in the folder that TMPDIR names, and gone as soon as the rows are.

    Args:
        pretrained: The transformer, which stays as it is.
        pieces: The numbers of the texts' pieces.
        tokens: So many pieces are put before it at once, or those of one window.
        on_step: Hears how many texts of all were read.
    """
    dimensions, total = pretrained.model.config.hidden_size, int(pieces.lengths.sum())
    starts = np.cumsum(pieces.lengths) - pieces.lengths
    with tempfile.TemporaryFile(prefix="likewise-states-") as file:
        try:
            for block in _blocks(pretrained, pieces, tokens=tokens, on_step=on_step):
                file.write(block.tobytes())
            file.flush()
        except OSError as error:
            raise WriteError(
                f"{tempfile.gettempdir()}: the states of {total:,} word pieces, "
                f"{2 * total * dimensions:,} bytes, can't be written: {error.strerror}; "
                "set TMPDIR to a folder with room for them"
            ) from error
        # Nothing can be mapped of a file that is empty.
        values: Any = np.empty((0, dimensions), np.float16)
        if total:
            values = np.memmap(file, np.float16, mode="r", shape=(total, dimensions))
    return Ragged(values, starts, pieces.lengths)


def _blocks(
    pretrained: Pretrained,
    pieces: Ragged,
    *,
    tokens: int,
    on_step: OnStep | None,
) -> Iterator[NDArray[np.float16]]:
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    most, texts = float(np.finfo(np.float16).max), pieces.shape[0]
    for start in range(0, texts, TEXTS_AT_ONCE):
        with torch.no_grad():
            states = piece_states(
                pretrained.model,
                pieces[start : start + TEXTS_AT_ONCE],
                marks=pretrained.marks,
                width=pretrained.width,
                tokens=tokens,
            )
        yield states.clamp(-most, most).half().cpu().numpy()
        if on_step:
            on_step(min(start + TEXTS_AT_ONCE, texts), texts, "reading with the transformer")
