"""Names with parameters, such as `name(a=1, b=2)`: methods, stopping rules, encoders.

The command line, Python and saved files share this spelling. The modules that offer methods, rules
or encoders define their names and parameters.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from likewise.errors import SettingsError
from likewise.extras import plug_ins

Value = int | float | str

_MOST = sys.float_info.max
_EXACT = 2**53
"""Up to this number, floating-point numbers hold all whole numbers exactly."""
_SPELLING = re.compile(r"(.+?)\s*(?:\(([^()]*)\))?", re.DOTALL)
_PARAMETER = re.compile(r"\s*([a-z_]+)\s*=\s*([^,()]+?)\s*(?:,|\Z)")


class Spelling(NamedTuple):
    """A name, and the text in brackets after it."""

    name: str
    inside: str = ""

    @classmethod
    def of(cls, text: str) -> Spelling:
        """Split a text into the name and what is in brackets.

        >>> Spelling.of(" linear( strength=0.3 ) ")
        Spelling(name='linear', inside=' strength=0.3 ')
        """
        found = _SPELLING.fullmatch(text.strip())
        return cls(found[1], found[2] or "") if found else cls("")

    def parameters(self) -> dict[str, str]:
        """Return the texts of the parameters by name; raise unless each is written as name=value.

        >>> Spelling("linear", "strength=0.3, library = auto").parameters()
        {'strength': '0.3', 'library': 'auto'}
        """
        found = _PARAMETER.findall(self.inside)
        if _PARAMETER.sub("", self.inside).strip() or len(dict(found)) < len(found):
            raise SettingsError(
                f"'{self.name}({self.inside})': write parameters such as "
                f"{self.name}(name=1.0, other=2)"
            )
        return dict(found)

    def values(
        self, known: Sequence[Parameter], *, of: str, otherwise: str = ""
    ) -> dict[str, Value]:
        """Return the values of the parameters; raise if one is unknown or not of its kind.

        Args:
            known: The parameters that exist.
            of: What has them, such as "the method 'linear'".
            otherwise: What to say about an unknown parameter, instead of listing those known.
        """
        kinds, values = {parameter.name: parameter.kind for parameter in known}, {}
        for name, text in self.parameters().items():
            if name not in kinds:
                names = (
                    f"its parameters are: {', '.join(kinds)}" if kinds else "it has no parameters"
                )
                raise SettingsError(f"{of} has no parameter {name!r}; {otherwise or names}")
            value = kinds[name].parse(text)
            if value is None:
                found = " ".join(text.split())
                raise SettingsError(f"{self.name}({name}={found}): {name} is {kinds[name].offered}")
            values[name] = value
        return values


def spell(name: str, parameters: Iterable[tuple[str, Value]]) -> str:
    """Return how a name with parameters is written; `Spelling.of` is the inverse.

    >>> spell("linear", [("strength", 0.3), ("library", 2.0)]), spell("naive", [])
    ('linear(strength=0.3, library=2)', 'naive')
    """
    given = ", ".join(f"{name}={_spell_value(value)}" for name, value in parameters)
    return f"{name}({given})" if given else name


def _spell_value(value: Value) -> str:
    """Return a value as text, with one spelling for equal numbers.

    >>> _spell_value(2.0), _spell_value(0.5), _spell_value("auto")
    ('2', '0.5', 'auto')
    """
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return str(int(value) if is_whole else value)


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: a number that passes a test, one of some words, or either."""

    description: str
    """The end of a sentence about the parameter: "a number greater than 0"."""
    allows: Callable[[float], bool]
    words: tuple[str, ...] = ()
    group: str = ""
    """A group of entry points whose names are allowed too; each is loaded when it is used."""

    @property
    def offered(self) -> str:
        """Return the description, with the names that plug-ins add."""
        added = ", ".join(name for name in self._list_plug_ins() if name not in self.words)
        return f"{self.description}; from plug-ins: {added}" if added else self.description

    def parse(self, text: str) -> Value | None:
        """Return the value that a text spells, or None if it is not of this kind.

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
        # If 2.0 is allowed, 2 means the same.
        return float(number) if self.allows(float(number)) else number

    def _list_plug_ins(self) -> list[str]:
        return list(plug_ins(self.group)) if self.group else []


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, a stopping rule or an encoder."""

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


def _parse_number(text: str) -> float | None:
    """Return the finite number that a text spells, or None if it spells none."""
    try:
        number = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number if -_MOST <= number <= _MOST else None
