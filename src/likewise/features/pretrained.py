"""A pretrained transformer in memory: its weights, its tokenizer and its limit.

No code of a model ever runs: neither modules that it brings along, nor what a pickle may hold.
Weights are safetensors, or the tensors of a pickle that torch reads as tensors and nothing else.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.errors import Problem, ReadError
from likewise.extras import require
from likewise.features.hub import one_line, weight_files
from likewise.features.pieces import TokenizedTexts, count_words
from likewise.features.tokens import Ragged
from likewise.features.windows import Marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

BATCH = 1000
USUAL_LIMIT = 512
"""Of models that do not say how many pieces they take."""
SAFE_TORCH = (2, 10)
"""Before, a pickle could do harm even where only tensors were asked for (CVE-2026-24747)."""


@dataclass(frozen=True, eq=False)
class Pretrained:
    """A transformer, and how texts are put before it."""

    model: Any
    """A torch module from ids and mask to states; nobody trains it: train a copy."""
    tokenizer: Any
    marks: Marks
    width: int
    """How many pieces of a text it takes at once, besides the marks."""

    def tokenized(self, texts: Sequence[str]) -> TokenizedTexts:
        """Cut texts into word pieces."""
        rows: list[list[int]] = []
        for start in range(0, len(texts), BATCH):
            # Halves of characters, which JSON can hold, are nothing to a tokenizer.
            batch = [
                text.encode("utf-8", "replace").decode() for text in texts[start : start + BATCH]
            ]
            rows += self.tokenizer(batch, add_special_tokens=False, verbose=False)["input_ids"]
        words = np.array([count_words(text) for text in texts], dtype=np.int64)
        return TokenizedTexts(Ragged.of(rows), words)


def load_pretrained(folder: Path) -> Pretrained:
    """Return the transformer of a folder, ready to score."""
    transformers = require("transformers", for_="A model of Hugging Face", extra="transformers")
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    _check_safety(torch, folder)
    only = {"local_files_only": True, "trust_remote_code": False}
    # What weights do not hold is drawn; that is nobody else's business.
    with _quietly(transformers), torch.random.fork_rng(devices=[]):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **only)
            model, report = transformers.AutoModel.from_pretrained(
                folder, weights_only=True, output_loading_info=True, **only
            )
            if model.config.is_encoder_decoder:
                model = model.get_encoder()
            model = model.float().eval().requires_grad_(False)
            marks = _marks(tokenizer)
            _probe(torch, model, tokenizer)
        except Exception as error:  # what transformers makes of a broken folder can be anything
            raise _unusable(folder, f"can't be loaded: {one_line(error)}") from error
    # The layer above the states, which is not used here, is often left out of the weights.
    lacking = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if lacking:
        raise _unusable(folder, f"the weights lack {len(lacking)} tensors, as {lacking[0]}")
    return Pretrained(model, tokenizer, marks, _limit(model, tokenizer) - marks.total)


def _check_safety(torch: Any, folder: Path) -> None:
    weights = weight_files([path.name for path in folder.iterdir()])
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if weights and weights[0].endswith(".bin") and version < SAFE_TORCH:
        raise _unusable(
            folder,
            f"{weights[0]} is a pickle, which torch {torch.__version__} can't read safely",
            advice="install torch 2.10 or later, or a model with model.safetensors",
        )


def _marks(tokenizer: Any) -> Marks:
    """Return what a tokenizer puts around a text."""
    one = tokenizer("a", return_special_tokens_mask=True)
    plain = np.flatnonzero(np.equal(one["special_tokens_mask"], 0))
    ids = one["input_ids"]
    return Marks(tuple(ids[: plain[0]]), tuple(ids[plain[-1] + 1 :]))


def _limit(model: Any, tokenizer: Any) -> int:
    """Return how many pieces a model takes, marks among them."""
    embeddings = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    # RoBERTa and its kin count places from behind that of the padding.
    unusable = 0 if padding is None else padding + 1
    places = getattr(model.config, "max_position_embeddings", None) or USUAL_LIMIT
    return int(min(places - unusable, tokenizer.model_max_length))


def _probe(torch: Any, model: Any, tokenizer: Any) -> None:
    """Raise if a model does not go from pieces to states."""
    ids = torch.tensor([tokenizer("a")["input_ids"]])
    with torch.no_grad():
        states = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    if states.shape != (*ids.shape, model.config.hidden_size):
        raise ValueError("it has no state for each piece of a text")


def _unusable(folder: Path, found: str, *, advice: str = "") -> ReadError:
    advice = advice or "fetch it again, or choose another model"
    return ReadError(Problem(str(folder), found, advice=advice))


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """Keep transformers from writing to the terminal."""
    logging = transformers.utils.logging
    level, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()
