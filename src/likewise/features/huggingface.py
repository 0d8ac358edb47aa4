"""Any transformer of Hugging Face as an encoder, by its name or by its folder.

The vector of a text is the mean of its word pieces' states (or the state of its first mark), at
length 1. Texts beyond the model's limit are read through sliding windows: see `windows.py`.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.errors import Problem, ReadError, SettingsError
from likewise.extras import require
from likewise.features.hub import CONFIG, is_folder, locate
from likewise.features.pooling import pooled
from likewise.features.pretrained import Pretrained, load_pretrained
from likewise.features.states import keep_states
from likewise.features.windows import POOLINGS
from likewise.features.words import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.features.pieces import TokenizedTexts
    from likewise.features.states import OnStep
    from likewise.features.tokens import Ragged

GPU_TOKENS = 16_384
"""Pieces that a GPU is given at once."""

_POOLED = re.compile(r"\s*\(\s*pooling\s*=\s*(\w+)\s*\)\s*")
_SIZES = ("hidden_size", "d_model", "n_embd", "dim")


class HuggingFace:
    """The encoder. It is looked for, and fetched, at once; it is loaded when it first encodes."""

    def __init__(self, spelling: str) -> None:
        """Find the model of a spelling.

        Args:
            spelling: owner/model, owner/model@revision or a folder; behind it "(pooling=cls)", to
                have the state of a text's first mark for its vector.
        """
        require("transformers", for_=f"The encoder {spelling}", extra="transformers")
        model, self.pooling = _parsed(spelling)
        located = locate(model)
        self.folder = located.folder
        self.name = located.name if self.pooling == "mean" else f"{located.name}(pooling=cls)"

    @cached_property
    def dimensions(self) -> int:
        """The length of its vectors."""
        # Read here, since what transformers reads it with would load torch, and where all vectors
        # are in the cache that is the only need of it.
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

    def tokenized(self, texts: Sequence[str]) -> TokenizedTexts:
        """Cut texts into the word pieces of its vocabulary."""
        return self.pretrained.tokenized(texts)

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, dimensions)."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        torch = require("torch", for_=f"The encoder {self.name}", extra="transformers")
        pretrained, tokens = self.pretrained, self._place()
        with torch.no_grad():
            vectors = pooled(
                pretrained.model,
                self.tokenized(texts),
                marks=pretrained.marks,
                width=pretrained.width,
                pooling=self.pooling,
                tokens=tokens,
            )
        return np.asarray(unit_rows(vectors.cpu().numpy()), dtype=np.float32)

    def states(self, pieces: Ragged, *, on_step: OnStep | None = None) -> Ragged:
        """Return the state of each piece of texts in its context, on disk: see `states.py`."""
        tokens = self._place()
        return keep_states(self.pretrained, pieces, tokens=tokens, on_step=on_step)

    def _place(self) -> int:
        """Put the transformer on a GPU if there is one, and return how much it reads at once."""
        torch = require("torch", for_=f"The encoder {self.name}", extra="transformers")
        has_gpu = torch.cuda.is_available()
        self.pretrained.model.to("cuda" if has_gpu else "cpu")
        # A processor gains nothing by more than one window at a time; and then a text's vector
        # does not depend, not even in its last digit, on the texts beside it.
        return GPU_TOKENS if has_gpu else 1


def is_model(spelling: str) -> bool:
    """Tell whether this is how a model of Hugging Face is written: a folder, or owner/model."""
    model = _POOLED.sub("", spelling)
    return "/" in model or is_folder(model)


def _parsed(spelling: str) -> tuple[str, str]:
    """Return the model, and how its states are pooled."""
    found = _POOLED.search(spelling)
    if not found or found.end() < len(spelling):
        return spelling, "mean"
    if found[1] not in POOLINGS:
        raise SettingsError(
            f"{spelling}: pooling is {found[1]!r}; choose one of: {', '.join(POOLINGS)}"
        )
    return spelling[: found.start()], found[1]
