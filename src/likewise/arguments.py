"""Checks on the arguments of public functions: a wrong type is refused in one line.

Readers and engines trust one another, but someone who types in a notebook may pass anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from likewise.errors import ArgumentTypeError, SettingsError

PATH = (str, os.PathLike)
_SHOWN = (str, bytes, bool, int, float, type(None))
_LONGEST = 60


def check_type(value: object, kinds: type | tuple[type, ...], *, name: str, wanted: str) -> None:
    """Raise ArgumentTypeError unless an argument has one of these types.

    >>> check_type(5, str, name="words", wanted='a text, such as "sleep apnea"')
    Traceback (most recent call last):
    likewise.errors.ArgumentTypeError: words is 5; give a text, such as "sleep apnea"

    Args:
        value: The argument.
        kinds: The types that it may have.
        name: Its name, as callers know it.
        wanted: What to give instead, in words for people.
    """
    if not isinstance(value, kinds):
        raise ArgumentTypeError(f"{name} is {describe_value(value)}; give {wanted}")


def require_path(path: Any) -> Path:
    """Return a file's or folder's path; raise ArgumentTypeError if the value is not a path."""
    check_type(path, PATH, name="path", wanted="a path")
    return Path(path)


def check_count(count: object, *, name: str) -> None:
    """Raise ArgumentTypeError unless a count is a whole number, SettingsError if it is below 0."""
    check_type(count, Integral, name=name, wanted="a whole number")
    if isinstance(count, Integral) and count < 0:
        raise SettingsError(f"{name} is {count}; give a number of 0 or more")


def describe_value(value: object) -> str:
    """Return a simple value as one would type it, cut if it is long; otherwise name its type.

    >>> describe_value("7"), describe_value([7, 8])
    ("'7'", 'a list')
    """
    if not isinstance(value, _SHOWN):
        kind = type(value).__name__
        return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
    shown = repr(value)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def spell_identifier(value: object) -> str | None:
    """Return an id as text, even if it is a number (numpy's too); None if it is not an id.

    Whole floats count: pandas turns a column of PMIDs with gaps into floats.

    >>> spell_identifier("7"), spell_identifier(7), spell_identifier(7.0), spell_identifier(7.5)
    ('7', '7', '7', None)
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and float(value).is_integer():
        return str(int(float(value)))
    return None


def require_identifier(value: object) -> str:
    """Return an id as text; raise ArgumentTypeError if the value is not an id."""
    spelled = spell_identifier(value)
    if spelled is None:
        raise ArgumentTypeError(f"the id is {describe_value(value)}; give a text or a whole number")
    return spelled


def require_identifiers(values: Iterable[Any]) -> list[str]:
    """Return ids as texts; raise ArgumentTypeError for a single id, or for what is not an id.

    >>> require_identifiers(["7", 8])
    ['7', '8']
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"ids is {describe_value(values)}; give a list of ids")
    return [value if type(value) is str else require_identifier(value) for value in values]
