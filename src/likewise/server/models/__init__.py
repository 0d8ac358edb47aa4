"""What is asked and answered over HTTP: the base of every shape, and the one shape of refusals.

The schema, and docs/reference/http.md, are made of these.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

MOST_FIELDS = 100
"""The most fields of anything asked; no shape has as many."""


class Shape(BaseModel):
    """Something asked or answered; what it does not name is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def of(cls, record: object) -> Self:
        """Return the answer with the fields of a record of the same names."""
        return cls.model_validate(record, from_attributes=True)


class RequestShape(Shape):
    """Something asked: numbers must be numbers in JSON, and not "7" or true."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _check_few(cls, given: Any) -> Any:
        return _check_count(given, most=MOST_FIELDS)


def limit_entries(most: int) -> BeforeValidator:
    """Return a validator that refuses an object of more entries before it looks at any of them.

    Pydantic notes everything that is wrong one by one: a million wrong entries would take half a
    minute, and gigabytes. Lists stop at the first mistake (`FailFast`), which objects can't.
    """
    return BeforeValidator(lambda given: _check_count(given, most=most))


def _check_count(given: Any, *, most: int) -> Any:
    if isinstance(given, dict) and len(given) > most:
        raise PydanticCustomError(
            "too_many_entries",
            "give at most {most} entries, not {found}",
            {"most": most, "found": len(given)},
        )
    return given


class FailureAnswer(Shape):
    """Why something was not done."""

    status: int = Field(description="The HTTP status, once more.")
    kind: str = Field(description="A word for programs, such as unknown-session.")
    message: str = Field(description="One line for people: what, where, and the way out.")


class RefusalAnswer(Shape):
    """The answer to whatever can't be done."""

    error: FailureAnswer
