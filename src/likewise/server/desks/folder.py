"""The folder of the sessions: the names of its files, and the list of what it holds."""

from __future__ import annotations

import re
import secrets
import string
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.sessions.agreement import SeenSession
from likewise.expansion.sessions.session import Session
from likewise.server.failures import clean_line

SUFFIX = ".likewise"
IDENTIFIER = r"^[A-Za-z0-9_-]{1,64}$"
LONGEST = 80
"""The most characters in a name that is made from a title."""
NAMELESS = "(no name)"
MOST_VIEWERS = 60
"""For how many reviewers heads are kept."""

_LETTERS = string.ascii_lowercase
_LENGTH = 14


def make_identifier() -> str:
    """Return random letters that nobody can guess and that no other session has."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def is_identifier(text: str) -> bool:
    """Return whether a text can be the id of a session.

    >>> is_identifier("review_1"), is_identifier("../review"), is_identifier("")
    (True, False, False)
    """
    return bool(re.fullmatch(IDENTIFIER.strip("^$"), text))


def locate_session(folder: Path, identifier: str) -> Path:
    """Return the path of a session's file."""
    return folder / f"{identifier}{SUFFIX}"


def clean_name(text: str) -> str:
    r"""Return a name as one line, without characters that control a screen.

    >>> clean_name(" Cats\n and\x1b[1m dogs\u202e ")
    'Cats and[1m dogs'
    """
    printable = (c if c.isprintable() or c.isspace() else "" for c in text)
    return " ".join("".join(printable).split())


def make_name(seeds: Iterable[Document]) -> str:
    """Return a name for a session: the first title among its seeds, cut at a word.

    >>> from likewise.documents import Document
    >>> make_name([Document(id="7"), Document(title="On cats")])
    'On cats'
    """
    titles = (clean_name(seed.title) for seed in seeds)
    title = next(filter(None, titles), NAMELESS)
    if len(title) <= LONGEST:
        return title
    begun, _, _ = title[: LONGEST - 1].rpartition(" ")
    return f"{begun or title[: LONGEST - 2]} …"


@dataclass(frozen=True)
class SessionHead:
    """A session in a list."""

    id: str
    name: str
    library: str
    """Where its library lies."""
    created: str
    changed: str
    seeds: int
    expansions: int
    relevant: int
    irrelevant: int
    maybe: int


class FolderListing(NamedTuple):
    """What a folder holds."""

    heads: list[SessionHead]
    """The session that changed last comes first."""
    unreadable: list[str]
    """A line for each file that is named like a session, but is not one."""


class _KnownHead(NamedTuple):
    stamp: tuple[int, int, int]
    """Numbers that change whenever the file changes."""
    head: SessionHead


class Heads:
    """The heads of a folder's sessions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str | None, dict[str, _KnownHead]] = {}
        """What is known of each file, by viewer, since reviewers see different marks."""

    def list_all(self, viewer: str | None = None) -> FolderListing:
        """Read what is new or changed, and list all sessions as a viewer may see them."""
        known: dict[str, _KnownHead] = {}
        unreadable = []
        with self._lock:
            for path in self._folder.glob(f"*{SUFFIX}"):
                try:
                    known[path.name] = self._look(path, viewer)
                except FileNotFoundError:  # it was deleted a moment ago
                    continue
                except (SessionError, OSError) as error:
                    # Not kept: it may be readable the next time, though nothing was added to it.
                    unreadable.append(_explain_unreadable(path, error))
            self._known.pop(viewer, None)
            self._known[viewer] = known
            while len(self._known) > MOST_VIEWERS:
                self._known.pop(next(iter(self._known)))
        heads = [one.head for one in known.values()]
        heads.sort(key=lambda head: (head.changed, head.id), reverse=True)
        return FolderListing(heads, sorted(unreadable))

    def _look(self, path: Path, viewer: str | None) -> _KnownHead:
        state = path.stat()
        stamp = (state.st_ino, state.st_mtime_ns, state.st_size)
        known = self._known.get(viewer, {}).get(path.name)
        if known and known.stamp == stamp:
            return known
        if not is_identifier(path.stem):
            raise SessionError(f"{path.name}: rename it; letters, digits, - and _ are allowed")
        changed = _format_moment(state.st_mtime)
        return _KnownHead(stamp, read_head(path, changed=changed, viewer=viewer))


def read_head(path: Path, *, changed: str, viewer: str | None = None) -> SessionHead:
    """Read the head of a session, with the marks that a viewer may see."""
    with Session.open(path, read_only=True) as session, session.at_one_moment():
        start = session.start
        marks = (session if viewer is None else SeenSession(session, viewer)).marks()
        return SessionHead(
            id=path.stem,
            name=session.name or path.stem,
            library=session.library,
            created=start.time,
            changed=changed,
            seeds=len(start.seeds),
            expansions=len(session.expansions()),
            relevant=len(marks.relevant),
            irrelevant=len(marks.irrelevant),
            maybe=len(marks.maybe),
        )


def read_change_time(path: Path) -> str:
    """Return when something was last added to a session."""
    return _format_moment(path.stat().st_mtime)


def _explain_unreadable(path: Path, error: SessionError | OSError) -> str:
    """Say in one line why a file is not listed; its name may hold anything."""
    if isinstance(error, OSError):
        return clean_line(f"{path.name}: can't be read: {(error.strerror or str(error)).lower()}")
    return clean_line(str(error).replace(f"{path.parent}/", ""))


def _format_moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
