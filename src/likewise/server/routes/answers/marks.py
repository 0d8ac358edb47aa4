"""Marks, and what they come to, as answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from likewise.expansion.sessions.aiming import aim
from likewise.expansion.sessions.methods_text import methods_paragraph
from likewise.expansion.sessions.status_words import (
    advice_sentence,
    further_sentence,
    promise_of,
    status_sentences,
)
from likewise.expansion.summary import CALIBRATED_BY, readings_sentence
from likewise.server.models.marks import (
    AdviceAnswer,
    AheadAnswer,
    ChangeAnswer,
    CourseAnswer,
    FurtherAnswer,
    MarkAnswer,
    MarkedAnswer,
    MarkList,
    ReadingAnswer,
    RuleAnswer,
    StatusAnswer,
    TargetAnswer,
)
from likewise.server.models.sessions import IntervalAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.expansion.marks import Mark
    from likewise.expansion.sessions.entries import Marked
    from likewise.expansion.sessions.status import Status
    from likewise.learn.stopping.course import Course
    from likewise.learn.stopping.target import Basis, Target
    from likewise.server.desks.reading import Reading


def marked_answer(marked: Marked, *, last: int) -> MarkedAnswer:
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


def mark_list(reading: Reading) -> MarkList:
    """Return the marks that stand."""
    standing = reading.standing()
    return MarkList(marks=mark_answers(standing.marks.values()), last=standing.version.mark)


def mark_answers(marks: Iterable[Mark]) -> list[MarkAnswer]:
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


def target_answer(target: Target) -> TargetAnswer:
    """Return a target."""
    return TargetAnswer(recall=target.recall, confidence=target.confidence, proof=target.by)


def status_answer(
    reading: Reading,
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
        left=interval_answer(*status.left),
        recall=interval_answer(*status.recall),
        at_most=status.at_most,
        readings=[
            ReadingAnswer(is_corner=one.is_corner, weight=one.weight, left=one.left)
            for one in status.readings
        ],
        readings_text=readings_sentence(status.readings),
        calibrate=CALIBRATED_BY if readings_sentence(status.readings) else 0,
        sentences=status_sentences(status),
        advice=_advice_answer(status),
        cautions=list(status.cautions),
        target=target_answer(status.target),
        promise=promise_of(status.target),
        course=_course_answer(status.course),
        rules=[
            RuleAnswer(
                rule=one.rule, says=one.verdict, stops=one.stops, description=one.description
            )
            for one in status.rules
        ],
        methods=methods_paragraph(status, saved=reading.ranked().saved) if is_over else "",
    )


def _advice_answer(status: Status) -> AdviceAnswer:
    return AdviceAnswer(
        kind=status.advice.kind,
        count=status.advice.count,
        expected=status.advice.expected,
        text=advice_sentence(status),
        further=further_sentence(status),
    )


def _course_answer(course: Course) -> CourseAnswer:
    return CourseAnswer(
        read=list(course.read),
        found=list(course.found),
        ahead=[AheadAnswer(**point._asdict()) for point in course.ahead],
        further=FurtherAnswer(**course.further._asdict()) if course.further else None,
    )


def interval_answer(value: float | None, low: float | None, high: float | None) -> IntervalAnswer:
    """Return an estimate; what is no number is left out."""
    return IntervalAnswer(value=_finite(value), low=_finite(low), high=_finite(high))


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
