"""The rows that names are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.sessions.entries import Name
from likewise.expansion.sessions.schema import has_table

if TYPE_CHECKING:
    import sqlite3


def all_names(connection: sqlite3.Connection) -> list[Name]:
    """Return the names that a session was given, the first one first."""
    if not has_table(connection, "names"):
        return []
    found = connection.execute("SELECT number, time, name FROM names ORDER BY number")
    return [Name(*row) for row in found.fetchall()]


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest name; 0 if there is none."""
    if not has_table(connection, "names"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM names").fetchone()[0])


def last_name(connection: sqlite3.Connection) -> str:
    """Return the latest name; "" if there is none."""
    names = all_names(connection)
    return names[-1].name if names else ""


def add_name(connection: sqlite3.Connection, name: str, *, time: str) -> None:
    """Add a name, unless it is the latest."""
    if name != last_name(connection):
        row = (last_number(connection) + 1, time, name)
        connection.execute("INSERT INTO names VALUES (?, ?, ?)", row)
