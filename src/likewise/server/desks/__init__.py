"""Desks: open sessions, each with a thread that writes and one that reads."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.seeds import Seeds
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.server.desks.desk import Desk
from likewise.server.desks.folder import (
    FolderListing,
    Heads,
    clean_name,
    is_identifier,
    locate_session,
    make_identifier,
    make_name,
)
from likewise.server.desks.libraries import Libraries, OpenLibrary
from likewise.server.failures import UnknownSession
from likewise.server.upload_worker import blame_content

__all__ = ["Desks"]


MOST_OPEN = 16


class NewSession(NamedTuple):
    """A session to begin."""

    name: str
    seeds: Sequence[Document]
    settings: ExpandSettings
    library: OpenLibrary
    irrelevant: Sequence[Document] = ()


class _OpenDesk(NamedTuple):
    desk: Desk
    file: int
    """The system's number of its file; another file of the same name has another number."""


class Desks:
    """The desks of a folder; only the event loop's thread uses them."""

    def __init__(self, folder: Path, libraries: Libraries) -> None:
        self._folder = folder
        self._libraries = libraries
        self._heads = Heads(folder)
        self._open: OrderedDict[str, _OpenDesk] = OrderedDict()
        self._deleting: set[str] = set()

    @asynccontextmanager
    async def at(self, identifier: str) -> AsyncIterator[Desk]:
        """Use the desk of a session, which stays open meanwhile; raise UnknownSession."""
        desk = self._get_desk(identifier)
        desk.users += 1
        try:
            yield desk
        finally:
            desk.users -= 1
            self._put_away()

    async def list_heads(self, viewer: str | None = None) -> FolderListing:
        """Return what a viewer may know of each session, and which files are not sessions."""
        return await asyncio.to_thread(self._heads.list_all, viewer)

    async def create(self, begun: NewSession) -> str:
        """Begin a session and return its id; raise SeedsError if its seeds can't be used."""
        return await asyncio.to_thread(self._create, begun)

    async def delete(self, identifier: str, *, end: Callable[[str], Awaitable[None]]) -> None:
        """Delete a session for good, once what is being written to it is written.

        Args:
            identifier: The session's id.
            end: Ends other work for the session; called when nobody can ask for more.
        """
        desk = self._get_desk(identifier)
        self._deleting.add(identifier)
        try:
            self._open.pop(identifier).desk.close()
            await asyncio.to_thread(desk.join)
            await end(identifier)
            desk.path.unlink(missing_ok=True)
            desk.path.with_name(f"{desk.path.name}-journal").unlink(missing_ok=True)
        finally:
            self._deleting.discard(identifier)

    async def close(self) -> None:
        """Close all desks, once everything is written."""
        desks = [opened.desk for opened in self._open.values()]
        self._open.clear()
        for desk in desks:
            desk.close()
        for desk in desks:
            await asyncio.to_thread(desk.join)

    def _get_desk(self, identifier: str) -> Desk:
        path = locate_session(self._folder, identifier)
        if not is_identifier(identifier) or identifier in self._deleting:
            raise UnknownSession(identifier)
        try:
            file = _read_file_number(path)
        except UnknownSession:
            self._let_go(identifier)
            raise
        opened = self._open.get(identifier)
        if opened is None or opened.file != file:
            if opened is not None:
                opened.desk.close()
            opened = _OpenDesk(Desk(path, libraries=self._libraries), file)
            self._open[identifier] = opened
        self._open.move_to_end(identifier)
        return opened.desk

    def _let_go(self, identifier: str) -> None:
        """Close the desk of a file that somebody else deleted, to make room."""
        if opened := self._open.pop(identifier, None):
            opened.desk.close()

    def _put_away(self) -> None:
        """Close the desks that have been unused for longest, if too many are open."""
        unused = [name for name, opened in self._open.items() if not opened.desk.users]
        for identifier in unused[: max(len(self._open) - MOST_OPEN, 0)]:
            self._open.pop(identifier).desk.close()

    def _create(self, begun: NewSession) -> str:
        identifier = make_identifier()

        def name_by_title(seeds: Seeds) -> str:
            return make_name([*begun.seeds, *seeds.matched, *seeds.text_only])

        with blame_content("seeds"):
            Session.create(
                locate_session(self._folder, identifier),
                begun.library.library,
                GivenPapers(list(begun.seeds), list(begun.irrelevant), []),
                settings=begun.settings,
                name=clean_name(begun.name) or name_by_title,
            ).close()
        return identifier


def _read_file_number(path: Path) -> int:
    """Return the number of a session's file; raise UnknownSession or SessionError."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise UnknownSession(path.stem) from error
    except OSError as error:
        raise SessionError(f"{path}: can't be read: {(error.strerror or '').lower()}") from error
    if not S_ISREG(found.st_mode):
        raise SessionError(f"{path}: not a file, so not a session")
    return found.st_ino
