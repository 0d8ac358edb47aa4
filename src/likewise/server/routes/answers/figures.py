"""What figures are drawn from: the curve, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.server.models.rankings import (
    CurveAnswer,
    FiguresAnswer,
    ScoresAnswer,
)

if TYPE_CHECKING:
    from likewise.expansion.saved import SavedExpansion
    from likewise.server.desks.reading import Reading

BINS = 44
DIGITS = 6


def curve_answer(reading: Reading) -> CurveAnswer:
    """Return expected precision and recall along the ranking."""
    ranked, curve = reading.ranked(), reading.curve()
    return CurveAnswer(
        documents=curve.documents.tolist(),
        precision=curve.precision.round(DIGITS).tolist(),
        recall=curve.recall.round(DIGITS).tolist(),
        decided=ranked.cut,
        learned=ranked.learned,
    )


def figures_answer(reading: Reading) -> FiguresAnswer:
    """Return how often scores occur."""
    return FiguresAnswer(scores=_scores(reading.ranked().saved))


def _scores(saved: SavedExpansion) -> ScoresAnswer | None:
    scored = [(place.score, place.seed) for place in saved.ranking if place.score is not None]
    if not scored:
        return None
    scores = np.array([score for score, _ in scored], dtype=np.float64)
    is_seed = np.array([seed for _, seed in scored], dtype=bool)
    edges = np.histogram_bin_edges(scores, BINS)
    return ScoresAnswer(
        edges=edges.round(DIGITS).tolist(),
        seeds=np.histogram(scores[is_seed], edges)[0].tolist(),
        pool=np.histogram(scores[~is_seed], edges)[0].tolist(),
        threshold=saved.threshold,
    )
