"""The ranking: all documents by score, each with its rank, probability, decision and mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.expansion import Ranked

if TYPE_CHECKING:
    from likewise.expansion.candidates import Candidates
    from likewise.expansion.marks import Label, Marks
    from likewise.learn.folds import Scores
    from likewise.learn.judgement import Judgement
    from likewise.learn.thresholds import Keep


def ranked_candidates(
    candidates: Candidates, judgement: Judgement, scores: Scores, *, keep: Keep, marks: Marks
) -> tuple[Ranked, ...]:
    """Rank the pool from 1 on; what is known has the rank that a document of its score would have.

    Args:
        candidates: Seeds, negatives and pool.
        judgement: What scores mean.
        scores: Of all of them, out of fold.
        keep: What is asked to be kept.
        marks: What was said of some of them.
    """
    order = np.argsort(-scores.pool, kind="stable")
    probabilities, is_decided = judgement.probabilities(scores.pool), judgement.decided(keep)
    maybe = set(marks.maybe)
    pool = [
        Ranked(
            id=candidates.pool[row],
            rank=rank,
            score=float(scores.pool[row]),
            probability=float(probabilities[row]),
            decision=bool(is_decided[row]),
            seed=False,
            mark="maybe" if candidates.pool[row] in maybe else None,
        )
        for rank, row in enumerate(order, 1)
    ]
    known = _known(candidates, judgement, scores, marks=marks)
    return tuple(sorted([*known, *pool], key=lambda ranked: (-ranked.score, not ranked.seed)))


def _known(
    candidates: Candidates, judgement: Judgement, scores: Scores, *, marks: Marks
) -> list[Ranked]:
    """Return the places that seeds and marked documents would have; of a seed, all is certain."""
    ids = [*candidates.seed_ids, *candidates.negative_ids]
    held_out = np.concatenate([scores.seeds, scores.negatives])
    held_out = np.where(np.isnan(held_out), scores.pool.min(), held_out)
    ranks = np.searchsorted(np.sort(-scores.pool), -held_out, side="left") + 1
    probabilities = judgement.probabilities(held_out)
    seeds, relevant = len(candidates.seeds.given), set(marks.relevant)
    return [
        Ranked(
            id=identifier,
            rank=int(ranks[row]),
            score=float(held_out[row]),
            probability=1.0 if row < seeds else float(probabilities[row]),
            decision=row < len(candidates.seed_ids),
            seed=row < seeds,
            mark=_mark(identifier, relevant, is_on=row < len(candidates.seed_ids)),
        )
        for row, identifier in enumerate(ids)
    ]


def _mark(identifier: str, relevant: set[str], *, is_on: bool) -> Label | None:
    if not is_on:
        return "irrelevant"
    return "relevant" if identifier in relevant else None
