"""Marks, and what they come to, as answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from likewise.expansion.sessions.status import advice_sentence, status_sentences
from likewise.expansion.summary import CALIBRATED_BY, readings_sentence
from likewise.server.models.marks import (
    AdviceAnswer,
    ChangeAnswer,
    MarkAnswer,
    MarkedAnswer,
    MarkList,
    ReadingAnswer,
    StatusAnswer,
)
from likewise.server.models.sessions import IntervalAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.expansion.marks import Mark
    from likewise.expansion.sessions.entries import Marked
    from likewise.learn.stopping.target import Target
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


def status_answer(reading: Reading, target: Target) -> StatusAnswer:
    """Return where a session stands."""
    status = reading.status(target)
    advice = status.advice
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
        advice=AdviceAnswer(
            kind=advice.kind,
            count=advice.count,
            expected=advice.expected,
            text=advice_sentence(status),
        ),
    )


def interval_answer(value: float | None, low: float | None, high: float | None) -> IntervalAnswer:
    """Return an estimate; what is no number is left out."""
    return IntervalAnswer(value=_finite(value), low=_finite(low), high=_finite(high))


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
