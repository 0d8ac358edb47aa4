"""Fusions: the scores of several methods as one.

With s a method's score of a document, m its mean and d its deviation over the pool, the fused score
is the mean over the methods of

    (s - m) / d

for the seeds and negatives, held out, as for the pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.learn.estimators import scale
from likewise.learn.folds import Scores
from likewise.learn.material import OnStep, Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COSTLY_STEPS = 20
"""How many times as much of the progress is a costly method's."""


def fused_scores(parts: Sequence[Scored]) -> Scored:
    """Average what several methods say; the first that knows terms explains it."""
    on_one_scale = [_scaled(part.scores) for part in parts]
    scores = Scores(
        _mean_of_known(np.array([scaled.seeds for scaled in on_one_scale])),
        _mean_of_known(np.array([scaled.pool for scaled in on_one_scale])),
        _mean_of_known(np.array([scaled.negatives for scaled in on_one_scale])),
    )
    model = next((part.model for part in parts if part.model), None)
    warnings = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Scored(scores, model, tuple(warnings))


def steps_of_parts(on_step: OnStep | None, is_costly: Sequence[bool]) -> list[OnStep] | list[None]:
    """Return what each part tells its steps to, so that they add up to those of the whole."""
    if not on_step:
        return [None for _ in is_costly]
    sizes = [COSTLY_STEPS if costly else 1 for costly in is_costly]
    return [
        _step_of_part(on_step, before=sum(sizes[:place]), size=size, whole=sum(sizes))
        for place, size in enumerate(sizes)
    ]


def _step_of_part(on_step: OnStep, *, before: int, size: int, whole: int) -> OnStep:
    def step(done: int, total: int, note: str = "", /) -> None:
        on_step(before * total + size * done, whole * total, note)

    return step


def _scaled(scores: Scores) -> Scores:
    mean, deviation = scale(scores.pool)
    return Scores(*((part - mean) / deviation for part in scores))


def _mean_of_known(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column without what is not known; NaN where nothing is.

    >>> _mean_of_known(np.array([[1.0, np.nan], [3.0, 5.0]])).tolist()
    [2.0, 5.0]
    """
    is_known = ~np.isnan(scores)
    count = is_known.sum(axis=0)
    total = np.where(is_known, scores, 0).sum(axis=0)
    return np.where(count, total / np.maximum(count, 1), np.nan)
