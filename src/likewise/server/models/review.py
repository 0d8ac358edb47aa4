"""What reviewers write beside marks, how far they agree, and the numbers of the PRISMA diagram."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.expansion.marks import Label
from likewise.expansion.sessions.reasons import LONGEST, MOST_REASONS, GivenNumbers, PrismaCount
from likewise.expansion.sessions.review_notes import LONGEST_TEXT
from likewise.server.models import RequestShape, Shape, limit_entries
from likewise.server.models.marks import MOST_MARKS, ReasonName
from likewise.server.models.rankings import EntryAnswer, OpinionAnswer, Word

MOST_TAGS = 50
"""The most tags to give or to take off in one request."""
Tag = Annotated[str, Field(max_length=LONGEST)]
Tags = Annotated[list[Tag], FailFast(), Field(max_length=MOST_TAGS)]


class ReasonAnswer(Shape):
    """A reason for exclusion."""

    number: int = Field(description="It stays the same when the reason is renamed.")
    name: str
    documents: int = Field(description="How many are excluded for it.")
    is_carried: bool = Field(
        description="Whether anybody's marks carry it; a reviewer, who may not know, always gets "
        "true. Then it can be removed only if another takes its place."
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
    """The tags that the reviewer may see, the oldest first."""

    tags: list[TagAnswer]


class NoteRequest(RequestShape):
    """A note on a document, which replaces the reviewer's last one."""

    document: Word
    text: str = Field(max_length=LONGEST_TEXT, description="An empty text takes the note back.")


class NoteAnswer(Shape):
    """The notes on a document that the reviewer may see."""

    document: str
    note: str = Field(description="The reviewer's own note.")
    notes: str = Field(description="All notes, each with its author.")


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
    share: float | None = Field(description="The share of them on which they agree.")
    kappa: float | None = Field(description="Cohen's; null if both only ever gave the same label.")
    counts: dict[str, dict[str, int]] = Field(
        description="How many documents, by the label of the first and then of the second."
    )


class AgreementAnswer(Shape):
    """What reviewers have done, and how far they agree."""

    reviewers: list[ReviewerAnswer]
    pairs: list[PairAnswer]
    conflicts: int = Field(description="How many still have to be settled.")
    settled: int


class ConflictAnswer(Shape):
    """A document that reviewers disagree on."""

    entry: EntryAnswer
    marks: list[OpinionAnswer]


class ConflictsAnswer(Shape):
    """Conflicts that have to be settled, in the order in which they came up."""

    total: int
    conflicts: list[ConflictAnswer]


class SettlingRequest(RequestShape):
    """Labels that settle conflicts; either all of them are taken, or none."""

    labels: Annotated[dict[Word, Label | None], limit_entries(MOST_MARKS)] = Field(
        min_length=1, max_length=MOST_MARKS, description="By id; null opens a conflict again."
    )
    reason: ReasonName | None = Field(None, description="Given as with a mark.")


MOST_NUMBER = 999_999_999
MOST_COUNTS = 100
GivenNumber = Annotated[int, Field(ge=0, le=MOST_NUMBER)] | None


class PrismaCountRequest(RequestShape):
    """The number of records from a source, or of reports excluded for a reason."""

    name: str = Field(min_length=1, max_length=LONGEST)
    number: int = Field(ge=0, le=MOST_NUMBER)


GivenCounts = Annotated[list[PrismaCountRequest], FailFast(), Field(max_length=MOST_COUNTS)]


class GivenNumbersRequest(RequestShape):
    """All the numbers of a review that no session knows; null for those not known yet."""

    identified: GivenCounts = Field([], description="By source, in place of the library's numbers.")
    duplicates: GivenNumber = Field(None, description="In place of the library's number.")
    sought: GivenNumber = None
    not_retrieved: GivenNumber = None
    assessed: GivenNumber = None
    excluded: GivenCounts = Field([], description="Reports excluded, by reason.")
    included: GivenNumber = None

    def make_given(self) -> GivenNumbers:
        """Return the numbers in the form that sessions keep."""
        counts = {
            name: tuple(PrismaCount(" ".join(one.name.split()), one.number) for one in given)
            for name, given in (("identified", self.identified), ("excluded", self.excluded))
        }
        return GivenNumbers(**dict(self) | counts)


class GivenNumbersAnswer(Shape):
    """The numbers of a review that people gave, as they are kept with the session."""

    identified: list[PrismaCountAnswer]
    duplicates: int | None
    sought: int | None
    not_retrieved: int | None
    assessed: int | None
    excluded: list[PrismaCountAnswer]
    included: int | None


class PrismaCountAnswer(Shape):
    """The number of records from a source, or excluded for a reason."""

    name: str
    number: int | None = Field(description="Null if it is not known.")


class PrismaAnswer(Shape):
    """The numbers of a PRISMA 2020 flow diagram; null for what is not known."""

    sources: list[PrismaCountAnswer] = Field(description="Records identified, by source.")
    identified: int | None
    others: int = Field(description="Seeds that no source had.")
    duplicates: int | None
    records: int = Field(description="Records without duplicates, including seeds.")
    seeds: int = Field(description="Known to be relevant, and not marked by anybody.")
    unscreened: int = Field(description="Records that no person has screened, without the seeds.")
    below: int = Field(description="Of these, ranked below the line.")
    above: int = Field(description="Of these, ranked above the line.")
    beyond: int = Field(description="Of these, not retrieved as candidates.")
    screened: int = Field(description="Records that a person has screened.")
    excluded: int
    reasons: list[PrismaCountAnswer]
    undecided: int = Field(description="Marked maybe, or in conflict.")
    conflicts: int = Field(description="Of these, in conflict.")
    relevant: int
    sought: int | None
    not_retrieved: int | None
    assessed: int | None
    reports_excluded: list[PrismaCountAnswer]
    included: int | None
    remarks: list[str] = Field(description="What a reader has to know about these numbers.")
