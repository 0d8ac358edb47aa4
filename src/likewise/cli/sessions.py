"""What the commands on a session share: its library, and how its documents are shown."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from likewise.cli.libraries import opened_library
from likewise.errors import NotALibraryError, SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from likewise.documents import Document
    from likewise.expansion.saved import SavedPlace
    from likewise.expansion.sessions.session import Session
    from likewise.library.protocol import Library

session_argument = click.argument("session", metavar="SESSION")


@contextmanager
def library_of(session: Session, given: str | None) -> Iterator[Library]:
    """Open the library of a session, where it lay or where it is said to lie."""
    with ExitStack() as stack:
        try:
            library = stack.enter_context(opened_library(given or session.library))
        except NotALibraryError as error:
            if given:
                raise
            raise SessionError(
                f"{session.path}: its library is not at {session.library} any more; say where it "
                "is now with --library LIB"
            ) from error
        yield library


def places_shown(
    places: Sequence[SavedPlace], documents: Mapping[str, Document]
) -> list[tuple[object, ...]]:
    """Return rows of rank, probability, id, year and title."""
    rows: list[tuple[object, ...]] = []
    for place in places:
        document = documents.get(place.id)
        probability = "" if place.probability is None else f"{place.probability:.2f}"
        year = document.year or "" if document else ""
        title = document.title or document.abstract if document else "(no longer in the library)"
        rows.append((place.rank, probability, place.id, year, title))
    return rows
