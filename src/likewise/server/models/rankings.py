"""Documents in requests and answers, and the ranking: its pages, its line, its figures."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.expansion.citing import LineKind
from likewise.expansion.marks import Label, Strategy
from likewise.expansion.settings import NEXT_COUNT
from likewise.server.models import RequestShape, Shape

MOST_TEXT = 100_000
MOST_WORD = 2_000

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Word = Annotated[str, Field(max_length=MOST_WORD)]


MOST_SEEDS = 5_000


class PaperRequest(RequestShape):
    """A document in a request: an identifier, a text, or both."""

    id: Word = Field("", description="The library's id, a PMID, a DOI or a PMCID.")
    title: Text = ""
    abstract: Text = ""
    year: int | None = Field(None, ge=-9999, le=9999)
    authors: Annotated[list[Word], FailFast()] = Field([], max_length=2_000)
    journal: Word = ""
    doi: Word = ""
    pmid: Word = ""
    pmcid: Word = ""


class LinkAnswer(Shape):
    """A place where a document can be read."""

    name: str
    address: str


class DocumentAnswer(Shape):
    """A document as a reader needs it."""

    id: str
    title: str
    abstract: str
    year: int | None
    authors: list[str]
    journal: str
    doi: str
    pmid: str
    pmcid: str
    warning: str = Field("", description="That it was retracted or is doubted; usually empty.")
    links: list[LinkAnswer]


class HitAnswer(Shape):
    """A document that a search found."""

    score: float
    document: DocumentAnswer


class SearchAnswer(Shape):
    """What a search found, best first."""

    documents: list[HitAnswer]
    more: bool = Field(description="Whether there are more.")
    complaint: str = Field("", description='Which of the words were not understood, or "".')


class FormatAnswer(Shape):
    """A format of files."""

    name: str = Field(description="What exports call it.")
    suffix: str
    description: str
    reads: bool
    writes: bool
    notes: bool = Field(description="Whether files written in it have a place for marks.")


class FormatsAnswer(Shape):
    """The formats that can be read or written."""

    formats: list[FormatAnswer]


Papers = Annotated[list[PaperRequest], FailFast(), Field(max_length=MOST_SEEDS)]


class SeedsRequest(RequestShape):
    """What a person pasted, or papers that a program has."""

    text: str = Field(
        "", max_length=2_000_000, description="Identifiers or titles, one per line, or a file."
    )
    papers: Papers = Field([])


class SeedsAnswer(Shape):
    """What became of seeds."""

    matched: list[DocumentAnswer] = Field(description="Those the library holds, as it holds them.")
    text_only: list[DocumentAnswer] = Field(
        description="Those that it does not hold; their own text is used."
    )
    not_found: list[Word] = Field(description="Identifiers about which nothing more is known.")
    problems: list[str] = Field(description="Records that could not be read, and why.")
    warnings: list[str] = Field(description="What may be wrong with these seeds.")
    irrelevant: list[DocumentAnswer] = Field(
        [], description="Papers of the library that the file says were excluded, without the seeds."
    )
    decisions: list[str] = Field([], description="What the file says about its papers.")


class PieceAnswer(Shape):
    """A piece of a text."""

    text: str
    strong: bool = Field(description="Whether it spoke for the document.")


class NearestSeedAnswer(Shape):
    """The seed that a document is most like."""

    id: str
    title: str


class OpinionAnswer(Shape):
    """A mark of another reviewer, or the mark that settled a conflict."""

    reviewer: str
    label: Label
    reason: str
    time: str
    is_settling: bool


class EntryAnswer(Shape):
    """A document in the ranking, and why it is where it is."""

    rank: int | None = Field(description="From 1; null if it is marked and not in the ranking.")
    score: float | None
    probability: float | None
    decision: bool = Field(description="Whether it is on topic by its mark, else by the line.")
    mark: Label | None = Field(
        description="What settled it, else the reviewer's own mark, else that of others if the "
        "reviewer may see it."
    )
    reason: str = Field(description="The reason given with that mark.")
    others: list[OpinionAnswer] = Field(
        description="Marks of others; hidden until the reviewer, or two others, have marked it."
    )
    is_conflict: bool = Field(description="Whether reviewers disagree and nobody has settled it.")
    tags: list[str]
    note: str = Field(description="The reviewer's own note.")
    notes: str = Field(description="All notes that the reviewer may see, each with its author.")
    other_notes: str = Field(description="The same without the reviewer's own note.")
    new: str = Field(
        "", description="When a look found it; empty once it has a mark that the reviewer may see."
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
    total: int = Field(description="How many there are in this view with this filter.")
    above: int = Field(description="How many of them lie above the line.")
    offset: int
    entries: list[EntryAnswer]
    words: list[str] = Field(description="Words and phrases that the filter asks for.")
    complaint: str = Field(description='Which part of the filter was not understood, or "".')


class ValueAnswer(Shape):
    """Something that some documents of a list have in common."""

    name: str
    documents: int


class LimitsAnswer(Shape):
    """What a list can be limited to, in lower case, the most common first."""

    first_year: int | None
    last_year: int | None
    sources: list[ValueAnswer] = Field(description="Files or databases that records came from.")
    types: list[ValueAnswer] = Field(description="Publication types.")


class UnmarkedAnswer(Shape):
    """The ids of documents that are not marked, the next one first."""

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
        description="Below the document with this rank; null for where the learner drew it."
    )


class CurveAnswer(Shape):
    """Expected precision and recall along the ranking, given the current marks."""

    expansion: int
    documents: list[int] = Field(description="Ranks, rising; a long ranking leaves some out.")
    precision: list[float]
    recall: list[float]
    decided: int = Field(description="The rank below which the line lies.")
    learned: int = Field(description="The rank below which the learner drew the line.")


class ScoresAnswer(Shape):
    """How often scores occur."""

    edges: list[float] = Field(description="The edges of the bins: one more than there are bins.")
    seeds: list[int]
    pool: list[int]
    threshold: float | None


class MapDotAnswer(Shape):
    """A paper on the map of citations."""

    document: DocumentAnswer
    is_seed: bool
    told: str = Field(description="How citations link it with the seeds.")
    x: float
    y: float


class MapLineAnswer(Shape):
    """A link between a seed and a find, by the numbers of their dots, from 0."""

    seed: int
    find: int
    kind: LineKind


class MapTickAnswer(Shape):
    """A year on the axis."""

    x: float
    text: str


class MapAnswer(Shape):
    """The best linked finds and the seeds that citations link them with, on an axis of years."""

    width: int
    height: float
    dots: list[MapDotAnswer] = Field(description="Seeds first, then finds, best first.")
    lines: list[MapLineAnswer]
    ticks: list[MapTickAnswer]
    caption: str


class FiguresAnswer(Shape):
    """The numbers that figures are drawn from."""

    scores: ScoresAnswer | None
    map: MapAnswer | None = Field(
        None, description="Null if the library knows no citations that link anything."
    )
