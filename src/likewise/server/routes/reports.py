"""Reports on a review: how far reviewers agree, and the PRISMA 2020 flow diagram."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query
from fastapi.responses import Response

from likewise.expansion.sessions.agreement import list_conflicts, read_agreement
from likewise.expansion.sessions.prisma import PrismaNumbers, read_prisma
from likewise.expansion.sessions.reasons import GivenNumbers, parse_count
from likewise.expansion.sessions.reporting import RENDERERS
from likewise.expansion.sessions.session import Session
from likewise.server.desks.reading import SessionReader
from likewise.server.models.marks import MarkedAnswer
from likewise.server.models.review import (
    MOST_COUNTS,
    MOST_NUMBER,
    AgreementAnswer,
    ConflictAnswer,
    ConflictsAnswer,
    GivenNumbersAnswer,
    GivenNumbersRequest,
    PrismaAnswer,
    SettlingRequest,
)
from likewise.server.routes import TheDesk, TheReviewer, TheViewer, make_session_router
from likewise.server.routes.marks import answer_marked
from likewise.server.routes.rankings import answer_entries
from likewise.server.routes.sessions import make_disposition

router = make_session_router("review")


@router.get(
    "/agreement",
    summary="Show how far reviewers agree",
    response_description="What each reviewer has done, and how far each pair agrees.",
)
async def get_agreement(desk: TheDesk, viewer: TheViewer) -> AgreementAnswer:
    """Return how much each reviewer marked and when, and Cohen's kappa for each pair of them.

    For a reviewer, only documents whose marks they may see count.
    """
    found = await desk.read(lambda reader: read_agreement(reader.see_as(viewer)))
    return AgreementAnswer.of(found, conflicts=len(found.conflicts))


@router.get(
    "/conflicts",
    operation_id="list_conflicts",
    summary="List what reviewers disagree on",
    response_description="Documents, and who marked each one how.",
)
async def list_open_conflicts(
    desk: TheDesk,
    *,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    reviewer: TheReviewer,
) -> ConflictsAnswer:
    """Return the conflicts that nobody has settled; until then, each of them counts as maybe."""
    return await desk.read(_answer_conflicts, offset=offset, limit=limit, reviewer=reviewer)


@router.post(
    "/conflicts/settle",
    summary="Settle conflicts",
    response_description="What became of the settlings, which are on the disk by then.",
)
async def settle(desk: TheDesk, wanted: SettlingRequest, *, reviewer: TheReviewer) -> MarkedAnswer:
    """Say which label counts if reviewers disagree; the reviewer who asks settles it."""

    def give(session: Session) -> MarkedAnswer:
        marked = session.settle(wanted.labels, reviewer=reviewer, reason=wanted.reason)
        return answer_marked(marked, session)

    return await desk.write(give, together=True)


def _answer_conflicts(
    reader: SessionReader, *, offset: int, limit: int, reviewer: str
) -> ConflictsAnswer:
    found = list_conflicts(reader.state.opinions)
    page = found[offset : offset + limit]
    entries = answer_entries(reader, [one.document for one in page], reviewer=reviewer)
    return ConflictsAnswer(
        total=len(found),
        conflicts=[
            ConflictAnswer.of(one, entry=entry) for one, entry in zip(page, entries, strict=True)
        ],
    )


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


async def _take_given(  # noqa: PLR0913  # one parameter for each number
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
    summary="Show the numbers of the PRISMA flow diagram",
    response_description="The numbers.",
)
async def get_prisma(desk: TheDesk, given: TheNumbers, *, viewer: TheViewer) -> PrismaAnswer:
    """Return what a paper reports about a review; unknown numbers are null, and never made up.

    Numbers that are not given here are those kept with the session. For a reviewer, only the marks
    that they may see count; a remark says so if it matters.
    """
    return PrismaAnswer.of(await desk.read(_read_numbers, given, viewer=viewer))


@router.get(
    "/prisma/numbers",
    summary="Show the numbers that people gave",
    response_description="The numbers.",
)
async def get_numbers(desk: TheDesk) -> GivenNumbersAnswer:
    """Return the numbers of the diagram that people gave, which are kept with a session."""
    given = await desk.read(lambda reader: reader.session.review.read_numbers())
    return GivenNumbersAnswer.of(given)


@router.put(
    "/prisma/numbers",
    summary="Keep the numbers of the full-text stage",
    response_description="The numbers of the diagram.",
)
async def give_numbers(
    desk: TheDesk, wanted: GivenNumbersRequest, *, reviewer: TheReviewer, viewer: TheViewer
) -> PrismaAnswer:
    """Keep the numbers that no session knows, in place of all that were given before."""
    given = wanted.make_given()
    given.check()
    await desk.write(
        lambda session: session.review.give_numbers(given, reviewer=reviewer), together=True
    )
    return PrismaAnswer.of(await desk.read(_read_numbers, GivenNumbers(), viewer=viewer))


@router.get(
    "/prisma/diagram",
    summary="Draw the PRISMA flow diagram",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}} for kind in _TYPES.values()
            },
        },
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


def _read_numbers(
    reader: SessionReader, given: GivenNumbers, *, viewer: str | None
) -> PrismaNumbers:
    return read_prisma(reader.see_as(viewer), reader.library, given=given)


def _render(
    reader: SessionReader, given: GivenNumbers, name: DiagramFormat, *, viewer: str | None
) -> tuple[str, bytes]:
    return reader.state.name, RENDERERS[f".{name}"](_read_numbers(reader, given, viewer=viewer))
