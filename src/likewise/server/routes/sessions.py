"""Sessions: their seeds, and how they are started, listed, shown, renamed, deleted and exported."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from likewise.documents.formats import formats
from likewise.errors import UnknownFormatError
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.seed_warnings import warn_of_seeds
from likewise.expansion.seeds import Seeds, find_irrelevant, match_seeds
from likewise.expansion.sessions.agreement import SeenSession
from likewise.expansion.sessions.exporting import EVERYTHING, Which, export_session
from likewise.expansion.sessions.reporting import report_session
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.library.protocol import Library
from likewise.server.desks.folder import clean_name, make_name, read_change_time
from likewise.server.desks.reading import SessionReader
from likewise.server.failures import STEERING
from likewise.server.jobs.records import Job
from likewise.server.models.rankings import (
    MOST_SEEDS,
    MOST_WORD,
    PaperRequest,
    SeedsAnswer,
    SeedsRequest,
)
from likewise.server.models.sessions import (
    JobAnswer,
    NewSessionRequest,
    RemovedAnswer,
    SessionAnswer,
    SessionChangeRequest,
    SessionHeadAnswer,
    SessionsAnswer,
    SettingsAnswer,
)
from likewise.server.processes import Readers
from likewise.server.routes import (
    SessionId,
    TheDesk,
    TheDesks,
    TheJobs,
    TheLibraries,
    TheLibrary,
    TheReaders,
    TheSessionLibrary,
    TheSettings,
    TheViewer,
    list_refusals,
    make_session_router,
)
from likewise.server.routes.expansions import answer_expansion, choose_settings, find_settings
from likewise.server.routes.libraries import WHOLE, answer_document, convert_papers, make_stand_in
from likewise.server.upload_worker import Upload, UploadRequest, blame_content, limit_documents

PASTED = "the pasted text"
MOST_COMPARED = 700
"""With more seeds, it would take too long to say what may be wrong while a person waits."""

seeds_router = APIRouter(prefix="/api", tags=["seeds"], responses=list_refusals(409, 422))

_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
FILE_BODY = {"requestBody": {"required": True, "content": _BYTES}}


MOST_NAME = 120
_UNNAMED = "the file"
_STEM = "upload"


@seeds_router.post(
    "/seeds",
    summary="Match papers with the library",
    response_description="What became of each paper.",
)
async def resolve_seeds(
    given: SeedsRequest, *, library: TheLibrary, readers: TheReaders
) -> SeedsAnswer:
    """Say which of these papers the library holds; nothing is kept.

    `text` is what a person pastes: identifiers or titles, one per line, or a whole file. `papers`
    are what a program has. Fewer than three are not an error here.
    """
    async with readers.turns:
        pasted = await read_pasted(given.text, readers) if given.text else Upload([], [])
        return await asyncio.to_thread(_answer_given, given.papers, pasted, library=library)


@seeds_router.post(
    "/seeds/file",
    summary="Match the papers of a file with the library",
    response_description="What became of each paper.",
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
    """Read a file, gzipped or not, and say which of its papers the library holds."""
    shown = clean_file_name(name)
    asked = UploadRequest(
        f"{_STEM}{find_suffix(shown)}", shown, MOST_SEEDS, most_bytes=settings.most_unpacked
    )
    async with readers.turns:
        uploaded = await readers.read(await request.body(), asked)
        return await asyncio.to_thread(answer_seeds, uploaded, library=library)


async def read_pasted(text: str, readers: Readers) -> Upload:
    """Return the papers that a pasted text names; another process reads it."""
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


router = APIRouter(prefix="/api/sessions", tags=["sessions"])
one_session = make_session_router("sessions")


@router.get(
    "",
    summary="List the sessions",
    response_description="The sessions; the one that changed last comes first.",
)
async def list_sessions(
    desks: TheDesks, jobs: TheJobs, libraries: TheLibraries, *, viewer: TheViewer
) -> SessionsAnswer:
    """Return what is known of each session, and which files are not sessions."""
    listing = await desks.list_heads(viewer)
    latest = {job.session: job for job in reversed(jobs.list_jobs())}
    return SessionsAnswer(
        sessions=[
            SessionHeadAnswer.of(
                head, job=latest.get(head.id), library=libraries.find_identifier(head.library)
            )
            for head in listing.heads
        ],
        unreadable=listing.unreadable,
    )


@router.post(
    "",
    summary="Begin a session",
    status_code=201,
    response_description="The session.",
    responses=list_refusals(422),
)
async def create_session(
    new: NewSessionRequest, desks: TheDesks, library: TheLibrary, *, viewer: TheViewer
) -> SessionAnswer:
    """Make a session from seeds; ask for an expansion separately.

    At least three seeds with different texts are needed, whether the library holds them or not.
    Irrelevant papers are marked irrelevant if the library holds them.
    """
    given = GivenPapers(convert_papers(new.seeds), convert_papers(new.irrelevant), [])
    settings = choose_settings(new.settings, before=ExpandSettings())
    made = await desks.create(given, name=new.name, settings=settings, library=library)
    async with desks.at(made) as desk:
        return await desk.read(_answer_session, job=None, viewer=viewer)


@one_session.get("", summary="Show a session", response_description="The session.")
async def get_session(desk: TheDesk, jobs: TheJobs, *, viewer: TheViewer) -> SessionAnswer:
    """Return a session: its seeds, its settings, and its latest expansion without the ranking."""
    return await desk.read(_answer_session, job=jobs.find_latest(desk.id), viewer=viewer)


@one_session.patch("", summary="Rename a session", response_description="The session.")
async def rename_session(
    desk: TheDesk, jobs: TheJobs, change: SessionChangeRequest, *, viewer: TheViewer
) -> SessionAnswer:
    """Give a session another name; if that is empty, the title of its first seed."""
    name = clean_name(change.name)
    await desk.write(lambda session: session.rename(name or make_name(session.start.seeds)))
    return await desk.read(_answer_session, job=jobs.find_latest(desk.id), viewer=viewer)


@router.delete(
    "/{session}",
    summary="Delete a session",
    response_description="What was deleted.",
    responses=list_refusals(404, 422),
)
async def delete_session(session: SessionId, desks: TheDesks, jobs: TheJobs) -> RemovedAnswer:
    """Delete a session with all its marks, for good; its job is cancelled first."""
    await desks.delete(session, end=jobs.forget)
    return RemovedAnswer(id=session, state="deleted")


def _answer_session(reader: SessionReader, *, job: Job | None, viewer: str | None) -> SessionAnswer:
    state, start, seeds = reader.state, reader.session.start, _find_seeds(reader)
    counts = Counter(mark.label for mark in reader.find_decisions(viewer).values())
    return SessionAnswer(
        id=reader.identifier,
        name=state.name,
        library=reader.library_id,
        created=start.time,
        changed=read_change_time(reader.session.path),
        seeds=len(start.seeds),
        expansions=len(state.heads),
        relevant=counts["relevant"],
        irrelevant=counts["irrelevant"],
        maybe=counts["maybe"],
        job=JobAnswer.of(job) if job else None,
        settings=SettingsAnswer.of(find_settings(reader)),
        matched=[answer_document(seed) for seed in seeds.matched],
        text_only=[answer_document(seed) for seed in seeds.text_only],
        not_found=list(seeds.not_found),
        expansion=answer_expansion(reader) if state.pool else None,
    )


def _find_seeds(reader: SessionReader) -> Seeds:
    """Return the seeds as the latest expansion used them; if there is none, as they match now."""
    if reader.state.pool is None:
        return reader.match_seeds()
    saved = reader.state.pool.saved.seeds
    held = {document.id: document for document in reader.library.get(saved.matched)}
    matched = tuple(held.get(name) or make_stand_in(name) for name in saved.matched)
    return Seeds(matched=matched, text_only=saved.text_only, not_found=saved.not_found)


exports_router = make_session_router("exports")

CHUNK = 1 << 18
LONGEST_NAME = 60


@exports_router.get(
    "/export",
    summary="Export a session",
    response_class=StreamingResponse,
    responses={200: {"description": "The file.", "content": _BYTES}},
)
async def export(
    desk: TheDesk,
    opened: TheSessionLibrary,
    name: Annotated[
        str, Query(alias="format", max_length=40, description="Its name in /api/formats.")
    ] = "ris",
    *,
    which: Annotated[
        Which,
        Query(
            description="What is above the line or marked, only what is relevant, or the whole "
            "ranking; each with the seeds."
        ),
    ] = "listed",
    viewer: TheViewer,
) -> StreamingResponse:
    """Return seeds, marked documents and those above the line; as `json`, the whole session.

    A reviewer gets only the marks, tags and notes that they may see.
    """
    suffix = find_export_suffix(name)
    called = await desk.read(lambda reader: reader.state.name)
    written = await asyncio.to_thread(
        _write_export, desk.path, suffix, library=opened.library, which=which, viewer=viewer
    )
    return StreamingResponse(
        _read_chunks(written),
        media_type="application/octet-stream",
        headers={
            "Content-Length": str(os.fstat(written.fileno()).st_size),
            "Content-Disposition": make_disposition(called, suffix),
        },
    )


@exports_router.get(
    "/report",
    summary="Report on a session as an HTML page",
    response_class=Response,
    responses={
        200: {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}}
    },
)
async def report(desk: TheDesk, *, viewer: TheViewer) -> Response:
    """Return a page to read offline: what was found and why, figures, seeds and settings."""
    called, page = await desk.read(_render_report, viewer=viewer)
    headers = {"Content-Disposition": make_disposition(f"{called}-report", ".html")}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def _render_report(reader: SessionReader, *, viewer: str | None) -> tuple[str, str]:
    reader.get_pool()
    return reader.state.name, report_session(reader.see_as(viewer), reader.library)


def find_export_suffix(name: str) -> str:
    """Return the suffix of a format that can be written; raise UnknownFormatError."""
    offered = {one.name: one.suffixes[0] for one in formats() if one.writes} | {WHOLE: EVERYTHING}
    if name not in offered:
        raise UnknownFormatError(
            f"a session can't be exported as {name!r}; use one of: {', '.join(offered)}"
        )
    return offered[name]


def make_disposition(name: str, suffix: str) -> str:
    """Return the header that names a file, in ASCII and in full.

    >>> make_disposition("Sjögren: a/b", ".ris").split("; ")[1:]
    ['filename="Sjogren-a-b.ris"', "filename*=UTF-8''Sj%C3%B6gren-a-b.ris"]
    """
    called = re.sub(r"[^\w.-]+", "-", name)[:LONGEST_NAME].strip("-.") or "session"
    ascii_only = unicodedata.normalize("NFKD", called).encode("ascii", "ignore").decode()
    plain = ascii_only.strip("-.") or "session"
    whole = quote(f"{called}{suffix}", safe="")
    return f"attachment; filename=\"{plain}{suffix}\"; filename*=UTF-8''{whole}"


def _write_export(
    path: Path, suffix: str, *, library: Library, which: Which, viewer: str | None
) -> IO[bytes]:
    """Write a session, as far as a viewer may see it, to a file that is gone once it is closed."""
    with (
        tempfile.TemporaryDirectory(prefix="likewise-") as folder,
        Session.open(path, read_only=True) as session,
    ):
        file = Path(folder, f"session{suffix}")
        seen = session if viewer is None else SeenSession(session, viewer)
        export_session(seen, file, library=library, which=which)
        # The folder is deleted after this block, but an open file can be read to its end.
        return file.open("rb")


def _read_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(CHUNK):
            yield chunk
