"""Arguments and options that several commands share, and what is opened for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import click

from likewise.cli.commands import Several
from likewise.cli.output import make_waiting_bar
from likewise.documents import Document
from likewise.errors import NotALibraryError, SessionError
from likewise.expansion.records import Place
from likewise.expansion.sessions.session import Session
from likewise.library.protocol import Library

_FIELDS = f"{__name__}.fields"


session_argument = click.argument("session", metavar="SESSION")
seeds_option = click.option(
    "--seeds", cls=Several, default=(20, 50), show_default="20 50", type=click.IntRange(min=3),
    metavar="N...", help="How many seeds for training, a task for each.",
)  # fmt: skip
pool_option = click.option(
    "--pool", default=20_000, show_default=True, type=click.IntRange(min=1),
    help="|U|: how many documents without a label for training; twice as many are retrieved, of "
    "which a quarter each is for validation and for testing.",
)  # fmt: skip
draws_option = click.option(
    "--draws", default=5, show_default=True, type=click.IntRange(min=1),
    help="How often to draw seeds, a task for each.",
)  # fmt: skip


def _keep_fields(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Keep the fields where the library, which is parsed after them, finds them."""
    context.meta[_FIELDS] = value


def _add_fields(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return the library's address with the fields that were given for it."""
    fields = context.meta.get(_FIELDS)
    if fields is None:
        return value
    if value is None:
        name = "LIB" if isinstance(parameter, click.Argument) else "--library LIB"
        raise click.UsageError(f"--fields says what the fields of a library are: give {name} too")
    from likewise.library.engines import add_fields

    return add_fields(value, fields)


library_argument = click.argument("library", metavar="LIB", callback=_add_fields)
optional_library_argument = click.argument(
    "library", required=False, metavar="LIB", callback=_add_fields
)
fields_option = click.option(
    "--fields",
    metavar="NAMES",
    expose_value=False,
    is_eager=True,
    callback=_keep_fields,
    help="Of an index that likewise did not make: what its fields are called, as "
    "title=ti,abstract=ab,id=pmid.",
)


def library_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command on a session take another library than the session's."""
    option = click.option(
        "--library",
        metavar="LIB",
        callback=_add_fields,
        help="The session's library, if it lies elsewhere by now.",
    )
    return option(fields_option(function))


@contextmanager
def open_with_bar(library: str) -> Iterator[Library]:
    """Open a library to ask it something; on a terminal, a cluster is seen to be waited for."""
    from likewise.library import open_library
    from likewise.library.engines import find_engine

    waiting = make_waiting_bar(library) if find_engine(library) else nullcontext()
    with waiting, open_library(library) as opened:
        yield opened


@contextmanager
def open_session_library(session: Session, given: str | None) -> Iterator[Library]:
    """Open the library of a session, where it lay or where it is said to lie."""
    with ExitStack() as stack:
        try:
            library = stack.enter_context(open_with_bar(given or session.library))
        except NotALibraryError as error:
            if given:
                raise
            raise SessionError(
                f"{session.path}: its library is not at {session.library} any more; say where it "
                "is now with --library LIB"
            ) from error
        yield library


def list_places(
    places: Sequence[Place], documents: Mapping[str, Document]
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
