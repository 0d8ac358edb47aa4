"""Options that take several values one after the other, as in --seeds 20 50."""

from __future__ import annotations

from typing import Any

import click


class Several(click.Option):
    """An option that takes all values up to the next option; it may be given several times too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "multiple": True})

    def takes(self, value: str) -> bool:
        """Tell whether a value may be one of its own."""
        if value.startswith("-"):
            return False
        try:
            self.type.convert(value, self, None)
        except click.UsageError:
            return False
        return True


class SeveralCommand(click.Command):
    """A command some of whose options take several values.

    What follows such an option is the option's, so long as it could be; arguments come before it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each value an option of its own, as click knows it."""
        several = {
            name: option
            for option in self.get_params(ctx)
            if isinstance(option, Several)
            for name in option.opts
        }
        return super().parse_args(ctx, _spread(args, several))


def _spread(args: list[str], several: dict[str, Several]) -> list[str]:
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
