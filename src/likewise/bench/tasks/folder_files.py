"""The files of a folder of tasks: what the folder says of itself, and how all are kept.

Whatever is wrong with one is told in a line with its name and the way out.
"""

from __future__ import annotations

import gzip
import re
import zlib
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from likewise import __version__
from likewise.bench.tasks.task import VERSION, Entry
from likewise.documents.files import written_aside
from likewise.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from likewise.bench.tasks.task import Task, Truth
    from likewise.documents import Document

KIND = "likewise tasks"
HEAD = "tasks.json"
DOCUMENTS = "documents.jsonl.gz"
BACKGROUND = "background.txt"
METADATA, INPUT, TRUTH = "metadata.json", "input.jsonl.gz", "truth.txt"

_AGAIN = "make the tasks again, with: likewise bench make"
_Value = TypeVar("_Value")


class _Version(msgspec.Struct, frozen=True):
    """What folders of tasks of any version begin with."""

    kind: str
    version: int


class FolderHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder of tasks is."""

    kind: str = KIND
    version: int = VERSION
    likewise: str = __version__
    made: dict[str, Any] = {}
    """How: settings by name, and what the truth was read from."""
    library: str = ""
    """The fingerprint of the library."""
    tasks: tuple[str, ...] = ()


def write_task(folder: Path, task: Task, truth: Truth) -> None:
    """Write a task but for its documents; its metadata comes last, as the sign that it is whole."""
    place = folder / task.name
    place.mkdir(parents=True, exist_ok=True)
    write_lines(place / INPUT, map(msgspec.json.encode, task.entries))
    write_lines(place / TRUTH, (identifier.encode() for identifier in sorted(truth.relevant)))
    with written_aside(place / METADATA) as stream:
        stream.write(_pretty(task.metadata))


def write_documents(
    folder: Path, documents: Iterable[Document], *, background: Iterable[str]
) -> None:
    """Write the documents that the tasks of a folder name, and which are the background."""
    write_lines(folder / DOCUMENTS, map(msgspec.json.encode, documents))
    write_lines(folder / BACKGROUND, (identifier.encode() for identifier in background))


def write_head(folder: Path, head: FolderHead) -> None:
    """Say what a folder of tasks is."""
    folder.mkdir(parents=True, exist_ok=True)
    with written_aside(folder / HEAD) as stream:
        stream.write(_pretty(head))


def is_whole(folder: Path, name: str) -> bool:
    """Tell whether a task was written to its end, whether or not the folder names it yet."""
    return all((folder / name / file).is_file() for file in (METADATA, INPUT, TRUTH))


def whole_tasks(folder: Path) -> tuple[str, ...]:
    """Return the names of all tasks that were written to their end, smaller ones first."""
    found = (
        path.parent.relative_to(folder).as_posix() for path in folder.glob(f"L*/*/*/{METADATA}")
    )
    return tuple(sorted((name for name in found if is_whole(folder, name)), key=_by_numbers))


def read_entries(folder: Path, name: str) -> tuple[Entry, ...]:
    """Return the part of each document in a task."""
    path = folder / name / INPUT
    decoder = msgspec.json.Decoder(Entry)
    try:
        return tuple(map(decoder.decode, content_of(path).splitlines()))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, str(error)) from error


def read_head(folder: Path) -> FolderHead:
    """Return what a folder of tasks is."""
    path = folder / HEAD
    if not path.is_file():
        raise TaskError(f"{folder}: no folder of tasks: it has no {HEAD}; {_AGAIN}")
    content = content_of(path)
    found = decoded(content, _Version, path=path)
    if found.kind != KIND:
        raise TaskError(f"{path}: this is {found.kind!r}, and no folder of tasks; {_AGAIN}")
    if found.version != VERSION:
        raise TaskError(
            f"{folder}: tasks of version {found.version}, and likewise {__version__} reads version "
            f"{VERSION}; make them again with this version, or use the one that made them"
        )
    return decoded(content, FolderHead, path=path)


def decoded(content: bytes, kind: type[_Value], *, path: Path) -> _Value:
    """Return what the JSON of a file says."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, str(error)) from error


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file."""
    try:
        return [line for line in content_of(path).decode().split("\n") if line]
    except UnicodeDecodeError as error:
        raise damaged(path, "no text") from error


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged(path, "its gzip data is cut off or broken") from error
    except OSError as error:
        raise TaskError(f"{path}: can't be read: {error.strerror or error}; {_AGAIN}") from error


def damaged(path: Path, found: str) -> TaskError:
    """Return the error to raise about a file that can't be made sense of."""
    return TaskError(f"{path}: a damaged file ({found}); remove it and {_AGAIN}")


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines; the file appears whole or not at all."""
    with written_aside(path) as stream:
        for line in lines:
            stream.write(line + b"\n")


def _pretty(value: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Return what sorts L20 before L100."""
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D*)(\d*)", name)]
