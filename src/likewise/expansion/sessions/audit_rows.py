"""The rows that audits are in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.expansion.sessions.entries import Audit
from likewise.expansion.sessions.packing import packed, unpacked

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

_IDS = msgspec.json.Decoder(tuple[str, ...])


def last_number(connection: sqlite3.Connection) -> int:
    """Return the number of the latest audit; 0 if there is none."""
    return int(connection.execute("SELECT count(*) FROM audits").fetchone()[0])


def add_audit(connection: sqlite3.Connection, audit: Audit) -> None:
    """Add an audit."""
    drawn = msgspec.json.encode(audit.drawn).decode()
    row = (audit.number, audit.time, audit.expansion, drawn, packed(audit.population))
    connection.execute("INSERT INTO audits VALUES (?, ?, ?, ?, ?)", row)


def all_audits(connection: sqlite3.Connection, *, path: object) -> list[Audit]:
    """Return the audits, the first one first; `path` is the session's, for error messages."""
    rows = connection.execute(
        "SELECT number, time, expansion, drawn, population FROM audits ORDER BY number"
    )
    return [
        Audit(
            number=number,
            time=time,
            expansion=expansion,
            drawn=_IDS.decode(drawn),
            population=unpacked(population, tuple[str, ...], path=path),
        )
        for number, time, expansion, drawn, population in rows.fetchall()
    ]


def audits_of(connection: sqlite3.Connection, documents: Collection[str]) -> dict[str, int]:
    """Return the number of the latest audit that drew each document, for those that one did."""
    found: dict[str, int] = {}
    for number, drawn in connection.execute("SELECT number, drawn FROM audits ORDER BY number"):
        found |= dict.fromkeys(set(_IDS.decode(drawn)).intersection(documents), number)
    return found
