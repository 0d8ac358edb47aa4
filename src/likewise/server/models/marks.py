"""Marks: given, taken back, listed; and what they come to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import FailFast, Field

from likewise.expansion.marks import Label, Strategy
from likewise.server.models.documents import Word
from likewise.server.models.sessions import IntervalAnswer
from likewise.server.models.shape import Asked, Shape, at_most

MOST_MARKS = 5_000
"""At once."""


class GivenMarks(Asked):
    """What is said of documents, all at once or not at all."""

    labels: Annotated[dict[Word, Label | None], at_most(MOST_MARKS)] = Field(
        min_length=1, max_length=MOST_MARKS, description="By id; null takes back what was said."
    )
    strategy: Strategy | None = Field(None, description="By what they were chosen, if by ours.")


class ChangeAnswer(Shape):
    """A mark that says something else than the one before."""

    document: str
    before: Label
    now: Label | None


class MarkedAnswer(Shape):
    """What became of marks; they are on the disk when this is answered."""

    new: int
    same: int
    changed: list[ChangeAnswer]
    last: int = Field(description="The number of the session's latest mark.")


class MarkAnswer(Shape):
    """A mark that stands."""

    number: int
    document: str
    label: Label
    time: str
    strategy: Strategy | None
    source: str


class MarkList(Shape):
    """The marks that stand, in the order given."""

    marks: list[MarkAnswer]
    last: int


class UndoWanted(Asked):
    """Whose marks to take back; without ids, the latest."""

    ids: Annotated[list[Word], FailFast()] = Field([], max_length=MOST_MARKS)


class Undone(Shape):
    """What was taken back."""

    marks: list[MarkAnswer]
    last: int


class AdviceAnswer(Shape):
    """What to do next."""

    kind: Literal["stop", "audit", "go on"]
    count: int = Field(description="How many to look at.")
    expected: float = Field(description="How many of them are likely to be on topic.")
    text: str = Field(description="The advice in a sentence.")


class ReadingAnswer(Shape):
    """One way to read the seeds."""

    is_corner: bool = Field(
        description="Whether they are taken for one corner of a wider topic, not for a fair sample."
    )
    weight: float = Field(description="How likely that is.")
    left: float = Field(description="How many are left then.")


class StatusAnswer(Shape):
    """Where a session stands."""

    seeds: int
    relevant: int
    irrelevant: int
    maybe: int
    pool: int
    looked_at: int
    decided: int = Field(description="Above the line, and not looked at.")
    unlearned: int = Field(description="Marks that the latest expansion does not know.")
    left: IntervalAnswer
    recall: IntervalAnswer
    at_most: int | None
    readings: list[ReadingAnswer] = Field(description="The likelier first.")
    readings_text: str = Field(description="What the seeds may be; empty if that is clear.")
    calibrate: int = Field(
        description="How many to mark by the strategy calibrate to tell them apart; else 0."
    )
    sentences: list[str]
    advice: AdviceAnswer
