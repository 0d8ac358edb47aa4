"""The ranking: a page of it, the line through it, and what its figures are drawn from."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from likewise.expansion.marks import Label, Strategy
from likewise.expansion.settings import NEXT_COUNT
from likewise.server.models.documents import DocumentAnswer
from likewise.server.models.shape import RequestShape, Shape


class PieceAnswer(Shape):
    """A piece of a text."""

    text: str
    strong: bool = Field(description="Whether it spoke for the document.")


class NearestSeedAnswer(Shape):
    """The seed that a document is most like."""

    id: str
    title: str


class OpinionAnswer(Shape):
    """What another reviewer marked, or what settled it."""

    reviewer: str
    label: Label
    reason: str
    time: str
    is_settling: bool


class EntryAnswer(Shape):
    """A document in the ranking, and why it is where it is."""

    rank: int | None = Field(description="From 1; null for what is marked and not in the ranking.")
    score: float | None
    probability: float | None
    decision: bool = Field(description="Whether it lies above the line, or was marked relevant.")
    mark: Label | None = Field(
        description="What settled it, else the reviewer's own mark, else that of others as far as "
        "it may be seen."
    )
    reason: str = Field(description="The reason of that mark.")
    others: list[OpinionAnswer] = Field(
        description="What others marked: hidden until the reviewer, or two others, have marked it."
    )
    is_conflict: bool = Field(description="Whether others disagree with it, unsettled.")
    tags: list[str]
    note: str = Field(description="The reviewer's own.")
    notes: str = Field(description="All that may be seen, each with who wrote it.")
    other_notes: str = Field(description="The same without the reviewer's own.")
    new: str = Field(
        "", description="When a look found it, as long as nobody whose marks may be seen marked it."
    )
    document: DocumentAnswer
    title: list[PieceAnswer]
    abstract: list[PieceAnswer]
    up: list[str] = Field(description="Words that moved it up, the strongest first.")
    down: list[str]
    nearest_seed: NearestSeedAnswer | None
    links: str = Field(
        default="",
        description="How citations link it with the seeds, such as 'cites 3 of your papers'.",
    )


class RankingAnswer(Shape):
    """A page of the ranking."""

    expansion: int
    total: int = Field(description="How many there are in this view, with these words.")
    above: int = Field(description="How many of them lie above the line.")
    offset: int
    entries: list[EntryAnswer]
    words: list[str] = Field(description="Words and phrases that the filter asks for.")
    complaint: str = Field(description='What of the filter was not understood, or "".')


class ValueAnswer(Shape):
    """Something that documents of a list have in common."""

    name: str
    documents: int


class LimitsAnswer(Shape):
    """By what a list can be limited, in small letters, the commonest first."""

    first_year: int | None
    last_year: int | None
    sources: list[ValueAnswer] = Field(description="Files or databases that records came from.")
    types: list[ValueAnswer] = Field(description="Publication types.")


class UnmarkedAnswer(Shape):
    """Documents that are not marked, by their ids, the next one first."""

    documents: list[str]


class NextRequest(RequestShape):
    """What to look at next."""

    strategy: Strategy = "likely"
    count: int = Field(NEXT_COUNT, ge=1, le=200)


class NextAnswer(Shape):
    """Documents to look at next."""

    strategy: Strategy
    entries: list[EntryAnswer]


class ThresholdRequest(RequestShape):
    """Where to draw the line."""

    decided: Annotated[int, Field(ge=0, le=10_000_000)] | None = Field(
        description="Below the document of this rank; null for where the learner drew it."
    )


class CurveAnswer(Shape):
    """Expected precision and recall along the ranking, with what is marked by now known."""

    documents: list[int] = Field(description="Ranks, rising; all that are many leave some out.")
    precision: list[float]
    recall: list[float]
    decided: int = Field(description="The rank below which the line lies.")
    learned: int = Field(description="The rank below which the learner drew it.")


class ScoresAnswer(Shape):
    """How often scores occur."""

    edges: list[float] = Field(description="Of the bins; one more than there are bins.")
    seeds: list[int]
    pool: list[int]
    threshold: float | None


class FiguresAnswer(Shape):
    """What figures are drawn from."""

    scores: ScoresAnswer | None
