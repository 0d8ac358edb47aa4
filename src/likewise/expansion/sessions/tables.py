"""The tables of a session: how each record is read from its rows, and added to them.

The columns of a table are the fields of its record, in their order. A file of an older format has
fewer tables: a missing one reads as empty. A mark has a row of details only if it has a reviewer's
name or a reason, or settles a conflict: for one person alone, nothing more is written than before.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import msgspec

from likewise.documents import Document
from likewise.expansion.marks import Mark
from likewise.expansion.records import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.reasons import GivenNumbers, Reason, ReasonList, is_same_name
from likewise.expansion.sessions.records import (
    Audit,
    ExpansionHead,
    LookContent,
    SessionLook,
    SessionStart,
    SessionVersion,
    Threshold,
)
from likewise.expansion.sessions.schema import has_table
from likewise.expansion.settings import ExpandSettings

LEVEL = 1
"""The level of zlib: 20,000 places take 0.36 MB and 0.03 s; 6 saves a sixth, in thrice the time."""
MOST = 8 << 20
MOST_RATIO = 100
"""What unpacks to more than `MOST` bytes, and to more than this many times its size, was made to
fill memory: what likewise packs shrinks to about a tenth."""

_IDS = msgspec.json.Decoder(tuple[str, ...])
_NUMBERS = msgspec.json.Decoder(GivenNumbers)
_REASONS = msgspec.json.Decoder(tuple[Reason, ...])
_COUNTED = (
    *("expansions", "marks", "thresholds", "names", "audits", "targets"),
    *("reasons", "tags", "notes", "criteria", "looks"),
)
"""The tables that the fields of a `SessionVersion` are about, in their order."""
_LATEST = "ORDER BY number DESC"
T = TypeVar("T")


def find_last_number(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of a table's latest row; 0 if there is none."""
    return _find_value(connection, table, "max(number)") or 0


def find_version(connection: sqlite3.Connection) -> SessionVersion:
    """Return the latest number of each kind of record."""
    return SessionVersion(*(find_last_number(connection, table) for table in _COUNTED))


def _find_value(
    connection: sqlite3.Connection, table: str, column: str, *, where: str = "", number: int = 0
) -> Any:
    """Return what a column holds in the first row that is selected; None if there is none."""
    if not has_table(connection, table):
        return None
    query = f"SELECT {column} FROM {table} {where}"  # noqa: S608  # nothing from outside is in it
    found = connection.execute(query, {"number": number}).fetchone()
    return found[0] if found else None


def add_start(connection: sqlite3.Connection, start: SessionStart) -> None:
    """Add the start."""
    *texts, settings, seeds = start
    insert_rows(connection, "start", (1, *texts, pack(settings), pack(seeds)))


def read_start(connection: sqlite3.Connection) -> SessionStart:
    """Return the start."""
    _, *texts, settings, seeds = connection.execute("SELECT * FROM start").fetchone()
    documents = unpack(seeds, tuple[Document, ...])
    return SessionStart._make([*texts, unpack(settings, ExpandSettings), documents])


def read_heads(connection: sqlite3.Connection) -> list[ExpansionHead]:
    """Return the head of each expansion, oldest first."""
    moves = select_rows(connection, "thresholds", Threshold)
    above = {line.expansion: line.above for line in moves}
    return [
        head if (moved := above.get(head.number)) is None else head._replace(decided=moved)
        for head in select_rows(connection, "expansions", ExpansionHead)
    ]


def read_expansion(
    connection: sqlite3.Connection, number: int, *, path: object
) -> SavedExpansion | None:
    """Return an expansion by its number, as it was learned; `path` is for error messages."""
    content = _find_value(
        connection, "expansions", "content", where="WHERE number = :number", number=number
    )
    if content is None:
        return None
    return SavedExpansion.from_json(decompress(content), path=str(path))


def find_last_library(connection: sqlite3.Connection) -> str:
    """Return where the library was when it was last used; "" if that is not known."""
    known = f"WHERE library != '' {_LATEST}"
    return _find_value(connection, "expansions", "library", where=known) or ""


def read_explanations(connection: sqlite3.Connection, number: int) -> Explanations | None:
    """Return the explanations of an expansion; None if they were not kept."""
    content = _find_value(
        connection, "explanations", "content", where="WHERE expansion = :number", number=number
    )
    return None if content is None else unpack(content, Explanations)


def find_threshold(connection: sqlite3.Connection, expansion: int) -> Threshold | None:
    """Return the latest move of the line through an expansion; None if it was never moved."""
    moves = select_rows(connection, "thresholds", Threshold)
    return next((line for line in reversed(moves) if line.expansion == expansion), None)


def add_audit(connection: sqlite3.Connection, audit: Audit) -> None:
    """Add an audit."""
    drawn = msgspec.json.encode(audit.drawn).decode()
    insert_rows(connection, "audits", (*audit[:3], drawn, pack(audit.population)))


def read_audits(connection: sqlite3.Connection) -> list[Audit]:
    """Return the audits, oldest first."""
    return [
        audit._replace(
            drawn=_IDS.decode(audit.drawn),  # type: ignore[arg-type]  # as the table has it
            population=unpack(audit.population, tuple[str, ...]),  # type: ignore[arg-type]  # as above
        )
        for audit in select_rows(connection, "audits", Audit)
    ]


def find_audits(connection: sqlite3.Connection, documents: Collection[str]) -> dict[str, int]:
    """Return the number of the latest audit that drew each document, for those that were drawn."""
    found: dict[str, int] = {}
    for number, drawn in connection.execute("SELECT number, drawn FROM audits ORDER BY number"):
        found |= dict.fromkeys(set(_IDS.decode(drawn)).intersection(documents), number)
    return found


def read_looks(connection: sqlite3.Connection) -> list[SessionLook]:
    """Return the looks, oldest first."""
    return [
        look._replace(content=unpack(look.content, LookContent))  # type: ignore[arg-type]  # as the table has it
        for look in select_rows(connection, "looks", SessionLook)
    ]


def find_given_numbers(connection: sqlite3.Connection) -> GivenNumbers:
    """Return the numbers of the flow diagram that were given last."""
    given = _find_value(connection, "given_numbers", "given", where=_LATEST)
    return GivenNumbers() if given is None else _NUMBERS.decode(given)


def add_given_numbers(
    connection: sqlite3.Connection, given: GivenNumbers, *, time: str, reviewer: str
) -> None:
    """Add numbers of the flow diagram that somebody gave."""
    encoded = msgspec.json.encode(given).decode()
    insert_next(connection, "given_numbers", time, encoded, reviewer)


def select_rows(connection: sqlite3.Connection, table: str, record: Callable[..., T]) -> list[T]:
    """Return the rows of a table as records, whose fields are columns of it, oldest first."""
    if not has_table(connection, table):
        return []
    columns = ", ".join(record._fields)  # type: ignore[attr-defined]  # every record is a NamedTuple
    query = f"SELECT {columns} FROM {table} ORDER BY number"  # noqa: S608  # as above
    return [record(*row) for row in connection.execute(query).fetchall()]


def insert_rows(connection: sqlite3.Connection, table: str, *rows: Sequence[object]) -> None:
    """Add rows to a table, each with a value for every column."""
    if rows:
        values = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({values})", rows)  # noqa: S608  # as above


def insert_next(connection: sqlite3.Connection, table: str, *values: object) -> int:
    """Add a row with the next number, which is returned, before its other values."""
    number = find_last_number(connection, table) + 1
    insert_rows(connection, table, (number, *values))
    return number


def pack(value: object) -> bytes:
    """Return a value as compressed JSON, as sessions keep it."""
    return zlib.compress(msgspec.json.encode(value), LEVEL)


def unpack(content: bytes, type: type[T]) -> T:  # noqa: A002  # as msgspec
    """Return the value that was packed."""
    return msgspec.json.decode(decompress(content), type=type)


def decompress(content: bytes) -> bytes:
    """Return the JSON of a value that was packed."""
    unpacker = zlib.decompressobj()
    unpacked_content = unpacker.decompress(content, max(MOST, MOST_RATIO * len(content)))
    if not unpacker.eof:
        raise zlib.error("it unpacks to too much" if unpacker.unconsumed_tail else "it is cut off")
    return unpacked_content


_PLAIN = len(Mark._fields) - len(Mark._field_defaults)
"""How many fields of a mark are columns of the table of marks."""
_COLUMNS = ", ".join(Mark._fields[:_PLAIN])
_ALONE = f"SELECT {_COLUMNS} FROM marks"  # noqa: S608  # names of ours
_DETAILED = (
    f"SELECT {_COLUMNS}, coalesce(reviewer, ''), reason, coalesce(kind, 'screening') "  # noqa: S608  # as above
    "FROM marks LEFT JOIN mark_details ON mark = number"
)


def find_mark(
    connection: sqlite3.Connection, document: str, *, reviewer: str = "", settling: bool = False
) -> Mark | None:
    """Return a reviewer's current mark on a document; None if there is none.

    Args:
        connection: The session's.
        document: The document's id.
        reviewer: Who gave it; it does not matter who settled a conflict.
        settling: Whether to look for the mark that settles a conflict, not for a reviewer's own.
    """
    given = _select_voice(connection, document, reviewer=reviewer, settling=settling)
    return given[-1] if given and given[-1].label else None


def find_last_standing(connection: sqlite3.Connection, *, reviewer: str = "") -> Mark | None:
    """Return the last mark that a reviewer gave and that still counts; None if there is none.

    One that counts again because a later one was taken back is as old as when it was first given.
    """
    first: dict[tuple[str, str, str | None], int] = {}
    standing: dict[str, Mark] = {}
    for mark in read_history(connection):
        if not mark.is_settling and is_same_name(mark.reviewer, reviewer):
            first.setdefault((mark.document, mark.time, mark.label), mark.number)
            standing[mark.document] = mark
    return max(
        (mark for mark in standing.values() if mark.label),
        key=lambda mark: first[mark.document, mark.time, mark.label],
        default=None,
    )


def find_mark_before(connection: sqlite3.Connection, mark: Mark) -> Mark | None:
    """Return a reviewer's mark on a document before their current one; None if it had no label.

    A mark that counts again because a later one was taken back has the time when it was first
    given, as no other mark has: the marks in between are skipped.
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
    """Return the current list of reasons."""
    listed = _find_value(connection, "reasons", "listed", where=_LATEST)
    return ReasonList(() if listed is None else _REASONS.decode(listed))


def add_reasons(connection: sqlite3.Connection, reasons: ReasonList, *, time: str) -> None:
    """Add a list of reasons."""
    insert_next(connection, "reasons", time, msgspec.json.encode(reasons.reasons).decode())


def _select_voice(
    connection: sqlite3.Connection, document: str, *, reviewer: str, settling: bool
) -> list[Mark]:
    """Return all marks of one reviewer on a document, or all that settled it."""
    return [
        mark
        for mark in read_history(connection, document=document)
        if mark.is_settling == settling and (settling or is_same_name(mark.reviewer, reviewer))
    ]


def read_history(connection: sqlite3.Connection, *, document: str | None = None) -> list[Mark]:
    """Return all marks that were ever given, or those of one document, oldest first."""
    where = "" if document is None else "WHERE document = ?"
    values = () if document is None else (document,)
    if _find_value(connection, "mark_details", "1") is None:
        # Most often, one person works alone, and the marks are read again after each one.
        plain = connection.execute(f"{_ALONE} {where} ORDER BY number", values).fetchall()
        return [Mark(*row) for row in plain]
    rows = connection.execute(f"{_DETAILED} {where} ORDER BY number", values).fetchall()
    reasons = read_reasons(connection)
    names = {reason.number: reasons.get_name(reason.number) for reason in reasons.reasons}
    return [
        Mark._make([*plain, reviewer, names.get(reason, ""), kind == "settling"])
        for *plain, reviewer, reason, kind in rows
    ]
