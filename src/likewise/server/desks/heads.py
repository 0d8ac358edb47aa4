"""The sessions of a folder, as a list tells of them; a file is read again once it has changed."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session
from likewise.server.desks.naming import SUFFIX, is_identifier
from likewise.server.failures import one_line

if TYPE_CHECKING:
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
    head: Head


class Heads:
    """The heads of a folder's sessions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}

    def all(self) -> Listing:
        """Read what is new or changed, and return what there is."""
        known: dict[str, _Known] = {}
        unreadable = []
        with self._lock:
            for path in self._folder.glob(f"*{SUFFIX}"):
                try:
                    known[path.name] = self._look(path)
                except FileNotFoundError:  # it was deleted a moment ago
                    continue
                except (SessionError, OSError) as error:
                    # Not kept: it may be readable the next time, though nothing was added to it.
                    unreadable.append(_told(path, error))
            self._known = known
        heads = [one.head for one in known.values()]
        heads.sort(key=lambda head: (head.changed, head.id), reverse=True)
        return Listing(heads, sorted(unreadable))

    def _look(self, path: Path) -> _Known:
        state = path.stat()
        now = _State(state.st_ino, state.st_mtime_ns, state.st_size)
        known = self._known.get(path.name)
        if known and known.state == now:
            return known
        if not is_identifier(path.stem):
            raise SessionError(f"{path.name}: rename it; letters, digits, - and _ are allowed")
        return _Known(now, head_of(path, changed=_moment(state.st_mtime)))


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


def _told(path: Path, error: SessionError | OSError) -> str:
    """Say in one line why a file is not listed; its name may hold anything."""
    if isinstance(error, OSError):
        return one_line(f"{path.name}: can't be read: {(error.strerror or str(error)).lower()}")
    return one_line(str(error).replace(f"{path.parent}/", ""))


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
