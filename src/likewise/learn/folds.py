"""Scores out of fold: each document scored by a model that did not learn from it.

A pool document's score comes from a model that was not shown it as unlabeled, so that one that is
on topic was not pushed down. A seed's score comes from a model that did not see that seed, and is
told as its place among pool documents that this model did not see either: a model with fewer seeds
has another scale, but a place is a place. On the pool's own scale, the seed gets the score that has
the same share of the pool above it.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.learn.estimators import scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.learn.estimators import PUEstimator

SEED_FOLDS = 10
POOL_FOLDS = 4
FEWEST = 3
"""Fewer seeds than this that would be retrieved say less than all of them do."""
LEAST_BESIDE = 80
"""Among fewer pool documents than this, a seed's place would be too coarse."""


class Scores(NamedTuple):
    """Scores that decide: those of the seeds say what recall a threshold has."""

    seeds: NDArray[np.float64]
    pool: NDArray[np.float64]


def by_seeds_inside(scores: Scores, is_inside: NDArray[np.bool_]) -> Scores:
    """Return scores with those seeds alone that would be in the pool; all, if these are too few.

    Seeds whose score is not known (NaN) are left out.
    """
    is_known = ~np.isnan(scores.seeds)
    inside = is_inside & is_known
    return Scores(scores.seeds[inside if inside.sum() >= FEWEST else is_known], scores.pool)


def out_of_fold(  # noqa: PLR0913  # a model's rows, three kinds of them
    estimator: PUEstimator,
    positive: Any,
    unlabeled: Any,
    *,
    rng: np.random.Generator,
    negative: Any = None,
    unseen: int = 0,
    on_step: Callable[[int, int], None] | None = None,
) -> Scores:
    """Return the scores of positive and unlabeled rows by models that did not see them.

    Args:
        estimator: One that has learned from all rows; copies of it learn from parts of them.
        positive: The rows known to be on topic.
        unlabeled: The rows that might be.
        rng: Deals the rows into folds.
        negative: Rows known to be off topic; all models see them.
        unseen: How many of the last unlabeled rows no model sees; a seed's place is among others.
        on_step: Called with the number of models learned and of all to be learned.
    """
    seen = unlabeled[: unlabeled.shape[0] - unseen]
    seed_folds = folds(positive.shape[0], SEED_FOLDS, rng=rng)
    groups = max(2, min(seed_folds.max() + 1, seen.shape[0] // LEAST_BESIDE))
    beside = folds(seen.shape[0], groups, rng=rng)
    pool_folds = folds(unlabeled.shape[0], POOL_FOLDS, rng=rng)
    total = int(seed_folds.max() + pool_folds.max() + 2)
    pool = np.empty(unlabeled.shape[0])
    for fold in range(pool_folds.max() + 1):
        held_out = pool_folds == fold
        rest = _without(seen, held_out[: seen.shape[0]])
        model = copy.copy(estimator).learn(positive, rest, negative)
        pool[held_out] = model.decision_function(unlabeled[held_out])
        if on_step:
            on_step(fold + 1, total)
    above = np.empty(positive.shape[0])
    for fold in range(seed_folds.max() + 1):
        held_out, also = seed_folds == fold, beside == fold % (beside.max() + 1)
        model = copy.copy(estimator)
        model.learn(_without(positive, held_out), _without(seen, also), negative)
        beside_them = model.decision_function(seen[also])
        seeds = model.decision_function(positive[held_out])
        above[held_out] = share_above(seeds, beside_them)
        if on_step:
            on_step(int(pool_folds.max()) + fold + 2, total)
    return Scores(score_at(above, pool[: seen.shape[0]]), pool)


def out_of_joint_folds(  # noqa: PLR0913
    estimator: PUEstimator,
    positive: Any,
    unlabeled: Any,
    *,
    count: int,
    rng: np.random.Generator,
    unseen: int = 0,
    on_model: Callable[[PUEstimator], None] | None = None,
) -> Scores:
    """Return such scores from few models, for estimators that are slow to learn.

    Each model is not shown one part of the seeds and one of the pool, and scores both. A model's
    scale is its own, so the scores of each part of the pool are brought to mean 0 and deviation 1;
    where a part is too small to tell what these are, to those that the whole pool has.

    Args:
        estimator: Copies of it learn.
        positive: The rows known to be on topic.
        unlabeled: The rows that might be.
        count: How many parts, and models, there are; `joint_parts` says how many of few rows.
        rng: Deals the rows into folds.
        unseen: How many of the last unlabeled rows no model sees; a seed's place is among others.
        on_model: Called with each model that has learned.
    """
    seen = unlabeled[: unlabeled.shape[0] - unseen]
    count = joint_parts(positive.shape[0], seen.shape[0], most=count)
    seed_folds = folds(positive.shape[0], count, rng=rng)
    pool_folds = folds(unlabeled.shape[0], count, rng=rng)
    above, pool = np.empty(positive.shape[0]), np.empty(unlabeled.shape[0])
    for fold in range(count):
        # A pool of one document is a single part.
        seeds, held_out = seed_folds == fold, pool_folds == fold % (pool_folds.max() + 1)
        beside = held_out[: seen.shape[0]]
        model = copy.copy(estimator)
        model.learn(_without(positive, seeds), _without(seen, beside))
        scores = model.decision_function(unlabeled[held_out])
        beside_them = scores[: beside.sum()]
        above[seeds] = share_above(model.decision_function(positive[seeds]), beside_them)
        is_enough = len(beside_them) >= LEAST_BESIDE
        mean, deviation = scale(beside_them if is_enough else model.decision_function(seen))
        pool[held_out] = (scores - mean) / deviation
        if on_model:
            on_model(model)
    return Scores(score_at(above, pool[: seen.shape[0]]), pool)


def joint_parts(seeds: int, pool: int, *, most: int) -> int:
    """Return into how many parts seeds and pool are dealt: each with a seed and pool enough.

    >>> joint_parts(20, 10_000, most=5), joint_parts(3, 10_000, most=5), joint_parts(20, 9, most=5)
    (5, 3, 2)
    """
    return max(2, min(most, seeds, pool // LEAST_BESIDE))


def _without(rows: Any, held_out: NDArray[np.bool_]) -> Any:
    """Return the rows that are not held out; all if that would leave none."""
    return rows if held_out.all() else rows[~held_out]


def folds(size: int, count: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal numbers of folds, from 0, evenly to so many rows."""
    return rng.permutation(size) % max(2, min(count, size))


def share_above(scores: NDArray[np.float64], pool: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the pool that scores higher, half of those that score the same counted.

    Where a score is not known (NaN), neither is the share.

    >>> share_above(np.array([5.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([0.   , 0.625, 1.   ])
    """
    ordered = np.sort(pool)
    below = np.searchsorted(ordered, scores, side="left")
    upto = np.searchsorted(ordered, scores, side="right")
    # NaN would be sorted above everything.
    return np.where(np.isnan(scores), np.nan, 1 - (below + upto) / 2 / len(pool))


def score_at(above: NDArray[np.float64], pool: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores that have these shares of the pool above them.

    >>> score_at(np.array([0.0, 0.625, 1.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([4., 2., 1.])
    """
    places = (np.arange(len(pool)) + 0.5) / len(pool)
    return np.interp(above, places, np.sort(pool)[::-1])
