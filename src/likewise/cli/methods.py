"""likewise methods: list the ways to score a pool."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from likewise.cli.options import json_option
from likewise.cli.output import make_console, print_json, say
from likewise.errors import PlugInError
from likewise.learn.methods import MethodInfo, method_named, method_names

WIDEST = 100


@click.command("methods")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def command(*, names: tuple[str, ...], as_json: bool) -> None:
    """List the methods that score a pool: what each is, its reference, what it needs.

    Parameters are shown with their defaults, such as --method "linear(strength=0.1)"; with NAME,
    each is explained. A plus fuses methods: --method "linear + naive".
    """
    methods = [method_named(name) for name in names] or list(_find_usable(method_names()))
    if as_json:
        print_json([list_values(method) for method in methods])
        return
    screen = make_console()
    width = min(screen.width, WIDEST)
    for place, method in enumerate(methods):
        if place:
            screen.print()
        screen.print(method.name, style="bold", markup=False)
        for line in _format_method(method, width=width, with_all=bool(names)):
            screen.print(line, markup=False)
    if not names:
        say("\nSee what the parameters of a method mean with: likewise methods NAME")


def _find_usable(names: list[str]) -> Iterator[MethodInfo]:
    """Yield the methods with these names, and say which plug-ins can't be used."""
    for name in names:
        try:
            yield method_named(name)
        except PlugInError as error:
            say(f"likewise: {error}")


def list_values(method: MethodInfo) -> dict[str, Any]:
    """Return what the JSON output says about a method."""
    return {
        "name": method.name,
        "description": method.description,
        "short_for": method.short_for,
        "reference": method.reference,
        "extra": method.extra,
        "installed": method.is_installed,
        "needs_transformer": method.needs_transformer,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "values": parameter.kind.offered,
                "description": parameter.description,
            }
            for parameter in method.parameters
        ],
    }


def _list_facts(method: MethodInfo, *, with_all: bool) -> Iterator[tuple[str, str]]:
    if method.short_for:
        yield "short for", method.short_for
    given = {f"{known.name}={known.default}": known for known in method.parameters}
    if with_all:
        for spelled, known in given.items():
            yield spelled, f"{known.description} ({known.kind.offered})"
    elif given:
        yield "takes", ", ".join(given)
    if method.needs_transformer:
        yield "needs", "an encoder from Hugging Face, named with --encoder"
    if method.extra:
        is_there = "installed here" if method.is_installed else "not installed here"
        yield "needs", f"pip install 'likewise[{method.extra}]' ({is_there})"
    if method.reference:
        yield "reference", method.reference


def _format_method(method: MethodInfo, *, width: int, with_all: bool) -> Iterator[str]:
    yield _indent(f"{method.description}.", width=width, first="  ", rest="  ")
    facts = list(_list_facts(method, with_all=with_all))
    column = max((len(label) for label, _ in facts), default=0) + 4
    for label, text in facts:
        first = f"  {label}".ljust(column)
        yield _indent(text, width=width, first=first, rest=" " * column)


def _indent(text: str, *, width: int, first: str, rest: str) -> str:
    """Return a text wrapped into lines, with one indent for the first and another for the rest.

    >>> _indent("a title of many words", width=20, first="title  ", rest=7 * " ").splitlines()
    ['title  a title of', '       many words']
    """
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
