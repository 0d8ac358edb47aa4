"""The documents of a library as HTTP shows them, formats of files, and duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.documents import Document
from likewise.documents.document import describe_warning
from likewise.documents.formats import formats
from likewise.documents.identity import ensure_id
from likewise.documents.notebook import find_links
from likewise.errors import UnknownDocumentError
from likewise.expansion.searching import search_library
from likewise.expansion.sessions.exporting import EVERYTHING
from likewise.library import open_library
from likewise.library.duplicates import join_papers, split_papers
from likewise.library.paper_notes import PaperNote, require_notebook
from likewise.library.protocol import SEARCH_LIMIT, Library
from likewise.library.where import Where
from likewise.server.desks.libraries import Libraries, LibraryInUse
from likewise.server.jobs.jobs import Jobs
from likewise.server.models.libraries import (
    DuplicateAnswer,
    DuplicatesAnswer,
    JoinRequest,
    SplitAnswer,
    SplitRequest,
)
from likewise.server.models.rankings import (
    MOST_WORD,
    DocumentAnswer,
    FormatAnswer,
    FormatsAnswer,
    HitAnswer,
    PaperRequest,
    SearchAnswer,
)
from likewise.server.routes import LibraryId, TheJobs, TheLibraries, TheLibrary, list_refusals
from likewise.server.upload_worker import blame_content

router = APIRouter(prefix="/api", tags=["libraries"])
documents = APIRouter(prefix="/api", tags=["documents"])

WHOLE = "json"
"""The name of the export that holds everything of a session."""
LOST = "(no longer in the library)"


@router.get("/formats", summary="List the formats of files", response_description="The formats.")
async def list_formats() -> FormatsAnswer:
    """Return the formats that seeds are read from, and that sessions are exported in."""
    known = [
        FormatAnswer.of(one, suffix=one.suffixes[0], reads=True, notes=one.writes and one.notes)
        for one in formats()
    ]
    whole = FormatAnswer(
        name=WHOLE,
        suffix=EVERYTHING,
        description="Everything of a session: seeds, marks, expansions and audits",
        reads=False,
        writes=True,
        notes=True,
    )
    return FormatsAnswer(formats=[*known, whole])


@documents.get(
    "/search",
    summary="Search the library for words",
    response_description="The documents found, best first.",
    responses=list_refusals(422),
)
def search(
    library: TheLibrary,
    *,
    words: Annotated[
        str,
        Query(
            max_length=1_000,
            description='Any of them may occur. With "phrases", NOT, OR or fields (year:2010.., '
            "journal:, type:, title:, author:, source:) they are a filter; all of it must hold.",
        ),
    ] = "",
    where: Annotated[
        str, Query(max_length=500, description="Limits, such as year>=2010 and language=eng.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = SEARCH_LIMIT,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> SearchAnswer:
    """Return documents with these words.

    A document scores higher the more of the words it has, the rarer they are, and if they are in
    its title.
    """
    limits = Where.parse(where)
    result = search_library(library, words, limit=limit, offset=offset, where=limits)
    return SearchAnswer(
        documents=[
            HitAnswer(score=round(one.score, 4), document=answer_document(one.document))
            for one in result.found
        ],
        more=result.has_more,
        complaint=result.complaint,
    )


@documents.get(
    "/documents/{id:path}",
    summary="Show a document",
    response_description="The document.",
    responses=list_refusals(404, 422),
)
def get_document(
    library: TheLibrary,
    identifier: Annotated[
        str,
        Path(alias="id", max_length=MOST_WORD, description="Its id, which may hold slashes."),
    ],
) -> DocumentAnswer:
    """Return the document with this id."""
    found = library.get([identifier])
    if not found:
        raise UnknownDocumentError(
            f"the library holds no document {identifier}; GET /api/search?words= finds ids"
        )
    return answer_document(found[0])


def answer_document(document: Document) -> DocumentAnswer:
    """Return a document as HTTP shows it.

    >>> answer_document(Document(id="7", pmid="7", title="On cats")).links[0].address
    'https://pubmed.ncbi.nlm.nih.gov/7/'
    """
    return DocumentAnswer.of(
        document, warning=describe_warning(document), links=find_links(document)
    )


def make_stand_in(identifier: str) -> Document:
    """Return a document in place of one that the library no longer holds."""
    return Document(id=identifier, title=LOST)


def convert_papers(papers: Iterable[PaperRequest]) -> list[Document]:
    """Return papers as documents; those that say nothing at all are left out."""
    given = [
        Document(**paper.model_dump() | {"id": paper.id.strip(), "authors": tuple(paper.authors)})
        for paper in papers
    ]
    with blame_content("papers"):
        return [ensure_id(paper) for paper in given if paper.id or paper.is_identifiable]


duplicates_router = APIRouter(
    prefix="/api/libraries/{library}/duplicates",
    tags=["libraries"],
    responses=list_refusals(404, 409, 422),
)


@duplicates_router.get(
    "", summary="List the duplicates of a library", response_description="Pairs of records."
)
def list_duplicates(
    library: LibraryId,
    libraries: TheLibraries,
    *,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> DuplicatesAnswer:
    """Return records that were merged with others, each beside the first record of its paper."""
    collected = libraries.get_collected(library)
    notes = require_notebook(libraries.get(collected.id).library).read_papers()
    total = sum(max(0, len(note.records) - 1) for note in notes.values())
    shown = islice(_pair_records(notes), offset, offset + limit)
    return DuplicatesAnswer(total=total, offset=offset, duplicates=list(shown))


@duplicates_router.post(
    "/split", summary="Tell records apart", response_description="The papers that they make now."
)
def split_paper(
    library: LibraryId, asked: SplitRequest, libraries: TheLibraries, *, jobs: TheJobs
) -> SplitAnswer:
    """Take a paper apart into its records, for good: reading files again does not join them."""
    with _open_for_writing(libraries, library, jobs=jobs) as opened:
        (split,) = split_papers(opened, [asked.paper])
    return SplitAnswer(paper=split.paper, into=list(split.into))


@duplicates_router.post(
    "/join",
    operation_id="join_papers",
    summary="Make one paper of several",
    response_description="The paper.",
)
def join(
    library: LibraryId, asked: JoinRequest, libraries: TheLibraries, *, jobs: TheJobs
) -> SplitAnswer:
    """Join papers into one under the id of the first; it is still found under the other ids."""
    with _open_for_writing(libraries, library, jobs=jobs) as opened:
        for other in asked.others:
            join_papers(opened, asked.kept, other)
    return SplitAnswer(paper=asked.kept, into=[asked.kept])


def _pair_records(notes: dict[str, PaperNote]) -> Iterator[DuplicateAnswer]:
    for name, note in notes.items():
        for other in note.records[1:]:
            yield DuplicateAnswer(
                paper=name,
                records=len(note.records),
                kept=answer_document(note.records[0].document),
                other=answer_document(other.document),
                # The folder in which a file waited means nothing to people.
                place=PurePath(other.place).name,
                matched=other.matched,
            )


@contextmanager
def _open_for_writing(libraries: Libraries, identifier: str, *, jobs: Jobs) -> Iterator[Library]:
    """Open a library that no job is writing to; afterwards readers see the change at once."""
    collected = libraries.get_collected(identifier)
    if any(job.brings_records for job in jobs.find_using(identifier)):
        raise LibraryInUse(f"{collected.name}: files are being read into it; wait for that")
    with open_library(collected.path, write=True) as opened:
        yield opened
    libraries.get(identifier)
