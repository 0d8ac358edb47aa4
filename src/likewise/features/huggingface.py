"""Any transformer of Hugging Face as an encoder, by its name or by its folder.

The vector of a text is the mean of its word pieces' states (or the state of its first mark), at
length 1. Texts beyond the model's limit are read through sliding windows (`windows.py`); a piece
that several windows hold has the mean of its states there.

The states of single pieces are many: 20,000 abstracts of 300 pieces and 768 dimensions are 9 GB, at
two bytes each. So they are kept in a temporary file that is mapped into memory.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likewise.errors import Problem, ReadError, SettingsError, WriteError
from likewise.extras import require
from likewise.features import Ragged, TokenizedTexts
from likewise.features.pretrained import (
    CONFIG,
    Pretrained,
    is_folder,
    load_pretrained,
    locate_model,
)
from likewise.features.windows import (
    APART,
    POOLINGS,
    SeenWindows,
    SpecialPieces,
    pool_vectors,
    read_windows,
)
from likewise.features.words import normalise_rows
from likewise.parameters import Spelling

if TYPE_CHECKING:
    from torch import Tensor


OnStep = Callable[[int, int, str], None]


GPU_TOKENS = 16_384
"""How many pieces a GPU is given at once."""

_SIZES = ("hidden_size", "d_model", "n_embd", "dim")


TEXTS_AT_ONCE = 32
"""How many texts are read before their states are written, which limits the memory needed."""


class HuggingFace:
    """The encoder. It is found or fetched at once, and loaded when it first encodes."""

    def __init__(self, spelling: str) -> None:
        """Find the model that a text names.

        Args:
            spelling: owner/model, owner/model@revision or a folder; after it may come
                "(pooling=cls)", to use the state of a text's first mark as its vector.
        """
        require("transformers", for_=f"The encoder {spelling}", extra="transformers")
        model, self.pooling = _parse_pooling(spelling)
        located = locate_model(model)
        self.folder = located.folder
        self.name = located.name if self.pooling == "mean" else f"{located.name}(pooling=cls)"

    @cached_property
    def dimensions(self) -> int:
        """The length of its vectors."""
        # Read without transformers, which would load torch. If all vectors are in the cache,
        # nothing else needs torch.
        try:
            config = json.loads((self.folder / CONFIG).read_text("utf-8"))
            return int(next(config[size] for size in _SIZES if size in config))
        except (ValueError, TypeError, StopIteration) as error:
            found, advice = "does not say how long vectors are", "choose another model"
            problem = Problem(str(self.folder / CONFIG), found, advice=advice)
            raise ReadError(problem) from error

    @cached_property
    def pretrained(self) -> Pretrained:
        """The transformer itself."""
        return load_pretrained(self.folder)

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        """Cut texts into the word pieces of its vocabulary."""
        return self.pretrained.tokenize(texts)

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, dimensions)."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        torch = require("torch", for_=f"The encoder {self.name}", extra="transformers")
        pretrained, tokens = self.pretrained, self._place_model()
        with torch.no_grad():
            vectors = pool_vectors(
                pretrained.model,
                self.tokenize(texts),
                marks=pretrained.marks,
                width=pretrained.width,
                pooling=self.pooling,
                tokens=tokens,
            )
        return np.asarray(normalise_rows(vectors.cpu().numpy()), dtype=np.float32)

    def states(self, pieces: Ragged, *, on_step: OnStep | None = None) -> Ragged:
        """Return the state of each piece of texts in its context, kept on disk."""
        tokens = self._place_model()
        return keep_states(self.pretrained, pieces, tokens=tokens, on_step=on_step)

    def _place_model(self) -> int:
        """Put the transformer on a GPU if there is one, and return how much it reads at once."""
        torch = require("torch", for_=f"The encoder {self.name}", extra="transformers")
        has_gpu = torch.cuda.is_available()
        self.pretrained.model.to("cuda" if has_gpu else "cpu")
        # A CPU gains nothing from more than one window at a time. And with one, a text's vector
        # does not depend, not even in its last digit, on the texts beside it.
        return GPU_TOKENS if has_gpu else 1


def is_model(spelling: str) -> bool:
    """Return whether a text names a model of Hugging Face: a folder, or owner/model."""
    model, _ = _split_pooling(spelling)
    return "/" in model or is_folder(model)


def _parse_pooling(spelling: str) -> tuple[str, str]:
    """Return the model, and how its states are pooled."""
    model, pooling = _split_pooling(spelling)
    if pooling not in POOLINGS:
        raise SettingsError(
            f"{spelling}: pooling is {pooling!r}; choose one of: {', '.join(POOLINGS)}"
        )
    return model, pooling


def _split_pooling(spelling: str) -> tuple[str, str]:
    """Return the text before "(pooling=...)", and the pooling; other brackets are part of names."""
    written = Spelling.of(spelling)
    name, _, pooling = written.inside.partition("=")
    return (written.name, pooling.strip()) if name.strip() == "pooling" else (spelling, "mean")


def compute_states(
    model: Any, pieces: Ragged, *, marks: SpecialPieces, width: int, tokens: int = 4096
) -> Tensor:
    """Return the state of every piece, row after row, of shape (pieces, dimensions).

    Args:
        model: The model of a `Pretrained`, or a copy of it.
        pieces: The numbers of the texts' pieces.
        marks: What the model wants at the ends of a text.
        width: How many pieces it takes at once, besides the marks.
        tokens: How many pieces the model is given at once, unless one window has more.
    """
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    firsts = np.cumsum(pieces.lengths) - pieces.lengths
    total = int(pieces.lengths.sum())
    states: Tensor = torch.zeros(total, model.config.hidden_size, device=model.device)
    for seen in read_windows(model, pieces, marks=marks, width=width, pooling=APART, tokens=tokens):
        is_piece, places = _locate_pieces(seen, firsts, before=len(marks.before))
        chosen, rows = (torch.from_numpy(each).to(model.device) for each in (is_piece, places))
        weighed = seen.states[chosen] * seen.weights[chosen][:, None]
        states = states.index_add(0, rows, weighed)
    return states


def _locate_pieces(
    seen: SeenWindows, firsts: NDArray[np.int64], *, before: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which states of windows belong to pieces, and to which of all pieces."""
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

    The file is in the folder that TMPDIR names, and is deleted together with the rows.

    Args:
        pretrained: The transformer, which stays as it is.
        pieces: The numbers of the texts' pieces.
        tokens: How many pieces it is given at once, unless one window has more.
        on_step: Called with how many of the texts were read, and a note.
    """
    dimensions, total = pretrained.model.config.hidden_size, int(pieces.lengths.sum())
    starts = np.cumsum(pieces.lengths) - pieces.lengths
    with tempfile.TemporaryFile(prefix="likewise-states-") as file:
        try:
            for block in _read_blocks(pretrained, pieces, tokens=tokens, on_step=on_step):
                file.write(block.tobytes())
            file.flush()
        except OSError as error:
            raise WriteError(
                f"{tempfile.gettempdir()}: the states of {total:,} word pieces, "
                f"{2 * total * dimensions:,} bytes, can't be written: {error.strerror}; "
                "set TMPDIR to a folder with room for them"
            ) from error
        # An empty file can't be mapped.
        values: Any = np.empty((0, dimensions), np.float16)
        if total:
            values = np.memmap(file, np.float16, mode="r", shape=(total, dimensions))
    return Ragged(values, starts, pieces.lengths)


def _read_blocks(
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
            states = compute_states(
                pretrained.model,
                pieces[start : start + TEXTS_AT_ONCE],
                marks=pretrained.marks,
                width=pretrained.width,
                tokens=tokens,
            )
        yield states.clamp(-most, most).half().cpu().numpy()
        if on_step:
            on_step(min(start + TEXTS_AT_ONCE, texts), texts, "reading with the transformer")
