"""Folders of weights: a JSON file, and beside it a subfolder with the tensors that it speaks of.

What is new is written into a subfolder of its own. The JSON file, which names the subfolder, is
replaced after that and at once: whenever writing is cut short, files that belong together are
found.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from likewise import __version__
from likewise.documents.files import written_aside
from likewise.errors import Problem, ReadError, WriteError
from likewise.learn.neural.weights import write_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likewise.learn.neural.weights import Tensors

FORMAT = 1
"""Rises when older versions could not make sense of what is written."""
PACKAGES = ("numpy", "safetensors", "torch")
"""Those whose versions may change what comes out."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What every such JSON file holds."""

    kind: Literal["likewise weights"] = "likewise weights"
    format: int = FORMAT
    likewise: str = __version__
    """The version that made it."""
    versions: dict[str, str] = msgspec.field(
        default_factory=lambda: {name: version(name) for name in PACKAGES}
    )
    weights: Annotated[str, msgspec.Meta(pattern=r"^weights-[0-9]+$")]
    """The subfolder."""


AnyHead = TypeVar("AnyHead", bound=Head)


def read_head(path: Path, kind: type[AnyHead]) -> AnyHead | None:
    """Return what a JSON file holds, None if there is none."""
    try:
        content = path.read_bytes()
        head = msgspec.json.decode(content, type=Head)
        if head.format <= FORMAT:
            return msgspec.json.decode(content, type=kind)
        found, advice = f"format {head.format}, {FORMAT} is known here", "install a newer likewise"
    except FileNotFoundError:
        return None
    except OSError as error:
        found, advice = f"can't be read: {error.strerror or error}", ""
    except msgspec.DecodeError as error:
        found, advice = f"not what is due here ({error})", "delete it, or choose another folder"
    raise ReadError(Problem(str(path), found, advice=advice))


def write_folder(path: Path, head: Head, *, files: Mapping[str, Tensors]) -> None:
    """Write tensors into the subfolder that a head names, then the head.

    A subfolder that is in use already is left as it is; one that was in use before is removed.

    Args:
        path: The JSON file.
        head: What it is to hold.
        files: The tensors of each file, by its name.
    """
    before = read_head(path, Head)
    subfolder = path.parent / head.weights
    if before is None or before.weights != head.weights:
        try:
            subfolder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"{subfolder}: can't be made: {error.strerror or error}") from error
        for name, tensors in files.items():
            write_tensors(subfolder / name, tensors)
    with written_aside(path) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
    if before and before.weights != head.weights:
        _remove(path.parent / before.weights)


def _remove(subfolder: Path) -> None:
    # What can't be removed takes room, but nobody reads it any more.
    with suppress(OSError):
        for path in subfolder.glob("*.safetensors"):
            path.unlink()
        subfolder.rmdir()
