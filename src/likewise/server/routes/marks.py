"""Marks: given, taken back, listed; what to look at next, and where a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from fastapi import APIRouter, Query

from likewise.expansion.sessions.choosing import choose
from likewise.learn.stopping.target import LEAST, SUREST, Basis, Target
from likewise.server.desks.known import check_known
from likewise.server.models.marks import (
    GivenMarks,
    MarkedAnswer,
    MarkList,
    StatusAnswer,
    TargetAnswer,
    TargetWanted,
    Undone,
    UndoWanted,
)
from likewise.server.models.rankings import Next, NextWanted  # noqa: TC001  # FastAPI reads them
from likewise.server.routes.answers.entries import next_page
from likewise.server.routes.answers.marks import (
    mark_answers,
    mark_list,
    marked_answer,
    status_answer,
    target_answer,
)
from likewise.server.routes.dependencies import TheDesk, TheLibrary, refused

if TYPE_CHECKING:
    from likewise.expansion.sessions.session import Session
    from likewise.server.desks.reading import Reading

router = APIRouter(prefix="/api/sessions/{session}", tags=["marks"])


@router.get(
    "/marks",
    operation_id="list_marks",
    summary="List the marks that stand",
    response_description="The marks, in the order given.",
    responses=refused(404, 409, 422),
)
async def list_marks(desk: TheDesk) -> MarkList:
    """Return the latest mark of each document that has a label."""
    return await desk.read(mark_list)


@router.post(
    "/marks",
    operation_id="mark",
    summary="Mark documents",
    response_description="What became of the marks, which are on the disk by then.",
    responses=refused(404, 409, 422),
)
async def mark(desk: TheDesk, library: TheLibrary, given: GivenMarks) -> MarkedAnswer:
    """Say of documents what they are, of all or of none."""
    await check_known(desk, given.labels, library=library)

    def give(session: Session) -> MarkedAnswer:
        marked = session.mark(given.labels, strategy=given.strategy)
        return marked_answer(marked, last=session.version().mark)

    return await desk.write(give, together=True)


@router.post(
    "/marks/undo",
    operation_id="undo",
    summary="Take marks back",
    response_description="What was taken back.",
    responses=refused(404, 409, 422),
)
async def undo(desk: TheDesk, wanted: UndoWanted) -> Undone:
    """Take back the marks of documents; without ids, the latest that stands, whoever gave it."""

    def take_back(session: Session) -> Undone:
        taken = session.undo(wanted.ids)
        return Undone(marks=mark_answers(taken), last=session.version().mark)

    return await desk.write(take_back, together=True)


@router.post(
    "/next",
    operation_id="choose_next",
    summary="Choose what to look at next",
    response_description="Documents that are not marked.",
    responses=refused(404, 409, 422),
)
async def choose_next(desk: TheDesk, wanted: NextWanted) -> Next:
    """Return the likeliest, those nearest to the line, or a random sample.

    An audit is kept in the session; one that is not finished is gone on with before another is
    drawn.
    """
    # Nobody may be able to tell what an audit will hold.
    rng = np.random.default_rng()

    def chosen(session: Session) -> list[str]:
        return [place.id for place in choose(session, wanted.count, wanted.strategy, rng=rng)]

    def read(reading: Reading) -> list[str]:
        reading.ranked()
        return [] if wanted.strategy == "audit" else chosen(reading.session)

    ids = await desk.read(read)
    if wanted.strategy == "audit":
        ids = await desk.write(chosen)
    return await desk.read(next_page, ids, strategy=wanted.strategy)


@router.get(
    "/status",
    operation_id="get_status",
    summary="Tell what is found, what is left, and what to do",
    response_description="Where the session stands.",
    responses=refused(404, 409, 422),
)
async def get_status(
    desk: TheDesk,
    *,
    recall: Annotated[
        float | None, Query(ge=LEAST, le=1, description="The recall to reach.")
    ] = None,
    confidence: Annotated[
        float | None, Query(ge=LEAST, le=SUREST, description="How sure of it to be.")
    ] = None,
    proof: Annotated[
        Basis | None, Query(description="What it is to be shown by; audits alone prove it.")
    ] = None,
) -> StatusAnswer:
    """Return where a session stands, and advice on how to reach its target.

    What is not given of the target is as it is kept with the session, or the default.
    """
    return await desk.read(status_answer, recall=recall, confidence=confidence, by=proof)


@router.put(
    "/target",
    operation_id="choose_target",
    summary="Choose the target",
    response_description="The target, which is kept with the session.",
    responses=refused(404, 409, 422),
)
async def choose_target(desk: TheDesk, wanted: TargetWanted) -> TargetAnswer:
    """Keep the recall to reach, how sure of it to be, and what shows it; status follows it."""
    target = Target(wanted.recall, wanted.confidence, wanted.proof)
    await desk.write(lambda session: session.choose_target(target))
    return target_answer(target)
