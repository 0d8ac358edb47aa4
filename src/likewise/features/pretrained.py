"""Pretrained transformers of Hugging Face: from a model's name to its weights in memory.

A model is looked for in the cache that all programs of Hugging Face share, and fetched into it if
it is not there. What is in the cache is used as it is, without asking for a newer version.

No code of a model ever runs: neither modules that it brings along, nor what a pickle may hold.
Weights are safetensors, or the tensors of a pickle that torch reads as tensors and nothing else.
"""

from __future__ import annotations

import hashlib
import logging
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from likewise.errors import DownloadError, Problem, ReadError, SettingsError
from likewise.extras import require
from likewise.features import Ragged, TokenizedTexts, count_words
from likewise.features.windows import SpecialPieces

BATCH = 1000
USUAL_LIMIT = 512
"""The limit of models that do not say how many pieces they take."""
SAFE_TORCH = (2, 10)
"""With earlier versions a pickle could do harm even if only tensors were read (CVE-2026-24747)."""


CONFIG = "config.json"
TIMEOUT = 5.0
"""Seconds to wait for the hub's first answer."""
_NAME = re.compile(r"([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?")
_WEIGHTS = (("model", ".safetensors"), ("pytorch_model", ".bin"))
_PARTS = re.compile(r"-\d+-of-(\d+)\.")
_BESIDE = (".json", ".txt", ".model")
_VOCABULARY = re.compile(r"tokenizer\.json|vocab\.(txt|json)|.*\.model")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Pretrained:
    """A transformer, and how it reads texts."""

    model: Any
    """A torch module from ids and mask to states. Never train it: train a copy."""
    tokenizer: Any
    marks: SpecialPieces
    width: int
    """How many pieces of a text it takes at once, besides the marks."""

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        """Cut texts into word pieces."""
        rows: list[list[int]] = []
        for start in range(0, len(texts), BATCH):
            # JSON can hold halves of characters, which tokenizers can't read.
            batch = [
                text.encode("utf-8", "replace").decode() for text in texts[start : start + BATCH]
            ]
            rows += self.tokenizer(batch, add_special_tokens=False, verbose=False)["input_ids"]
        words = np.array([count_words(text) for text in texts], dtype=np.int64)
        return TokenizedTexts(Ragged.of(rows), words)


def load_pretrained(folder: Path) -> Pretrained:
    """Return the transformer in a folder, ready to score."""
    transformers = require("transformers", for_="A model of Hugging Face", extra="transformers")
    torch = require("torch", for_="A model of Hugging Face", extra="transformers")
    _check_safety(torch, folder)
    only = {"local_files_only": True, "trust_remote_code": False}
    # Weights that are missing are drawn, which must not change the draws of others.
    with _mute_transformers(transformers), torch.random.fork_rng(devices=[]):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **only)
            model, report = transformers.AutoModel.from_pretrained(
                folder, weights_only=True, output_loading_info=True, **only
            )
            if model.config.is_encoder_decoder:
                model = model.get_encoder()
            model = model.float().eval().requires_grad_(False)
            marks = _find_marks(tokenizer)
            _probe(torch, model, tokenizer)
        except Exception as error:  # transformers may raise anything for a broken folder
            raise _unusable_error(folder, f"can't be loaded: {one_line(error)}") from error
    # The layer above the states, which is not used here, is often left out of the weights.
    lacking = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if lacking:
        raise _unusable_error(
            folder, f"the weights lack {len(lacking)} tensors, such as {lacking[0]}"
        )
    return Pretrained(model, tokenizer, marks, _find_limit(model, tokenizer) - marks.total)


def _check_safety(torch: Any, folder: Path) -> None:
    weights = list_weight_files([path.name for path in folder.iterdir()])
    version = tuple(int(part) for part in torch.__version__.split(".")[:2])
    if weights and weights[0].endswith(".bin") and version < SAFE_TORCH:
        raise _unusable_error(
            folder,
            f"{weights[0]} is a pickle, which torch {torch.__version__} can't read safely",
            advice="install torch 2.10 or later, or a model with model.safetensors",
        )


def _find_marks(tokenizer: Any) -> SpecialPieces:
    """Return the special pieces that a tokenizer puts around a text."""
    one = tokenizer("a", return_special_tokens_mask=True)
    plain = np.flatnonzero(np.equal(one["special_tokens_mask"], 0))
    ids = one["input_ids"]
    return SpecialPieces(tuple(ids[: plain[0]]), tuple(ids[plain[-1] + 1 :]))


def _find_limit(model: Any, tokenizer: Any) -> int:
    """Return how many pieces a model takes, including special ones."""
    embeddings = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    # RoBERTa and its kin begin to count places after the padding's.
    unusable = 0 if padding is None else padding + 1
    places = getattr(model.config, "max_position_embeddings", None) or USUAL_LIMIT
    return int(min(places - unusable, tokenizer.model_max_length))


def _probe(torch: Any, model: Any, tokenizer: Any) -> None:
    """Raise if a model does not turn pieces into states."""
    ids = torch.tensor([tokenizer("a")["input_ids"]])
    with torch.no_grad():
        states = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    if states.shape != (*ids.shape, model.config.hidden_size):
        raise ValueError("it does not return a state for each piece of a text")


def _unusable_error(folder: Path, found: str, *, advice: str = "") -> ReadError:
    advice = advice or "fetch it again, or choose another model"
    return ReadError(Problem(str(folder), found, advice=advice))


@contextmanager
def _mute_transformers(transformers: Any) -> Iterator[None]:
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


class ModelFolder(NamedTuple):
    """A model that is on this machine."""

    folder: Path
    name: str
    """A name for exactly these files: owner/model@commit, or the folder's name and a checksum."""


def locate_model(model: str) -> ModelFolder:
    """Return the folder of a model, after fetching it if necessary.

    Args:
        model: A folder, or a name on the hub as owner/model or owner/model@revision.
    """
    if is_folder(model):
        folder = Path(model).resolve()
        if not is_whole(folder):
            found = f"not a model of Hugging Face: it needs {CONFIG}, a vocabulary and weights"
            raise ReadError(Problem(model, found, advice="give another folder"))
        return ModelFolder(folder, f"{folder.name}@{_digest_folder(folder)}")
    spelled = _NAME.fullmatch(model)
    if not spelled or not _is_valid(spelled[1]):
        raise SettingsError(
            f"{model}: neither a folder nor the name of a model of Hugging Face; "
            "a name is written as owner/model"
        )
    name, revision = spelled[1], spelled[2] or "main"
    folder = _find_cached(name, revision) or _fetch_model(name, revision)
    return ModelFolder(folder, f"{name}@{folder.name}")


def is_folder(model: str) -> bool:
    """Return whether a text names a folder; False if it can't be a path."""
    try:
        return Path(model).is_dir()
    except OSError:
        return False


def is_whole(folder: Path) -> bool:
    """Return whether a folder holds the configuration, the vocabulary and all weights."""
    names = {path.name for path in folder.iterdir() if path.is_file()}
    weights = list_weight_files(names)
    parts = _PARTS.search(weights[0]) if weights else None
    has_all = len(weights) == (int(parts[1]) if parts else 1)
    return CONFIG in names and any(map(_VOCABULARY.fullmatch, names)) and has_all


def list_weight_files(names: Collection[str]) -> list[str]:
    """Return which files hold the weights: safetensors if there are any, else pickles.

    >>> list_weight_files(["pytorch_model.bin", "model.safetensors", "flax_model.msgpack"])
    ['model.safetensors']
    """
    for stem, suffix in _WEIGHTS:
        if f"{stem}{suffix}" in names:
            return [f"{stem}{suffix}"]
        if parts := [n for n in names if n.startswith(stem) and n.endswith(suffix)]:
            return sorted(filter(_PARTS.search, parts))
    return []


def _is_valid(name: str) -> bool:
    utils = _load_hub().utils
    try:
        utils.validate_repo_id(name)
    except utils.HFValidationError:
        return False
    return True


def _find_cached(name: str, revision: str) -> Path | None:
    found = _load_hub().try_to_load_from_cache(name, CONFIG, revision=revision)
    folder = Path(found).parent if isinstance(found, str) else None
    return folder if folder and is_whole(folder) else None


def _fetch_model(name: str, revision: str) -> Path:
    hub = _load_hub()
    try:
        with _mute_hub(hub):
            known = hub.HfApi().model_info(name, revision=revision, timeout=TIMEOUT)
            files = _list_needed([file.rfilename for file in known.siblings or ()])
            _log.info("downloading %s from Hugging Face into %s", name, _cache_path(hub))
            hub.snapshot_download(name, revision=revision, allow_patterns=files)
    except Exception as error:  # the hub's client raises whatever its HTTP library does
        raise _missing_error(name, _explain_failure(hub, error, revision=revision)) from error
    folder = _find_cached(name, revision)
    if not folder:
        raise _missing_error(name, "Hugging Face has no weights for it that torch can read")
    return folder


def _list_needed(names: Collection[str]) -> list[str]:
    """Return the files in a model's top folder that are needed."""
    top = [name for name in names if "/" not in name]
    return sorted({*(name for name in top if name.endswith(_BESIDE)), *list_weight_files(top)})


def _digest_folder(folder: Path) -> str:
    """Return a checksum of all files that a vector depends on."""
    total = hashlib.blake2b(digest_size=10)
    for name in _list_needed([path.name for path in folder.iterdir() if path.is_file()]):
        with (folder / name).open("rb") as stream:
            content = hashlib.file_digest(stream, hashlib.blake2b).digest()
        total.update(name.encode() + b"\0" + content)
    return total.hexdigest()


def _missing_error(name: str, reason: str) -> DownloadError:
    return DownloadError(
        f"the model {name} is not in {_cache_path(_load_hub())}, and can't be fetched: {reason}; "
        f"on a machine with a network, run `hf download {name} --local-dir FOLDER`, and give that "
        "folder instead"
    )


def _explain_failure(hub: Any, error: Exception, *, revision: str) -> str:
    if isinstance(error, hub.utils.GatedRepoError):
        return "its owner asks for an account (`hf auth login`)"
    if isinstance(error, hub.utils.RevisionNotFoundError):
        return f"it has no revision {revision}"
    if isinstance(error, hub.utils.RepositoryNotFoundError):
        return "Hugging Face has no model of that name, or it is a private one"
    if isinstance(error, hub.utils.OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set"
    return f"no answer from Hugging Face ({one_line(error)})"


def one_line(error: Exception) -> str:
    """Return the first line of an error's message, or the name of its class."""
    return next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)


@contextmanager
def _mute_hub(hub: Any) -> Iterator[None]:
    """Keep the hub's client from writing to the terminal."""
    had_none, level = hub.utils.are_progress_bars_disabled(), hub.utils.logging.get_verbosity()
    hub.utils.disable_progress_bars()
    hub.utils.logging.set_verbosity_error()
    try:
        yield
    finally:
        hub.utils.logging.set_verbosity(level)
        if not had_none:
            hub.utils.enable_progress_bars()


def _load_hub() -> Any:
    # Its parts can be used once they are imported by name.
    for part in ("huggingface_hub.constants", "huggingface_hub.utils"):
        require(part, for_="A model of Hugging Face", extra="transformers")
    return require("huggingface_hub", for_="A model of Hugging Face", extra="transformers")


def _cache_path(hub: Any) -> str:
    return str(hub.constants.HF_HUB_CACHE)
