"""What SQLite complains of, as errors that say what to do."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from likewise.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 30.0
"""For how many seconds to wait for another process that is writing."""

NOT_WRITABLE = "it can't be written to; copy it to a folder that you may write to, and use the copy"

_KEPT = "everything marked before is kept"
_SAYINGS = {
    sqlite3.SQLITE_BUSY: (
        f"another program has been writing to it for {PATIENCE:.0f} seconds; "
        "wait for that program, or end it, and try again"
    ),
    sqlite3.SQLITE_FULL: f"the disk is full; {_KEPT}: make room, and try again",
    sqlite3.SQLITE_READONLY: NOT_WRITABLE,
    sqlite3.SQLITE_CORRUPT: "a damaged session ({}); use a copy of it",
    sqlite3.SQLITE_NOTADB: (
        "no session; make one with: likewise expand LIB SEEDS --session NEW_FILE"
    ),
    sqlite3.SQLITE_TOOBIG: f"too much for one entry of a session; {_KEPT}",
}
_SAYINGS |= dict.fromkeys([sqlite3.SQLITE_LOCKED], _SAYINGS[sqlite3.SQLITE_BUSY])
_SAYINGS |= dict.fromkeys(
    [sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH],
    "it, or a file beside it, can't be opened ({}); may you write to its folder?",
)
_OTHER = f"it can't be read or written ({{}}); {_KEPT}: is the disk full or gone?"


@contextmanager
def in_one_line(path: Path) -> Iterator[None]:
    """Turn what SQLite raises about a session into an error that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        # The last byte of a code is its kind, the others say more of it.
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise SessionError(f"{path}: {_SAYINGS.get(kind, _OTHER).format(error)}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error
    except UnicodeError as error:
        raise SessionError(
            f"{path}: half a character in an id or a name can't be written"
        ) from error
    except OSError as error:
        saying = _OTHER.format(error.strerror or error)
        raise SessionError(f"{path}: {saying}") from error
