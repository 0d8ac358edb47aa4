"""Seeds: what a person pastes or uploads, matched with the library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request

from likewise.documents.formats import formats
from likewise.expansion.seed_warnings import warn_of_seeds
from likewise.expansion.seeds import find_irrelevant, match_seeds
from likewise.library.protocol import Library
from likewise.server.failures import STEERING
from likewise.server.models.documents import (
    MOST_SEEDS,
    MOST_WORD,
    PaperRequest,
    SeedsAnswer,
    SeedsRequest,
)
from likewise.server.routes.dependencies import TheLibrary, TheReaders, TheSettings, list_refusals
from likewise.server.routes.libraries import answer_document, convert_papers
from likewise.server.uploads.readers import Readers
from likewise.server.uploads.worker import (
    Upload,
    UploadRequest,
    blame_content,
    limit_documents,
)

PASTED = "what was pasted"
MOST_COMPARED = 700
"""Of more seeds it would take too long, while a person waits, to say what may be wrong."""

router = APIRouter(prefix="/api", tags=["seeds"])

FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


MOST_NAME = 120
_UNNAMED = "the file"
_STEM = "upload"


@router.post(
    "/seeds",
    operation_id="resolve_seeds",
    summary="Match papers with the library",
    response_description="What became of each.",
    responses=list_refusals(409, 422),
)
async def resolve_seeds(
    given: SeedsRequest, *, library: TheLibrary, readers: TheReaders
) -> SeedsAnswer:
    """Say of papers whether the library holds them; nothing is kept.

    `text` is what a person pastes: identifiers or titles, one a line, or a whole file. `papers` are
    what a program has. Fewer than three are no error here.
    """
    async with readers.take_turn():
        pasted = await read_pasted(given.text, readers) if given.text else Upload([], [])
        return await asyncio.to_thread(_answer_given, given.papers, pasted, library=library)


@router.post(
    "/seeds/file",
    operation_id="resolve_file",
    summary="Match the papers of a file with the library",
    response_description="What became of each.",
    responses=list_refusals(409, 422),
    openapi_extra=FILE_BODY,
)
async def resolve_file(
    request: Request,
    *,
    library: TheLibrary,
    readers: TheReaders,
    settings: TheSettings,
    name: Annotated[
        str, Query(max_length=500, description="The file's name; its suffix may tell the format.")
    ] = "",
) -> SeedsAnswer:
    """Read a file, gzipped or not, and say of its papers whether the library holds them."""
    shown = clean_file_name(name)
    asked = UploadRequest(
        f"{_STEM}{find_suffix(shown)}", shown, MOST_SEEDS, most_bytes=settings.most_unpacked
    )
    async with readers.take_turn():
        uploaded = await readers.read(await request.body(), asked)
        return await asyncio.to_thread(answer_seeds, uploaded, library=library)


async def read_pasted(text: str, readers: Readers) -> Upload:
    """Return the papers that a pasted text names, read by a process of its own."""
    asked = UploadRequest(_STEM, PASTED, MOST_SEEDS, is_pasted=True)
    return await readers.read(text.encode("utf-8", "replace"), asked)


def _answer_given(
    papers: Sequence[PaperRequest], pasted: Upload, *, library: Library
) -> SeedsAnswer:
    both = [*convert_papers(papers), *pasted.documents]
    documents = list(limit_documents(both, PASTED, most=MOST_SEEDS))
    return answer_seeds(Upload(documents, pasted.problems), library=library)


def answer_seeds(uploaded: Upload, *, library: Library) -> SeedsAnswer:
    """Match papers with a library, and say what may be wrong with them as seeds."""
    with blame_content("papers"):
        seeds = match_seeds(library, uploaded.documents)
        known = {seed.id for seed in seeds.matched}
        irrelevant = find_irrelevant(library, uploaded.irrelevant, besides=known)
        is_quick = 0 < len(seeds.documents) <= MOST_COMPARED
        warnings = warn_of_seeds(seeds, library=library) if is_quick else []
    return SeedsAnswer(
        matched=[answer_document(document) for document in seeds.matched],
        text_only=[answer_document(document) for document in seeds.text_only],
        not_found=[name[:MOST_WORD] for name in seeds.not_found],
        problems=uploaded.problems,
        warnings=warnings,
        irrelevant=[answer_document(document) for document in library.get(irrelevant)],
        decisions=uploaded.decisions,
    )


def clean_file_name(name: str) -> str:
    r"""Return the name of a file for messages: without folders, one line, not too long.

    >>> [clean_file_name(name) for name in ("C:\\papers\\refs.ris", "../../etc/passwd", "..")]
    ['refs.ris', 'passwd', 'the file']
    """
    last = STEERING.sub("", name).replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    return last[-MOST_NAME:] if last.strip(".") else _UNNAMED


def find_suffix(name: str) -> str:
    """Return the suffix of a known format that a name ends with, or "".

    >>> [find_suffix(name) for name in ("Refs.RIS.gz", "library.endnote.xml", "refs.exe")]
    ['.ris', '.endnote.xml', '']
    """
    low = name.lower().removesuffix(".gz")
    ends = [suffix for known in formats() for suffix in known.suffixes if low.endswith(suffix)]
    return max(ends, key=len, default="")
