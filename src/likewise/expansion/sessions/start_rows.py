"""The row that the start of a session is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.documents import Document
from likewise.expansion.sessions.entries import Start
from likewise.expansion.sessions.packing import packed, unpacked
from likewise.expansion.settings import ExpandSettings

if TYPE_CHECKING:
    import sqlite3


def add_start(connection: sqlite3.Connection, start: Start) -> None:
    """Add the start."""
    *texts, settings, seeds = start
    row = (1, *texts, packed(settings), packed(seeds))
    connection.execute("INSERT INTO start VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def the_start(connection: sqlite3.Connection, *, path: object) -> Start:
    """Return the start; `path` is the session's, for error messages."""
    _, *texts, settings, seeds = connection.execute("SELECT * FROM start").fetchone()
    version, time, library, fingerprint = texts
    return Start(
        likewise=version,
        time=time,
        library=library,
        fingerprint=fingerprint,
        settings=unpacked(settings, ExpandSettings, path=path),
        seeds=unpacked(seeds, tuple[Document, ...], path=path),
    )
