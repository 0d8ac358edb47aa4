"""MiniLM: the sentence encoder all-MiniLM-L6-v2, on the processor and without torch.

The vector of a text is the mean of its tokens' states, at length 1. Of a long text the first 256
tokens count, the model's limit: a title and some 180 words.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.extras import require
from likewise.features.caches import cache_folder
from likewise.features.transformer import Transformer
from likewise.features.weights import TENSORS, TOKENIZER, fetch_weights, read_tensors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

LIMIT = 256
"""Tokens of a text that count, the two that mark its ends among them."""

_HEADS = 12


class MiniLM:
    """The encoder. It gets its weights (84 MB) when it is first asked to encode."""

    name = "minilm-l6-v2"
    dimensions = 384

    def __init__(self, folder: Path | None = None) -> None:
        needed_for = f"The encoder {self.name}"
        self._tokenizers = require("tokenizers", for_=needed_for, extra="minilm")
        self._threadpoolctl = require("threadpoolctl", for_=needed_for, extra="minilm")
        self._folder = folder or cache_folder() / self.name

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, 384)."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        tokenizer, transformer = self._model
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]

        def vector(ids: list[int]) -> NDArray[np.float32]:
            mean: NDArray[np.float32] = transformer.states(ids).mean(axis=0)
            return mean / np.linalg.norm(mean)

        # A text to a core: threads inside numpy's products would wait for one another,
        # and far longer where other programs keep the cores busy.
        with self._threadpoolctl.threadpool_limits(1), ThreadPoolExecutor(os.cpu_count()) as pool:
            return np.stack(list(pool.map(vector, tokens)))

    @cached_property
    def _model(self) -> tuple[Any, Transformer]:
        fetch_weights(self._folder)
        tokenizer = self._tokenizers.Tokenizer.from_file(str(self._folder / TOKENIZER))
        # The file asks for 128 tokens and padding, which are no part of the model.
        tokenizer.enable_truncation(LIMIT)
        tokenizer.no_padding()
        return tokenizer, Transformer(read_tensors(self._folder / TENSORS), heads=_HEADS)
