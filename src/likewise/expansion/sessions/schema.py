"""The tables of a session, to which rows are only ever added."""

from __future__ import annotations

APPLICATION = 0x4C494B45
"""What tells our SQLite files from those of other programs: LIKE."""
FORMAT = 1
"""Rises when older versions could not make sense of what is written."""

TABLES = (
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
NAMES = ("start", "expansions", "audits", "marks")


def statements() -> list[str]:
    """Return what makes an empty file a session without a start."""
    guards = [
        f"CREATE TRIGGER no_{verb}_of_{table} BEFORE {verb} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'sessions are only ever added to'); END"
        for table in NAMES
        for verb in ("UPDATE", "DELETE")
    ]
    marked = [f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}"]
    return [*TABLES, *guards, *marked]
