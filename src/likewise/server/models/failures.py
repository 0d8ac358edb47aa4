"""What every refusal looks like."""

from __future__ import annotations

from pydantic import Field

from likewise.server.models.shape import Shape


class Failure(Shape):
    """Why something was not done."""

    status: int = Field(description="The HTTP status, once more.")
    kind: str = Field(description="A word for programs, such as unknown-session.")
    message: str = Field(description="One line for people: what, where, and the way out.")


class Refusal(Shape):
    """The answer to whatever can't be done."""

    error: Failure
