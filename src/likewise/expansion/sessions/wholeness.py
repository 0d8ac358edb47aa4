"""What makes a file a whole session: the tables are ours, and hold what they are for.

A session may come from others, or be damaged. What stands in the schema of an SQLite file is run
when the file is used: a view in place of a table may have no end, a trigger may delete what is
marked. So only triggers of ours may be there, and only values of the kinds that we write.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from typing import NamedTuple

from likewise.expansion.marks import LABELS, STRATEGIES
from likewise.expansion.sessions.schema import format_of, statements, tables_of
from likewise.learn.stopping.target import BASES, LEAST, SUREST

_WORDS = {"label": LABELS, "strategy": STRATEGIES, "proof": BASES}
_SHARES = {"recall": (LEAST, 1), "confidence": (LEAST, SUREST)}
"""Between which numbers the values of a column lie."""
_COUNTED = ("expansions", "audits")
"""Tables in which how many rows there are is the number of the last one."""


class Column(NamedTuple):
    """A column of a table, as SQLite tells of it."""

    name: str
    kind: str
    is_needed: int
    key: int
    hidden: int


class _Ours(NamedTuple):
    """What a file of the latest format has."""

    columns: dict[str, list[Column]]
    triggers: frozenset[str]


def fault_in(connection: sqlite3.Connection) -> str | None:
    """Return in a few words why a file is no whole session; None if it is one."""
    tables = tables_of(format_of(connection))
    # First what is in the schema, which what comes after it would run.
    if fault := _fault_in_schema(connection, tables):
        return fault
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        return " ".join(found.split())
    if not connection.execute("SELECT count(*) FROM start").fetchone()[0]:
        return "no start"
    return next((f for table in tables if (f := _fault_in_table(connection, table))), None)


def _fault_in_schema(connection: sqlite3.Connection, tables: tuple[str, ...]) -> str | None:
    rows = connection.execute("SELECT type, name, sql, rootpage FROM sqlite_master").fetchall()
    # What is called a table and has no page of its own is made up by a module of SQLite.
    there = {name for kind, name, _, page in rows if kind == "table" and page}
    if missing := [table for table in tables if table not in there]:
        return f"no table {missing[0]}"
    ours = _ours()
    for table in tables:
        if _columns(connection, table) != ours.columns[table]:
            return f"a table {table} of other columns"
    foreign = [
        name for kind, name, sql, _ in rows if kind == "trigger" and sql not in ours.triggers
    ]
    return f"a trigger {foreign[0]} that is not of likewise" if foreign else None


def _fault_in_table(connection: sqlite3.Connection, table: str) -> str | None:
    wrong = " OR ".join(condition for c in _ours().columns[table] for condition in _wrong(c))
    if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():  # noqa: S608  # all of it is ours
        return f"a row of {table} that makes no sense"
    if table in _COUNTED:
        numbers = f"SELECT count(*), coalesce(max(number), 0), min(number) FROM {table}"  # noqa: S608  # as above
        count, last, first = connection.execute(numbers).fetchone()
        if count != last or first not in {None, 1}:
            return f"rows of {table} are missing"
    return None


def _wrong(column: Column) -> list[str]:
    """Return the conditions under which the value of a column makes no sense."""
    kinds = [column.kind.lower(), *([] if column.is_needed or column.key else ["null"])]
    conditions = [f"typeof({column.name}) NOT IN {_listed(kinds)}"]
    if column.name in _WORDS:
        conditions.append(f"{column.name} NOT IN {_listed(_WORDS[column.name])}")
    if column.name in _SHARES:
        least, most = _SHARES[column.name]
        conditions.append(f"{column.name} NOT BETWEEN {least} AND {most}")
    return conditions


def _listed(words: list[str] | tuple[str, ...]) -> str:
    return "({})".format(", ".join(f"'{word}'" for word in words))


def _columns(connection: sqlite3.Connection, table: str) -> list[Column]:
    found = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return [Column(name, kind, need, key, hidden) for _, name, kind, need, _, key, hidden in found]


@cache
def _ours() -> _Ours:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements():
            connection.execute(statement)
        triggers = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        return _Ours(
            {table: _columns(connection, table) for table in tables_of(format_of(connection))},
            frozenset(sql for (sql,) in triggers),
        )
