"""The store: the SQLite file of a session, opened, checked, and written to in transactions.

The store uses SQLite's rollback journal, not its write-ahead log. So, whenever nobody writes to it,
a session is one file that can be copied or sent to a colleague, even while it is open, and read
from a folder that can't be written to. While a process writes, a file ending in "-journal" lies
beside it. If the process is killed, that file stays, and the next process that opens the session
uses it to undo what was half written: do not delete it, and copy it along if it is there.

Not promised: that a copy made at the very moment of a write is whole; nor that two computers can
write to one session in a network folder, since many of these do not lock files reliably.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec

from likewise.errors import SessionError
from likewise.expansion.sessions.schema import (
    APPLICATION,
    FORMAT,
    find_fault,
    make_statements,
    read_format,
)
from likewise.library.folder import is_library
from likewise.version import __version__

T = TypeVar("T")

_SETTINGS = (
    # What was acknowledged survives a loss of power too, even on a Mac.
    *("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = 1"),
    # A file may come from others.
    "PRAGMA trusted_schema = 0",
)
_HOW = "make one with: likewise expand LIB SEEDS --session NEW_FILE"

PATIENCE = 30.0
"""How many seconds to wait for another process that is writing."""
NOT_WRITABLE = "it can't be written to; copy it to a folder that you may write to, and use the copy"

_KEPT = "everything marked before is kept"
_BUSY = (
    f"another program has been writing to it for {PATIENCE:.0f} seconds; "
    "wait for that program, or end it, and try again"
)
_CLOSED = "it, or a file beside it, can't be opened ({}); may you write to its folder?"
_OTHER = f"it can't be read or written ({{}}); {_KEPT}: is the disk full or disconnected?"
_SAYINGS = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CANTOPEN: _CLOSED,
    sqlite3.SQLITE_PERM: _CLOSED,
    sqlite3.SQLITE_AUTH: _CLOSED,
    sqlite3.SQLITE_FULL: f"the disk is full; {_KEPT}: make room, and try again",
    sqlite3.SQLITE_READONLY: NOT_WRITABLE,
    sqlite3.SQLITE_CORRUPT: "a damaged session ({}); use a copy of it",
    sqlite3.SQLITE_NOTADB: f"no session; {_HOW}",
    sqlite3.SQLITE_TOOBIG: f"too much for one entry of a session; {_KEPT}",
}
"""What to say about SQLite's errors, by their codes."""


class Store:
    """The connection to a session's file."""

    def __init__(self, path: Path, *, create: bool = False, read_only: bool = False) -> None:
        self.path = path
        self._is_writing = self._is_closed = False
        # "rw" also reads what can't be written to, and undoes what was half written.
        mode = "rwc" if create else "rw"
        with reword_errors(path):
            address = f"{path.absolute().as_uri()}?mode={mode}"
            self.connection = sqlite3.connect(
                address, uri=True, timeout=PATIENCE, isolation_level=None
            )
            try:
                for setting in _SETTINGS:
                    self.connection.execute(setting)
                if read_only:
                    self.connection.execute("PRAGMA query_only = 1")
            except BaseException:
                self.connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._is_closed = True
        self.connection.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise SessionError(f"{self.path}: this session is closed; open it again to continue")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write in a transaction: when it ends, everything inside is on the disk, or nothing.

        Inside another transaction, it is all or nothing too, and reaches the disk when the outer
        one ends.
        """
        self._check_open()
        if self._is_writing:
            with self._writing_inside() as connection:
                yield connection
            return
        with reword_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            self._is_writing = True
            try:
                yield self.connection
                self._check_begun()
                self.connection.execute("COMMIT")
            finally:
                self._is_writing = False
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def _writing_inside(self) -> Iterator[sqlite3.Connection]:
        if not self.connection.in_transaction:
            # Some errors, such as a full disk, roll back the whole transaction.
            raise SessionError(f"{self.path}: nothing was written, because an earlier part failed")
        with reword_errors(self.path):
            self.connection.execute("SAVEPOINT inside")
            try:
                yield self.connection
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK TO inside")
                    self.connection.execute("RELEASE inside")
                raise
            self.connection.execute("RELEASE inside")

    def _check_begun(self) -> None:
        """Make sure that no error, such as a full disk, rolled back the whole transaction."""
        if not self.connection.in_transaction:
            raise SessionError(
                f"{self.path}: a part could not be written, so nothing was; "
                "everything marked before is kept: is the disk full?"
            )

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read in a transaction: all comes from one moment, whatever others write meanwhile."""
        self._check_open()
        is_inside = self.connection.in_transaction
        if is_inside:
            yield self.connection
            return
        with reword_errors(self.path):
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def read(self, find: Callable[[sqlite3.Connection], T]) -> T:
        """Return what a function finds in the file, all of it from one moment."""
        with self.reading() as connection:
            return find(connection)


def create_store(path: Path, *, begin: Callable[[sqlite3.Connection], object]) -> Store:
    """Create the file of a session; an existing file is never overwritten.

    Args:
        path: The file.
        begin: Writes the session's start; the file gets its tables and the start, or neither.
    """
    if path.exists() and (path.is_dir() or path.stat().st_size):
        raise _make_exists_error(path)
    if not path.parent.is_dir():
        raise SessionError(f"{path}: there is no folder {path.parent}; make it, or choose another")
    store = Store(path, create=True)
    try:
        with store.writing() as connection:
            _check_empty(connection, path=path)
            for statement in make_statements():
                connection.execute(statement)
            begin(connection)
    except BaseException:
        store.close()
        if path.exists() and not path.stat().st_size:
            path.unlink()
        raise
    return store


def _check_empty(connection: sqlite3.Connection, *, path: Path) -> None:
    """Make sure that no other process made the session since the file was looked at."""
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise _make_exists_error(path)


def open_store(path: Path, *, read_only: bool = False) -> Store:
    """Open the file of a session; raise SessionError if it is not one, is damaged or is too new."""
    _check_there(path)
    try:
        return _open_checked(path, read_only=read_only)
    except SessionError as error:
        if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            _fail_by_beginning(path)
        raise


def _open_checked(path: Path, *, read_only: bool) -> Store:
    store = Store(path, read_only=read_only)
    try:
        with store.reading() as connection:
            _check_content(connection, path=path)
        if not read_only:
            _make_writable(store)
    except BaseException:
        store.close()
        raise
    return store


def _check_there(path: Path) -> None:
    """Raise SessionError, without opening the file, if it can't be a session.

    When a process closes a file, the system drops all locks that the process has on it, even those
    of its other threads' transactions. So only SQLite opens what may be a session.
    """
    try:
        if path.is_dir():
            raise SessionError(f"{path}: {_describe_folder(path)}")
        size = path.stat().st_size
    except FileNotFoundError as error:
        how = _HOW.replace("NEW_FILE", shlex.quote(str(path)))
        raise SessionError(f"{path}: there is no such session; {how}") from error
    except OSError as error:
        raise SessionError(f"{path}: can't be read: {error.strerror or error}") from error
    if not size:
        _fail(path, "an empty file, not a session")


def _describe_folder(path: Path) -> str:
    """Return what a folder given as a session is, and what to give instead."""
    place = shlex.quote(str(path))
    if is_library(path):
        return f"this is a library, not a session; {_HOW.replace('LIB', place, 1)}"
    held = sorted(path.glob("*.likewise"))
    which = f", such as {shlex.quote(str(held[0]))}" if held else ""
    return f"this is a folder, and a session is a file; give its file{which}, or {_HOW}"


def _fail_by_beginning(path: Path) -> NoReturn:
    """Raise a SessionError that says what a file is if SQLite can't read it."""
    with reword_errors(path), path.open("rb") as file:
        beginning = file.read(4096)
    if b'"likewise expansion"' in beginning or b'"likewise session"' in beginning:
        raise SessionError(
            f"{path}: a saved expansion, which says how a list was made; marks need a session: "
            f"{_HOW}"
        )
    _fail(path, "not a session")


def _check_content(connection: sqlite3.Connection, *, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        _fail(path, "another program's SQLite file, not a session")
    found = read_format(connection)
    if found < 1:
        _fail(path, f"a session of format {found}, which no version of likewise writes")
    if found > FORMAT:
        raise SessionError(
            f"{path}: a session of format {found}, but likewise {__version__} reads only up to "
            f"{FORMAT}; install a newer version"
        )
    if fault := find_fault(connection):
        raise SessionError(f"{path}: a damaged session ({fault}); use a copy of it")


def _make_writable(store: Store) -> None:
    """Bring an older file up to date; fail now if no mark could be written later."""
    if not os.access(store.path.absolute().parent, os.W_OK):
        raise SessionError(f"{store.path}: {NOT_WRITABLE}")
    with store.writing() as connection:
        found = read_format(connection)
        if found < FORMAT:
            for statement in make_statements(since=found):
                connection.execute(statement)


def _make_exists_error(path: Path) -> SessionError:
    return SessionError(
        f"{path}: already exists; expand again with: likewise expand --session {path}, "
        "or choose another name"
    )


def _fail(path: Path, found: str) -> NoReturn:
    raise SessionError(f"{path}: {found}; {_HOW}")


@contextmanager
def reword_errors(path: Path) -> Iterator[None]:
    """Turn errors about a session's file into a SessionError that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        # The last byte of an error's code is its kind; the others say more about it.
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise SessionError(f"{path}: {_SAYINGS.get(kind, _OTHER).format(error)}") from error
    except (msgspec.DecodeError, RecursionError, zlib.error) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error
    except UnicodeError as error:
        raise SessionError(
            f"{path}: half a character in an id or a name can't be written"
        ) from error
    except OSError as error:
        saying = _OTHER.format(error.strerror or error)
        raise SessionError(f"{path}: {saying}") from error
