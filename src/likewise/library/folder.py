"""The folder of an embedded library: what marks it as one, and how big it is.

likewise.json    the library's format, so that later versions know what they open, and its identity
index/           the engine's files
sources.json     which files were read into it (see `source_files.py`)
counts.json      what it held at the latest commit; counted again if it is missing or outdated
papers.sqlite    the records of papers that are made of several, and people's rulings
asked.jsonl      what sources on the network were asked and answered (see `sources/kept.py`)
links/           who cites whom (see `link_files.py`)

The notes of papers are in an SQLite file beside the index, which is made once there is something
to note. If a process is killed during a transaction, the next one that opens the file rolls it
back.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path

import msgspec

from likewise.documents import new_file_mode, replace_file
from likewise.errors import LibraryBusyError, LibraryError, NotALibraryError, WriteError
from likewise.library.paper_notes import PaperNote
from likewise.library.protocol import FileState

MARKER = "likewise.json"
INDEX = "index"
LEDGER = "sources.json"
COUNTS = "counts.json"
_REPLACED = (MARKER, LEDGER, COUNTS)
"""Files that are written beside, under another name, and then renamed."""
FORMAT = 4
"""Earlier formats are read and written too: 1 has no field for headings, 1 and 2 none for limits,
and none of them has one for when documents came."""


def claim_folder(path: Path, *, create: bool) -> None:
    """Check that a folder is a library; with `create`, make it one if there is nothing yet."""
    marker = path / MARKER
    if marker.is_file():
        _check_format(marker)
        return
    if path.exists() and not path.is_dir():
        raise NotALibraryError(f"{path}: this is a file, not a library; give a folder")
    if not create:
        raise NotALibraryError(
            f"{path}: no library here; make one with: likewise index FILES --into {path}"
        )
    # A process that was killed while it made a library leaves an index folder but no marker, or
    # only the beginning of one.
    own = (INDEX, LEDGER, COUNTS, NOTES, *(f".{name}." for name in _REPLACED))
    if path.exists() and any(not entry.name.startswith(own) for entry in path.iterdir()):
        raise NotALibraryError(
            f"{path}: this folder holds other files and is not a library; name a new folder"
        )
    _make_folder(path)


def is_library(path: Path) -> bool:
    """Return whether a folder is a library, of whatever format."""
    return (path / MARKER).is_file()


def _make_folder(path: Path) -> None:
    try:
        (path / INDEX).mkdir(parents=True, exist_ok=True)
        with replace_file(path / MARKER) as stream:
            made = {"format": FORMAT, "engine": "tantivy", "identity": secrets.token_hex(8)}
            stream.write(json.dumps(made).encode())
    except (OSError, WriteError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LibraryError(f"{path}: no library can be made here: {reason}") from error


def _check_format(marker: Path) -> None:
    try:
        found = json.loads(marker.read_bytes())["format"]
    except OSError as error:
        raise LibraryError(f"{marker}: can't be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NotALibraryError(
            f"{marker}: damaged; if the index folder is whole, delete this file and index again"
        ) from error
    if found not in range(1, FORMAT + 1):
        raise LibraryError(
            f"{marker}: library format {found}, but this likewise reads formats up to {FORMAT}; "
            "use the likewise that made it, or index its sources again into a new folder"
        )


def read_identity(path: Path) -> str:
    """Return a library's identity; one made anew in its place has another; "" in old formats."""
    try:
        return str(json.loads((path / MARKER).read_bytes()).get("identity", ""))
    except OSError as error:
        raise LibraryError(f"{path / MARKER}: can't be read: {error.strerror or error}") from error


def sweep_folder(path: Path) -> None:
    """Delete what killed processes left half written; only the process that writes may call it."""
    # The engine's files too: like us, it writes a file under another name, then renames it.
    own = (path.glob(f".{name}.*") for name in _REPLACED)
    for left in chain(*own, (path / INDEX).glob(".tmp*")):
        if left.is_file():
            left.unlink(missing_ok=True)


def share_with_others(path: Path) -> None:
    """Give the engine's private files the permissions that the user's umask allows."""
    for name in ("meta.json", ".managed.json"):
        (path / INDEX / name).chmod(new_file_mode())


def measure_folder(path: Path) -> int:
    """Return the bytes of all files in a folder."""
    total = 0
    for entry in path.rglob("*"):
        try:
            total += entry.stat().st_size if entry.is_file() else 0
        except FileNotFoundError:  # a writer has just merged it away
            continue
    return total


def load_states(folder: Path) -> dict[str, FileState]:
    """Return what is known of each file, by its path; nothing if no file was read yet."""
    path = folder / LEDGER
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, FileState])
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise LibraryError(f"{path}: can't be read: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise LibraryError(
            f"{path}: damaged ({error}); delete it, and index the files again: "
            "documents that are there already will be recognised"
        ) from error


def save_states(folder: Path, states: Mapping[str, FileState]) -> None:
    """Write what is known of all files; the file is replaced whole or not at all."""
    with replace_file(folder / LEDGER) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(states)))


class HeldCounts(msgspec.Struct, frozen=True):
    """What a library holds as of one commit."""

    stamp: int
    """The engine's number for the commit."""
    position: int
    """The position of its latest change, in the order in which documents came."""
    documents: int
    fields: dict[str, int]
    sources: dict[str, int]


def load_counts(folder: Path) -> HeldCounts | None:
    """Return the counts that were kept last, whatever commit they are of; None if there are none.

    They can be counted again from the index, so nothing is lost if the file can't be read.
    """
    try:
        return msgspec.json.decode((folder / COUNTS).read_bytes(), type=HeldCounts)
    except (OSError, msgspec.DecodeError):
        return None


def save_counts(folder: Path, counts: HeldCounts) -> None:
    """Keep counts; if they can't be written, they are counted again when needed."""
    with suppress(WriteError), replace_file(folder / COUNTS) as stream:
        stream.write(msgspec.json.encode(counts))


NOTES = "papers.sqlite"
# Make both tables or neither, even if the process is killed.
_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS papers (id TEXT PRIMARY KEY, note BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS rulings (record TEXT PRIMARY KEY, paper TEXT NOT NULL) WITHOUT ROWID;
COMMIT;
"""
_COUNT_TABLES = "SELECT count(*) FROM sqlite_master WHERE name IN ('papers', 'rulings')"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PaperNote).decode


class FolderNotes:
    """The notes in the folder of a library."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NOTES

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""
        if not self._path.exists():
            return {}
        with self._reading() as connection:
            if ids is None:
                rows = connection.execute("SELECT id, note FROM papers ORDER BY id").fetchall()
            else:
                query = "SELECT id, note FROM papers WHERE id = ?"
                rows = [row for name in sorted(ids) for row in connection.execute(query, (name,))]
            return {name: _decode(note) for name, note in rows}

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""
        kept = [(name, _encode(note)) for name, note in notes.items() if note]
        gone = [(name,) for name, note in notes.items() if not note]
        if not kept and not self._path.exists():
            return
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO papers VALUES (?, ?)", kept)
            connection.executemany("DELETE FROM papers WHERE id = ?", gone)

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name."""
        if not self._path.exists():
            return {}
        with self._reading() as connection:
            return dict(connection.execute("SELECT record, paper FROM rulings").fetchall())

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest ruling on a record holds."""
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO rulings VALUES (?, ?)", rulings.items())

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._explain_errors():
            # The first to read after a process was killed rolls back what it left half written; if
            # nothing may be written, SQLite reads all the same.
            address = f"{self._path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                # A process that was killed while it made the file left it without tables; an
                # earlier likewise may have left one of them, but empty.
                if connection.execute(_COUNT_TABLES).fetchone() == (2,):
                    yield connection
                else:
                    with closing(sqlite3.connect(":memory:")) as empty:
                        empty.executescript(_TABLES)
                        yield empty

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._explain_errors(), closing(sqlite3.connect(self._path)) as connection:
            connection.executescript(_TABLES)
            with connection:
                yield connection

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise LibraryBusyError(f"{self._path}: another process is writing to it") from error
            raise LibraryError(
                f"{self._path}: can't be read or written ({error}); make room, or check permissions"
            ) from error
        except (sqlite3.DatabaseError, msgspec.DecodeError, UnicodeError) as error:
            raise LibraryError(
                f"{self._path}: damaged ({error}); delete it: all documents stay, but papers that "
                "were merged can't be split any more, and splits and joins are forgotten"
            ) from error
