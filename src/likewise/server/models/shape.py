"""The base of all that crosses HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

MOST_FIELDS = 100
"""Of anything asked; no shape has as many."""


class Shape(BaseModel):
    """Something asked or answered; what it does not name is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(Shape):
    """Something asked: what is no number in JSON is none here, be it "7" or true."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _check_few(cls, given: Any) -> Any:
        return _few(given, most=MOST_FIELDS)


def at_most(most: int) -> BeforeValidator:
    """Return what refuses an object of more entries, before each of them is looked at.

    Whatever is wrong in a body is noted one by one: a million wrong entries would take half a
    minute, and gigabytes. Lists stop at the first (`FailFast`), which objects can't.
    """
    return BeforeValidator(lambda given: _few(given, most=most))


def _few(given: Any, *, most: int) -> Any:
    if isinstance(given, dict) and len(given) > most:
        raise PydanticCustomError(
            "too_many_entries",
            "this should have at most {most} entries, not {found}",
            {"most": most, "found": len(given)},
        )
    return given
