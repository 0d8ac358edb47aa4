"""Folders of tasks: what methods see of each task, and its truth in a separate file.

    tasks.json            what the folder is, how its tasks were made, and which there are
    documents.jsonl.gz    every document that a task names, once
    background.txt        documents drawn at random from the library, an id per line
    L20/TOPIC/draw-0/     metadata.json, input.jsonl.gz (entries), truth.txt (an id per line)

`tasks.json` is rewritten after everything else, so that a folder whose making was interrupted
names only tasks that are complete.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from likewise.bench.tasks import VERSION, Task, TaskEntry, TaskMetadata, Truth, fingerprint_task
from likewise.bench.tasks.leakage import check_documents, check_entries
from likewise.documents import Document, replace_file
from likewise.errors import TaskError
from likewise.version import __version__

KIND = "likewise tasks"
HEAD = "tasks.json"
DOCUMENTS = "documents.jsonl.gz"
BACKGROUND = "background.txt"
METADATA, INPUT, TRUTH = "metadata.json", "input.jsonl.gz", "truth.txt"
_AGAIN = "make the tasks again, with: likewise bench make"
_Value = TypeVar("_Value")


class TaskFolder:
    """The tasks of a folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.head = read_head(self.path)

    def list_names(self) -> list[str]:
        """Return the names of all complete tasks."""
        if not self.head.tasks:
            raise TaskError(
                f"{self.path}: no task in it is complete, since making them was interrupted; "
                "run the same command again to finish it"
            )
        return list(self.head.tasks)

    def read_metadata(self, name: str) -> TaskMetadata:
        """Return what a task is and how it was made."""
        return _decode_json(self._file(name, METADATA), TaskMetadata)

    def read_task(self, name: str) -> Task:
        """Return what methods see of a task."""
        task = Task(
            name=name,
            metadata=self.read_metadata(name),
            entries=self.read_entries(name),
            documents=self.documents,
            background=self.background,
        )
        check_entries(task)
        check_documents(task)
        return task

    def read_entries(self, name: str) -> tuple[TaskEntry, ...]:
        """Return the entries of a task."""
        self._file(name, INPUT)
        return read_entries(self.path, name)

    def read_truth(self, name: str) -> Truth:
        """Return which documents are on topic; only code that measures may ask."""
        path = self._file(name, TRUTH)
        truth = Truth(frozenset(_read_lines(path)))
        if fingerprint_task(self.read_entries(name), truth) != self.read_metadata(name).fingerprint:
            raise _explain_damage(path, f"it and {INPUT} are not what the task was made with")
        return truth

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The documents that tasks name, by id; they are read once for all tasks."""
        read = _decode_lines(self.path / DOCUMENTS, Document)
        return {document.id: document for document in read}

    @cached_property
    def background(self) -> tuple[str, ...]:
        """The ids of documents drawn at random from the library; imported tasks have none."""
        return tuple(_read_lines(self.path / BACKGROUND))

    def _file(self, name: str, file: str) -> Path:
        if name not in self.head.tasks:
            raise TaskError(f"{self.path}: no task is called {name!r}; see: likewise bench stats")
        return self.path / name / file


class _FolderVersion(msgspec.Struct, frozen=True):
    """What the head of a folder of tasks says in every version."""

    kind: str
    version: int


class FolderHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder of tasks says about itself."""

    kind: str = KIND
    version: int = VERSION
    likewise: str = __version__
    made: dict[str, Any] = {}
    """How its tasks were made: settings by name, and what the truth was read from."""
    library: str = ""
    """The fingerprint of the library."""
    tasks: tuple[str, ...] = ()


def write_task(folder: Path, task: Task, truth: Truth) -> None:
    """Write a task without its documents; its metadata comes last, as a sign that it is whole."""
    place = folder / task.name
    place.mkdir(parents=True, exist_ok=True)
    _write_lines(place / INPUT, map(msgspec.json.encode, task.entries))
    _write_lines(place / TRUTH, (identifier.encode() for identifier in sorted(truth.relevant)))
    with replace_file(place / METADATA) as stream:
        stream.write(_encode_pretty(task.metadata))


def write_documents(
    folder: Path, documents: Iterable[Document], *, background: Iterable[str]
) -> None:
    """Write the documents that the tasks of a folder name, and which of them are background."""
    _write_lines(folder / DOCUMENTS, map(msgspec.json.encode, documents))
    _write_lines(folder / BACKGROUND, (identifier.encode() for identifier in background))


def write_head(folder: Path, head: FolderHead) -> None:
    """Write what a folder of tasks says about itself; `read_head` is the inverse."""
    folder.mkdir(parents=True, exist_ok=True)
    with replace_file(folder / HEAD) as stream:
        stream.write(_encode_pretty(head))


def is_whole(folder: Path, name: str) -> bool:
    """Return whether a task was written completely, even if the folder does not name it yet."""
    return all((folder / name / file).is_file() for file in (METADATA, INPUT, TRUTH))


def list_whole_tasks(folder: Path) -> tuple[str, ...]:
    """Return the names of all tasks that were written completely, smaller ones first."""
    found = (
        path.parent.relative_to(folder).as_posix() for path in folder.glob(f"L*/*/*/{METADATA}")
    )
    return tuple(sorted((name for name in found if is_whole(folder, name)), key=_split_numbers))


def read_entries(folder: Path, name: str) -> tuple[TaskEntry, ...]:
    """Return the entries of a task."""
    return tuple(_decode_lines(folder / name / INPUT, TaskEntry))


def read_head(folder: Path) -> FolderHead:
    """Return what a folder of tasks says about itself; raise TaskError if it isn't one."""
    path = folder / HEAD
    if not folder.exists():
        raise TaskError(f"{folder}: there is no such folder; make tasks with: likewise bench make")
    if not path.is_file():
        raise TaskError(f"{folder}: not a folder of tasks: it has no {HEAD}; {_AGAIN}")
    found = _decode_json(path, _FolderVersion)
    if found.kind != KIND:
        raise TaskError(f"{path}: this is {found.kind!r}, not a folder of tasks; {_AGAIN}")
    if found.version != VERSION:
        raise TaskError(
            f"{folder}: tasks of version {found.version}, but likewise {__version__} reads version "
            f"{VERSION}; make them again with this version, or use the one that made them"
        )
    return _decode_json(path, FolderHead)


def _decode_json(path: Path, kind: type[_Value]) -> _Value:
    return _decode_all(path, [_read_content(path)], kind)[0]


def _decode_lines(path: Path, kind: type[_Value]) -> list[_Value]:
    return _decode_all(path, _read_content(path).splitlines(), kind)


def _decode_all(path: Path, encoded: Iterable[bytes], kind: type[_Value]) -> list[_Value]:
    try:
        return list(map(msgspec.json.Decoder(kind).decode, encoded))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _explain_damage(path, str(error)) from error


def _read_lines(path: Path) -> list[str]:
    try:
        return [line for line in _read_content(path).decode().split("\n") if line]
    except UnicodeDecodeError as error:
        raise _explain_damage(path, "not text") from error


def _read_content(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _explain_damage(path, "its gzip data is cut off or broken") from error
    except OSError as error:
        raise TaskError(f"{path}: can't be read: {error.strerror or error}; {_AGAIN}") from error


def _explain_damage(path: Path, found: str) -> TaskError:
    return TaskError(f"{path}: a damaged file ({found}); remove it and {_AGAIN}")


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines to a file, which appears complete or not at all."""
    with replace_file(path) as stream:
        for line in lines:
            stream.write(line + b"\n")


def _encode_pretty(value: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _split_numbers(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts L20 before L100."""
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D*)(\d*)", name)]
