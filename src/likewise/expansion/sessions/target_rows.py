"""The rows that chosen targets are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.sessions.entries import ChosenTarget
from likewise.expansion.sessions.schema import has_table
from likewise.learn.stopping.target import Target

if TYPE_CHECKING:
    import sqlite3


def all_targets(connection: sqlite3.Connection) -> list[ChosenTarget]:
    """Return every target that was chosen, the first one first."""
    if not has_table(connection, "targets"):
        return []
    found = connection.execute(
        "SELECT number, time, recall, confidence, proof FROM targets ORDER BY number"
    )
    return [ChosenTarget(*row) for row in found.fetchall()]


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest target; 0 if none was ever chosen."""
    if not has_table(connection, "targets"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM targets").fetchone()[0])


def last_target(connection: sqlite3.Connection) -> Target | None:
    """Return the latest target; None if none was ever chosen."""
    targets = all_targets(connection)
    if not targets:
        return None
    latest = targets[-1]
    return Target(latest.recall, latest.confidence, latest.proof)


def add_target(connection: sqlite3.Connection, target: Target, *, time: str) -> None:
    """Add a target, unless it is the latest."""
    if target != last_target(connection):
        row = (last_number(connection) + 1, time, *target)
        connection.execute("INSERT INTO targets VALUES (?, ?, ?, ?, ?)", row)
