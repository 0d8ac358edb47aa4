"""Documents of the library: found by words, or by their ids."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from likewise.errors import UnknownDocumentError
from likewise.library.query import words_query
from likewise.server.models.documents import MOST_WORD, Found, Search, Shown
from likewise.server.routes.dependencies import TheLibrary, refused
from likewise.server.routes.shown import shown

router = APIRouter(prefix="/api", tags=["documents"])


@router.get(
    "/search",
    operation_id="search",
    summary="Search the library for words",
    response_description="The documents found, best first.",
    responses=refused(422),
)
def search(
    library: TheLibrary,
    *,
    words: Annotated[str, Query(max_length=1_000, description="Any of them may occur.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> Search:
    """Return documents with these words.

    A document scores higher the more of the words it has, the rarer they are, and if they are in
    its title.
    """
    hits = library.search(words_query(words, library=library), limit=offset + limit + 1)
    ids, scores = hits.ids[offset : offset + limit], hits.scores[offset:]
    held = {document.id: document for document in library.get(ids)}
    return Search(
        documents=[
            Found(score=round(score, 4), document=shown(held[identifier]))
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
    responses=refused(404, 422),
)
def get_document(
    library: TheLibrary,
    identifier: Annotated[
        str,
        Path(alias="id", max_length=MOST_WORD, description="Its id, which may hold slashes."),
    ],
) -> Shown:
    """Return the document of an id."""
    found = library.get([identifier])
    if not found:
        raise UnknownDocumentError(
            f"the library holds no document {identifier}; GET /api/search?words= finds ids"
        )
    return shown(found[0])
