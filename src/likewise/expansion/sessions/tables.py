"""The tables of a session: how each record is read from its rows and added to them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Sequence
from typing import TypeVar

import msgspec

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.marks import Mark
from likewise.expansion.records import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.records import (
    Audit,
    ChosenTarget,
    ExpansionHead,
    SessionName,
    SessionStart,
    Threshold,
)
from likewise.expansion.sessions.schema import has_table
from likewise.expansion.settings import ExpandSettings
from likewise.learn.stopping.target import Target

_COLUMNS = ", ".join(Mark._fields)
_PLACES = ", ".join(["?"] * len(Mark._fields))
_ALL_THRESHOLDS = "SELECT number, time, expansion, decided, above FROM thresholds"
_IDS = msgspec.json.Decoder(tuple[str, ...])
LEVEL = 1
"""Of zlib: 20,000 places take 0.36 MB and 0.03 s; at 6, a sixth less room, thrice the time."""
MOST = 8 << 20
MOST_RATIO = 100
"""What unpacks to more than both `MOST` bytes and so many times its size was made to fill memory:
what we pack shrinks to a tenth or so."""
T = TypeVar("T")


def add_start(connection: sqlite3.Connection, start: SessionStart) -> None:
    """Add the start."""
    *texts, settings, seeds = start
    row = (1, *texts, pack(settings), pack(seeds))
    connection.execute("INSERT INTO start VALUES (?, ?, ?, ?, ?, ?, ?)", row)


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
    """Return the names that a session was given, the first one first."""
    if not has_table(connection, "names"):
        return []
    found = connection.execute("SELECT number, time, name FROM names ORDER BY number")
    return [SessionName(*row) for row in found.fetchall()]


def find_last_name(connection: sqlite3.Connection) -> int:
    """Return the number of the latest name; 0 if there is none."""
    if not has_table(connection, "names"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM names").fetchone()[0])


def find_name(connection: sqlite3.Connection) -> str:
    """Return the latest name; "" if there is none."""
    names = read_names(connection)
    return names[-1].name if names else ""


def add_name(connection: sqlite3.Connection, name: str, *, time: str) -> None:
    """Add a name, unless it is the latest."""
    if name != find_name(connection):
        row = (find_last_name(connection) + 1, time, name)
        connection.execute("INSERT INTO names VALUES (?, ?, ?)", row)


def read_history(connection: sqlite3.Connection) -> list[Mark]:
    """Return everything that was ever said, in the order in which it was."""
    return _select_marks(connection, "ORDER BY number")


def read_standing(connection: sqlite3.Connection) -> list[Mark]:
    """Return the latest mark of each document that still has a label, in the order given."""
    latest = "number IN (SELECT max(number) FROM marks GROUP BY document)"
    return _select_marks(connection, f"WHERE {latest} AND label IS NOT NULL ORDER BY number")


def find_mark(connection: sqlite3.Connection, document: str) -> Mark | None:
    """Return the latest mark of a document; None if it has no label, or none any more."""
    found = _select_marks(connection, "WHERE document = ? ORDER BY number DESC LIMIT 1", document)
    return found[0] if found and found[0].label else None


def find_last_standing(connection: sqlite3.Connection) -> Mark | None:
    """Return the latest mark that still stands; None if there is none."""
    later = "SELECT 1 FROM marks AS later WHERE later.document = marks.document"
    stands = f"label IS NOT NULL AND NOT EXISTS ({later} AND later.number > marks.number)"
    found = _select_marks(connection, f"WHERE {stands} ORDER BY number DESC LIMIT 1")
    return found[0] if found else None


def find_last_mark(connection: sqlite3.Connection) -> int:
    """Return the number of the latest mark; 0 if there is none."""
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM marks").fetchone()[0])


def add_marks(connection: sqlite3.Connection, marks: Sequence[Mark]) -> None:
    """Add marks."""
    connection.executemany(f"INSERT INTO marks ({_COLUMNS}) VALUES ({_PLACES})", marks)  # noqa: S608  # nothing from outside is in it


def _select_marks(connection: sqlite3.Connection, condition: str, *values: str) -> list[Mark]:
    found = connection.execute(f"SELECT {_COLUMNS} FROM marks {condition}", values)  # noqa: S608  # nor in this
    return [Mark(*row) for row in found.fetchall()]


def find_last_expansion(connection: sqlite3.Connection) -> int:
    """Return the number of the latest expansion; 0 if there is none."""
    return int(connection.execute("SELECT count(*) FROM expansions").fetchone()[0])


def find_last_library(connection: sqlite3.Connection) -> str:
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


def read_heads(connection: sqlite3.Connection) -> list[ExpansionHead]:
    """Return what is known of each expansion, the first one first."""
    found = connection.execute(
        "SELECT number, time, mark, pool, decided FROM expansions ORDER BY number"
    )
    heads = [ExpansionHead(*row) for row in found.fetchall()]
    above = {line.expansion: line.above for line in read_thresholds(connection)}
    return [_apply_line(head, above.get(head.number)) for head in heads]


def _apply_line(head: ExpansionHead, above: int | None) -> ExpansionHead:
    return head if above is None else head._replace(decided=above)


def read_expansion(
    connection: sqlite3.Connection, number: int, *, path: object
) -> SavedExpansion | None:
    """Return an expansion, if there is one of this number."""
    found = connection.execute(
        "SELECT content FROM expansions WHERE number = ?", (number,)
    ).fetchone()
    if not found:
        return None
    return SavedExpansion.from_json(unpack_json(found[0], path=path), path=str(path))


def add_explanations(
    connection: sqlite3.Connection, explanations: Explanations, *, number: int
) -> None:
    """Add the explanations of the expansion of a number."""
    row = (number, pack(explanations))
    connection.execute("INSERT INTO explanations VALUES (?, ?)", row)


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
    """Return every line that was moved, the first one first."""
    if not has_table(connection, "thresholds"):
        return []
    return [
        Threshold(*row)
        for row in connection.execute(f"{_ALL_THRESHOLDS} ORDER BY number").fetchall()
    ]


def find_threshold(connection: sqlite3.Connection, expansion: int) -> Threshold | None:
    """Return the line through an expansion, if it was moved."""
    if not has_table(connection, "thresholds"):
        return None
    latest = f"{_ALL_THRESHOLDS} WHERE expansion = ? ORDER BY number DESC LIMIT 1"
    found = connection.execute(latest, (expansion,)).fetchone()
    return Threshold(*found) if found else None


def find_last_threshold(connection: sqlite3.Connection) -> int:
    """Return the number of the latest; 0 if no line was ever moved."""
    if not has_table(connection, "thresholds"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM thresholds").fetchone()[0])


def add_threshold(connection: sqlite3.Connection, threshold: Threshold) -> None:
    """Add a line."""
    connection.execute("INSERT INTO thresholds VALUES (?, ?, ?, ?, ?)", threshold)


def find_last_audit(connection: sqlite3.Connection) -> int:
    """Return the number of the latest audit; 0 if there is none."""
    return int(connection.execute("SELECT count(*) FROM audits").fetchone()[0])


def add_audit(connection: sqlite3.Connection, audit: Audit) -> None:
    """Add an audit."""
    drawn = msgspec.json.encode(audit.drawn).decode()
    row = (audit.number, audit.time, audit.expansion, drawn, pack(audit.population))
    connection.execute("INSERT INTO audits VALUES (?, ?, ?, ?, ?)", row)


def read_audits(connection: sqlite3.Connection, *, path: object) -> list[Audit]:
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
            population=unpack(population, tuple[str, ...], path=path),
        )
        for number, time, expansion, drawn, population in rows.fetchall()
    ]


def find_audits(connection: sqlite3.Connection, documents: Collection[str]) -> dict[str, int]:
    """Return the number of the latest audit that drew each document, for those that one did."""
    found: dict[str, int] = {}
    for number, drawn in connection.execute("SELECT number, drawn FROM audits ORDER BY number"):
        found |= dict.fromkeys(set(_IDS.decode(drawn)).intersection(documents), number)
    return found


def read_targets(connection: sqlite3.Connection) -> list[ChosenTarget]:
    """Return every target that was chosen, the first one first."""
    if not has_table(connection, "targets"):
        return []
    found = connection.execute(
        "SELECT number, time, recall, confidence, proof FROM targets ORDER BY number"
    )
    return [ChosenTarget(*row) for row in found.fetchall()]


def find_last_target(connection: sqlite3.Connection) -> int:
    """Return the number of the latest target; 0 if none was ever chosen."""
    if not has_table(connection, "targets"):
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM targets").fetchone()[0])


def find_target(connection: sqlite3.Connection) -> Target | None:
    """Return the latest target; None if none was ever chosen."""
    targets = read_targets(connection)
    if not targets:
        return None
    latest = targets[-1]
    return Target(latest.recall, latest.confidence, latest.proof)


def add_target(connection: sqlite3.Connection, target: Target, *, time: str) -> None:
    """Add a target, unless it is the latest."""
    if target != find_target(connection):
        row = (find_last_target(connection) + 1, time, *target)
        connection.execute("INSERT INTO targets VALUES (?, ?, ?, ?, ?)", row)


def pack(value: object) -> bytes:
    """Return a value as compressed JSON."""
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
