"""Seeds, matched with the library before anything is made of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.server.models.documents import Paper, Shown, Word
from likewise.server.models.shape import Asked, Shape

MOST_SEEDS = 5_000

Papers = Annotated[list[Paper], FailFast(), Field(max_length=MOST_SEEDS)]


class GivenSeeds(Asked):
    """What a person pasted, or papers that a program has."""

    text: str = Field(
        "", max_length=2_000_000, description="Identifiers or titles, one a line, or a pasted file."
    )
    papers: Papers = Field([])


class Resolved(Shape):
    """What became of seeds."""

    matched: list[Shown] = Field(description="Those the library holds, as it holds them.")
    text_only: list[Shown] = Field(description="Those it does not, used for what they say.")
    not_found: list[Word] = Field(description="Identifiers of which nothing more is known.")
    problems: list[str] = Field(description="Records that could not be read, and why.")
    warnings: list[str] = Field(description="What may be wrong with these seeds.")
