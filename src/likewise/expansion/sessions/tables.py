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
from likewise.errors import SessionError
from likewise.expansion.marks import Mark
from likewise.expansion.records import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.reasons import GivenNumbers, Reason, ReasonList, is_same_name
from likewise.expansion.sessions.records import (
    Audit,
    ChosenTarget,
    DocumentNote,
    ExpansionHead,
    LookContent,
    ReviewCriteria,
    SessionLook,
    SessionName,
    SessionStart,
    TagChange,
    Threshold,
)
from likewise.expansion.sessions.schema import has_table
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Target

LEVEL = 1
"""The level of zlib: 20,000 places take 0.36 MB and 0.03 s; 6 saves a sixth, in thrice the time."""
MOST = 8 << 20
MOST_RATIO = 100
"""What unpacks to more than `MOST` bytes, and to more than this many times its size, was made to
fill memory: what likewise packs shrinks to about a tenth."""

_IDS = msgspec.json.Decoder(tuple[str, ...])
_NUMBERS = msgspec.json.Decoder(GivenNumbers)
T = TypeVar("T")


def find_last_number(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of a table's latest row; 0 if there is none."""
    if not has_table(connection, table):
        return 0
    latest = f"SELECT coalesce(max(number), 0) FROM {table}"  # noqa: S608  # one of our names
    return int(connection.execute(latest).fetchone()[0])


def add_start(connection: sqlite3.Connection, start: SessionStart) -> None:
    """Add the start."""
    *texts, settings, seeds = start
    insert_rows(connection, "start", (1, *texts, pack(settings), pack(seeds)))


def read_start(connection: sqlite3.Connection, *, path: object) -> SessionStart:
    """Return the start; `path` is the session's, for error messages."""
    _, *texts, settings, seeds = connection.execute("SELECT * FROM start").fetchone()
    version, time, library, fingerprint = texts
    return SessionStart(
        likewise=version,
        time=time,
        library=library,
        fingerprint=fingerprint,
        settings=unpack(settings, ExpandSettings, path=path),
        seeds=unpack(seeds, tuple[Document, ...], path=path),
    )


def read_names(connection: sqlite3.Connection) -> list[SessionName]:
    """Return the names that a session was given, oldest first."""
    return select_rows(connection, "names", SessionName)


def add_name(connection: sqlite3.Connection, name: str, *, time: str) -> None:
    """Add a name, unless it is the latest."""
    names = read_names(connection)
    if name != (names[-1].name if names else ""):
        insert_rows(connection, "names", (len(names) + 1, time, name))


def add_expansion(
    connection: sqlite3.Connection, head: ExpansionHead, *, library: str, content: bytes
) -> None:
    """Add an expansion, packed."""
    number, time, mark, pool, decided = head
    insert_rows(connection, "expansions", (number, time, mark, library, pool, decided, content))


def read_heads(connection: sqlite3.Connection) -> list[ExpansionHead]:
    """Return the head of each expansion, oldest first."""
    above = {line.expansion: line.above for line in read_thresholds(connection)}
    return [
        head if (moved := above.get(head.number)) is None else head._replace(decided=moved)
        for head in select_rows(connection, "expansions", ExpansionHead)
    ]


def read_expansion(
    connection: sqlite3.Connection, number: int, *, path: object
) -> SavedExpansion | None:
    """Return the expansion with this number, as it was learned; None if there is none."""
    found = connection.execute(
        "SELECT content FROM expansions WHERE number = ?", (number,)
    ).fetchone()
    if not found:
        return None
    return SavedExpansion.from_json(unpack_json(found[0], path=path), path=str(path))


def find_last_library(connection: sqlite3.Connection) -> str:
    """Return where the library was when it was last used; "" if that is not known."""
    found = connection.execute(
        "SELECT library FROM expansions WHERE library != '' ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return str(found[0]) if found else ""


def add_explanations(
    connection: sqlite3.Connection, explanations: Explanations, *, number: int
) -> None:
    """Add the explanations of the expansion with this number."""
    insert_rows(connection, "explanations", (number, pack(explanations)))


def read_explanations(
    connection: sqlite3.Connection, number: int, *, path: object
) -> Explanations | None:
    """Return the explanations of an expansion; None if they were not kept."""
    if not has_table(connection, "explanations"):
        return None
    found = connection.execute(
        "SELECT content FROM explanations WHERE expansion = ?", (number,)
    ).fetchone()
    return unpack(found[0], Explanations, path=path) if found else None


def read_thresholds(connection: sqlite3.Connection) -> list[Threshold]:
    """Return every move of the line, oldest first."""
    return select_rows(connection, "thresholds", Threshold)


def find_threshold(connection: sqlite3.Connection, expansion: int) -> Threshold | None:
    """Return the latest move of the line through an expansion; None if it was never moved."""
    latest = "WHERE expansion = ? ORDER BY number DESC LIMIT 1"
    found = select_rows(connection, "thresholds", Threshold, where=latest, values=[expansion])
    return found[0] if found else None


def add_threshold(connection: sqlite3.Connection, threshold: Threshold) -> None:
    """Add a move of the line."""
    insert_rows(connection, "thresholds", threshold)


def add_audit(connection: sqlite3.Connection, audit: Audit) -> None:
    """Add an audit."""
    drawn = msgspec.json.encode(audit.drawn).decode()
    row = (audit.number, audit.time, audit.expansion, drawn, pack(audit.population))
    insert_rows(connection, "audits", row)


def read_audits(connection: sqlite3.Connection, *, path: object) -> list[Audit]:
    """Return the audits, oldest first; `path` is the session's, for error messages."""
    return [
        audit._replace(
            drawn=_IDS.decode(audit.drawn),  # type: ignore[arg-type]  # as the table has it
            population=unpack(audit.population, tuple[str, ...], path=path),  # type: ignore[arg-type]  # as above
        )
        for audit in select_rows(connection, "audits", Audit)
    ]


def find_audits(connection: sqlite3.Connection, documents: Collection[str]) -> dict[str, int]:
    """Return the number of the latest audit that drew each document, for those that were drawn."""
    found: dict[str, int] = {}
    for number, drawn in connection.execute("SELECT number, drawn FROM audits ORDER BY number"):
        found |= dict.fromkeys(set(_IDS.decode(drawn)).intersection(documents), number)
    return found


def add_look(connection: sqlite3.Connection, look: SessionLook) -> None:
    """Add a look."""
    insert_rows(connection, "looks", (*look[:-1], pack(look.content)))


def read_looks(connection: sqlite3.Connection, *, path: object) -> list[SessionLook]:
    """Return the looks, oldest first."""
    return [
        look._replace(content=unpack(look.content, LookContent, path=path))  # type: ignore[arg-type]  # as the table has it
        for look in select_rows(connection, "looks", SessionLook)
    ]


def read_targets(connection: sqlite3.Connection) -> list[ChosenTarget]:
    """Return every target that was chosen, oldest first."""
    return select_rows(connection, "targets", ChosenTarget)


def find_target(connection: sqlite3.Connection) -> Target | None:
    """Return the latest target; None if none was ever chosen."""
    targets = read_targets(connection)
    return Target(*targets[-1][2:]) if targets else None


def add_target(connection: sqlite3.Connection, target: Target, *, time: str) -> None:
    """Add a target, unless it is the latest."""
    if target != find_target(connection):
        row = (find_last_number(connection, "targets") + 1, time, *target)
        insert_rows(connection, "targets", row)


def read_tag_changes(connection: sqlite3.Connection) -> list[TagChange]:
    """Return every tag that was given or taken off, oldest first."""
    return select_rows(connection, "tags", TagChange)


def add_tag_changes(connection: sqlite3.Connection, changes: Sequence[TagChange]) -> None:
    """Add tags that are given or taken off."""
    insert_rows(connection, "tags", *changes)


def read_notes(connection: sqlite3.Connection) -> list[DocumentNote]:
    """Return every note that was ever written, oldest first."""
    return select_rows(connection, "notes", DocumentNote)


def add_note(connection: sqlite3.Connection, note: DocumentNote) -> None:
    """Add a note."""
    insert_rows(connection, "notes", note)


def read_criteria(connection: sqlite3.Connection) -> list[ReviewCriteria]:
    """Return every version of the inclusion criteria, oldest first."""
    return select_rows(connection, "criteria", ReviewCriteria)


def add_criteria(connection: sqlite3.Connection, text: str, *, time: str) -> None:
    """Add inclusion criteria, unless they are the latest."""
    written = read_criteria(connection)
    if text != (written[-1].text if written else ""):
        insert_rows(connection, "criteria", (len(written) + 1, time, text))


def find_given_numbers(connection: sqlite3.Connection, *, path: object) -> GivenNumbers:
    """Return the numbers of the flow diagram that were given last; `path` as in `read_audits`."""
    if not has_table(connection, "given_numbers"):
        return GivenNumbers()
    latest = "SELECT given FROM given_numbers ORDER BY number DESC LIMIT 1"
    found = connection.execute(latest).fetchone()
    try:
        return _NUMBERS.decode(found[0]) if found else GivenNumbers()
    except msgspec.DecodeError as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error


def add_given_numbers(
    connection: sqlite3.Connection, given: GivenNumbers, *, time: str, reviewer: str
) -> None:
    """Add numbers of the flow diagram that somebody gave."""
    number = find_last_number(connection, "given_numbers") + 1
    row = (number, time, msgspec.json.encode(given).decode(), reviewer)
    insert_rows(connection, "given_numbers", row)


def select_rows(
    connection: sqlite3.Connection,
    table: str,
    record: Callable[..., T],
    *,
    where: str = "ORDER BY number",
    values: Sequence[str | int] = (),
) -> list[T]:
    """Return rows of a table as records, whose fields are columns of it."""
    if not has_table(connection, table):
        return []
    columns = ", ".join(record._fields)  # type: ignore[attr-defined]  # every record is a NamedTuple
    query = f"SELECT {columns} FROM {table} {where}"  # noqa: S608  # nothing from outside is in it
    return [record(*row) for row in connection.execute(query, tuple(values)).fetchall()]


def insert_rows(connection: sqlite3.Connection, table: str, *rows: Sequence[object]) -> None:
    """Add rows to a table, each with a value for every column."""
    if rows:
        values = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({values})", rows)  # noqa: S608  # nor in this


def pack(value: object) -> bytes:
    """Return a value as compressed JSON, as sessions keep it."""
    return zlib.compress(msgspec.json.encode(value), LEVEL)


def unpack(content: bytes, type: type[T], *, path: object) -> T:  # noqa: A002  # as msgspec
    """Return the value that was packed; `path` is the session's, for the error message."""
    try:
        return msgspec.json.decode(unpack_json(content, path=path), type=type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error


def unpack_json(content: bytes, *, path: object) -> bytes:
    """Return the JSON of a value that was packed."""
    try:
        return _decompress(content)
    except (zlib.error, TypeError) as error:
        raise SessionError(f"{path}: a damaged session ({error}); use a copy of it") from error


def _decompress(content: bytes) -> bytes:
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
_REASONS = msgspec.json.Decoder(tuple[Reason, ...])


def read_history(connection: sqlite3.Connection) -> list[Mark]:
    """Return all marks that were ever given, oldest first."""
    return _select_marks(connection)


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
        # Most often, one person works alone, and the marks are read again after each one.
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
