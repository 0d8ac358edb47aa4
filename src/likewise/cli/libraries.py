"""Which library a command is for: a folder, or the address of an index on a cluster."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.output import waiting_bar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.library.protocol import Library

_FIELDS = f"{__name__}.fields"


def _kept(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Keep the fields where the library, which is parsed after them, finds them."""
    context.meta[_FIELDS] = value


def _with_fields(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return the library's address with the fields that were given for it."""
    fields = context.meta.get(_FIELDS)
    if fields is None:
        return value
    if value is None:
        name = "LIB" if isinstance(parameter, click.Argument) else "--library LIB"
        raise click.UsageError(f"--fields says what the fields of a library are: give {name} too")
    from likewise.library.opensearch.address import with_fields

    return with_fields(value, fields)


library_argument = click.argument("library", metavar="LIB", callback=_with_fields)
optional_library_argument = click.argument(
    "library", required=False, metavar="LIB", callback=_with_fields
)
fields_option = click.option(
    "--fields",
    metavar="NAMES",
    expose_value=False,
    is_eager=True,
    callback=_kept,
    help="Of an index that likewise did not make: what its fields are called, as "
    "title=ti,abstract=ab,id=pmid.",
)


def library_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command on a session take another library than the session's."""
    option = click.option(
        "--library",
        metavar="LIB",
        callback=_with_fields,
        help="The session's library, if it lies elsewhere by now.",
    )
    return option(fields_option(function))


@contextmanager
def opened_library(library: str) -> Iterator[Library]:
    """Open a library to ask it something; on a terminal, a cluster is seen to be waited for."""
    from likewise.library import open_library
    from likewise.library.opensearch.address import is_address

    waiting = waiting_bar(library) if is_address(library) else nullcontext()
    with waiting, open_library(library) as opened:
        yield opened
