"""The documents of a library as HTTP shows them, and the formats of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.documents import Document
from likewise.documents.formats import formats
from likewise.documents.identity import ensure_id
from likewise.documents.notices import describe_warning
from likewise.errors import UnknownDocumentError
from likewise.expansion.display import find_links
from likewise.expansion.searching import search_library
from likewise.expansion.sessions.exporting import EVERYTHING
from likewise.expansion.settings import SEARCH_LIMIT
from likewise.library.where import Where
from likewise.server.models.documents import (
    MOST_WORD,
    DocumentAnswer,
    FormatAnswer,
    FormatsAnswer,
    HitAnswer,
    LinkAnswer,
    PaperRequest,
    SearchAnswer,
)
from likewise.server.routes.dependencies import TheLibrary, list_refusals
from likewise.server.uploads.worker import blame_content

router = APIRouter(prefix="/api", tags=["libraries"])
documents = APIRouter(prefix="/api", tags=["documents"])

WHOLE = "json"
"""The name of the export that holds everything of a session."""
LOST = "(no longer in the library)"


@router.get(
    "/formats",
    operation_id="list_formats",
    summary="List the formats of files",
    response_description="The formats.",
)
async def list_formats() -> FormatsAnswer:
    """Return the formats that seeds are read from, and that sessions are exported in."""
    known = [
        FormatAnswer(
            name=one.name,
            suffix=one.suffixes[0],
            description=one.description,
            reads=True,
            writes=one.writes,
            notes=one.writes and one.notes,
        )
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
    operation_id="search",
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
            "journal:, type:, title:, author:, source:) it is a filter, all of which must hold.",
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
    operation_id="get_document",
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
    """Return the document of an id."""
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
    own = DocumentAnswer.model_fields.keys() - {"links", "warning"}
    return DocumentAnswer(
        **{name: getattr(document, name) for name in own},
        warning=describe_warning(document),
        links=[LinkAnswer.of(link) for link in find_links(document)],
    )


def make_stand_in(identifier: str) -> Document:
    """Return a document in place of one that the library does not hold any more."""
    return Document(id=identifier, title=LOST)


def convert_papers(papers: Iterable[PaperRequest]) -> list[Document]:
    """Return papers as documents; those that say nothing at all are left out."""
    given = [
        Document(**paper.model_dump() | {"id": paper.id.strip(), "authors": tuple(paper.authors)})
        for paper in papers
    ]
    with blame_content("papers"):
        return [ensure_id(paper) for paper in given if paper.id or paper.is_identifiable]
