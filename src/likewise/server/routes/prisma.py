"""The PRISMA 2020 flow diagram of a session, and its numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from likewise.expansion.sessions.given_numbers import GivenNumbers, parse_count
from likewise.expansion.sessions.prisma import PrismaNumbers, read_prisma
from likewise.expansion.sessions.prisma_files import RENDERERS
from likewise.server.desks.reading import SessionReader
from likewise.server.models.prisma import (
    MOST_COUNTS,
    MOST_NUMBER,
    GivenNumbersAnswer,
    GivenNumbersRequest,
    PrismaAnswer,
)
from likewise.server.routes.dependencies import TheDesk, TheReviewer, TheViewer, list_refusals
from likewise.server.routes.exports import make_disposition

router = APIRouter(prefix="/api/sessions/{session}", tags=["review"])

DiagramFormat = Literal["svg", "png", "html", "csv", "json"]
_TYPES: dict[DiagramFormat, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}

_Number = Annotated[int | None, Query(ge=0, le=MOST_NUMBER)]
_Count = Annotated[str, Query(max_length=300)]


async def _take_given(  # noqa: PLR0913  # one parameter a number
    *,
    identified: Annotated[
        list[_Count],
        Query(
            max_length=MOST_COUNTS,
            description="Records of a source, as NAME=NUMBER, in place of what the library knows.",
        ),
    ] = [],  # noqa: B006  # FastAPI copies it
    duplicates: _Number = None,
    sought: _Number = None,
    not_retrieved: _Number = None,
    assessed: _Number = None,
    excluded: Annotated[
        list[_Count],
        Query(max_length=MOST_COUNTS, description="Reports excluded, as REASON=NUMBER."),
    ] = [],  # noqa: B006  # as above
    included: _Number = None,
) -> GivenNumbers:
    return GivenNumbers(
        identified=tuple(map(parse_count, identified)),
        duplicates=duplicates,
        sought=sought,
        not_retrieved=not_retrieved,
        assessed=assessed,
        excluded=tuple(map(parse_count, excluded)),
        included=included,
    )


TheNumbers = Annotated[GivenNumbers, Depends(_take_given)]


@router.get(
    "/prisma",
    operation_id="get_prisma",
    summary="Show the numbers of the PRISMA flow diagram",
    response_description="The numbers.",
    responses=list_refusals(404, 409, 422),
)
async def get_prisma(desk: TheDesk, given: TheNumbers, *, viewer: TheViewer) -> PrismaAnswer:
    """Return what a paper reports of a review; what is not known is null, and never made up.

    What is not given here is as it is kept with the session. To a reviewer only those marks count
    that they may see, which a remark says if it matters.
    """
    return PrismaAnswer.of(await desk.read(_read_numbers, given, viewer=viewer))


@router.get(
    "/prisma/numbers",
    operation_id="get_numbers",
    summary="Show the numbers that people gave",
    response_description="The numbers.",
    responses=list_refusals(404, 409, 422),
)
async def get_numbers(desk: TheDesk) -> GivenNumbersAnswer:
    """Return the numbers of the diagram that people gave, which are kept with a session."""
    return GivenNumbersAnswer.of(await desk.read(_read_given))


@router.put(
    "/prisma/numbers",
    operation_id="give_numbers",
    summary="Keep the numbers of the full-text stage",
    response_description="The numbers of the diagram.",
    responses=list_refusals(404, 409, 422),
)
async def give_numbers(
    desk: TheDesk, wanted: GivenNumbersRequest, *, reviewer: TheReviewer, viewer: TheViewer
) -> PrismaAnswer:
    """Keep the numbers that no session knows, in the place of all that were given before."""
    given = wanted.make_given()
    given.check()
    await desk.write(
        lambda session: session.review.give_numbers(given, reviewer=reviewer), together=True
    )
    return PrismaAnswer.of(await desk.read(_read_numbers, GivenNumbers(), viewer=viewer))


@router.get(
    "/prisma/diagram",
    operation_id="draw_prisma",
    summary="Draw the PRISMA flow diagram",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}} for kind in _TYPES.values()
            },
        },
        **list_refusals(404, 409, 422),
    },
)
async def draw_prisma(
    desk: TheDesk,
    given: TheNumbers,
    name: Annotated[
        DiagramFormat, Query(alias="format", description="png needs the extra bench.")
    ] = "svg",
    *,
    viewer: TheViewer,
) -> Response:
    """Return the diagram as a picture or a page, or its numbers as a table."""
    called, content = await desk.read(_render, given, name, viewer=viewer)
    return Response(
        content,
        media_type=_TYPES[name],
        headers={"Content-Disposition": make_disposition(f"{called}-prisma", f".{name}")},
    )


def _read_given(reader: SessionReader) -> GivenNumbers:
    return reader.session.review.read_numbers()


def _read_numbers(
    reader: SessionReader, given: GivenNumbers, *, viewer: str | None
) -> PrismaNumbers:
    return read_prisma(reader.see_as(viewer), reader.library, given=given)


def _render(
    reader: SessionReader, given: GivenNumbers, name: DiagramFormat, *, viewer: str | None
) -> tuple[str, bytes]:
    return reader.state.name, RENDERERS[f".{name}"](_read_numbers(reader, given, viewer=viewer))
