"""Duplicates: records that were found to be of one paper, looked at in pairs and told apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Query

from likewise.library import open_library
from likewise.library.duplicates import join_papers, split_papers
from likewise.library.paper_notes import PaperNote, require_notebook
from likewise.library.protocol import Library
from likewise.server.desks.libraries import Libraries, LibraryInUse
from likewise.server.jobs.jobs import Jobs
from likewise.server.models.libraries import (
    DuplicateAnswer,
    DuplicatesAnswer,
    JoinRequest,
    SplitAnswer,
    SplitRequest,
)
from likewise.server.routes.collection import LibraryId
from likewise.server.routes.dependencies import TheJobs, TheLibraries, list_refusals
from likewise.server.routes.libraries import answer_document

router = APIRouter(prefix="/api/libraries/{library}/duplicates", tags=["libraries"])


@router.get(
    "",
    operation_id="list_duplicates",
    summary="List the duplicates of a library",
    response_description="Pairs of records.",
    responses=list_refusals(404, 409, 422),
)
def list_duplicates(
    library: LibraryId,
    libraries: TheLibraries,
    *,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> DuplicatesAnswer:
    """Return records that were merged with others, each beside the first record of its paper."""
    collected = libraries.get_collected(library)
    notes = require_notebook(libraries.get(collected.id).library).read_papers()
    total = sum(max(0, len(note.records) - 1) for note in notes.values())
    shown = islice(_pair_records(notes), offset, offset + limit)
    return DuplicatesAnswer(total=total, offset=offset, duplicates=list(shown))


@router.post(
    "/split",
    operation_id="split_paper",
    summary="Tell records apart",
    response_description="The papers that they make now.",
    responses=list_refusals(404, 409, 422),
)
def split_paper(
    library: LibraryId, asked: SplitRequest, libraries: TheLibraries, *, jobs: TheJobs
) -> SplitAnswer:
    """Take a paper apart into its records, for good: reading files again does not join them."""
    with _open_for_writing(libraries, library, jobs=jobs) as opened:
        (split,) = split_papers(opened, [asked.paper])
    return SplitAnswer(paper=split.paper, into=list(split.into))


@router.post(
    "/join",
    operation_id="join_papers",
    summary="Make one paper of several",
    response_description="The paper.",
    responses=list_refusals(404, 409, 422),
)
def join(
    library: LibraryId, asked: JoinRequest, libraries: TheLibraries, *, jobs: TheJobs
) -> SplitAnswer:
    """Make papers one, under the id of the first; they are still found under their own."""
    with _open_for_writing(libraries, library, jobs=jobs) as opened:
        for other in asked.others:
            join_papers(opened, asked.kept, other)
    return SplitAnswer(paper=asked.kept, into=[asked.kept])


def _pair_records(notes: dict[str, PaperNote]) -> Iterator[DuplicateAnswer]:
    for name, note in notes.items():
        for other in note.records[1:]:
            yield DuplicateAnswer(
                paper=name,
                records=len(note.records),
                kept=answer_document(note.records[0].document),
                other=answer_document(other.document),
                # Where a file waited before it was read is nothing to people.
                place=PurePath(other.place).name,
                matched=other.matched,
            )


@contextmanager
def _open_for_writing(libraries: Libraries, identifier: str, *, jobs: Jobs) -> Iterator[Library]:
    """Open a library that no job reads files into, and see the change at once."""
    collected = libraries.get_collected(identifier)
    if any(job.brings_records for job in jobs.find_using(identifier)):
        raise LibraryInUse(f"{collected.name}: files are being read into it; wait until they are")
    with open_library(collected.path, write=True) as opened:
        yield opened
    libraries.get(identifier)
