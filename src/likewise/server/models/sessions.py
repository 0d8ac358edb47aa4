"""Sessions: their names, their settings, and what they hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from likewise.server.models.documents import Shown
from likewise.server.models.jobs import Job
from likewise.server.models.seeds import Papers
from likewise.server.models.shape import Asked, Shape

Name = Annotated[str, Field(max_length=200)]


class ChosenSettings(Asked):
    """How to expand; what is not given is as it was, or the default."""

    method: str | None = Field(None, max_length=40, description="One that needs no extra.")
    keep: str | None = Field(None, max_length=40, description="Such as f1, recall=0.95 or top=500.")
    pool: int | None = Field(None, ge=1, le=200_000)
    rounds: int | None = Field(None, ge=1, le=10)
    seed: int | None = Field(None, ge=0, le=2**31 - 1)


class Settings(Shape):
    """How a session expands."""

    method: str
    keep: str
    pool: int
    rounds: int
    seed: int


class NewSession(Asked):
    """A session to begin."""

    name: Name = Field("", description="Without one, the first seed's title.")
    seeds: Papers
    settings: ChosenSettings = ChosenSettings()


class SessionChange(Asked):
    """What to change of a session."""

    name: Name


class SessionHead(Shape):
    """A session in a list."""

    id: str
    name: str
    created: str
    changed: str = Field(description="When something was last added to it.")
    seeds: int
    expansions: int
    relevant: int
    irrelevant: int
    maybe: int
    job: Job | None = Field(description="The latest job on it, as long as that is known.")


class SessionList(Shape):
    """The sessions, the one changed last first."""

    sessions: list[SessionHead]
    unreadable: list[str] = Field(description="Files that are no sessions, and why; one line each.")


class IntervalAnswer(Shape):
    """An estimate, and between which values it lies with 80 % confidence."""

    value: float | None
    low: float | None
    high: float | None


class RoundAnswer(Shape):
    """What one round brought."""

    added: int
    likely: int
    decided: int


class ExpansionAnswer(Shape):
    """An expansion without its ranking."""

    number: int
    time: str
    mark: int = Field(description="The number of the last mark that it knew; 0 if none.")
    pool: int
    decided: int = Field(description="The rank below which the line lies by now.")
    learned: int = Field(description="The rank below which the learner drew it.")
    precision: float | None = Field(description="Expected, of what lies above the line.")
    recall: float | None = Field(description="Expected, within the pool.")
    relevant: IntervalAnswer = Field(description="How many of the pool are on topic.")
    outside: IntervalAnswer | None = Field(description="The share of the topic that lies outside.")
    rounds: list[RoundAnswer]
    warnings: list[str]


class ExpansionHeadAnswer(Shape):
    """An expansion in a list."""

    number: int
    time: str
    mark: int
    pool: int
    decided: int


class ExpansionList(Shape):
    """The expansions of a session, the first one first."""

    expansions: list[ExpansionHeadAnswer]


class SessionAnswer(SessionHead):
    """A session."""

    settings: Settings
    matched: list[Shown]
    text_only: list[Shown]
    not_found: list[str]
    expansion: ExpansionAnswer | None = Field(description="The latest.")


class MoveAnswer(Shape):
    """A document, and its rank before and after."""

    document: str
    title: str
    before: int | None
    after: int | None


class ChangesAnswer(Shape):
    """What the latest expansion says otherwise than the one before it."""

    decided: list[MoveAnswer] = Field(description="Newly above the line, best first.")
    dropped: list[MoveAnswer] = Field(description="No longer above it.")
    risen: list[MoveAnswer]
    fallen: list[MoveAnswer]
    came: int = Field(description="How many came above the line.")
    left: int = Field(description="How many left it.")


class Removed(Shape):
    """A session that was deleted."""

    id: str
    state: Literal["deleted"]
