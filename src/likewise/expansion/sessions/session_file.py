"""The session's file, open: what it began with, and what it is called."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from likewise.documents import Document
from likewise.expansion.sessions import tables
from likewise.expansion.sessions.records import SessionName, SessionStart, read_clock
from likewise.expansion.sessions.store import Store, create_store, open_store
from likewise.expansion.settings import ExpandSettings
from likewise.version import __version__


class SessionFile:
    """A session's file, open; to be used in a `with` statement, by one thread."""

    def __init__(self, store: Store) -> None:
        self.path = store.path
        self._store = store

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        library: str,
        fingerprint: str,
        seeds: Sequence[Document],
        settings: ExpandSettings | None = None,
        name: str = "",
    ) -> Self:
        """Make a session; a file that is there is never written over.

        Args:
            path: The file.
            library: Where the library lies; a folder is kept with its whole path.
            fingerprint: What `library_fingerprint` says of the library.
            seeds: The seeds as they were given.
            settings: How to expand, if nothing else is said.
            name: What people call it.
        """
        start = SessionStart(
            likewise=__version__,
            time=read_clock(),
            library=make_absolute(library),
            fingerprint=fingerprint,
            settings=settings or ExpandSettings(),
            seeds=tuple(seeds),
        )

        def begin(connection: sqlite3.Connection) -> None:
            tables.add_start(connection, start)
            tables.add_name(connection, name, time=start.time)

        return cls(create_store(Path(path), begin=begin))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Self:
        """Open a session; raise SessionError if the file is none, or is damaged or too new."""
        return cls(open_store(Path(path), read_only=read_only))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def at_one_moment(self) -> AbstractContextManager[sqlite3.Connection]:
        """Let all that is read inside be of the same moment, whatever others write meanwhile."""
        return self._store.reading()

    @cached_property
    def start(self) -> SessionStart:
        """What the session began with."""
        with self._store.reading() as connection:
            return tables.read_start(connection, path=self.path)

    @property
    def name(self) -> str:
        """What people call it; "" if nothing was said."""
        with self._store.reading() as connection:
            return tables.find_name(connection)

    def names(self) -> list[SessionName]:
        """Return what it was ever called, the first name first."""
        with self._store.reading() as connection:
            return tables.read_names(connection)

    def rename(self, name: str) -> None:
        """Call it something else."""
        with self._store.writing() as connection:
            tables.add_name(connection, name, time=read_clock())


def make_absolute(library: str) -> str:
    """Return where a library lies so that it is found from other folders too."""
    return library if not library or "://" in library else str(Path(library).absolute())
