"""The tables of a session, to which rows are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

APPLICATION = 0x4C494B45
"""What tells our SQLite files from those of other programs: LIKE."""
FORMAT = 3
"""Rises when older versions could not make sense of what is written."""

_FIRST = (
    """
    CREATE TABLE start (
        number INTEGER PRIMARY KEY CHECK (number = 1),
        likewise TEXT NOT NULL,
        time TEXT NOT NULL,
        library TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        settings BLOB NOT NULL, -- packed
        seeds BLOB NOT NULL -- documents, packed
    )
    """,
    """
    CREATE TABLE expansions (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        mark INTEGER NOT NULL, -- the number of the last mark that it knew
        library TEXT NOT NULL, -- where the library lay
        pool INTEGER NOT NULL,
        decided INTEGER NOT NULL,
        content BLOB NOT NULL -- a saved expansion, packed
    )
    """,
    """
    CREATE TABLE audits (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        expansion INTEGER NOT NULL,
        drawn TEXT NOT NULL, -- ids, as JSON
        population BLOB NOT NULL -- ids, packed
    )
    """,
    """
    CREATE TABLE marks (
        number INTEGER PRIMARY KEY,
        document TEXT NOT NULL,
        label TEXT, -- NULL takes back what was said before
        time TEXT NOT NULL,
        expansion INTEGER NOT NULL,
        rank INTEGER,
        probability REAL,
        strategy TEXT,
        audit INTEGER,
        source TEXT NOT NULL
    )
    """,
    "CREATE INDEX marks_of_documents ON marks (document, number)",
)
_SECOND = (
    """
    CREATE TABLE names (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        name TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE thresholds (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        expansion INTEGER NOT NULL, -- the number of the one whose line was moved
        decided INTEGER, -- below which rank; NULL moves it back to where it was learned
        above INTEGER -- how many documents then lie above it; NULL as before
    )
    """,
    """
    CREATE TABLE explanations (
        expansion INTEGER PRIMARY KEY,
        content BLOB NOT NULL -- packed
    )
    """,
)
_THIRD = (
    """
    CREATE TABLE targets (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        recall REAL NOT NULL,
        confidence REAL NOT NULL,
        proof TEXT NOT NULL -- what it is to be shown by
    )
    """,
)
_STATEMENTS = (_FIRST, _SECOND, _THIRD)
_TABLES = (
    ("start", "expansions", "audits", "marks"),
    ("names", "thresholds", "explanations"),
    ("targets",),
)
NAMES = tuple(name for names in _TABLES for name in names)
"""Of all tables."""


def format_of(connection: sqlite3.Connection) -> int:
    """Return the format that a file has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Tell whether a file, which may be of an older format, has a table."""
    return name in tables_of(format_of(connection))


def tables_of(format: int) -> tuple[str, ...]:  # noqa: A002  # what it is called everywhere
    """Return the names of the tables that a format has."""
    return tuple(name for names in _TABLES[:format] for name in names)


def statements(*, since: int = 0) -> list[str]:
    """Return what makes an empty file a session without a start, or brings it up from a format."""
    made = [statement for of_format in _STATEMENTS[since:] for statement in of_format]
    guards = [
        f"CREATE TRIGGER no_{verb}_of_{table} BEFORE {verb} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'sessions are only ever added to'); END"
        for names in _TABLES[since:]
        for table in names
        for verb in ("UPDATE", "DELETE")
    ]
    marked = [f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}"]
    return [*made, *guards, *marked]
