"""What reviewers write beside marks, and how far they agree."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.expansion.marks import Label
from likewise.expansion.sessions.reasons import LONGEST, MOST_REASONS
from likewise.expansion.sessions.review_notes import LONGEST_TEXT
from likewise.server.models.documents import Word
from likewise.server.models.marks import MOST_MARKS, ReasonName
from likewise.server.models.rankings import EntryAnswer, OpinionAnswer
from likewise.server.models.shape import RequestShape, Shape, limit_entries

MOST_TAGS = 50
"""At once."""
Tag = Annotated[str, Field(max_length=LONGEST)]
Tags = Annotated[list[Tag], FailFast(), Field(max_length=MOST_TAGS)]


class ReasonAnswer(Shape):
    """A reason for exclusion."""

    number: int = Field(description="Which it keeps, whatever it is called.")
    name: str
    documents: int = Field(description="How many are excluded for it.")
    is_carried: bool = Field(
        description="Whether marks carry it, whoever gave them, or may: a reviewer is not told. "
        "Then it is removed only if another takes its place."
    )


class ReasonsAnswer(Shape):
    """The reasons for exclusion, in their order."""

    reasons: list[ReasonAnswer]


class ReasonRequest(RequestShape):
    """The name of a reason."""

    name: ReasonName


class ReasonOrderRequest(RequestShape):
    """Reasons by their numbers; those that are not named come after them."""

    numbers: Annotated[list[int], FailFast()] = Field(max_length=MOST_REASONS)


class TagsRequest(RequestShape):
    """Tags to give to documents, and to take off them."""

    ids: Annotated[list[Word], FailFast()] = Field(min_length=1, max_length=MOST_MARKS)
    add: Tags = Field([])
    remove: Tags = Field([])


class TagAnswer(Shape):
    """A tag."""

    tag: str
    documents: int


class TagsAnswer(Shape):
    """The tags there are, those given first first, as far as the reviewer may see them."""

    tags: list[TagAnswer]


class NoteRequest(RequestShape):
    """A note on a document, in the place of the reviewer's last one."""

    document: Word
    text: str = Field(max_length=LONGEST_TEXT, description="Empty takes the note back.")


class NoteAnswer(Shape):
    """The notes on a document that the reviewer may see."""

    document: str
    note: str = Field(description="The reviewer's own.")
    notes: str = Field(description="All, each with who wrote it.")


class CriteriaRequest(RequestShape):
    """The inclusion criteria of a review."""

    text: str = Field(max_length=LONGEST_TEXT)


class CriteriaAnswer(Shape):
    """The inclusion criteria of a review; empty if none were written down."""

    text: str


class ReviewerAnswer(Shape):
    """What a reviewer has done."""

    reviewer: str
    relevant: int
    irrelevant: int
    maybe: int
    settled: int = Field(description="How many conflicts they settled.")
    first: str = Field(description="When they first marked something.")
    last: str


class PairAnswer(Shape):
    """How far two reviewers agree, by what each said before they could see the other's mark."""

    first: str
    second: str
    both: int = Field(description="How many documents both have marked.")
    agreed: int
    share: float | None = Field(description="The share of them on which they said the same.")
    kappa: float | None = Field(description="Cohen's; null if both always said the same one thing.")
    counts: dict[str, dict[str, int]] = Field(
        description="How many documents the first marked so, and the second so."
    )


class AgreementAnswer(Shape):
    """What reviewers have done, and how far they agree."""

    reviewers: list[ReviewerAnswer]
    pairs: list[PairAnswer]
    conflicts: int = Field(description="How many are to be settled.")
    settled: int


class ConflictAnswer(Shape):
    """A document that reviewers disagree on."""

    entry: EntryAnswer
    marks: list[OpinionAnswer]


class ConflictsAnswer(Shape):
    """What is to be settled, in the order in which it came up."""

    total: int
    conflicts: list[ConflictAnswer]


class SettlingRequest(RequestShape):
    """What settles conflicts, all of them at once or none."""

    labels: Annotated[dict[Word, Label | None], limit_entries(MOST_MARKS)] = Field(
        min_length=1, max_length=MOST_MARKS, description="By id; null opens a conflict again."
    )
    reason: ReasonName | None = Field(None, description="As that of a mark.")
