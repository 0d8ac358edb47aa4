"""Documents of the library, found by words or by their ids, and as HTTP shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.documents import Document
from likewise.documents.identity import ensure_id
from likewise.errors import UnknownDocumentError
from likewise.expansion.display import find_links
from likewise.library.protocol import make_words_query
from likewise.server.models.documents import (
    MOST_WORD,
    DocumentAnswer,
    HitAnswer,
    LinkAnswer,
    PaperRequest,
    SearchAnswer,
)
from likewise.server.routes.dependencies import TheLibrary, list_refusals

router = APIRouter(prefix="/api", tags=["documents"])


LOST = "(no longer in the library)"


@router.get(
    "/search",
    operation_id="search",
    summary="Search the library for words",
    response_description="The documents found, best first.",
    responses=list_refusals(422),
)
def search(
    library: TheLibrary,
    *,
    words: Annotated[str, Query(max_length=1_000, description="Any of them may occur.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> SearchAnswer:
    """Return documents with these words.

    A document scores higher the more of the words it has, the rarer they are, and if they are in
    its title.
    """
    hits = library.search(make_words_query(words, library=library), limit=offset + limit + 1)
    ids, scores = hits.ids[offset : offset + limit], hits.scores[offset:]
    held = {document.id: document for document in library.get(ids)}
    return SearchAnswer(
        documents=[
            HitAnswer(score=round(score, 4), document=answer_document(held[identifier]))
            for identifier, score in zip(ids, scores, strict=False)
            if identifier in held
        ],
        more=len(hits) > offset + limit,
    )


@router.get(
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
    """Return a document as a reader needs it.

    >>> shown(Document(id="7", pmid="7", title="On cats")).links[0].address
    'https://pubmed.ncbi.nlm.nih.gov/7/'
    """
    return DocumentAnswer(
        id=document.id,
        title=document.title,
        abstract=document.abstract,
        year=document.year,
        authors=list(document.authors),
        journal=document.journal,
        doi=document.doi,
        pmid=document.pmid,
        pmcid=document.pmcid,
        links=[LinkAnswer(name=link.name, address=link.address) for link in find_links(document)],
    )


def make_stand_in(identifier: str) -> Document:
    """Return what stands for a document that the library does not hold any more."""
    return Document(id=identifier, title=LOST)


def convert_papers(papers: Iterable[PaperRequest]) -> list[Document]:
    """Return papers as documents; those that say nothing at all are left out."""
    documents = [
        Document(
            id=paper.id.strip(),
            title=paper.title,
            abstract=paper.abstract,
            year=paper.year,
            authors=tuple(paper.authors),
            journal=paper.journal,
            doi=paper.doi,
            pmid=paper.pmid,
            pmcid=paper.pmcid,
        )
        for paper in papers
    ]
    return [
        ensure_id(document) for document in documents if document.id or document.is_identifiable
    ]
