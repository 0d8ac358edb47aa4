"""The tables of marks: how marks are read with who gave them and why, and added.

A mark without a reviewer's name, a reason or a settling has no row of details: one person alone
writes what was always written. A file of an older format has no details at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from likewise.expansion.marks import Mark
from likewise.expansion.sessions.reasons import Reason, ReasonList, is_same_name
from likewise.expansion.sessions.schema import has_table
from likewise.expansion.sessions.tables import find_last_number, insert_rows

_PLAIN = len(Mark._fields) - len(Mark._field_defaults)
"""How many fields of a mark are columns of the table of marks."""
_COLUMNS = ", ".join(Mark._fields[:_PLAIN])
_ALONE = f"SELECT {_COLUMNS} FROM marks"  # noqa: S608  # names of ours
_DETAILED = (
    f"SELECT {_COLUMNS}, coalesce(reviewer, ''), reason, coalesce(kind, 'screening') "  # noqa: S608  # as above
    "FROM marks LEFT JOIN mark_details ON mark = number"
)
_REASONS = msgspec.json.Decoder(tuple[Reason, ...])


def read_history(connection: sqlite3.Connection) -> list[Mark]:
    """Return all marks that were ever given, the first one first."""
    return _select_marks(connection)


def find_mark(
    connection: sqlite3.Connection, document: str, *, reviewer: str = "", settling: bool = False
) -> Mark | None:
    """Return the latest mark of a reviewer on a document; None if no label of theirs stands.

    Args:
        connection: The session's.
        document: The document's id.
        reviewer: Who gave it; a settling counts whoever did it.
        settling: Whether to look for what settles a conflict, instead of for a reviewer's own mark.
    """
    given = _select_voice(connection, document, reviewer=reviewer, settling=settling)
    return given[-1] if given and given[-1].label else None


def find_last_standing(connection: sqlite3.Connection, *, reviewer: str = "") -> Mark | None:
    """Return the mark that a reviewer gave last of those that still stand; None if there is none.

    One that stands again since a later one was taken back counts from when it was given.
    """
    first: dict[tuple[str, str, str | None], int] = {}
    standing: dict[str, Mark] = {}
    for mark in _select_marks(connection):
        if not mark.is_settling and is_same_name(mark.reviewer, reviewer):
            first.setdefault((mark.document, mark.time, mark.label), mark.number)
            standing[mark.document] = mark
    return max(
        (mark for mark in standing.values() if mark.label),
        key=lambda mark: first[mark.document, mark.time, mark.label],
        default=None,
    )


def find_mark_before(connection: sqlite3.Connection, mark: Mark) -> Mark | None:
    """Return what a reviewer marked a document before their mark of now; None if it had no label.

    A mark that stands again since a later one was taken back has the time when it was first given,
    and nothing else has: what was marked in between is passed over.
    """
    before: list[Mark | None] = [None]
    voice = _select_voice(
        connection, mark.document, reviewer=mark.reviewer, settling=mark.is_settling
    )
    for given in voice:
        same = [one and (one.time, one.label) == (given.time, given.label) for one in before]
        if any(same):
            del before[same.index(True) + 1 :]
        else:
            before.append(given if given.label else None)
    return before[-2]


def add_marks(connection: sqlite3.Connection, marks: Sequence[Mark]) -> None:
    """Add marks, with the details that they have."""
    insert_rows(connection, "marks", *(mark[:_PLAIN] for mark in marks))
    detailed = [mark for mark in marks if mark.reviewer or mark.reason or mark.is_settling]
    if not detailed:
        return
    reasons = read_reasons(connection)
    rows = [
        (
            mark.number,
            mark.reviewer,
            reasons.get_number(mark.reason),
            "settling" if mark.is_settling else "screening",
        )
        for mark in detailed
    ]
    insert_rows(connection, "mark_details", *rows)


def read_reasons(connection: sqlite3.Connection) -> ReasonList:
    """Return the list of reasons as it is by now."""
    if not has_table(connection, "reasons"):
        return ReasonList()
    latest = "SELECT listed FROM reasons ORDER BY number DESC LIMIT 1"
    found = connection.execute(latest).fetchone()
    return ReasonList(_REASONS.decode(found[0])) if found else ReasonList()


def add_reasons(connection: sqlite3.Connection, reasons: ReasonList, *, time: str) -> None:
    """Add a list of reasons, unless it is the latest."""
    if reasons.reasons != read_reasons(connection).reasons:
        listed = msgspec.json.encode(reasons.reasons).decode()
        insert_rows(
            connection, "reasons", (find_last_number(connection, "reasons") + 1, time, listed)
        )


def _select_voice(
    connection: sqlite3.Connection, document: str, *, reviewer: str, settling: bool
) -> list[Mark]:
    """Return all marks of one reviewer on a document, or all that settled it."""
    return [
        mark
        for mark in _select_marks(connection, document=document)
        if mark.is_settling == settling and (settling or is_same_name(mark.reviewer, reviewer))
    ]


def _select_marks(connection: sqlite3.Connection, *, document: str | None = None) -> list[Mark]:
    where = "" if document is None else "WHERE document = ?"
    values = () if document is None else (document,)
    if not _has_details(connection):
        # One person alone, most often, whose marks are read after each of them.
        plain = connection.execute(f"{_ALONE} {where} ORDER BY number", values).fetchall()
        return [Mark(*row) for row in plain]
    rows = connection.execute(f"{_DETAILED} {where} ORDER BY number", values).fetchall()
    reasons = read_reasons(connection)
    return [_make_mark(row, reasons) for row in rows]


def _has_details(connection: sqlite3.Connection) -> bool:
    if not has_table(connection, "mark_details"):
        return False
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM mark_details)").fetchone()[0])


def _make_mark(row: Sequence[Any], reasons: ReasonList) -> Mark:
    *plain, reviewer, reason, kind = row
    why = reasons.get_name(reason) if reason else ""
    return Mark._make([*plain, reviewer, why, kind == "settling"])
