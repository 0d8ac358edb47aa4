"""Marks, and what they come to, as answers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from likewise.expansion.marks import Mark
from likewise.expansion.sessions.records import MarkCounts
from likewise.expansion.sessions.status import Status, aim
from likewise.expansion.sessions.status_words import (
    describe_advice,
    describe_further,
    describe_methods,
    describe_promise,
    describe_status,
)
from likewise.expansion.summary import CALIBRATED_BY, describe_seed_readings
from likewise.learn.stopping.left import Course
from likewise.learn.stopping.target import Basis, Target
from likewise.server.models.marks import (
    AdviceAnswer,
    AheadAnswer,
    ChangeAnswer,
    CourseAnswer,
    FurtherAnswer,
    MarkAnswer,
    MarkedAnswer,
    MarksAnswer,
    ReadingAnswer,
    RuleAnswer,
    StatusAnswer,
    TargetAnswer,
)
from likewise.server.models.sessions import IntervalAnswer

if TYPE_CHECKING:
    from likewise.server.desks.reading import SessionReader


def answer_marking(marked: MarkCounts, *, last: int) -> MarkedAnswer:
    """Return what became of marks."""
    return MarkedAnswer(
        new=marked.new,
        same=marked.same,
        changed=[
            ChangeAnswer(document=change.document, before=change.before, now=change.now)
            for change in marked.changed
        ],
        last=last,
    )


def answer_standing_marks(reading: SessionReader) -> MarksAnswer:
    """Return the marks that stand."""
    standing = reading.standing()
    return MarksAnswer(marks=answer_marks(standing.marks.values()), last=standing.version.mark)


def answer_marks(marks: Iterable[Mark]) -> list[MarkAnswer]:
    """Return marks that say something."""
    return [
        MarkAnswer(
            number=mark.number,
            document=mark.document,
            label=mark.label,
            time=mark.time,
            strategy=mark.strategy,
            source=mark.source,
        )
        for mark in marks
        if mark.label
    ]


def answer_target(target: Target) -> TargetAnswer:
    """Return a target."""
    return TargetAnswer(recall=target.recall, confidence=target.confidence, proof=target.by)


def answer_status(
    reading: SessionReader,
    *,
    recall: float | None = None,
    confidence: float | None = None,
    by: Basis | None = None,
) -> StatusAnswer:
    """Return where a session stands; what is not given of the target is as it is kept."""
    kept = reading.standing().target
    status = reading.status(aim(kept, recall=recall, confidence=confidence, by=by))
    is_over = status.advice.kind == "stop"
    return StatusAnswer(
        seeds=status.seeds,
        relevant=status.relevant,
        irrelevant=status.irrelevant,
        maybe=status.maybe,
        pool=status.pool,
        looked_at=status.looked_at,
        decided=status.decided,
        unlearned=status.unlearned,
        left=answer_interval(*status.left),
        recall=answer_interval(*status.recall),
        at_most=status.at_most,
        readings=[
            ReadingAnswer(is_corner=one.is_corner, weight=one.weight, left=one.left)
            for one in status.readings
        ],
        readings_text=describe_seed_readings(status.readings),
        calibrate=CALIBRATED_BY if describe_seed_readings(status.readings) else 0,
        sentences=describe_status(status),
        advice=_answer_advice(status),
        cautions=list(status.cautions),
        target=answer_target(status.target),
        promise=describe_promise(status.target),
        course=_answer_course(status.course),
        rules=[
            RuleAnswer(
                rule=one.rule, says=one.verdict, stops=one.stops, description=one.description
            )
            for one in status.rules
        ],
        methods=describe_methods(status, saved=reading.ranked().saved) if is_over else "",
    )


def _answer_advice(status: Status) -> AdviceAnswer:
    return AdviceAnswer(
        kind=status.advice.kind,
        count=status.advice.count,
        expected=status.advice.expected,
        text=describe_advice(status),
        further=describe_further(status),
    )


def _answer_course(course: Course) -> CourseAnswer:
    return CourseAnswer(
        read=list(course.read),
        found=list(course.found),
        ahead=[AheadAnswer(**point._asdict()) for point in course.ahead],
        further=FurtherAnswer(**course.further._asdict()) if course.further else None,
    )


def answer_interval(value: float | None, low: float | None, high: float | None) -> IntervalAnswer:
    """Return an estimate; what is no number is left out."""
    return IntervalAnswer(value=_keep_finite(value), low=_keep_finite(low), high=_keep_finite(high))


def _keep_finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
