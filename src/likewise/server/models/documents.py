"""Documents, as they are given and shown."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.server.models.shape import Asked, Shape

MOST_TEXT = 100_000
MOST_WORD = 2_000

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Word = Annotated[str, Field(max_length=MOST_WORD)]


class Paper(Asked):
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


class Link(Shape):
    """A place where a document can be read."""

    name: str
    address: str


class Shown(Shape):
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
    links: list[Link]


class Found(Shape):
    """A document that a search found."""

    score: float
    document: Shown


class Search(Shape):
    """What a search found, best first."""

    documents: list[Found]
    more: bool = Field(description="Whether there are further ones.")


class LibraryAnswer(Shape):
    """What is known of a library."""

    name: str = Field(description="The name of its folder, or its address.")
    documents: int
    fields: dict[str, int] = Field(description="How many documents have a title, an abstract, ...")
    changed: str = Field(description='When it was last written to, in ISO 8601, or "" if never.')


class Libraries(Shape):
    """The libraries that are served."""

    libraries: list[LibraryAnswer]


class FormatAnswer(Shape):
    """A format of files."""

    name: str = Field(description="What exports call it.")
    suffix: str
    description: str
    reads: bool
    writes: bool
    notes: bool = Field(description="Whether what is written has a place for marks.")


class Formats(Shape):
    """The formats that can be read or written."""

    formats: list[FormatAnswer]
