"""The rows that expansions are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.explanations import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.entries import ExpansionHead
from likewise.expansion.sessions.packing import packed, unpacked, unpacked_json
from likewise.expansion.sessions.schema import has_table
from likewise.expansion.sessions.threshold_rows import all_thresholds

if TYPE_CHECKING:
    import sqlite3


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest expansion; 0 if there is none."""
    return int(connection.execute("SELECT count(*) FROM expansions").fetchone()[0])


def last_library(connection: sqlite3.Connection) -> str:
    """Return where the library lay when it was last used; "" if that is not known."""
    found = connection.execute(
        "SELECT library FROM expansions WHERE library != '' ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return str(found[0]) if found else ""


def add_expansion(
    connection: sqlite3.Connection, head: ExpansionHead, *, library: str, content: bytes
) -> None:
    """Add an expansion."""
    number, time, mark, pool, decided = head
    row = (number, time, mark, library, pool, decided, content)
    connection.execute("INSERT INTO expansions VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def all_heads(connection: sqlite3.Connection) -> list[ExpansionHead]:
    """Return what is known of each expansion, the first one first."""
    found = connection.execute(
        "SELECT number, time, mark, pool, decided FROM expansions ORDER BY number"
    )
    heads = [ExpansionHead(*row) for row in found.fetchall()]
    above = {line.expansion: line.above for line in all_thresholds(connection)}
    return [_with_line(head, above.get(head.number)) for head in heads]


def _with_line(head: ExpansionHead, above: int | None) -> ExpansionHead:
    return head if above is None else head._replace(decided=above)


def expansion_numbered(
    connection: sqlite3.Connection, number: int, *, path: object
) -> SavedExpansion | None:
    """Return an expansion, if there is one of this number."""
    found = connection.execute(
        "SELECT content FROM expansions WHERE number = ?", (number,)
    ).fetchone()
    if not found:
        return None
    return SavedExpansion.from_json(unpacked_json(found[0], path=path), path=str(path))


def add_explanations(
    connection: sqlite3.Connection, explanations: Explanations, *, number: int
) -> None:
    """Add the explanations of the expansion of a number."""
    row = (number, packed(explanations))
    connection.execute("INSERT INTO explanations VALUES (?, ?)", row)


def explanations_of(
    connection: sqlite3.Connection, number: int, *, path: object
) -> Explanations | None:
    """Return the explanations of an expansion; None if they were not kept."""
    if not has_table(connection, "explanations"):
        return None
    found = connection.execute(
        "SELECT content FROM explanations WHERE expansion = ?", (number,)
    ).fetchone()
    return unpacked(found[0], Explanations, path=path) if found else None
