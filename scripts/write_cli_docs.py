"""Write docs/reference/cli.md from the help pages of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from likewise.cli import COMMANDS, likewise

INTRODUCTION = """\
This page is made of the commands' own help by `make docs`.
Exit codes: 0 done, 1 something failed (a message says what), 2 wrong usage."""
TARGET = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"


def main() -> None:
    """Write the page."""
    TARGET.write_text(make_cli_docs(), encoding="utf-8")


def make_cli_docs() -> str:
    """Return the page: the help of every command."""
    parts = ["# The commands", INTRODUCTION, _make_page("likewise", likewise)]
    group = click.Context(likewise, info_name="likewise")
    for name in COMMANDS:
        command = likewise.get_command(group, name)
        if command is None:
            raise LookupError(name)
        parts += _list_pages(f"likewise {name}", command)
    return "\n\n".join(parts) + "\n"


def _list_pages(name: str, command: click.Command) -> Iterator[str]:
    """Yield the help of a command, and of its own commands if it has some."""
    yield f"## {name}"
    yield _make_page(name, command)
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is None:
                raise LookupError(inner)
            yield from _list_pages(f"{name} {inner}", found)


def _make_page(name: str, command: click.Command) -> str:
    context = click.Context(
        command, info_name=name, terminal_width=90, help_option_names=["-h", "--help"]
    )
    return f"```\n{command.get_help(context)}\n```"


if __name__ == "__main__":
    main()
