"""Seeds: what a person pastes or uploads, matched with the library."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from fastapi import APIRouter, Query, Request

from likewise.documents import Document, read
from likewise.documents.formats import formats
from likewise.errors import Problem, ReadError
from likewise.expansion.seed_sources import parse_papers
from likewise.expansion.seed_warnings import warn_of_seeds
from likewise.expansion.seeds import match_seeds
from likewise.library.protocol import Library
from likewise.server.failures import STEERING
from likewise.server.models.documents import MOST_SEEDS, MOST_WORD, SeedsAnswer, SeedsRequest
from likewise.server.routes.dependencies import TheLibrary, TheSettings, list_refusals
from likewise.server.routes.libraries import answer_document, convert_papers

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


MOST_NAME = 120
MOST_PROBLEMS = 20
"""How many problems are told; of the rest, how many there are."""
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
    request: Request, given: SeedsRequest, *, library: TheLibrary
) -> SeedsAnswer:
    """Say of papers whether the library holds them; nothing is kept.

    `text` is what a person pastes: identifiers or titles, one a line, or a whole file. `papers` are
    what a program has. Fewer than three are no error here.
    """
    return await _resolve_aside(request, lambda: _read_given(given), library=library)


@router.post(
    "/seeds/file",
    operation_id="resolve_file",
    summary="Match the papers of a file with the library",
    response_description="What became of each.",
    responses=list_refusals(409, 422),
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
) -> SeedsAnswer:
    """Read a file, gzipped or not, and say of its papers whether the library holds them."""
    body = await request.body()
    most = settings.most_unpacked
    return await _resolve_aside(
        request, lambda: read_upload(body, name, most_bytes=most), library=library
    )


async def _resolve_aside(
    request: Request, read_papers: Callable[[], Upload], *, library: Library
) -> SeedsAnswer:
    # What was sent may be large: few are read at once, so that the rest stays quick.
    async with request.app.state.reading:
        return await asyncio.to_thread(lambda: answer_seeds(read_papers(), library=library))


def _read_given(given: SeedsRequest) -> Upload:
    problems = Problems(PASTED)
    pasted = parse_papers(given.text, on_problem=problems.add, most=MOST_SEEDS)
    documents = list(limit_documents([*convert_papers(given.papers), *pasted], PASTED))
    return Upload(documents, problems.lines)


def answer_seeds(uploaded: Upload, *, library: Library) -> SeedsAnswer:
    """Match papers with a library, and say what may be wrong with them as seeds."""
    seeds = match_seeds(library, uploaded.documents)
    is_quick = 0 < len(seeds.documents) <= MOST_COMPARED
    return SeedsAnswer(
        matched=[answer_document(document) for document in seeds.matched],
        text_only=[answer_document(document) for document in seeds.text_only],
        not_found=[name[:MOST_WORD] for name in seeds.not_found],
        problems=uploaded.problems,
        warnings=warn_of_seeds(seeds, library=library) if is_quick else [],
    )


class Upload(NamedTuple):
    """What a file held."""

    documents: list[Document]
    problems: list[str]


class Problems:
    """The problems of a file: the first ones, and how many more there are."""

    def __init__(self, path: str | None = None) -> None:
        """Begin to collect.

        Args:
            path: What the file is called towards people, whatever it is called here.
        """
        self._path = path
        self._told: list[str] = []
        self._more = 0

    def add(self, problem: Problem) -> None:
        """Take one more."""
        if len(self._told) < MOST_PROBLEMS:
            self._told.append(str(problem._replace(path=self._path or problem.path)))
        else:
            self._more += 1
        if self._more > MOST_SEEDS:
            # Reading them all would keep others waiting, and tell nobody anything.
            found = f"more than {MOST_SEEDS:,} records that can't be read"
            advice = f"the first of them: {self._told[0]}"
            raise ReadError(Problem(self._path or problem.path, found, advice=advice))

    @property
    def lines(self) -> list[str]:
        """Each in a line."""
        more = [f"and {self._more:,} more of these"] if self._more else []
        return self._told + more


def read_upload(body: bytes, name: str, *, most_bytes: int) -> Upload:
    """Return the documents of a file that was sent, and what could not be read of it.

    Args:
        body: The file, gzipped or not.
        name: What its owner calls it: its suffix may tell the format, the rest is for messages.
        most_bytes: The most that it may unpack to.
    """
    name = clean_file_name(name)
    problems = Problems(name)
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        path = Path(folder) / f"{_STEM}{find_suffix(name)}"
        path.write_bytes(body)
        found = read(path, on_problem=problems.add, most_bytes=most_bytes)
        try:
            documents = list(limit_documents(found, name))
        except ReadError as error:
            raise ReadError(error.problem._replace(path=name)) from error
    return Upload(
        [_rename_source(document, path.name, name) for document in documents], problems.lines
    )


def limit_documents(documents: Iterable[Document], name: str) -> Iterator[Document]:
    """Yield documents; raise ReadError if there are more than anybody's seeds."""
    for number, document in enumerate(documents):
        if number >= MOST_SEEDS:
            advice = "give the papers that you have on one topic"
            raise ReadError(Problem(name, f"more than {MOST_SEEDS:,} records", advice=advice))
        yield document


def _rename_source(document: Document, ours: str, name: str) -> Document:
    if not document.source.endswith(f":{ours}"):
        return document
    return msgspec.structs.replace(document, source=f"{document.source.removesuffix(ours)}{name}")


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
