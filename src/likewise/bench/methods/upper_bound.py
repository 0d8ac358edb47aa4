"""The upper bound: what the default method's features come to when the truth is learned from.

Logistic regressions of weighted terms and of latent topics learn the labels of the training part,
and are fused. The threshold is the one of the best F1 on the labels of the validation part. Where
the whole pool is measured, this is done for each quarter of it. Seeds are learned from as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.bench.measures.rankings import f1_at, ranking
from likewise.bench.methods.answers import Answer
from likewise.bench.methods.supervision import supervisions
from likewise.features.lsa import latent_topics
from likewise.learn.estimators import scale
from likewise.learn.regression import fit_logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.bench.methods.supervision import Supervision
    from likewise.bench.methods.view import View
    from likewise.bench.tasks.task import Truth
    from likewise.features.words import WordFeatures

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

STRENGTH = 10.0
"""Of the regressions, if nothing else is asked for."""


class Taught(NamedTuple):
    """What was learned from the truth says of each document of a pool."""

    scores: Numbers
    """No number where a document is in no part that is measured."""
    decided: Mask


def upper_bound(
    view: View, truth: Truth, *, rng: np.random.Generator, strength: float = STRENGTH
) -> Answer:
    """Learn from the truth, and decide what is measured.

    Args:
        view: Seeds, pool and features.
        truth: Which documents are on topic.
        rng: For the features, and to deal what the task does not.
        strength: How freely the regressions may fit.
    """
    material = view.material()
    # Negatives are not learned from: what is off topic is known from the pool.
    rows = np.delete(np.arange(len(material.documents)), slice(material.seeds, material.known))
    kinds = [kind[rows] for kind in feature_kinds(material.words, rng=rng)]
    parts = supervisions(view, rng=rng)
    is_relevant = relevant(view.pool, truth)
    found = taught(kinds, is_relevant, parts=parts, seeds=len(view.seeds), strength=strength)
    first = len(view.pool) - len(view.measured)
    return Answer(
        ids=tuple(view.measured), scores=found.scores[first:], decided=found.decided[first:]
    )


def feature_kinds(words: WordFeatures, *, rng: np.random.Generator) -> list[Any]:
    """Return the features that the default method learns from: weighted terms, latent topics."""
    return [words.weighted, latent_topics(words.tfidf, rng=rng).vectors]


def taught(
    kinds: Sequence[Any],
    is_relevant: Mask,
    *,
    parts: Sequence[Supervision],
    seeds: int,
    strength: float = STRENGTH,
) -> Taught:
    """Learn from the truth about a pool, a part at a time.

    Args:
        kinds: Rows of features of each kind: those of the seeds, then those of the pool.
        is_relevant: The truth about each document of the pool.
        parts: What is learned from, validated on and measured.
        seeds: How many of the rows are seeds.
        strength: How freely the regressions may fit.
    """
    scores = np.full(len(is_relevant), np.nan)
    decided = np.zeros(len(is_relevant), dtype=bool)
    for part in parts:
        by_kind = [
            _scores(rows, is_relevant, part=part, seeds=seeds, strength=strength) for rows in kinds
        ]
        found, validation, measured = np.sum(by_kind, axis=0), part.validation, part.measured
        threshold = best_threshold(found[validation], is_relevant[validation])
        scores[measured] = found[measured]
        decided[measured] = found[measured] >= threshold
    return Taught(scores, decided)


def relevant(ids: list[str], truth: Truth) -> Mask:
    """Tell which documents are on topic."""
    return np.array([identifier in truth.relevant for identifier in ids], dtype=bool)


def best_threshold(scores: Numbers, is_relevant: Mask) -> float:
    """Return the score from which on up the F1 is best; above all scores if nothing is relevant.

    >>> best_threshold(np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False]))
    2.0
    """
    if not is_relevant.any():
        return float("inf")
    best = f1_at(ranking(scores, is_relevant)).argmax()
    return float(np.sort(scores)[::-1][best])


def _scores(
    rows: Any, is_relevant: Mask, *, part: Supervision, seeds: int, strength: float
) -> Numbers:
    """Return the scores of the pool by a regression, of mean 0 and deviation 1 in validation."""
    learned = np.append(np.ones(seeds, dtype=bool), part.learned)
    targets = np.append(np.ones(seeds), is_relevant)[learned]
    plane = fit_logistic(rows[learned], targets, weights=np.ones(len(targets)), strength=strength)
    values = plane(rows[seeds:])
    mean, deviation = scale(values[part.validation])
    return (values - mean) / deviation
