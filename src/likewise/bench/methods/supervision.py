"""Supervision: the parts for training, validation and measuring, and the upper bound.

The upper bound is how well the default method's features do when they learn from the truth.
Logistic regressions of weighted terms and of latent topics learn the labels of the training part,
and are fused. The threshold is the one with the best F1 on the labels of the validation part. If
the whole pool is measured, this is done for each quarter of it. Seeds are learned from as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.bench.measures import f1_at, rank_truth
from likewise.bench.methods.view import MethodAnswer, TaskView
from likewise.bench.tasks import Split, Truth
from likewise.features.words import WordFeatures, find_latent_topics
from likewise.learn.folds import measure_scale
from likewise.learn.regression import fit_logistic

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]

ASIDE = 1 / 3
"""The share for validation if a task does not say: a third of what may be learned from, which is
a quarter of the pool."""
STRENGTH = 10.0
"""How freely the regressions may fit by default."""


class Supervision(NamedTuple):
    """Which documents of a pool are for training, for validation, and for measuring."""

    learned: Mask
    validation: Mask
    measured: Mask


def deal_aside(splits: Sequence[Split], *, rng: np.random.Generator) -> Mask:
    """Return which documents are for validation: as the task says, or a third at random.

    Args:
        splits: The splits of the documents that may be learned from.
        rng: Draws the third.
    """
    is_aside = np.array([split == "validation" for split in splits], dtype=bool)
    if is_aside.any() and not is_aside.all():
        return is_aside
    return rng.permutation(len(splits)) < max(1, round(ASIDE * len(splits)))


def deal_by_label(view: TaskView, *, rng: np.random.Generator) -> dict[str, Mask]:
    """Return by label which of the documents that may be learned from are for validation."""
    splits: dict[str, list[Split]] = {
        "positive": [entry.split for entry in view.seed_entries],
        "negative": [entry.split for entry in view.negative_entries],
        "unlabeled": list_splits(view),
    }
    return {label: deal_aside(own, rng=rng) for label, own in splits.items()}


def deal_supervisions(view: TaskView, *, rng: np.random.Generator) -> list[Supervision]:
    """Return the parts by which the truth about a pool is learned: one, or four quarters.

    If the whole pool is measured, each quarter is measured by a model that learned from two of the
    others and was validated on the third.
    """
    size = len(view.pool)
    if not view.unseen:
        return deal_quarters(size, rng=rng)
    measured = np.arange(size) >= size - view.unseen
    validation = np.zeros(size, dtype=bool)
    validation[~measured] = deal_aside(list_splits(view), rng=rng)
    return [Supervision(~measured & ~validation, validation, measured)]


def deal_quarters(size: int, *, rng: np.random.Generator) -> list[Supervision]:
    """Return four parts of a pool, each of which measures one quarter."""
    quarter = rng.permutation(size) % 4
    return [
        Supervision(
            (quarter != number) & (quarter != (number + 1) % 4),
            quarter == (number + 1) % 4,
            quarter == number,
        )
        for number in range(4)
    ]


def list_splits(view: TaskView) -> list[Split]:
    """Return the splits of the documents without a label that may be learned from."""
    if view.has_background:
        return ["all" for _ in view.learned]
    known = {entry.id: entry.split for entry in view.entries}
    return [known[identifier] for identifier in view.learned]


class SupervisedScores(NamedTuple):
    """The scores and decisions for each document of a pool, after learning from the truth."""

    scores: Numbers
    """NaN for a document that no part measures."""
    decided: Mask


def answer_from_truth(
    view: TaskView, truth: Truth, *, rng: np.random.Generator, strength: float = STRENGTH
) -> MethodAnswer:
    """Learn from the truth, and decide about what is measured.

    Args:
        view: Seeds, pool and features.
        truth: Which documents are on topic.
        rng: Makes the features, and draws the parts that the task does not name.
        strength: How freely the regressions may fit.
    """
    material = view.make_material()
    # Negatives are not learned from: what is off topic is known from the pool.
    rows = np.delete(np.arange(len(material.documents)), slice(material.seeds, material.known))
    kinds = [kind[rows] for kind in make_feature_kinds(material.words, rng=rng)]
    parts = deal_supervisions(view, rng=rng)
    is_relevant = find_relevant(view.pool, truth)
    found = learn_truth(kinds, is_relevant, parts=parts, seeds=len(view.seeds), strength=strength)
    first = len(view.pool) - len(view.measured)
    return MethodAnswer(
        ids=tuple(view.measured), scores=found.scores[first:], decided=found.decided[first:]
    )


def make_feature_kinds(words: WordFeatures, *, rng: np.random.Generator) -> list[Any]:
    """Return the features that the default method learns from: weighted terms, latent topics."""
    return [words.weighted, find_latent_topics(words.tfidf, rng=rng).vectors]


def learn_truth(
    kinds: Sequence[Any],
    is_relevant: Mask,
    *,
    parts: Sequence[Supervision],
    seeds: int,
    strength: float = STRENGTH,
) -> SupervisedScores:
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
            _score_pool(rows, is_relevant, part=part, seeds=seeds, strength=strength)
            for rows in kinds
        ]
        found, validation, measured = np.sum(by_kind, axis=0), part.validation, part.measured
        threshold = find_best_threshold(found[validation], is_relevant[validation])
        scores[measured] = found[measured]
        decided[measured] = found[measured] >= threshold
    return SupervisedScores(scores, decided)


def find_relevant(ids: list[str], truth: Truth) -> Mask:
    """Return which of these documents are on topic."""
    return np.array([identifier in truth.relevant for identifier in ids], dtype=bool)


def find_best_threshold(scores: Numbers, is_relevant: Mask) -> float:
    """Return the threshold with the best F1; it is above all scores if nothing is relevant.

    >>> find_best_threshold(np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False]))
    2.0
    """
    if not is_relevant.any():
        return float("inf")
    best = f1_at(rank_truth(scores, is_relevant)).argmax()
    return float(np.sort(scores)[::-1][best])


def _score_pool(
    rows: Any, is_relevant: Mask, *, part: Supervision, seeds: int, strength: float
) -> Numbers:
    """Return a regression's scores of the pool, with mean 0 and deviation 1 in validation."""
    learned = np.append(np.ones(seeds, dtype=bool), part.learned)
    targets = np.append(np.ones(seeds), is_relevant)[learned]
    plane = fit_logistic(rows[learned], targets, weights=np.ones(len(targets)), strength=strength)
    values = plane(rows[seeds:])
    mean, deviation = measure_scale(values[part.validation])
    return (values - mean) / deviation
