"""Libraries: list them, make them from files, rename and delete them."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.requests import ClientDisconnect

from likewise.errors import LibraryError, Problem, ReadError, SeedsError, SettingsError
from likewise.library.collection import CollectedLibrary
from likewise.library.receiving import Receipt, Reception, drop_waiting, list_waiting, receive_file
from likewise.library.sources import list_sources
from likewise.server import MEGABYTE
from likewise.server.desks.libraries import Libraries, LibraryInUse, OpenLibrary
from likewise.server.jobs import GatherRequest, IntakeRequest
from likewise.server.jobs.jobs import Jobs
from likewise.server.models.libraries import (
    CollectedFileAnswer,
    DeletedLibraryAnswer,
    GatheringRequest,
    IntakeRequestShape,
    LibrariesAnswer,
    LibraryAnswer,
    LibraryDetailsAnswer,
    NewLibraryRequest,
    ReceiptAnswer,
)
from likewise.server.models.sessions import JobAnswer
from likewise.server.routes import (
    LibraryId,
    TheDesks,
    TheJobs,
    TheLibraries,
    TheReaders,
    TheSettings,
    list_refusals,
)
from likewise.server.routes.sessions import FILE_BODY, clean_file_name, read_pasted
from likewise.server.safety.guards import TooLarge

router = APIRouter(prefix="/api/libraries", tags=["libraries"])
one_library = APIRouter(
    prefix="/api/libraries/{library}", tags=["libraries"], responses=list_refusals(404, 409, 422)
)

MOST_LINES = 20
"""How many problems of a file are listed; /problems has more of them."""
PART = MEGABYTE
"""How many bytes are written to the disk at once."""


@router.get(
    "",
    summary="List the libraries",
    response_description="The libraries; the one that the server was given comes first.",
)
def list_libraries(libraries: TheLibraries) -> LibrariesAnswer:
    """Return what is known of each library that this server serves."""
    given = [_answer_library(libraries.given)] if libraries.given else []
    collected = [_answer_library(libraries.get(one.id), one) for one in libraries.list_collected()]
    return LibrariesAnswer(libraries=[*given, *collected], can_create=libraries.has_collection)


@router.post(
    "",
    summary="Make a library",
    status_code=201,
    response_description="The library, without documents yet.",
    responses=list_refusals(409, 422),
)
def create_library(new: NewLibraryRequest, libraries: TheLibraries) -> LibraryAnswer:
    """Make a library with a name that no other has; then send files to it."""
    made = libraries.collection.create(new.name)
    return _answer_library(libraries.get(made.id), made)


@one_library.get("", summary="Show a library", response_description="The library.")
def get_library(library: LibraryId, libraries: TheLibraries, jobs: TheJobs) -> LibraryDetailsAnswer:
    """Return a library with the files that it was made of, and what became of their records."""
    return _answer_details(libraries.get_collected(library), libraries, jobs)


@one_library.patch("", summary="Rename a library", response_description="The library.")
def rename_library(
    library: LibraryId, change: NewLibraryRequest, libraries: TheLibraries, *, jobs: TheJobs
) -> LibraryDetailsAnswer:
    """Give a library another name; its id stays the same."""
    libraries.get_collected(library)
    return _answer_details(libraries.collection.rename(library, change.name), libraries, jobs)


@one_library.delete("", summary="Delete a library", response_description="What was deleted.")
async def delete_library(
    library: LibraryId, libraries: TheLibraries, *, desks: TheDesks, jobs: TheJobs
) -> DeletedLibraryAnswer:
    """Delete a library with all its documents, for good.

    This is refused while a job uses the library, and as long as it has sessions: nobody could read
    the documents that are marked there any more.
    """
    name = libraries.get_collected(library).name
    with libraries.delete(library) as delete:
        if jobs.find_using(library):
            raise LibraryInUse(f"{name}: a job uses it now; wait until that is done, or cancel it")
        heads = (await desks.list_heads()).heads
        of_it = [head for head in heads if libraries.find_identifier(head.library) == library]
        if of_it:
            reason = f"{len(of_it)} sessions belong to it, such as {of_it[0].name!r}"
            if len(of_it) == 1:
                reason = f"the session {of_it[0].name!r} belongs to it"
            raise LibraryInUse(f"{name}: {reason}; delete its sessions first")
        await asyncio.to_thread(delete)
    return DeletedLibraryAnswer(id=library, state="deleted")


@one_library.post(
    "/files",
    summary="Send a file for a library",
    status_code=201,
    response_description="What became of it.",
    openapi_extra=FILE_BODY,
)
async def add_file(
    library: LibraryId,
    request: Request,
    *,
    libraries: TheLibraries,
    settings: TheSettings,
    name: Annotated[
        str, Query(max_length=500, description="The file's name; its suffix may tell the format.")
    ] = "",
) -> ReceiptAnswer:
    """Keep a file in any format that can be read, gzipped or not, until an intake reads it.

    A file that the library already has, under whatever name, is not kept twice.
    """
    shown = clean_file_name(name)
    async with libraries.receiving:
        collected = await asyncio.to_thread(libraries.get_collected, library)
        waiting = sum(file.bytes for file in await asyncio.to_thread(list_waiting, collected))
        reception = await asyncio.to_thread(receive_file, collected, shown)
        try:
            receipt = await _receive(request, reception, most=settings.most_file - waiting)
        finally:
            await asyncio.to_thread(reception.close)
    return ReceiptAnswer.of(receipt.file, same_as=receipt.same_as)


@one_library.delete(
    "/files", summary="Drop the files that wait for a library", response_description="The library."
)
def drop_files(library: LibraryId, libraries: TheLibraries, jobs: TheJobs) -> LibraryDetailsAnswer:
    """Delete the files that were sent but not read yet; what was read stays."""
    collected = libraries.get_collected(library)
    if jobs.find_using(library):
        raise LibraryInUse(f"{collected.name}: a job reads its files now; cancel that first")
    drop_waiting(collected)
    return _answer_details(collected, libraries, jobs)


@one_library.post(
    "/intakes",
    summary="Read the files that wait into a library",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(429),
)
async def take_files(
    library: LibraryId,
    asked: IntakeRequestShape,
    *,
    libraries: TheLibraries,
    jobs: TheJobs,
    settings: TheSettings,
) -> JobAnswer:
    """Start a job that reads the waiting files one by one, each completely or not at all.

    Searches still work meanwhile. Sessions of the library find what is new when they next learn.
    """
    collected = await asyncio.to_thread(libraries.get_collected, library)
    if not asked.sample and not await asyncio.to_thread(list_waiting, collected):
        raise LibraryError(f"{collected.name}: no file waits; send some to /files first")
    intake = IntakeRequest(str(collected.path), settings.most_file_unpacked, asked.sample)
    return JobAnswer.of(await jobs.start(intake, library=library))


@one_library.post(
    "/gatherings",
    summary="Gather from a source into a library",
    status_code=202,
    response_description="The job that does it.",
    responses=list_refusals(429),
)
async def gather_records(
    library: LibraryId,
    asked: GatheringRequest,
    *,
    libraries: TheLibraries,
    jobs: TheJobs,
    readers: TheReaders,
) -> JobAnswer:
    """Start a job that asks a source for what may be on the topic of some papers.

    What comes is kept in the library, with the papers themselves, and nothing is asked for twice.
    The server uses its own NCBI_EMAIL and NCBI_API_KEY. Then begin a session with the papers.
    """
    collected = await asyncio.to_thread(libraries.get_collected, library)
    if asked.source not in list_sources():
        known = ", ".join(list_sources())
        raise SettingsError(f"there is no source {asked.source!r}; use one of: {known}")
    async with readers.turns:
        seeds = await read_pasted(asked.text, readers)
    if not seeds.documents:
        raise SeedsError("no paper is named; give PMIDs, DOIs or titles, one per line")
    gathering = GatherRequest(str(collected.path), asked.source, seeds.documents, asked.at_most)
    return JobAnswer.of(await jobs.start(gathering, library=library))


@one_library.get(
    "/problems",
    summary="List what could not be read",
    response_class=Response,
    responses={200: {"description": "A table, as CSV.", "content": {"text/csv": {}}}},
)
def get_problems(library: LibraryId, libraries: TheLibraries) -> Response:
    """Return the problems of all files of a library, one per row, with the file's name."""
    collected = libraries.get_collected(library)
    stream = io.StringIO()
    table = csv.writer(stream)
    table.writerow(["file", "problem"])
    for file in collected.note.files:
        table.writerows([file.name, problem] for problem in file.problems)
        if file.broken > len(file.problems):
            table.writerow([file.name, f"and {file.broken - len(file.problems):,} more of these"])
    headers = {"Content-Disposition": f'attachment; filename="{collected.id}-problems.csv"'}
    # Excel takes a file for UTF-8 only if it begins with this mark.
    content = stream.getvalue().encode("utf-8-sig", "replace")
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


async def _receive(request: Request, reception: Reception, *, most: int) -> Receipt:
    """Write what is sent to the disk part by part, so that memory never holds all of it."""
    held = b""
    try:
        async for part in request.stream():
            held += part
            if reception.size + len(held) > most:
                raise TooLarge(
                    f"only {most / MEGABYTE:,.0f} MB more can wait for this library; first read in "
                    "what waits, or split the file"
                )
            if len(held) >= PART:
                await asyncio.to_thread(reception.write, held)
                held = b""
    except ClientDisconnect as error:
        message = "it did not arrive completely, so it was not kept; send it again"
        raise ReadError(Problem(reception.name, message)) from error
    if not reception.size and not held:
        raise ReadError(Problem(reception.name, "the file is empty", advice="send another"))
    await asyncio.to_thread(reception.write, held)
    return await asyncio.to_thread(reception.finish)


def _answer_library(
    opened: OpenLibrary, collected: CollectedLibrary | None = None
) -> LibraryAnswer:
    return LibraryAnswer.of(
        opened.library.info(),
        id=opened.id,
        name=opened.name,
        created=collected.note.created if collected else "",
        files=len(collected.note.files) if collected else 0,
        waiting=len(list_waiting(collected)) if collected else 0,
        can_change=collected is not None,
    )


def _answer_details(
    collected: CollectedLibrary, libraries: Libraries, jobs: Jobs
) -> LibraryDetailsAnswer:
    head = _answer_library(libraries.get(collected.id), collected)
    job = jobs.find_intake(collected.id)
    return LibraryDetailsAnswer.of(
        head,
        sources=[
            CollectedFileAnswer.of(file, problems=file.problems[:MOST_LINES])
            for file in collected.note.files
        ],
        waiting_files=list_waiting(collected),
        job=JobAnswer.of(job) if job else None,
    )
