"""The libraries that are served: the one that was given, and those of a collection, kept open."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from likewise.errors import NotALibraryError, UnknownLibraryError
from likewise.library import open_library
from likewise.library.collection import CollectedLibrary, Collection
from likewise.library.folder import INDEX
from likewise.library.protocol import Library
from likewise.server import ServerSettings
from likewise.server.desks.reading import Texts
from likewise.server.failures import ServerError

GIVEN = ""
"""The id of the library that the server was started with."""


RECEIVED_AT_ONCE = 2
"""How many files for libraries are received at once."""


class NoLibrary(ServerError, status=409, kind="no-library"):
    """A server that has no library yet, or a request that names none of several."""


class LibraryInUse(ServerError, status=409, kind="library-in-use"):
    """A library that a job or a session needs."""


@dataclass(frozen=True)
class OpenLibrary:
    """A library that is open for reading."""

    id: str
    name: str
    """Its name for people."""
    address: str
    library: Library
    texts: Texts


class Libraries:
    """The libraries of a server; any thread may ask for them."""

    def __init__(
        self, given: OpenLibrary | None = None, *, collection: Collection | None = None
    ) -> None:
        self.given = given
        self._collection = collection
        self._lock = threading.Lock()
        self._open: dict[str, OpenLibrary] = {}
        self._deleting: set[str] = set()
        self.receiving = asyncio.Semaphore(RECEIVED_AT_ONCE)
        """A request that sends a file waits here for its turn."""

    @classmethod
    def open(cls, settings: ServerSettings) -> Self:
        """Open what a server is to serve; a collection's libraries are opened when asked for."""
        given = None
        if settings.library:
            library = open_library(settings.library)
            name = settings.library_name
            given = OpenLibrary(GIVEN, name, settings.library, library, Texts(library))
        collection = Collection(settings.libraries) if settings.libraries else None
        if collection:
            collection.sweep()
        return cls(given, collection=collection)

    @property
    def collection(self) -> Collection:
        """The collection; raise NoLibrary if the server has none."""
        if self._collection is None:
            raise NoLibrary(
                "this server serves only the library that it was given; to make libraries here, "
                "start it with --libraries FOLDER"
            )
        return self._collection

    @property
    def has_collection(self) -> bool:
        """Whether libraries can be made here."""
        return self._collection is not None

    def list_collected(self) -> list[CollectedLibrary]:
        """Return the libraries of the collection."""
        return self._collection.list_libraries() if self._collection else []

    def get_collected(self, identifier: str) -> CollectedLibrary:
        """Return a library of the collection; raise UnknownLibraryError if there is none."""
        if identifier in self._deleting:
            raise UnknownLibraryError(f"the library {identifier!r} is being deleted")
        return self.collection.get(identifier)

    def get(self, identifier: str = GIVEN) -> OpenLibrary:
        """Return a library; without an id the one that was given, or the only one.

        Raises UnknownLibraryError if there is none with this id, NoLibrary if an id is needed.
        """
        if identifier == GIVEN and self.given:
            self.given.library.refresh()
            return self.given
        collected = self.get_collected(identifier) if identifier else self._get_only()
        with self._lock:
            opened = self._open.get(collected.id)
            if opened is None:
                library = open_library(collected.path)
                texts = Texts(library)
                opened = OpenLibrary(collected.id, "", str(collected.path), library, texts)
                self._open[collected.id] = opened
            opened.library.refresh()
        return replace(opened, name=collected.name)

    def find(self, address: str) -> OpenLibrary:
        """Return the library that a session names, wherever that lies now.

        A session's file may come from anywhere, so nothing is opened except what is served.
        """
        try:
            return self.get(self.find_identifier(address))
        except UnknownLibraryError as error:
            reason = f"the library of this session, {Path(address).name}, is no longer here"
            raise NotALibraryError(f"{reason}; put it back into the folder of libraries") from error

    def find_identifier(self, address: str) -> str:
        """Return the id of the library that a session names, even if that is gone."""
        name = Path(address).name
        if not self.given:
            return name
        is_collected = self._collection and Path(address) == self._collection.folder / name
        return name if is_collected else GIVEN

    @contextmanager
    def delete(self, identifier: str) -> Iterator[Callable[[], None]]:
        """Yield a function that deletes a library; meanwhile nobody can begin to use it."""
        self.get_collected(identifier)
        self._deleting.add(identifier)

        def delete() -> None:
            with self._lock:
                opened = self._open.pop(identifier, None)
            if opened:
                opened.library.close()
            self.collection.delete(identifier)

        try:
            yield delete
        finally:
            self._deleting.discard(identifier)

    def close(self) -> None:
        """Close all open libraries."""
        for opened in (*self._open.values(), *([self.given] if self.given else [])):
            opened.library.close()
        self._open.clear()

    def find_latest(self) -> str:
        """Return the id of the library that was given, or of the one changed last, or ""."""
        known = [] if self.given else self.list_collected()
        changed = {one.id: (one.path / INDEX / "meta.json").stat().st_mtime_ns for one in known}
        return max(changed, key=changed.__getitem__, default=GIVEN)

    def _get_only(self) -> CollectedLibrary:
        known = self.list_collected()
        if not known:
            raise NoLibrary("there is no library yet; POST /api/libraries makes one")
        if len(known) > 1:
            raise NoLibrary(
                f"there are {len(known)} libraries; say which, such as ?library={known[0].id}"
            )
        return known[0]
