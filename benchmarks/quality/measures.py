"""How good a ranking and a decision are, and what full supervision would have given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.features.lsa import latent_topics
from likewise.learn.regression import fit_logistic

if TYPE_CHECKING:
    from likewise.features.words import WordFeatures

SUPERVISED_STRENGTH = 10.0


class Supervised(NamedTuple):
    """What full supervision decides, and how it ranks."""

    f1: float
    average_precision: float


def f1_score(decided: np.ndarray, relevant: np.ndarray) -> float:
    """Return the F1 of a decision."""
    both = decided.sum() + relevant.sum()
    return float(2 * (decided & relevant).sum() / both) if both else 0.0


def best_f1(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Return the F1 that the best of all thresholds gives."""
    found = np.cumsum(relevant[np.argsort(-scores, kind="stable")])
    return float((2 * found / (np.arange(1, len(found) + 1) + relevant.sum())).max())


def average_precision(scores: np.ndarray, relevant: np.ndarray) -> float:
    """Return the mean of the precisions at the places of relevant documents."""
    ranked = relevant[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(precision[ranked].mean()) if ranked.any() else 0.0


def recall_at(scores: np.ndarray, relevant: np.ndarray, *, share: float) -> float:
    """Return the share of relevant documents in the first share of the list."""
    first = np.argsort(-scores, kind="stable")[: round(share * len(scores))]
    return float(relevant[first].sum() / relevant.sum())


def calibration_error(probabilities: np.ndarray, relevant: np.ndarray) -> float:
    """Return the mean distance of probability and truth over ten bins of equal width."""
    bins = np.minimum((probabilities * 10).astype(int), 9)
    return float(
        sum(
            abs(probabilities[bins == number].sum() - relevant[bins == number].sum())
            for number in range(10)
        )
        / len(relevant)
    )


def supervised(
    words: WordFeatures, relevant: np.ndarray, *, seeds: int, rng: np.random.Generator
) -> Supervised:
    """Learn from true labels, in the paper's proportions, with the same features and fusion.

    Each quarter of the pool is decided by a model that learned from the labels of two others and
    chose its threshold for the best F1 on the labels of the third.
    """
    kinds = [words.weighted, latent_topics(words.tfidf, rng=rng).vectors]
    quarter = rng.permutation(len(relevant)) % 4
    scores = np.empty(len(relevant))
    decided = np.zeros(len(relevant), dtype=bool)
    for number in range(4):
        tested, validated = quarter == number, quarter == (number + 1) % 4
        learned = np.append(np.ones(seeds, dtype=bool), ~(tested | validated))
        fused = np.zeros(len(relevant))
        for rows in kinds:
            targets = np.append(np.ones(seeds), relevant)[learned].astype(float)
            plane = fit_logistic(
                rows[learned],
                targets,
                weights=np.ones(len(targets)),
                strength=SUPERVISED_STRENGTH,
            )
            values = plane(rows[seeds:])
            fused += (values - values[validated].mean()) / values[validated].std()
        threshold = _best_threshold(fused[validated], relevant[validated])
        decided[tested] = fused[tested] >= threshold
        scores[tested] = fused[tested]
    return Supervised(f1_score(decided, relevant), average_precision(scores, relevant))


def _best_threshold(scores: np.ndarray, relevant: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(relevant[order])
    f1 = 2 * found / (np.arange(1, len(found) + 1) + relevant.sum())
    return float(scores[order][f1.argmax()])
