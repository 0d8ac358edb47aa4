"""The rows that marks are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.marks import Mark

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_COLUMNS = ", ".join(Mark._fields)
_PLACES = ", ".join(["?"] * len(Mark._fields))


def all_marks(connection: sqlite3.Connection) -> list[Mark]:
    """Return everything that was ever said, in the order in which it was."""
    return _marks(connection, "ORDER BY number")


def standing_marks(connection: sqlite3.Connection) -> list[Mark]:
    """Return the latest mark of each document that still has a label, in the order given."""
    latest = "number IN (SELECT max(number) FROM marks GROUP BY document)"
    return _marks(connection, f"WHERE {latest} AND label IS NOT NULL ORDER BY number")


def mark_of(connection: sqlite3.Connection, document: str) -> Mark | None:
    """Return the latest mark of a document; None if it has no label, or none any more."""
    found = _marks(connection, "WHERE document = ? ORDER BY number DESC LIMIT 1", document)
    return found[0] if found and found[0].label else None


def last_standing(connection: sqlite3.Connection) -> Mark | None:
    """Return the latest mark that still stands; None if there is none."""
    later = "SELECT 1 FROM marks AS later WHERE later.document = marks.document"
    stands = f"label IS NOT NULL AND NOT EXISTS ({later} AND later.number > marks.number)"
    found = _marks(connection, f"WHERE {stands} ORDER BY number DESC LIMIT 1")
    return found[0] if found else None


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest mark; 0 if there is none."""
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM marks").fetchone()[0])


def add_marks(connection: sqlite3.Connection, marks: Sequence[Mark]) -> None:
    """Add marks."""
    connection.executemany(f"INSERT INTO marks ({_COLUMNS}) VALUES ({_PLACES})", marks)  # noqa: S608  # nothing from outside is in it


def _marks(connection: sqlite3.Connection, condition: str, *values: str) -> list[Mark]:
    found = connection.execute(f"SELECT {_COLUMNS} FROM marks {condition}", values)  # noqa: S608  # nor in this
    return [Mark(*row) for row in found.fetchall()]
