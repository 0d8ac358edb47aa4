"""Requests and answers about libraries, and about the files that they are made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from likewise.library.collection import MOST_NAME
from likewise.server.models import RequestShape, Shape
from likewise.server.models.rankings import MOST_TEXT, MOST_WORD, DocumentAnswer
from likewise.server.models.sessions import JobAnswer


class LibraryAnswer(Shape):
    """What is known of a library."""

    id: str = Field(description='What the API calls it; "" for the one the server was given.')
    name: str = Field(description="Its name for people: its own, its folder's, or its address.")
    documents: int
    fields: dict[str, int] = Field(description="How many documents have a title, an abstract, ...")
    changed: str = Field(description='When it was last written to, in ISO 8601, or "" if never.')
    created: str = Field("", description='When it was made, or "" if that is not known.')
    files: int = Field(0, description="How many files were read into it here.")
    waiting: int = Field(0, description="How many files wait to be read into it.")
    can_change: bool = Field(description="Whether files can be added, and it can be deleted, here.")


class LibrariesAnswer(Shape):
    """The libraries that are served."""

    libraries: list[LibraryAnswer]
    can_create: bool = Field(description="Whether more can be made here.")


class NewLibraryRequest(RequestShape):
    """A library to make."""

    name: str = Field(min_length=1, max_length=MOST_NAME)


class CollectedFileAnswer(Shape):
    """A file that was read into a library, and what became of its records."""

    name: str
    bytes: int
    time: str = Field(description="When it was read.")
    records: int = Field(description="Records that were read: new, merged or unchanged.")
    added: int = Field(description="Records of papers that the library did not have.")
    merged: int = Field(description="Records that were merged with papers that it had.")
    unchanged: int = Field(description="Records that said nothing new of papers that it had.")
    broken: int = Field(description="How many problems there were; see /problems.")
    problems: list[str] = Field(description="The first problems, one line each.")
    is_whole: bool = Field(description="Whether it was read to its end.")


class WaitingFileAnswer(Shape):
    """A file that waits to be read into a library."""

    name: str
    bytes: int


class ReceiptAnswer(Shape):
    """What became of a file that was sent."""

    name: str = Field(description="What it is called here.")
    bytes: int
    same_as: str = Field(
        "", description="The file with the same content that it has; then this one is not kept."
    )


class LibraryDetailsAnswer(LibraryAnswer):
    """A library with its files."""

    sources: list[CollectedFileAnswer]
    waiting_files: list[WaitingFileAnswer]
    job: JobAnswer | None = Field(
        description="The latest intake or gathering, as long as the server remembers it."
    )


class IntakeRequestShape(RequestShape):
    """Files to read into a library: those that wait, and the sample if asked for."""

    sample: bool = Field(False, description="Whether to fetch and read the sample of PubMed too.")


class GatheringRequest(RequestShape):
    """What to gather from a source on the network into a library."""

    source: str = Field("pubmed", max_length=40, description="Such as pubmed or europepmc.")
    text: str = Field(
        min_length=1,
        max_length=MOST_TEXT,
        description="The seeds: PMIDs, DOIs or titles, one per line, or a whole file.",
    )
    at_most: int = Field(
        10_000, ge=10, le=50_000, description="How many records to gather at most."
    )


class DeletedLibraryAnswer(Shape):
    """A library that was deleted."""

    id: str
    state: str


class DuplicateAnswer(Shape):
    """Two records that were found to be of the same paper."""

    paper: str = Field(description="The id of the paper that both are in.")
    records: int = Field(description="How many records the paper is made of.")
    kept: DocumentAnswer = Field(description="The first record of the paper, as it was read.")
    other: DocumentAnswer = Field(description="The record that was merged with it, as it was read.")
    place: str = Field(description='The file and the line of the other record, or "".')
    matched: str = Field(description="What both have in common: pmid, doi, pmcid, title or id.")


class DuplicatesAnswer(Shape):
    """Some of the duplicates of a library."""

    total: int
    offset: int
    duplicates: list[DuplicateAnswer]


class SplitRequest(RequestShape):
    """A paper to take apart into its records."""

    paper: str = Field(min_length=1, max_length=MOST_WORD)


class SplitAnswer(Shape):
    """A paper that was taken apart."""

    paper: str
    into: list[str] = Field(description="The ids of the papers now; the first keeps the old id.")


class JoinRequest(RequestShape):
    """Papers to join into one."""

    kept: str = Field(min_length=1, max_length=MOST_WORD)
    others: Annotated[list[str], FailFast(), Field(min_length=1, max_length=20)]
