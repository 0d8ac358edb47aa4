"""The sessions of a folder, as a list tells of them; a file is read again once it has changed."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session
from likewise.server.desks.naming import SUFFIX, is_identifier

if TYPE_CHECKING:
    from os import stat_result
    from pathlib import Path


class Head(NamedTuple):
    """A session in a list."""

    id: str
    name: str
    created: str
    changed: str
    seeds: int
    expansions: int
    relevant: int
    irrelevant: int
    maybe: int


class Listing(NamedTuple):
    """What a folder holds."""

    heads: list[Head]
    """The session changed last first."""
    unreadable: list[str]
    """A line for each file that is no session, though it is called like one."""


class _State(NamedTuple):
    """What changes with a file."""

    file: int
    time: int
    size: int


class _Known(NamedTuple):
    state: _State
    found: Head | str


class Heads:
    """The heads of a folder's sessions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}

    def all(self) -> Listing:
        """Read what is new or changed, and return what there is."""
        with self._lock:
            states = _states(self._folder)
            self._known = {path.name: self._look(path, state) for path, state in states.items()}
            found = [known.found for known in self._known.values()]
        heads = [head for head in found if isinstance(head, Head)]
        heads.sort(key=lambda head: (head.changed, head.id), reverse=True)
        return Listing(heads, sorted(line for line in found if isinstance(line, str)))

    def _look(self, path: Path, state: stat_result) -> _Known:
        now = _State(state.st_ino, state.st_mtime_ns, state.st_size)
        known = self._known.get(path.name)
        if known and known.state == now:
            return known
        if not is_identifier(path.stem):
            return _Known(now, f"{path.name}: rename it; letters, digits, - and _ are allowed")
        try:
            return _Known(now, head_of(path, changed=_moment(state.st_mtime)))
        except SessionError as error:
            return _Known(now, str(error).replace(f"{path.parent}/", ""))


def head_of(path: Path, *, changed: str) -> Head:
    """Read the head of a session."""
    with Session.open(path, read_only=True) as session, session.at_one_moment():
        start, marks = session.start, session.marks()
        return Head(
            id=path.stem,
            name=session.name or path.stem,
            created=start.time,
            changed=changed,
            seeds=len(start.seeds),
            expansions=len(session.expansions()),
            relevant=len(marks.relevant),
            irrelevant=len(marks.irrelevant),
            maybe=len(marks.maybe),
        )


def changed_at(path: Path) -> str:
    """Return when something was last added to a session."""
    return _moment(path.stat().st_mtime)


def _states(folder: Path) -> dict[Path, stat_result]:
    found = {}
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            found[path] = path.stat()
        except FileNotFoundError:  # it was deleted a moment ago
            continue
    return found


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
