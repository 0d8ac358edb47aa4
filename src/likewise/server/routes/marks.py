"""Marks: give, take back and list them; what to look at next, and where a session stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import numpy as np
from fastapi import Query

from likewise.expansion.marks import Mark
from likewise.expansion.sessions import looking
from likewise.expansion.sessions.records import MarkCounts
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import aim
from likewise.expansion.sessions.status_words import (
    describe_advice,
    describe_further,
    describe_methods,
    describe_promise,
    describe_status,
)
from likewise.expansion.summary import CALIBRATED_BY, are_readings_open, describe_seed_readings
from likewise.learn.estimates import LEAST, SUREST, Basis, Target
from likewise.server.desks.desk import check_known
from likewise.server.desks.reading import SessionReader
from likewise.server.models.marks import (
    AdviceAnswer,
    MarkAnswer,
    MarkedAnswer,
    MarksAnswer,
    MarksRequest,
    RuleAnswer,
    StatusAnswer,
    TargetAnswer,
    TargetRequest,
    UndoAnswer,
    UndoRequest,
)
from likewise.server.models.rankings import NextAnswer, NextRequest
from likewise.server.routes import (
    TheDesk,
    TheJobs,
    TheReviewer,
    TheSessionLibrary,
    TheViewer,
    make_session_router,
)
from likewise.server.routes.rankings import answer_entries

router = make_session_router("marks")


@router.get(
    "/marks",
    summary="List the marks that stand",
    response_description="The marks, in the order given.",
)
async def list_marks(desk: TheDesk, reviewer: TheReviewer) -> MarksAnswer:
    """Return the mark of each document that has one that the reviewer may see.

    That is what settled it, else the reviewer's own, else that of others if two have marked it.
    """
    return await desk.read(_answer_standing_marks, reviewer=reviewer)


@router.post(
    "/marks",
    summary="Mark documents",
    response_description="What became of the marks, which are on the disk by then.",
)
async def mark(
    desk: TheDesk,
    opened: TheSessionLibrary,
    given: MarksRequest,
    *,
    reviewer: TheReviewer,
    jobs: TheJobs,
) -> MarkedAnswer:
    """Mark documents, all of them or none; the marks of other reviewers stay as they are."""
    await check_known(desk, given.labels, library=opened.library)

    def give(session: Session) -> MarkedAnswer:
        marked = session.mark_known(
            given.labels, strategy=given.strategy, reviewer=reviewer, reason=given.reason
        )
        return answer_marked(marked, session)

    answer = await desk.write(give, together=True)
    # Whoever marks will want to learn from it soon.
    jobs.prepare()
    return answer


@router.post("/marks/undo", summary="Take marks back", response_description="What was taken back.")
async def undo(desk: TheDesk, wanted: UndoRequest, *, reviewer: TheReviewer) -> UndoAnswer:
    """Take back the reviewer's marks on documents; without ids, the latest mark that stands.

    The reviewer's earlier marks on them stand again.
    """

    def take_back(session: Session) -> UndoAnswer:
        taken = session.undo(wanted.ids, reviewer=reviewer)
        return UndoAnswer(marks=_answer_marks(taken), last=session.version().mark)

    return await desk.write(take_back, together=True)


@router.post(
    "/next",
    summary="Choose what to look at next",
    response_description="Documents that are not marked.",
)
async def choose_next(desk: TheDesk, wanted: NextRequest, *, reviewer: TheReviewer) -> NextAnswer:
    """Return the likeliest documents, those nearest to the line, or a random sample.

    They include documents that only other reviewers have marked.

    An audit is kept in the session; one that is not finished is continued before another is
    drawn.
    """
    # Nobody must be able to predict what an audit will hold.
    rng = np.random.default_rng()

    def choose_ids(session: Session) -> list[str]:
        return [
            place.id
            for place in looking.choose_next(
                session, wanted.count, wanted.strategy, rng=rng, reviewer=reviewer
            )
        ]

    def read(reader: SessionReader) -> list[str]:
        reader.get_pool()
        return [] if wanted.strategy == "audit" else choose_ids(reader.session)

    ids = await desk.read(read)
    if wanted.strategy == "audit":
        ids = await desk.write(choose_ids)
    entries = await desk.read(answer_entries, ids, reviewer=reviewer)
    return NextAnswer(strategy=wanted.strategy, entries=entries)


@router.get(
    "/status",
    summary="Show what is found, what is left, and what to do",
    response_description="Where the session stands.",
)
async def get_status(
    desk: TheDesk,
    *,
    recall: Annotated[
        float | None, Query(ge=LEAST, le=1, description="The recall to reach.")
    ] = None,
    confidence: Annotated[
        float | None, Query(ge=LEAST, le=SUREST, description="How sure to be of it.")
    ] = None,
    proof: Annotated[
        Basis | None, Query(description="What has to show it; only audits prove it.")
    ] = None,
    viewer: TheViewer,
) -> StatusAnswer:
    """Return where a session stands, and advice on how to reach its target.

    Parts of the target that are not given are those kept with the session, or the defaults. For a
    reviewer, only the marks that they may see count.
    """
    given = {"recall": recall, "confidence": confidence, "by": proof}
    return await desk.read(_answer_status, given=given, viewer=viewer)


@router.put(
    "/target",
    summary="Choose the target",
    response_description="The target, which is kept with the session.",
)
async def choose_target(desk: TheDesk, wanted: TargetRequest) -> TargetAnswer:
    """Keep the recall to reach, how sure to be of it, and what has to show it, for status."""
    target = Target(wanted.recall, wanted.confidence, wanted.proof)
    await desk.write(lambda session: session.choose_target(target))
    return _answer_target(target)


def answer_marked(marked: MarkCounts, session: Session) -> MarkedAnswer:
    """Return what became of marks that were given to a session."""
    return MarkedAnswer.of(marked, last=session.version().mark)


def _answer_standing_marks(reader: SessionReader, *, reviewer: str) -> MarksAnswer:
    marks = reader.show_marks(reviewer).values()
    return MarksAnswer(marks=_answer_marks(marks), last=reader.state.version.mark)


def _answer_marks(marks: Iterable[Mark]) -> list[MarkAnswer]:
    return [MarkAnswer.of(mark) for mark in marks if mark.label]


def _answer_target(target: Target) -> TargetAnswer:
    return TargetAnswer.of(target, proof=target.by)


def _answer_status(
    reader: SessionReader, *, given: Mapping[str, Any], viewer: str | None
) -> StatusAnswer:
    """Return where a session stands; parts of the target that are not given are as kept."""
    status = reader.find_status(aim(reader.state.target, **given), viewer=viewer)
    is_over = status.advice.kind == "stop"
    is_open = are_readings_open(status.readings, telling=status.telling)
    return StatusAnswer.of(
        status,
        last=reader.state.version.mark,
        readings_text=describe_seed_readings(status.readings, telling=status.telling),
        calibrate=CALIBRATED_BY if is_open else 0,
        sentences=describe_status(status),
        advice=AdviceAnswer.of(
            status.advice, text=describe_advice(status), further=describe_further(status)
        ),
        target=_answer_target(status.target),
        promise=describe_promise(status.target),
        rules=[RuleAnswer.of(one, says=one.verdict) for one in status.rules],
        methods=describe_methods(status, saved=reader.get_pool().saved) if is_over else "",
    )
