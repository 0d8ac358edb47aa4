"""Marks, given, taken back and listed; and the status of a session that results."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import FailFast, Field

from likewise.expansion.marks import Label, Strategy
from likewise.expansion.sessions.reasons import LONGEST
from likewise.learn.estimates import LEAST, SUREST, Basis, Target
from likewise.server.models import RequestShape, Shape, limit_entries
from likewise.server.models.rankings import Word
from likewise.server.models.sessions import IntervalAnswer

MOST_MARKS = 5_000
"""The most marks in one request."""
ReasonName = Annotated[str, Field(max_length=LONGEST)]


class MarksRequest(RequestShape):
    """Labels for documents; either all of them are taken, or none."""

    labels: Annotated[dict[Word, Label | None], limit_entries(MOST_MARKS)] = Field(
        min_length=1, max_length=MOST_MARKS, description="By id; null takes the mark back."
    )
    strategy: Strategy | None = Field(None, description="The strategy that chose them, if one did.")
    reason: ReasonName | None = Field(
        None,
        description='Why they are irrelevant, by a name in the list of reasons; "" for no reason, '
        "null to keep the one given before.",
    )


class ChangeAnswer(Shape):
    """A mark that differs from the one before."""

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
    reviewer: str = Field(description="Who gave it; empty if no name was given.")
    reason: str = Field(description="Why it is irrelevant; empty if no reason was given.")
    is_settling: bool = Field(description="Whether it settles what reviewers disagree on.")


class MarksAnswer(Shape):
    """The marks that stand, in the order given."""

    marks: list[MarkAnswer]
    last: int


class UndoRequest(RequestShape):
    """The documents whose marks to take back; without ids, the latest mark."""

    ids: Annotated[list[Word], FailFast()] = Field([], max_length=MOST_MARKS)


class UndoAnswer(MarksAnswer):
    """What was taken back."""


class TargetRequest(RequestShape):
    """The target to keep with a session."""

    recall: float = Field(Target().recall, ge=LEAST, le=1, description="The recall to reach.")
    confidence: float = Field(
        Target().confidence, ge=LEAST, le=SUREST, description="How sure to be of it."
    )
    proof: Basis = Field(Target().by, description="What has to show it; only audits prove it.")


class TargetAnswer(Shape):
    """The recall to reach, how sure to be of it, and what has to show it."""

    recall: float
    confidence: float
    proof: Basis


class AdviceAnswer(Shape):
    """What to do next."""

    kind: Literal["stop", "audit", "go on"]
    count: int = Field(description="How many to look at.")
    expected: float = Field(description="How many of them are likely to be on topic.")
    text: str = Field(description="The advice in a sentence.")
    further: str = Field(
        description="How many more to read until the advice changes; empty if that is not known."
    )


class ReadingAnswer(Shape):
    """One way to read the seeds."""

    is_corner: bool = Field(
        description="Whether they are taken for one corner of a wider topic, not for a fair sample."
    )
    weight: float = Field(description="How likely that is.")
    left: float = Field(description="How many are left in that case.")


class AheadAnswer(Shape):
    """How many are expected to be found if one reads on."""

    read: int = Field(description="How many are looked at by then, in all.")
    found: float
    low: float = Field(description="With high, the range with 80 % confidence.")
    high: float


class FurtherAnswer(Shape):
    """How many more to read, and the range that this lies in with 80 % confidence."""

    value: int
    low: int
    high: int


class CourseAnswer(Shape):
    """How many were found after how much reading, and what to expect if one reads on."""

    read: list[int] = Field(description="How many were looked at, rising from 0.")
    found: list[int] = Field(description="How many of them are on topic.")
    ahead: list[AheadAnswer] = Field(description="From now to the end of the pool.")
    further: FurtherAnswer | None = Field(
        description="Until the advice changes; null if it is not to go on, or if nobody knows."
    )


class RuleAnswer(Shape):
    """What a stopping rule says."""

    rule: str = Field(description="The rule as it is spelled, aimed at the target.")
    says: str = Field(description="Its verdict in words.")
    stops: bool
    description: str = Field(description="When it stops.")


class StatusAnswer(Shape):
    """Where a session stands."""

    seeds: int = Field(description="Counted in no other number.")
    found: int = Field(description="Documents marked relevant, which is what recall is about.")
    relevant: int = Field(description="The same number as found.")
    irrelevant: int
    maybe: int = Field(description="Including what reviewers disagree on.")
    pool: int = Field(description="How many candidates there are.")
    looked_at: int = Field(description="Candidates that are marked.")
    outside: int = Field(description="Marked documents that are not candidates.")
    decided: int = Field(description="Candidates above the line that are not looked at yet.")
    unlearned: int = Field(description="Marks that the latest expansion does not know.")
    last: int = Field(description="The number of the session's latest mark that is counted here.")
    left: IntervalAnswer = Field(
        description="Candidates on topic that are not found yet, and half of those marked maybe."
    )
    recall: IntervalAnswer = Field(description="Found as a share of found and left.")
    at_most: int | None = Field(
        description="The most that are left, with the target's confidence, as audits prove it."
    )
    readings: list[ReadingAnswer] = Field(description="The likelier first.")
    readings_text: str = Field(description="What the seeds may be; empty if that is clear.")
    calibrate: int = Field(
        description="How many to mark by the strategy calibrate to tell which; 0 if that is clear."
    )
    sentences: list[str]
    advice: AdviceAnswer
    cautions: list[str] = Field(description="What the advice can't know, one sentence each.")
    target: TargetAnswer
    promise: str = Field(description="What the advice to stop promises for this target.")
    course: CourseAnswer
    rules: list[RuleAnswer]
    methods: str = Field(
        description="A paragraph for a paper's methods section; empty unless the advice is to stop."
    )
