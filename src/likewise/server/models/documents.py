"""Documents as they are given and shown, libraries, formats of files, and seeds."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.server.models.shape import RequestShape, Shape

MOST_TEXT = 100_000
MOST_WORD = 2_000

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Word = Annotated[str, Field(max_length=MOST_WORD)]


MOST_SEEDS = 5_000


class PaperRequest(RequestShape):
    """A document as it is given: an identifier, or a text, or both."""

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
    warning: str = Field("", description="That it was retracted or is doubted; mostly nothing.")
    links: list[LinkAnswer]


class HitAnswer(Shape):
    """A document that a search found."""

    score: float
    document: DocumentAnswer


class SearchAnswer(Shape):
    """What a search found, best first."""

    documents: list[HitAnswer]
    more: bool = Field(description="Whether there are further ones.")
    complaint: str = Field("", description='What of the words was not understood, or "".')


class FormatAnswer(Shape):
    """A format of files."""

    name: str = Field(description="What exports call it.")
    suffix: str
    description: str
    reads: bool
    writes: bool
    notes: bool = Field(description="Whether what is written has a place for marks.")


class FormatsAnswer(Shape):
    """The formats that can be read or written."""

    formats: list[FormatAnswer]


Papers = Annotated[list[PaperRequest], FailFast(), Field(max_length=MOST_SEEDS)]


class SeedsRequest(RequestShape):
    """What a person pasted, or papers that a program has."""

    text: str = Field(
        "", max_length=2_000_000, description="Identifiers or titles, one a line, or a pasted file."
    )
    papers: Papers = Field([])


class SeedsAnswer(Shape):
    """What became of seeds."""

    matched: list[DocumentAnswer] = Field(description="Those the library holds, as it holds them.")
    text_only: list[DocumentAnswer] = Field(
        description="Those it does not, used for what they say."
    )
    not_found: list[Word] = Field(description="Identifiers of which nothing more is known.")
    problems: list[str] = Field(description="Records that could not be read, and why.")
    warnings: list[str] = Field(description="What may be wrong with these seeds.")
    irrelevant: list[DocumentAnswer] = Field(
        [], description="Those of the library that the file says were excluded; no seeds."
    )
    decisions: list[str] = Field([], description="What the file says of its papers, in a line.")
