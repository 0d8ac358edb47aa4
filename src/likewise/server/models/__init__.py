"""The shapes of requests and answers over HTTP: the base of all, and the shape of refusals.

The schema and docs/reference/http.md are made from these.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

MOST_FIELDS = 100
"""The most fields in a request; no shape has as many."""


class Shape(BaseModel):
    """A request or an answer; fields that it does not name are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def of(cls, record: object, **more: Any) -> Self:
        """Return the answer with a record's values for the fields of the same names.

        Args:
            record: The record; what it holds becomes the answer's fields in the same way.
            more: The fields whose values are not the record's.
        """
        same = [name for name in cls.model_fields.keys() - more.keys() if hasattr(record, name)]
        values = {name: getattr(record, name) for name in same}
        return cls.model_validate(values | more, from_attributes=True)


class RequestShape(Shape):
    """A request; its numbers must be numbers in JSON, and not "7" or true."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _check_few(cls, given: Any) -> Any:
        return _check_count(given, most=MOST_FIELDS)


def limit_entries(most: int) -> BeforeValidator:
    """Return a validator that refuses an object with more entries before it looks at any of them.

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
    """Why a request was refused."""

    status: int = Field(description="The HTTP status, once more.")
    kind: str = Field(description="A word for programs, such as unknown-session.")
    message: str = Field(description="One line for people: what, where, and the way out.")


class RefusalAnswer(Shape):
    """The answer to a request that is refused."""

    error: FailureAnswer
