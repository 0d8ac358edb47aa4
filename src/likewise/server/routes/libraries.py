"""The library that is served, and the formats of files."""

from __future__ import annotations

from fastapi import APIRouter

from likewise.documents.formats import formats
from likewise.expansion.sessions.exporting import EVERYTHING
from likewise.server.models.documents import (
    FormatAnswer,
    FormatsAnswer,
    LibrariesAnswer,
    LibraryAnswer,
)
from likewise.server.routes.dependencies import (  # FastAPI reads them
    TheLibrary,
    TheSettings,
)

router = APIRouter(prefix="/api", tags=["libraries"])

WHOLE = "json"
"""The name of the export that holds everything of a session."""


@router.get(
    "/libraries",
    operation_id="list_libraries",
    summary="Tell which libraries are served",
    response_description="The one library that is.",
)
def list_libraries(library: TheLibrary, settings: TheSettings) -> LibrariesAnswer:
    """Return what is known of the library that this server serves."""
    held = library.info()
    answer = LibraryAnswer(
        name=settings.library_name,
        documents=held.documents,
        fields=held.fields,
        changed=held.changed,
    )
    return LibrariesAnswer(libraries=[answer])


@router.get(
    "/formats",
    operation_id="list_formats",
    summary="Tell which formats of files are read and written",
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
