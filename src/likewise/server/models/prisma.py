"""The numbers of the PRISMA flow diagram: those of the session, and those that people give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import FailFast, Field

from likewise.expansion.sessions.given_numbers import GivenNumbers, PrismaCount
from likewise.expansion.sessions.reasons import LONGEST
from likewise.server.models.shape import RequestShape, Shape

MOST_NUMBER = 999_999_999
MOST_COUNTS = 100
GivenNumber = Annotated[int, Field(ge=0, le=MOST_NUMBER)] | None


class PrismaCountRequest(RequestShape):
    """So many of something: of a source, or for a reason."""

    name: str = Field(min_length=1, max_length=LONGEST)
    number: int = Field(ge=0, le=MOST_NUMBER)


GivenCounts = Annotated[list[PrismaCountRequest], FailFast(), Field(max_length=MOST_COUNTS)]


class GivenNumbersRequest(RequestShape):
    """What no session knows of a review, all of it; null for what is not known yet."""

    identified: GivenCounts = Field([], description="By source, for what the library says.")
    duplicates: GivenNumber = Field(None, description="In place of what the library says.")
    sought: GivenNumber = None
    not_retrieved: GivenNumber = None
    assessed: GivenNumber = None
    excluded: GivenCounts = Field([], description="Reports excluded, by reason.")
    included: GivenNumber = None

    def make_given(self) -> GivenNumbers:
        """Return them as sessions keep them."""
        return GivenNumbers(
            identified=_convert_counts(self.identified),
            duplicates=self.duplicates,
            sought=self.sought,
            not_retrieved=self.not_retrieved,
            assessed=self.assessed,
            excluded=_convert_counts(self.excluded),
            included=self.included,
        )


def _convert_counts(counts: Iterable[PrismaCountRequest]) -> tuple[PrismaCount, ...]:
    return tuple(PrismaCount(" ".join(one.name.split()), one.number) for one in counts)


class GivenNumbersAnswer(Shape):
    """What people gave of a review, as it is kept with the session."""

    identified: list[PrismaCountAnswer]
    duplicates: int | None
    sought: int | None
    not_retrieved: int | None
    assessed: int | None
    excluded: list[PrismaCountAnswer]
    included: int | None


class PrismaCountAnswer(Shape):
    """So many of something: of a source, or for a reason."""

    name: str
    number: int | None = Field(description="null if it is not known.")


class PrismaAnswer(Shape):
    """The numbers of a PRISMA 2020 flow diagram; null for what is not known."""

    sources: list[PrismaCountAnswer] = Field(description="Records identified, by source.")
    identified: int | None
    others: int = Field(description="Seeds that no source had.")
    duplicates: int | None
    records: int = Field(description="Without duplicates; seeds among them.")
    seeds: int = Field(description="Known to be relevant, and not marked by anybody.")
    unscreened: int = Field(description="That no person has screened, without the seeds.")
    below: int = Field(description="Of these, ranked below the line.")
    above: int = Field(description="Of these, ranked above the line.")
    beyond: int = Field(description="Of these, not retrieved as candidates.")
    screened: int = Field(description="By a person.")
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
    remarks: list[str] = Field(description="What a reader has to know of these numbers.")
