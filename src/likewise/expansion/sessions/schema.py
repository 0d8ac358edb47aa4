"""The schema of a session's file: tables to which rows are only ever added, and how to check them.

A session may come from others, or be damaged. SQLite runs what the schema of a file says when the
file is used: a view in place of a table may never end, a trigger may delete marks. So only the
triggers of likewise may be there, and only values of the kinds that likewise writes.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from likewise.expansion.marks import LABELS, STRATEGIES
from likewise.learn.estimates import BASES, LEAST, SUREST

APPLICATION = 0x4C494B45
"""What tells our SQLite files from those of other programs: LIKE."""
FORMAT = 6
"""Rises when older versions could not read what is written."""

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
_FOURTH = (
    """
    CREATE TABLE mark_details (
        mark INTEGER PRIMARY KEY, -- the number of the mark; one without details has no row
        reviewer TEXT NOT NULL,
        reason INTEGER, -- by its number in the list of reasons
        kind TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE reasons (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        listed TEXT NOT NULL -- the whole list since then, as JSON
    )
    """,
    """
    CREATE TABLE tags (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        document TEXT NOT NULL,
        tag TEXT NOT NULL,
        is_given INTEGER NOT NULL, -- 0 takes it off again
        reviewer TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE notes (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        document TEXT NOT NULL,
        text TEXT NOT NULL, -- '' takes back what was noted before
        reviewer TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE criteria (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        text TEXT NOT NULL
    )
    """,
)
_FIFTH = (
    """
    CREATE TABLE given_numbers (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        given TEXT NOT NULL, -- all numbers of the flow diagram that people gave, as JSON
        reviewer TEXT NOT NULL
    )
    """,
)
_SIXTH = (
    """
    CREATE TABLE looks (
        number INTEGER PRIMARY KEY, time TEXT NOT NULL, expansion INTEGER NOT NULL,
        library TEXT NOT NULL, position INTEGER NOT NULL, source TEXT NOT NULL,
        content BLOB NOT NULL -- what was found, packed
    )
    """,
)
_STATEMENTS = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH)
_TABLES = tuple(re.findall(r"CREATE TABLE (\w+)", "".join(made)) for made in _STATEMENTS)
"""The names of the tables that each format added."""
NAMES = tuple(name for names in _TABLES for name in names)
"""The names of all tables."""

KINDS = ("screening", "settling")
"""The kinds of marks: a reviewer's own, or one that settles a conflict."""
_WORDS = {"label": LABELS, "strategy": STRATEGIES, "proof": BASES, "kind": KINDS}
_SHARES = {"recall": (LEAST, 1), "confidence": (LEAST, SUREST)}
"""The bounds of a column's values."""
_COUNTED = ("expansions", "audits")
"""Tables in which the number of the last row is also how many rows there are."""


def read_format(connection: sqlite3.Connection) -> int:
    """Return the format that a file has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a file, which may be of an older format, has a table."""
    return name in list_tables(read_format(connection))


def list_tables(format: int) -> tuple[str, ...]:  # noqa: A002  # what it is called everywhere
    """Return the names of the tables that a format has."""
    return tuple(name for names in _TABLES[:format] for name in names)


def make_statements(*, since: int = 0) -> list[str]:
    """Return the SQL that makes an empty file a session, or updates one of an older format."""
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


@dataclass(frozen=True)
class SchemaColumn:
    """A column of a table, as SQLite describes it."""

    name: str
    kind: str
    is_needed: int
    key: int
    hidden: int


class _OwnSchema(NamedTuple):
    """What a file of the latest format has."""

    columns: dict[str, list[SchemaColumn]]
    triggers: frozenset[str]


def find_fault(connection: sqlite3.Connection) -> str | None:
    """Return in a few words what is wrong with a file; None if it is a whole session."""
    tables = list_tables(read_format(connection))
    # The schema is first: the later checks would run what is in it.
    if fault := _find_schema_fault(connection, tables):
        return fault
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        return " ".join(found.split())
    if not connection.execute("SELECT count(*) FROM start").fetchone()[0]:
        return "no start"
    return next((f for table in tables if (f := _find_table_fault(connection, table))), None)


def _find_schema_fault(connection: sqlite3.Connection, tables: tuple[str, ...]) -> str | None:
    rows = connection.execute("SELECT type, name, sql, rootpage FROM sqlite_master").fetchall()
    # A table that has no page of its own is made up by a module of SQLite.
    there = {name for kind, name, _, page in rows if kind == "table" and page}
    if missing := [table for table in tables if table not in there]:
        return f"no table {missing[0]}"
    ours = _read_own()
    for table in tables:
        if _read_columns(connection, table) != ours.columns[table]:
            return f"a table {table} with other columns"
    foreign = [
        name for kind, name, sql, _ in rows if kind == "trigger" and sql not in ours.triggers
    ]
    return f"a trigger {foreign[0]} that likewise did not write" if foreign else None


def _find_table_fault(connection: sqlite3.Connection, table: str) -> str | None:
    wrong = " OR ".join(
        condition for c in _read_own().columns[table] for condition in _list_faults(c)
    )
    if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():  # noqa: S608  # all of it is ours
        return f"a row of {table} that makes no sense"
    if table in _COUNTED:
        numbers = f"SELECT count(*), coalesce(max(number), 0), min(number) FROM {table}"  # noqa: S608  # as above
        count, last, first = connection.execute(numbers).fetchone()
        if count != last or first not in {None, 1}:
            return f"rows of {table} are missing"
    return None


def _list_faults(column: SchemaColumn) -> list[str]:
    """Return SQL conditions that hold where the value of a column makes no sense."""
    kinds = [column.kind.lower(), *([] if column.is_needed or column.key else ["null"])]
    conditions = [f"typeof({column.name}) NOT IN {_list_words(kinds)}"]
    if column.name in _WORDS:
        conditions.append(f"{column.name} NOT IN {_list_words(_WORDS[column.name])}")
    if column.name in _SHARES:
        least, most = _SHARES[column.name]
        conditions.append(f"{column.name} NOT BETWEEN {least} AND {most}")
    return conditions


def _list_words(words: list[str] | tuple[str, ...]) -> str:
    return "({})".format(", ".join(f"'{word}'" for word in words))


def _read_columns(connection: sqlite3.Connection, table: str) -> list[SchemaColumn]:
    found = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return [
        SchemaColumn(name, kind, need, key, hidden) for _, name, kind, need, _, key, hidden in found
    ]


@cache
def _read_own() -> _OwnSchema:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in make_statements():
            connection.execute(statement)
        triggers = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        return _OwnSchema(
            {
                table: _read_columns(connection, table)
                for table in list_tables(read_format(connection))
            },
            frozenset(sql for (sql,) in triggers),
        )
