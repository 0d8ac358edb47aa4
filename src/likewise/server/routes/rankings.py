"""The ranking of a session: its pages, the line through it, its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query

from likewise.server.models.rankings import (  # noqa: TC001  # FastAPI reads them
    CurveAnswer,
    FiguresAnswer,
    Ranking,
    ThresholdWanted,
    View,
)
from likewise.server.models.sessions import ExpansionAnswer  # noqa: TC001
from likewise.server.routes.answers.entries import ranking_page
from likewise.server.routes.answers.figures import curve_answer, figures_answer
from likewise.server.routes.answers.sessions import expansion_answer
from likewise.server.routes.dependencies import TheDesk, refused

if TYPE_CHECKING:
    from likewise.server.desks.reading import Reading

router = APIRouter(prefix="/api/sessions/{session}", tags=["rankings"])


@router.get(
    "/ranking",
    operation_id="get_ranking",
    summary="Show a page of the ranking",
    response_description="Documents, best first.",
    responses=refused(404, 409, 422),
)
async def get_ranking(
    desk: TheDesk,
    *,
    view: Annotated[
        View, Query(description="`listed` lies above the line or is marked relevant.")
    ] = "all",
    words: Annotated[
        str,
        Query(
            max_length=1_000,
            description="All must occur in title, abstract, authors, journal or year.",
        ),
    ] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Ranking:
    """Return documents of the latest expansion without the seeds, and why they are there."""
    return await desk.read(ranking_page, view=view, words=words, offset=offset, limit=limit)


@router.get(
    "/curve",
    operation_id="get_curve",
    summary="Tell expected precision and recall along the ranking",
    response_description="The curve.",
    responses=refused(404, 409, 422),
)
async def get_curve(desk: TheDesk) -> CurveAnswer:
    """Return what to expect of the list wherever the line is drawn, by the marks of now."""
    return await desk.read(curve_answer)


@router.get(
    "/figures",
    operation_id="get_figures",
    summary="Tell what figures are drawn from",
    response_description="Scores.",
    responses=refused(404, 409, 422),
)
async def get_figures(desk: TheDesk) -> FiguresAnswer:
    """Return how often scores occur among seeds and pool."""
    return await desk.read(figures_answer)


@router.put(
    "/threshold",
    operation_id="move_threshold",
    summary="Move the line",
    response_description="The expansion, with what to expect of it now.",
    responses=refused(404, 409, 422),
)
async def move_threshold(desk: TheDesk, wanted: ThresholdWanted) -> ExpansionAnswer:
    """Draw the line below the document of a rank; status, next and export follow it."""
    await desk.read(_check_expanded)
    await desk.write(lambda session: session.move_threshold(wanted.decided))
    return await desk.read(expansion_answer)


def _check_expanded(reading: Reading) -> None:
    reading.ranked()
