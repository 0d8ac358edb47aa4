"""Desks: open sessions, each with a thread that writes and one that reads."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from stat import S_ISREG

from likewise.errors import SessionError
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.seeds import Seeds
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.library.protocol import Library
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
from likewise.server.desks.libraries import Libraries
from likewise.server.failures import UnknownSession
from likewise.server.upload_worker import blame_content

__all__ = ["Desks"]


MOST_OPEN = 16


class Desks:
    """The desks of a folder; only the event loop's thread uses them."""

    def __init__(self, folder: Path, libraries: Libraries) -> None:
        self._folder = folder
        self._libraries = libraries
        self._heads = Heads(folder)
        self._open: OrderedDict[str, Desk] = OrderedDict()
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

    async def create(
        self, given: GivenPapers, *, name: str, settings: ExpandSettings, library: Library
    ) -> str:
        """Begin a session and return its id; raise SeedsError if its seeds can't be used."""
        identifier = make_identifier()
        path = locate_session(self._folder, identifier)

        def name_by_title(seeds: Seeds) -> str:
            return make_name([*given.seeds, *seeds.matched, *seeds.text_only])

        def begin() -> None:
            named = clean_name(name) or name_by_title
            with blame_content("seeds"):
                Session.create(path, library, given, settings=settings, name=named).close()

        await asyncio.to_thread(begin)
        return identifier

    async def delete(self, identifier: str, *, end: Callable[[str], Awaitable[None]]) -> None:
        """Delete a session for good, once what is being written to it is written.

        Args:
            identifier: The session's id.
            end: Ends other work for the session; called when nobody can ask for more.
        """
        desk = self._get_desk(identifier)
        self._deleting.add(identifier)
        try:
            self._open.pop(identifier).close()
            await asyncio.to_thread(desk.join)
            await end(identifier)
            desk.path.unlink(missing_ok=True)
            desk.path.with_name(f"{desk.path.name}-journal").unlink(missing_ok=True)
        finally:
            self._deleting.discard(identifier)

    async def close(self) -> None:
        """Close all desks, once everything is written."""
        desks = list(self._open.values())
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
        if identifier in self._open and self._open[identifier].file != file:
            self._let_go(identifier)
        if identifier not in self._open:
            self._open[identifier] = Desk(path, file=file, libraries=self._libraries)
        self._open.move_to_end(identifier)
        return self._open[identifier]

    def _let_go(self, identifier: str) -> None:
        """Close the desk of a session, if it is open."""
        if desk := self._open.pop(identifier, None):
            desk.close()

    def _put_away(self) -> None:
        """Close the desks that have been unused for longest, if too many are open."""
        unused = [name for name, desk in self._open.items() if not desk.users]
        for identifier in unused[: max(len(self._open) - MOST_OPEN, 0)]:
            self._let_go(identifier)


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
