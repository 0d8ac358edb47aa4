"""The notes of an embedded library: which records make its papers, and rulings about them.

They lie in a file of SQLite beside the index, which is made when there is first something to note.
A transaction that a process was killed in is taken back by the next one that opens the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from likewise.errors import LibraryBusyError, LibraryError
from likewise.library.paper_notes import PaperNote

NOTES = "papers.sqlite"
_ASKED = 500
# Both or neither, whenever a process is killed.
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
        """Return the notes of papers by id: of these, as far as there are any, or of all."""
        if not self._path.exists():
            return {}
        with self._reading() as connection:
            if ids is None:
                rows = connection.execute("SELECT id, note FROM papers ORDER BY id").fetchall()
            else:
                rows = [row for some in _split(sorted(ids)) for row in _select(connection, some)]
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
        """Return the id of the paper that each ruling gives a record to, by the record's name."""
        if not self._path.exists():
            return {}
        with self._reading() as connection:
            return dict(connection.execute("SELECT record, paper FROM rulings").fetchall())

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest on a record holds."""
        with self._writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO rulings VALUES (?, ?)", rulings.items())

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._explain_errors():
            # Whoever reads first after a process was killed takes back what that left half written;
            # where nothing may be written, SQLite reads all the same.
            address = f"{self._path.absolute().as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                # A process that was killed while it made the file has left it without tables; an
                # earlier likewise may have left one of them, with nothing in it.
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
                raise LibraryBusyError(f"{self._path}: another process is writing it") from error
            raise LibraryError(
                f"{self._path}: can't be read or written ({error}); make room, or check who may"
            ) from error
        except (sqlite3.DatabaseError, msgspec.DecodeError, UnicodeError) as error:
            raise LibraryError(
                f"{self._path}: damaged ({error}); delete it: what was merged can't be taken apart "
                "then, and splits and joins are forgotten; all documents stay"
            ) from error


def _split(ids: list[str]) -> Iterator[list[str]]:
    return (ids[start : start + _ASKED] for start in range(0, len(ids), _ASKED))


def _select(connection: sqlite3.Connection, ids: list[str]) -> list[tuple[str, bytes]]:
    marks = ", ".join("?" * len(ids))
    query = f"SELECT id, note FROM papers WHERE id IN ({marks})"  # noqa: S608  # only marks
    return connection.execute(query, ids).fetchall()
