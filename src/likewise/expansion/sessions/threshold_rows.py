"""The rows that moved lines are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.sessions.entries import Threshold
from likewise.expansion.sessions.schema import has_table

if TYPE_CHECKING:
    import sqlite3

_ALL = "SELECT number, time, expansion, decided, above FROM thresholds"


def all_thresholds(connection: sqlite3.Connection) -> list[Threshold]:
    """Return every line that was moved, the first one first."""
    if not has_table(connection, "thresholds"):
        return []
    return [Threshold(*row) for row in connection.execute(f"{_ALL} ORDER BY number").fetchall()]


def threshold_of(connection: sqlite3.Connection, expansion: int) -> Threshold | None:
    """Return the line through an expansion, if it was moved."""
    if not has_table(connection, "thresholds"):
        return None
    latest = f"{_ALL} WHERE expansion = ? ORDER BY number DESC LIMIT 1"
    found = connection.execute(latest, (expansion,)).fetchone()
    return Threshold(*found) if found else None


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest; 0 if no line was ever moved."""
    if not has_table(connection, "thresholds"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM thresholds").fetchone()[0])


def add_threshold(connection: sqlite3.Connection, threshold: Threshold) -> None:
    """Add a line."""
    connection.execute("INSERT INTO thresholds VALUES (?, ?, ?, ?, ?)", threshold)
