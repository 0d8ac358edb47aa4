"""A group of commands that loads a command's module only when that command is called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """Its help page comes at once, whatever its commands need."""

    def __init__(
        self, *args: Any, commands_in: str, described: Mapping[str, str], **kwargs: Any
    ) -> None:
        """Offer commands.

        Args:
            args: As click's.
            commands_in: The package with a module of its name for each command.
            described: The commands by name, each with a line that says what it does.
            kwargs: As click's.
        """
        super().__init__(*args, **kwargs)
        self.package = commands_in
        self.described = described

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(self.described)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command by its name."""
        if cmd_name not in self.described:
            return None
        # Names like "import" are no names of modules that can be imported by statement.
        module = importlib.import_module(f"{self.package}.{_module(cmd_name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.described.items()))


def _module(name: str) -> str:
    return f"{name}_" if name == "import" else name
