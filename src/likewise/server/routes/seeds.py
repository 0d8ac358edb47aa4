"""Seeds: what a person has, matched with the library before anything is made of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request

from likewise.expansion.pasted import pasted_papers
from likewise.expansion.seed_warnings import seed_warnings
from likewise.expansion.seeds import match_seeds
from likewise.server.models.documents import MOST_WORD
from likewise.server.models.seeds import MOST_SEEDS, GivenSeeds, Resolved
from likewise.server.routes.dependencies import TheLibrary, TheSettings, refused
from likewise.server.routes.shown import papers_given, shown
from likewise.server.uploads import Problems, Uploaded, bounded, read_upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from likewise.library.protocol import Library

PASTED = "what was pasted"
MOST_COMPARED = 700
"""Of more seeds it would take too long, while a person waits, to say what may be wrong."""

router = APIRouter(prefix="/api", tags=["seeds"])

_FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post(
    "/seeds",
    operation_id="resolve_seeds",
    summary="Match papers with the library",
    response_description="What became of each.",
    responses=refused(409, 422),
)
async def resolve_seeds(request: Request, given: GivenSeeds, *, library: TheLibrary) -> Resolved:
    """Say of papers whether the library holds them; nothing is kept.

    `text` is what a person pastes: identifiers or titles, one a line, or a whole file. `papers` are
    what a program has. Fewer than three are no error here.
    """
    return await _resolved(request, lambda: _read_given(given), library=library)


@router.post(
    "/seeds/file",
    operation_id="resolve_file",
    summary="Match the papers of a file with the library",
    response_description="What became of each.",
    responses=refused(409, 422),
    openapi_extra=_FILE,
)
async def resolve_file(
    request: Request,
    *,
    library: TheLibrary,
    settings: TheSettings,
    name: Annotated[
        str, Query(max_length=500, description="The file's name; its suffix may tell the format.")
    ] = "",
) -> Resolved:
    """Read a file, gzipped or not, and say of its papers whether the library holds them."""
    body = await request.body()
    most = settings.most_unpacked
    return await _resolved(
        request, lambda: read_upload(body, name, most_bytes=most), library=library
    )


async def _resolved(
    request: Request, read_papers: Callable[[], Uploaded], *, library: Library
) -> Resolved:
    # What was sent may be large: few are read at once, so that the rest stays quick.
    async with request.app.state.reading:
        return await asyncio.to_thread(lambda: resolved(read_papers(), library=library))


def _read_given(given: GivenSeeds) -> Uploaded:
    problems = Problems(PASTED)
    pasted = pasted_papers(given.text, on_problem=problems.add, most=MOST_SEEDS)
    documents = list(bounded([*papers_given(given.papers), *pasted], PASTED))
    return Uploaded(documents, problems.lines)


def resolved(uploaded: Uploaded, *, library: Library) -> Resolved:
    """Match papers with a library, and say what may be wrong with them as seeds."""
    seeds = match_seeds(library, uploaded.documents)
    is_quick = 0 < len(seeds.documents) <= MOST_COMPARED
    return Resolved(
        matched=[shown(document) for document in seeds.matched],
        text_only=[shown(document) for document in seeds.text_only],
        not_found=[name[:MOST_WORD] for name in seeds.not_found],
        problems=uploaded.problems,
        warnings=seed_warnings(seeds, library=library) if is_quick else [],
    )
