"""Kinds of commands and options that click lacks.

There are commands that load late, commands that list formats, and options of several values.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that loads a command's module only when that command is called."""

    def __init__(
        self,
        *args: Any,
        commands_in: str,
        described: Mapping[str, str],
        together: Mapping[str, Sequence[str]],
        **kwargs: Any,
    ) -> None:
        """Offer commands.

        Args:
            args: As click's.
            commands_in: The package of the commands. The command `mark` is `command` in its module
                `mark`, unless it is in a module together with others.
            described: The commands by name, each with a line that says what it does.
            together: Modules that hold several commands, each with their names: the command `show`
                is `show_command` there.
            kwargs: As click's.
        """
        super().__init__(*args, **kwargs)
        self.package = commands_in
        self.described = described
        self._modules = {name: module for module, names in together.items() for name in names}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(self.described)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command by its name."""
        if cmd_name not in self.described:
            return None
        shared = self._modules.get(cmd_name)
        module = importlib.import_module(f"{self.package}.{shared or cmd_name}")
        command: click.Command = getattr(module, f"{cmd_name}_command" if shared else "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.described.items()))


class FormatsCommand(click.Command):
    """A command whose help lists the formats of files.

    It may hold {formats}, their names; {suffixes}, those of files that are written; and
    {noted_suffixes}, those of files that are written with notes, such as marks.
    """

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, with the formats that are registered now."""
        from likewise.documents.formats import list_names, list_usual_suffixes

        template = self.help or ""
        self.help = template.format(
            formats=list_names(),
            suffixes=list_usual_suffixes(),
            noted_suffixes=list_usual_suffixes(with_notes=True),
        )
        super().format_help_text(ctx, formatter)
        self.help = template


class Several(click.Option):
    """An option that takes all values up to the next option; it may be given several times too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})

    def takes(self, value: str) -> bool:
        """Tell whether this option may take a value."""
        if value.startswith("-"):
            return False
        try:
            self.type.convert(value, self, None)
        except click.UsageError:
            return False
        return True


class SeveralCommand(click.Command):
    """A command with options that take several values.

    Such an option takes everything after it that it can; arguments have to come before it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is how click expects it."""
        several = {
            name: option
            for option in self.get_params(ctx)
            if isinstance(option, Several)
            for name in option.opts
        }
        return super().parse_args(ctx, _spread_values(args, several))


def _spread_values(args: list[str], several: dict[str, Several]) -> list[str]:
    spread: list[str] = []
    option: Several | None = None
    is_first = False
    for place, value in enumerate(args):
        if value == "--":
            return spread + args[place:]
        if is_first:
            # The option's whatever it is, so that click can say what is wrong with it.
            is_first = False
        elif (name := value.partition("=")[0]) in several:
            option, is_first = several[name], name == value
        elif option and option.takes(value):
            spread.append(option.opts[0])
        else:
            option = None
        spread.append(value)
    return spread
