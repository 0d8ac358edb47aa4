"""How far reviewers agree, what they disagree on, and how that is settled."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from likewise.expansion.sessions.agreement import list_conflicts, read_agreement
from likewise.expansion.sessions.session import Session
from likewise.server.desks.reading import SessionReader
from likewise.server.models.marks import MarkedAnswer
from likewise.server.models.rankings import OpinionAnswer
from likewise.server.models.review import (
    AgreementAnswer,
    ConflictAnswer,
    ConflictsAnswer,
    PairAnswer,
    ReviewerAnswer,
    SettlingRequest,
)
from likewise.server.routes.dependencies import TheDesk, TheReviewer, TheViewer, list_refusals
from likewise.server.routes.marks import answer_marked
from likewise.server.routes.rankings import answer_entries

router = APIRouter(prefix="/api/sessions/{session}", tags=["review"])

_REFUSED = list_refusals(404, 409, 422)


@router.get(
    "/agreement",
    operation_id="get_agreement",
    summary="Show how far reviewers agree",
    response_description="Who has done what, and how far each two agree.",
    responses=_REFUSED,
)
async def get_agreement(desk: TheDesk, viewer: TheViewer) -> AgreementAnswer:
    """Return who marked how much and when, and Cohen's kappa of each two reviewers.

    To a reviewer only those documents count whose marks they may see.
    """
    return await desk.read(_answer_agreement, viewer=viewer)


@router.get(
    "/conflicts",
    operation_id="list_conflicts",
    summary="List what reviewers disagree on",
    response_description="Documents, and who said what of each.",
    responses=_REFUSED,
)
async def list_open_conflicts(
    desk: TheDesk,
    *,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    reviewer: TheReviewer,
) -> ConflictsAnswer:
    """Return the conflicts that nobody has settled; until then each of them is maybe."""
    return await desk.read(_answer_conflicts, offset=offset, limit=limit, reviewer=reviewer)


@router.post(
    "/conflicts/settle",
    operation_id="settle",
    summary="Settle conflicts",
    response_description="What became of the settlings, which are on the disk by then.",
    responses=_REFUSED,
)
async def settle(desk: TheDesk, wanted: SettlingRequest, *, reviewer: TheReviewer) -> MarkedAnswer:
    """Say what counts where reviewers disagree; the reviewer is who settles it."""

    def give(session: Session) -> MarkedAnswer:
        marked = session.settle(wanted.labels, reviewer=reviewer, reason=wanted.reason)
        return answer_marked(marked, session)

    return await desk.write(give, together=True)


def _answer_agreement(reader: SessionReader, *, viewer: str | None) -> AgreementAnswer:
    found = read_agreement(reader.see_as(viewer))
    return AgreementAnswer(
        reviewers=[ReviewerAnswer.of(one) for one in found.reviewers],
        pairs=[PairAnswer.of(one) for one in found.pairs],
        conflicts=len(found.conflicts),
        settled=found.settled,
    )


def _answer_conflicts(
    reader: SessionReader, *, offset: int, limit: int, reviewer: str
) -> ConflictsAnswer:
    found = list_conflicts(reader.state.opinions)
    page = found[offset : offset + limit]
    entries = answer_entries(reader, [one.document for one in page], reviewer=reviewer)
    return ConflictsAnswer(
        total=len(found),
        conflicts=[
            ConflictAnswer(entry=entry, marks=[OpinionAnswer.of(mark) for mark in one.marks])
            for one, entry in zip(page, entries, strict=True)
        ],
    )
