"""The parameters of methods: which values each takes, and how they are spelled."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from likewise.extras import LOSS_GROUP, PRIOR_GROUP, RISK_GROUP, plug_ins
from likewise.learn.priors import PRIORS

Value = int | float | str

_MOST = sys.float_info.max


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: a number that passes a test, one of some words, or either."""

    description: str
    """As a sentence about the parameter ends: "a number greater than 0"."""
    allows: Callable[[float], bool]
    words: tuple[str, ...] = ()
    group: str = ""
    """Entry points whose names it takes as well; what they stand for is loaded when it is used."""

    @property
    def offered(self) -> str:
        """Return the description with what plug-ins add."""
        added = ", ".join(name for name in self._list_plug_ins() if name not in self.words)
        return f"{self.description}; of plug-ins: {added}" if added else self.description

    def parse(self, text: str) -> Value | None:
        """Return the value that a text spells, or None if it spells none of this kind.

        >>> SHARE.parse("0.5"), SHARE.parse("1.5"), SHARE.parse("half")
        (0.5, None, None)
        >>> POSITIVE.parse("2"), COUNT.parse("2")
        (2.0, 2)
        """
        if text in self.words or text in self._list_plug_ins():
            return text
        number = _parse_number(text)
        if number is None or not self.allows(number):
            return None
        # Where 2.0 may be written, 2 is the same.
        return float(number) if self.allows(float(number)) else number

    def _list_plug_ins(self) -> list[str]:
        return list(plug_ins(self.group)) if self.group else []


class Parameter(NamedTuple):
    """A parameter of a method."""

    name: str
    default: Value
    kind: Kind
    description: str


def one_of(*words: str, group: str = "") -> Kind:
    """Return the kind of a parameter that is one of some words, or the name of a plug-in."""
    return Kind(f"one of: {', '.join(words)}", lambda _: False, words, group)


def or_one_of(kind: Kind, *words: str, group: str = "") -> Kind:
    """Return the kind of a parameter that is a number of some kind or one of some words."""
    return Kind(f"{kind.description}, or one of: {', '.join(words)}", kind.allows, words, group)


POSITIVE = Kind("a number greater than 0", lambda number: number > 0)
NOT_NEGATIVE = Kind("a number, at least 0", lambda number: number >= 0)
AT_LEAST_1 = Kind("a number, at least 1", lambda number: number >= 1)
FROM_0_TO_1 = Kind("a number from 0 to 1", lambda number: 0 <= number <= 1)
BELOW_1 = Kind("a number from 0 to less than 1", lambda number: 0 <= number < 1)
SHARE = Kind("a number between 0 and 1", lambda number: 0 < number < 1)
COUNT = Kind("a whole number, at least 1", lambda number: isinstance(number, int) and number >= 1)
SEVERAL = Kind("a whole number, at least 2", lambda number: COUNT.allows(number) and number >= 2)
PRIOR = or_one_of(SHARE, "estimate", *PRIORS, group=PRIOR_GROUP)
"""A prior, or how it is to be estimated; `estimate` is by the first estimator."""

RISK_NAMES = ("nnpu", "upu", "pn", "pnu", "vpu", "dist-pu", "cvir", "tedn", "pu-auc", "pubn")
"""The risks that a network is trained with, here so that spelling one does not load torch."""
RISK = one_of(*RISK_NAMES, "naive", group=RISK_GROUP)
"""A risk by its name; `naive` is pn with the pool for off topic."""
LOSS = one_of("sigmoid", "logistic", "squared", "double-hinge", "ramp", group=LOSS_GROUP)
"""A surrogate loss by its name."""


def _parse_number(text: str) -> float | None:
    """Return the finite number that a text spells, if it does."""
    try:
        number = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number if -_MOST <= number <= _MOST else None
