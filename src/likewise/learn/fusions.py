"""Fusions: the scores of several methods as one.

With s a method's score of a document, m its mean and d its deviation over the pool, the fused score
is the mean over the methods, weighted if some count more than others, of

    (s - m) / d

for the seeds and negatives, held out, as for the pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.words import TITLE_BOOST
from likewise.learn.estimators import scale
from likewise.learn.explanations import TermModel, View
from likewise.learn.folds import Scores
from likewise.learn.material import OnStep, Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.learn.material import Material

COSTLY_STEPS = 20
"""How many times as much of the progress is a costly method's."""


def fused_scores(parts: Sequence[Scored], *, weights: Sequence[float] | None = None) -> Scored:
    """Average what several methods say; the first that knows terms explains it."""
    counted = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    on_one_scale = [_scaled(part.scores) for part in parts]
    scores = Scores(
        *(_mean_of_known(np.array(kind), counted) for kind in zip(*on_one_scale, strict=True))
    )
    model = next((part.model for part in parts if part.model), None)
    warnings = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Scored(scores, model, tuple(warnings))


def beside_engine(learned: Scored, material: Material, *, weights: tuple[float, float]) -> Scored:
    """Return what was learned fused with the engine's ranking, both explained by their terms.

    Args:
        learned: What the views say.
        material: What they were learned from.
        weights: How much they count, and the engine.
    """
    if not weights[1]:
        return learned
    engine = Scored(material.retrieval, engine_model(material))
    fused = fused_scores([learned, engine], weights=weights)
    models = [(part.model, scale(part.scores.pool)[1]) for part in (learned, engine)]
    views = [
        view._replace(worth=weight / sum(weights) / deviation * view.worth)
        for (model, deviation), weight in zip(models, weights, strict=True)
        for view in (model.views if model else ())
    ]
    return fused._replace(model=TermModel(material.words, views))


def engine_model(material: Material) -> TermModel:
    """Return the engine's score as a sum over terms, counts saturated as ours are."""
    words, size = material.words, len(material.words.terms)
    numbers = {term: number for number, term in enumerate(words.terms)}
    worth = np.zeros(3 * size)
    for term in material.engine_terms:
        if (number := numbers.get(term.text)) is not None:
            # The evidence of titles is boosted, as the term's weight is.
            in_title = term.field == "title"
            worth[number + (0 if in_title else size)] = term.weight / (
                TITLE_BOOST if in_title else 1
            )
    return TermModel(words, [View(words.evidence, worth, np.arange(3 * size) % size)])


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


def _mean_of_known(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted mean of each column without what is not known; NaN where nothing is.

    >>> _mean_of_known(np.array([[1.0, np.nan], [3.0, 5.0]]), np.array([3.0, 1.0])).tolist()
    [1.5, 5.0]
    """
    counted = np.where(np.isnan(scores), 0, weights[:, None])
    total = counted.sum(axis=0)
    summed = (counted * np.nan_to_num(scores)).sum(axis=0)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)
