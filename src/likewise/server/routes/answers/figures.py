"""What figures are drawn from: the curve, the scores, and what was found by when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.server.models.rankings import (
    CurveAnswer,
    FiguresAnswer,
    FoundAnswer,
    ScoresAnswer,
)

if TYPE_CHECKING:
    from likewise.expansion.saved import SavedExpansion
    from likewise.server.desks.reading import Reading

BINS = 44
MOST_POINTS = 400
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
    """Return how often scores occur, and how many were found by when."""
    return FiguresAnswer(scores=_scores(reading.ranked().saved), found=_found(reading))


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


def _found(reading: Reading) -> FoundAnswer:
    """Follow the marks on the pool in the order in which they were given."""
    ranked, labels = reading.ranked(), reading.standing().labels
    told = [
        label == "relevant"
        for identifier, label in labels.items()
        if identifier in ranked.places and identifier not in ranked.seeds
    ]
    found = np.concatenate([[0], np.cumsum(told, dtype=np.int64)])
    drawn = np.unique(np.linspace(0, len(told), MOST_POINTS).round().astype(np.int64))
    return FoundAnswer(looked_at=drawn.tolist(), relevant=found[drawn].tolist())
