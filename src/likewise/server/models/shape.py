"""The base of all that crosses HTTP."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """Something asked or answered; what it does not name is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(Shape):
    """Something asked: what is no number in JSON is none here, be it "7" or true."""

    model_config = ConfigDict(strict=True)
