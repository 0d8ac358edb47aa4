"""The ledger: which files a library has read, so that only new and changed ones are read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from likewise.documents.files import written_aside
from likewise.errors import LibraryError
from likewise.library.folder import LEDGER

if TYPE_CHECKING:
    from pathlib import Path


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file as it was when it was read, and the format it was read as if one was asked for."""

    size: int
    modified: int
    format: str | None = None


class Ledger:
    """The files that a library holds whole."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LEDGER
        self._entries: dict[str, Entry] = {}
        if self._path.exists():
            self._entries = self._load()

    def _load(self) -> dict[str, Entry]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Entry])
        except OSError as error:
            raise LibraryError(f"{self._path}: can't be read: {error.strerror or error}") from error
        except msgspec.DecodeError as error:
            raise LibraryError(
                f"{self._path}: damaged ({error}); delete it, and index the files again: "
                "documents that are there already will be recognised"
            ) from error

    def is_current(self, path: Path, state: os.stat_result, *, format: str | None) -> bool:  # noqa: A002
        """Tell whether a file was read as it is now, and as asked for."""
        return self._entries.get(_key(path)) == _entry(state, format)

    def record(self, path: Path, state: os.stat_result, *, format: str | None) -> None:  # noqa: A002
        """Note that a file was read; nothing is written until `save`."""
        self._entries[_key(path)] = _entry(state, format)

    def save(self) -> None:
        """Write the ledger; to be called after what it speaks of was committed."""
        with written_aside(self._path) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(self._entries)))


def _entry(state: os.stat_result, format: str | None) -> Entry:  # noqa: A002
    return Entry(state.st_size, state.st_mtime_ns, format)


def _key(path: Path) -> str:
    # Names that are not text stay apart from one another.
    return os.fsencode(path.resolve()).decode("utf-8", "backslashreplace")
