"""A collection: a folder of named libraries, each made of files that people gave it.

DIR/ID/               a library like any other; every command takes its path
DIR/ID/collected.json what people call it, and the files that it was made of
DIR/ID/waiting/       files that it was given but has not read yet (`receiving.py`)

A library appears whole or not at all, and so does what is noted about it.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from likewise.documents import replace_file
from likewise.errors import LibraryError, LibraryNameError, UnknownLibraryError
from likewise.library import open_library
from likewise.library.folder import MARKER

NOTE = "collected.json"
MOST_NAME = 100
"""How many characters a library's name may have."""
MOST_PROBLEMS = 5_000
"""How many of a file's problems are kept word for word."""

_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_LONGEST_STEM = 40
_HIDDEN = "."
RESERVED = frozenset({"sessions", "new"})
"""Names of folders that are not libraries, and the page's name for a library not yet made."""


class CollectedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a library was given, and what became of its records."""

    name: str
    digest: str
    """The SHA-256 of its bytes."""
    bytes: int
    time: str
    """When it was read, in ISO 8601."""
    added: int = 0
    merged: int = 0
    """Records of papers that were there already, and that added or revised something."""
    unchanged: int = 0
    """Records of papers that were there already, and that said nothing new."""
    broken: int = 0
    """How many problems there were."""
    problems: tuple[str, ...] = ()
    """The problems, one line each; only the first ones if there are very many."""
    is_whole: bool = True
    """Whether it was read to its end."""

    @property
    def records(self) -> int:
        """How many records were taken from it."""
        return self.added + self.merged + self.unchanged


class LibraryNote(msgspec.Struct, frozen=True):
    """What is noted about a library in a collection."""

    name: str
    created: str = ""
    files: tuple[CollectedFile, ...] = ()


class CollectedLibrary(NamedTuple):
    """A library of a collection."""

    id: str
    path: Path
    note: LibraryNote

    @property
    def name(self) -> str:
        """What people call it."""
        return self.note.name


class Collection:
    """The libraries of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def list_libraries(self) -> list[CollectedLibrary]:
        """Return the libraries in the order of their names."""
        paths = (marker.parent for marker in self.folder.glob(f"*/{MARKER}"))
        found = (self._read(path) for path in paths if _is_identifier(path.name))
        return sorted(found, key=lambda library: (library.name.casefold(), library.id))

    def get(self, identifier: str) -> CollectedLibrary:
        """Return a library; raise UnknownLibraryError if none has this id."""
        path = self.folder / identifier
        if not _is_identifier(identifier) or not (path / MARKER).is_file():
            raise UnknownLibraryError(
                f"there is no library {identifier!r} here; GET /api/libraries lists them"
            )
        return self._read(path)

    def create(self, name: str) -> CollectedLibrary:
        """Make an empty library and return it; raise LibraryNameError if the name can't be used."""
        name = self._check_name(name)
        identifier = self._choose_identifier(name)
        aside = self.folder / f"{_HIDDEN}new-{secrets.token_hex(6)}"
        try:
            open_library(aside, write=True).close()
            write_note(aside, LibraryNote(name, read_clock()))
            # Nobody sees the library before it is whole.
            aside.rename(self.folder / identifier)
        except OSError as error:
            raise LibraryError(
                f"{self.folder}: no library can be made here: {error.strerror or error}"
            ) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return self.get(identifier)

    def rename(self, identifier: str, name: str) -> CollectedLibrary:
        """Give a library another name; its folder is not renamed."""
        library = self.get(identifier)
        name = self._check_name(name, besides=identifier)
        write_note(library.path, msgspec.structs.replace(library.note, name=name))
        return self.get(identifier)

    def delete(self, identifier: str) -> None:
        """Delete a library for good; it must be closed everywhere first."""
        path = self.get(identifier).path
        aside = self.folder / f"{_HIDDEN}gone-{secrets.token_hex(6)}"
        path.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def sweep(self) -> None:
        """Delete what killed processes left half made or half deleted."""
        for pattern in (f"{_HIDDEN}new-*", f"{_HIDDEN}gone-*"):
            for left in self.folder.glob(pattern):
                shutil.rmtree(left, ignore_errors=True)

    def _read(self, path: Path) -> CollectedLibrary:
        return CollectedLibrary(path.name, path, read_note(path))

    def _check_name(self, name: str, *, besides: str = "") -> str:
        name = " ".join(name.split())
        if not name or not name.isprintable():
            raise LibraryNameError("a library needs a name; give it a few letters")
        if len(name) > MOST_NAME:
            found = f"this name has {len(name)} characters, but at most {MOST_NAME} are allowed"
            raise LibraryNameError(f"{found}; shorten it")
        for other in self.list_libraries():
            if other.id != besides and other.name.casefold() == name.casefold():
                raise LibraryNameError(
                    f"there is a library {other.name!r} already; choose another name, or add your "
                    "files to that one"
                )
        return name

    def _choose_identifier(self, name: str) -> str:
        stem = make_stem(name)
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 10_000))
        taken = {path.name for path in self.folder.iterdir()} | RESERVED
        return next(each for each in numbered if each not in taken)


def make_stem(name: str) -> str:
    """Return the name of a folder for a library's name.

    >>> make_stem("Ménière's disease, 2nd search"), make_stem("糖尿病")
    ('meniere-s-disease-2nd-search', 'library')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_STEM].strip("-")
    return stem or "library"


def read_note(path: Path) -> LibraryNote:
    """Return the note of a library; one that was made elsewhere is named after its folder."""
    try:
        return msgspec.json.decode((path / NOTE).read_bytes(), type=LibraryNote)
    except FileNotFoundError:
        return LibraryNote(path.name)
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise LibraryError(
            f"{path / NOTE}: damaged ({error}); delete it: all documents stay, but the list of its "
            "files is lost"
        ) from error


def write_note(path: Path, note: LibraryNote) -> None:
    """Write the note of a library, whole or not at all."""
    with replace_file(path / NOTE) as stream:
        stream.write(msgspec.json.encode(note))


def add_file(path: Path, file: CollectedFile) -> None:
    """Note that a file was read into a library, in place of an earlier note of the same file."""
    note = read_note(path)
    others = tuple(each for each in note.files if each.digest != file.digest)
    write_note(path, msgspec.structs.replace(note, files=(*others, file)))


def note_gathering(path: Path, name: str, *, added: int) -> None:
    """Note what was gathered from a source into a library, beside the files that it was given."""
    digest = f"gathering of {name}"
    before = [file.added for file in read_note(path).files if file.digest == digest]
    file = CollectedFile(
        name=name, digest=digest, bytes=0, time=read_clock(), added=added + sum(before)
    )
    add_file(path, file)


def find_data_folder() -> Path:
    """Return the folder that holds a user's libraries unless another is named."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "likewise" / "libraries"


def _is_identifier(text: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(text)) and text not in RESERVED


def read_clock() -> str:
    """Return the time in UTC, such as 2026-01-31T09:30:00+00:00."""
    return datetime.now(UTC).isoformat(timespec="seconds")
