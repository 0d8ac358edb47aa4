"""The parameters of methods: which values each takes, and how they are spelled."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from likewise.learn.priors import PRIORS

if TYPE_CHECKING:
    from collections.abc import Callable

    Value = int | float | str

_MOST = sys.float_info.max


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: a number that passes a test, one of some words, or either."""

    description: str
    """As a sentence about the parameter ends: "a number greater than 0"."""
    allows: Callable[[float], bool]
    words: tuple[str, ...] = ()

    def parse(self, text: str) -> Value | None:
        """Return the value that a text spells, or None if it spells none of this kind.

        >>> SHARE.parse("0.5"), SHARE.parse("1.5"), SHARE.parse("half")
        (0.5, None, None)
        """
        if text in self.words:
            return text
        number = _number(text)
        return number if number is not None and self.allows(number) else None


class Parameter(NamedTuple):
    """A parameter of a method."""

    name: str
    default: Value
    kind: Kind
    description: str


def one_of(*words: str) -> Kind:
    """Return the kind of a parameter that is one of some words."""
    return Kind(f"one of: {', '.join(words)}", lambda _: False, words)


def or_one_of(kind: Kind, *words: str) -> Kind:
    """Return the kind of a parameter that is a number of some kind or one of some words."""
    return Kind(f"{kind.description}, or one of: {', '.join(words)}", kind.allows, words)


POSITIVE = Kind("a number greater than 0", lambda number: number > 0)
NOT_NEGATIVE = Kind("a number, at least 0", lambda number: number >= 0)
FROM_0_TO_1 = Kind("a number from 0 to 1", lambda number: 0 <= number <= 1)
BELOW_1 = Kind("a number from 0 to less than 1", lambda number: 0 <= number < 1)
SHARE = Kind("a number between 0 and 1", lambda number: 0 < number < 1)
COUNT = Kind("a whole number, at least 1", lambda number: isinstance(number, int) and number >= 1)
SEVERAL = Kind("a whole number, at least 2", lambda number: COUNT.allows(number) and number >= 2)
PRIOR = or_one_of(SHARE, "estimate", *PRIORS)
"""A prior, or how it is to be estimated; `estimate` is by the first estimator."""


def _number(text: str) -> float | None:
    """Return the finite number that a text spells, if it does."""
    try:
        number = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number if -_MOST <= number <= _MOST else None
