"""The models of Hugging Face: from a model's name to the folder of its files.

A model is looked for in the cache that all programs of Hugging Face share, and fetched into it if
it is not there. What is in the cache is used as it is, without asking whether there is news.
"""

from __future__ import annotations

import hashlib
import logging
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import DownloadError, Problem, ReadError, SettingsError
from likewise.extras import require

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

CONFIG = "config.json"
TIMEOUT = 5.0
"""Seconds to wait for the hub's first answer."""

_NAME = re.compile(r"([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?")
_WEIGHTS = (("model", ".safetensors"), ("pytorch_model", ".bin"))
_PARTS = re.compile(r"-\d+-of-(\d+)\.")
_BESIDE = (".json", ".txt", ".model")
_VOCABULARY = re.compile(r"tokenizer\.json|vocab\.(txt|json)|.*\.model")

_log = logging.getLogger(__name__)


class Located(NamedTuple):
    """A model that is here."""

    folder: Path
    name: str
    """Stands for its files: owner/model@commit, or the folder's name and a sum of its files."""


def locate(model: str) -> Located:
    """Return where a model is, after fetching it if need be.

    Args:
        model: A folder, or a name on the hub as owner/model or owner/model@revision.
    """
    if is_folder(model):
        folder = Path(model).resolve()
        if not is_whole(folder):
            found = f"no model of Hugging Face: it needs {CONFIG}, a vocabulary and weights"
            raise ReadError(Problem(model, found, advice="give another folder"))
        return Located(folder, f"{folder.name}@{_digest(folder)}")
    spelled = _NAME.fullmatch(model)
    if not spelled or not _is_valid(spelled[1]):
        raise SettingsError(
            f"{model}: neither a folder nor the name of a model of Hugging Face; "
            "a name is written as owner/model"
        )
    name, revision = spelled[1], spelled[2] or "main"
    folder = _cached(name, revision) or _fetched(name, revision)
    return Located(folder, f"{name}@{folder.name}")


def is_folder(model: str) -> bool:
    """Tell whether this is a folder; what can't even be the name of one is none."""
    try:
        return Path(model).is_dir()
    except OSError:
        return False


def is_whole(folder: Path) -> bool:
    """Tell whether a folder holds a configuration, a vocabulary, and all of the weights."""
    names = {path.name for path in folder.iterdir() if path.is_file()}
    weights = weight_files(names)
    parts = _PARTS.search(weights[0]) if weights else None
    has_all = len(weights) == (int(parts[1]) if parts else 1)
    return CONFIG in names and any(map(_VOCABULARY.fullmatch, names)) and has_all


def weight_files(names: Collection[str]) -> list[str]:
    """Return which files hold the weights: safetensors if there are any, else pickles.

    >>> weight_files(["pytorch_model.bin", "model.safetensors", "flax_model.msgpack"])
    ['model.safetensors']
    """
    for stem, suffix in _WEIGHTS:
        if f"{stem}{suffix}" in names:
            return [f"{stem}{suffix}"]
        if parts := [n for n in names if n.startswith(stem) and n.endswith(suffix)]:
            return sorted(filter(_PARTS.search, parts))
    return []


def _is_valid(name: str) -> bool:
    utils = _hub().utils
    try:
        utils.validate_repo_id(name)
    except utils.HFValidationError:
        return False
    return True


def _cached(name: str, revision: str) -> Path | None:
    found = _hub().try_to_load_from_cache(name, CONFIG, revision=revision)
    folder = Path(found).parent if isinstance(found, str) else None
    return folder if folder and is_whole(folder) else None


def _fetched(name: str, revision: str) -> Path:
    hub = _hub()
    try:
        with _quietly(hub):
            known = hub.HfApi().model_info(name, revision=revision, timeout=TIMEOUT)
            files = _needed([file.rfilename for file in known.siblings or ()])
            _log.info("downloading %s from Hugging Face into %s", name, _cache(hub))
            hub.snapshot_download(name, revision=revision, allow_patterns=files)
    except Exception as error:  # the hub's client raises what its HTTP library does
        raise _missing(name, _reason(hub, error, revision=revision)) from error
    folder = _cached(name, revision)
    if not folder:
        raise _missing(name, "Hugging Face has no weights of it that torch could read")
    return folder


def _needed(names: Collection[str]) -> list[str]:
    """Return which files of a model are needed, out of all that are at its top."""
    top = [name for name in names if "/" not in name]
    return sorted({*(name for name in top if name.endswith(_BESIDE)), *weight_files(top)})


def _digest(folder: Path) -> str:
    """Return a sum of everything that a vector depends on."""
    total = hashlib.blake2b(digest_size=10)
    for name in _needed([path.name for path in folder.iterdir() if path.is_file()]):
        with (folder / name).open("rb") as stream:
            content = hashlib.file_digest(stream, hashlib.blake2b).digest()
        total.update(name.encode() + b"\0" + content)
    return total.hexdigest()


def _missing(name: str, reason: str) -> DownloadError:
    return DownloadError(
        f"the model {name} is not in {_cache(_hub())}, and can't be fetched: {reason}; where there "
        f"is a network, run `hf download {name} --local-dir FOLDER`, and give that folder instead"
    )


def _reason(hub: Any, error: Exception, *, revision: str) -> str:
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
    """Return what an error says in its first line, or what it is."""
    return next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)


@contextmanager
def _quietly(hub: Any) -> Iterator[None]:
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


def _hub() -> Any:
    # Its parts are there once they were asked for by name.
    for part in ("huggingface_hub.constants", "huggingface_hub.utils"):
        require(part, for_="A model of Hugging Face", extra="transformers")
    return require("huggingface_hub", for_="A model of Hugging Face", extra="transformers")


def _cache(hub: Any) -> str:
    return str(hub.constants.HF_HUB_CACHE)
