"""Arguments and options that several commands share, and what is opened for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import click

from likewise.cli.output import make_waiting_bar, name_library
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import SETTINGS, list_defaults
from likewise.library.protocol import Library

_FIELDS = f"{__name__}.fields"
_Function = TypeVar("_Function", bound=Callable[..., Any])


class SettingOption(click.Option):
    """An option that takes its default from a setting, each time that click asks for it."""

    def __init__(self, *args: Any, setting: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._setting = setting

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:  # noqa: ARG002, FBT001, FBT002  # as click's
        """Return the default of the setting."""
        return list_defaults()[self._setting]


def setting_option(name: str, called: str = "") -> Callable[[_Function], _Function]:
    """Return the option for a setting of expansions, with its help, bounds and default.

    Args:
        name: The setting's name, which is the option's too.
        called: The name of the command's parameter, if that is different.
    """
    setting, default = SETTINGS[name], list_defaults()[name]
    return click.option(
        f"--{name}",
        called or name,
        cls=SettingOption,
        setting=name,
        type=click.IntRange(min=setting.least) if isinstance(default, int) else str,
        metavar=setting.metavar or None,
        show_default=default != "",
        help=setting.help,
    )


def settings_options(*first: str) -> Callable[[_Function], _Function]:
    """Return a decorator that adds an option for every setting, the named ones first."""
    names = [*first, *(name for name in SETTINGS if name not in first)]

    def add(function: _Function) -> _Function:
        for name in reversed(names):
            function = setting_option(name)(function)
        return function

    return add


def _keep_fields(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Keep the fields for the library, which is parsed after them."""
    context.meta[_FIELDS] = value


def _add_fields(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return the library's address with the fields that were given for it."""
    fields = context.meta.get(_FIELDS)
    if value is not None:
        name_library(value)
    if fields is None:
        return value
    if value is None:
        name = "LIB" if isinstance(parameter, click.Argument) else "--library LIB"
        raise click.UsageError(f"--fields says what the fields of a library are: give {name} too")
    from likewise.library import add_fields

    return add_fields(value, fields)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
seed_option = setting_option("seed", "number")
reviewer_option = click.option(
    "--reviewer",
    default="",
    metavar="NAME",
    help="Who you are, if several people mark; case and spaces do not matter.",
)
session_argument = click.argument("session", metavar="SESSION")
library_argument = click.argument("library", metavar="LIB", callback=_add_fields)
optional_library_argument = click.argument(
    "library", required=False, metavar="LIB", callback=_add_fields
)
served_library_argument = click.argument(
    "library", required=False, metavar="[LIB]", callback=_add_fields
)
fields_option = click.option(
    "--fields", metavar="NAMES", expose_value=False, is_eager=True, callback=_keep_fields,
    help="For an index that likewise did not make: what its fields are called, such as "
    "title=ti,abstract=ab,id=pmid.",
)  # fmt: skip


def library_option(function: _Function) -> _Function:
    """Add the option of session commands that says where the library has moved to."""
    option = click.option(
        "--library", metavar="LIB", callback=_add_fields,
        help="The session's library, if it has moved, or to trust its address.",
    )  # fmt: skip
    return option(fields_option(function))


@contextmanager
def open_with_bar(library: str) -> Iterator[Library]:
    """Open a library, with a progress bar while a cluster keeps us waiting."""
    from likewise.library import find_engine, open_library

    waiting = make_waiting_bar(library) if find_engine(library) else nullcontext()
    with waiting, open_library(library) as opened:
        yield opened


@contextmanager
def open_session_library(session: Session, given: str | None) -> Iterator[Library]:
    """Open the library of a session, at the given place or where it was.

    Raises SessionError if the session names an address that nobody gave for it.
    """
    from likewise.expansion.sessions.marking import open_own_library

    def opening(address: str) -> AbstractContextManager[Library]:
        name_library(address)
        return open_with_bar(address)

    advice = " with --library LIB"
    with open_own_library(session, given, opening=opening, advice=advice) as (library, _):
        yield library
