"""The ranking: pool and seeds by score, each with its rank, probability and decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.expansion import Ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.expansion.candidates import Candidates
    from likewise.learn.folds import Scores


def ranked_candidates(
    candidates: Candidates,
    scores: Scores,
    probabilities: NDArray[np.float64],
    *,
    is_decided: NDArray[np.bool_],
) -> tuple[Ranked, ...]:
    """Rank the pool from 1 on; a seed has the rank that a document of its score would have."""
    order = np.argsort(-scores.pool, kind="stable")
    pool = [
        Ranked(
            id=candidates.pool[row],
            rank=rank,
            score=float(scores.pool[row]),
            probability=float(probabilities[row]),
            decision=bool(is_decided[row]),
            seed=False,
        )
        for rank, row in enumerate(order, 1)
    ]
    ordered = scores.pool[order]
    seeds = [
        Ranked(
            id=identifier,
            rank=int(np.searchsorted(-ordered, -score, side="left")) + 1,
            score=float(score),
            probability=1.0,
            decision=True,
            seed=True,
        )
        for identifier, score in candidates.seed_scores(scores)
    ]
    return tuple(sorted([*seeds, *pool], key=lambda ranked: (-ranked.score, not ranked.seed)))
