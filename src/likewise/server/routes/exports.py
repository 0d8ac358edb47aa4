"""Exports: a session as a file to take along."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from likewise.documents.formats import formats
from likewise.errors import UnknownFormatError
from likewise.expansion.sessions.agreement import SeenSession
from likewise.expansion.sessions.exporting import EVERYTHING, Which, export_session
from likewise.expansion.sessions.reporting import report_session
from likewise.expansion.sessions.session import Session
from likewise.library.protocol import Library
from likewise.server.desks.reading import SessionReader
from likewise.server.routes.dependencies import (
    TheDesk,
    TheSessionLibrary,
    TheViewer,
    list_refusals,
)
from likewise.server.routes.libraries import WHOLE

router = APIRouter(prefix="/api/sessions/{session}", tags=["exports"])

CHUNK = 1 << 18
LONGEST_NAME = 60


class ExportFile(NamedTuple):
    """A file that has no name any more, and is gone once it is closed."""

    stream: IO[bytes]
    size: int


@router.get(
    "/export",
    operation_id="export",
    summary="Export a session",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The file.",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
        **list_refusals(404, 409, 422),
    },
)
async def export(
    desk: TheDesk,
    opened: TheSessionLibrary,
    name: Annotated[
        str, Query(alias="format", max_length=40, description="By its name in /api/formats.")
    ] = "ris",
    *,
    which: Annotated[
        Which,
        Query(
            description="What is above the line or marked, only what is relevant, or the whole "
            "ranking; the seeds too."
        ),
    ] = "listed",
    viewer: TheViewer,
) -> StreamingResponse:
    """Return seeds, what is marked and what lies above the line; as `json`, all there is.

    To a reviewer only those marks, tags and notes are written that they may see.
    """
    suffix = find_export_suffix(name)
    called = await desk.read(_read_name)
    written = await asyncio.to_thread(
        _write_export, desk.path, suffix, library=opened.library, which=which, viewer=viewer
    )
    return StreamingResponse(
        _read_chunks(written.stream),
        media_type="application/octet-stream",
        headers={
            "Content-Length": str(written.size),
            "Content-Disposition": make_disposition(called, suffix),
        },
    )


@router.get(
    "/report",
    operation_id="report",
    summary="Report on a session as an HTML page",
    response_class=Response,
    responses={
        200: {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}},
        **list_refusals(404, 409, 422),
    },
)
async def report(desk: TheDesk, *, viewer: TheViewer) -> Response:
    """Return what was found and why, with figures, seeds and settings, as a page for offline."""
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
            f"a session is not exported as {name!r}; use one of: {', '.join(offered)}"
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


def _read_name(reader: SessionReader) -> str:
    return reader.state.name


def _write_export(
    path: Path, suffix: str, *, library: Library, which: Which, viewer: str | None
) -> ExportFile:
    """Write a session, as far as a viewer may see it, to a file of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="likewise-") as folder,
        Session.open(path, read_only=True) as session,
    ):
        file = Path(folder, f"session{suffix}")
        seen = session if viewer is None else SeenSession(session, viewer)
        export_session(seen, file, library=library, which=which)
        # The folder goes with this block; what is open can be read to its end.
        stream = file.open("rb")
    return ExportFile(stream, os.fstat(stream.fileno()).st_size)


def _read_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(CHUNK):
            yield chunk
