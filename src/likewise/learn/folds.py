"""Scores out of fold: each document scored by a model that did not learn from it.

A pool document's score comes from a model that was not shown it as unlabeled, so that a document on
topic is not pushed down. A seed's score comes from a model that did not see that seed. Models with
fewer seeds score on another scale, so only the seed's place counts, among pool documents that this
model did not see either: the seed gets the score that has the same share of the whole pool above
it. If an estimator learns quickly, its scores are averaged over several deals of folds.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from likewise.learn.rows import LabelledRows, Numbers, stack_rows
from likewise.machine import run_steps

SEED_FOLDS = 10
MANY, FEWER_FOLDS = 50, 5
"""With negatives and more than MANY positive rows, FEWER_FOLDS folds leave enough to learn from."""
POOL_FOLDS = 4
FEWEST = 3
"""If fewer seeds than this would be retrieved, all seeds together say more than these alone."""
LEAST_BESIDE = 80
"""Among fewer pool documents than this, a seed's place would be too coarse."""


class Learner(Protocol):
    """What an estimator must be able to do to be scored out of fold."""

    @property
    def deals(self) -> int:
        """How many deals of folds its scores are averaged over; known once it has learned."""
        ...

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn to score."""
        ...

    def decision_function(self, rows: Any) -> Numbers:
        """Return a score for each row; the higher it is, the likelier the row is on topic."""
        ...


class Scores(NamedTuple):
    """Scores of seeds and pool; those of the seeds show which recall a threshold reaches."""

    seeds: Numbers
    pool: Numbers
    negatives: Numbers = np.empty(0)
    """The scores of documents known to be off topic, out of fold too."""


def keep_seeds_inside(scores: Scores, is_inside: NDArray[np.bool_]) -> Scores:
    """Keep only the seeds that would be in the pool, or all seeds if these are too few.

    Seeds whose score is not known (NaN) are left out.
    """
    is_known = ~np.isnan(scores.seeds)
    inside = is_inside & is_known
    return scores._replace(seeds=scores.seeds[inside if inside.sum() >= FEWEST else is_known])


def out_of_fold(  # noqa: PLR0913  # a model's rows, three kinds of them
    estimator: Learner,
    positive: Any,
    unlabeled: Any,
    *,
    rng: np.random.Generator,
    negative: Any = None,
    unseen: int = 0,
    threads: int = 1,
    on_step: Callable[[int, int], None] | None = None,
) -> Scores:
    """Return the scores of all rows by models that did not see them.

    Args:
        estimator: One that has learned from all rows; copies of it learn from parts of them.
        positive: The rows known to be on topic.
        unlabeled: The rows that might be.
        rng: Deals the rows into folds.
        negative: Rows known to be off topic; they are held out like positive ones, but all models
            that score unlabeled rows see them.
        unseen: How many of the last unlabeled rows no model sees; seeds are placed among the rest.
        threads: How many models learn at a time; more than one only if copies share nothing that
            learning changes.
        on_step: Called with how many models have learned, and how many there are in all.
    """
    groups = LabelledRows(positive, unlabeled, negative)
    deals = [_Deal(estimator, groups, rng=rng, unseen=unseen) for _ in range(estimator.deals)]
    steps = [step for deal in deals for step in deal.list_steps()]
    with closing(run_steps(steps, threads=threads)) as done:
        for number, _ in enumerate(done, 1):
            if on_step:
                on_step(number, len(steps))
    pool = np.mean([deal.pool for deal in deals], axis=0)
    on_scale = pool[: unlabeled.shape[0] - unseen]
    above = np.array([score_at(deal.above, on_scale) for deal in deals])
    off = np.array([score_at(deal.off_above, on_scale) for deal in deals])
    return Scores(above.mean(axis=0), pool, off.mean(axis=0))


class _Deal:
    """One way to deal the rows into folds, and the scores that result."""

    def __init__(
        self, estimator: Learner, rows: LabelledRows, *, rng: np.random.Generator, unseen: int
    ) -> None:
        self.estimator, self.rows = estimator, rows
        positive, unlabeled, negative = rows
        self.seen = unlabeled[: unlabeled.shape[0] - unseen]
        self.off = unlabeled[:0] if negative is None else negative
        is_enough = negative is not None and positive.shape[0] > MANY
        count = FEWER_FOLDS if is_enough else SEED_FOLDS
        self.seed_folds = deal_folds(positive.shape[0], count, rng=rng)
        groups = max(2, min(self.seed_folds.max() + 1, self.seen.shape[0] // LEAST_BESIDE))
        self.beside = deal_folds(self.seen.shape[0], groups, rng=rng)
        self.pool_folds = deal_folds(unlabeled.shape[0], POOL_FOLDS, rng=rng)
        # Dealt last, so that dealing the negatives does not change how the others are dealt.
        self.off_folds = deal_folds(self.off.shape[0], self.seed_folds.max() + 1, rng=rng)
        self.pool = np.empty(unlabeled.shape[0])
        """Scores."""
        self.above = np.empty(positive.shape[0])
        """The shares of the pool above positive rows ..."""
        self.off_above = np.empty(self.off.shape[0])
        """... and above negative ones."""

    def list_steps(self) -> list[Callable[[], None]]:
        """Return the steps, one model for each fold; they can run in any order or in parallel."""
        of_pool = (partial(self._score_pool, fold) for fold in range(self.pool_folds.max() + 1))
        of_seeds = (partial(self._place_seeds, fold) for fold in range(self.seed_folds.max() + 1))
        return [*of_pool, *of_seeds]

    def _score_pool(self, fold: int) -> None:
        positive, unlabeled, negative = self.rows
        held_out = self.pool_folds == fold
        rest = _drop_held_out(self.seen, held_out[: self.seen.shape[0]])
        model = copy.copy(self.estimator).learn(positive, rest, negative)
        self.pool[held_out] = model.decision_function(unlabeled[held_out])

    def _place_seeds(self, fold: int) -> None:
        positive, _, negative = self.rows
        held_out, also = self.seed_folds == fold, self.beside == fold % (self.beside.max() + 1)
        aside = self.off_folds == fold
        model = copy.copy(self.estimator).learn(
            _drop_held_out(positive, held_out),
            _drop_held_out(self.seen, also),
            None if negative is None or aside.all() else negative[~aside],
        )
        beside_them = model.decision_function(self.seen[also])
        self.above[held_out] = share_above(model.decision_function(positive[held_out]), beside_them)
        if aside.any():
            off_scores = model.decision_function(self.off[aside])
            self.off_above[aside] = share_above(off_scores, beside_them)


def out_of_joint_folds(  # noqa: PLR0913
    estimator: Learner,
    positive: Any,
    unlabeled: Any,
    *,
    count: int,
    rng: np.random.Generator,
    negative: Any = None,
    weights: Numbers | None = None,
    unseen: int = 0,
    center: str = "mean",
    on_model: Callable[[Any], None] | None = None,
) -> Scores:
    """Return scores out of fold from few models, for estimators that are slow to learn.

    Each model scores one part of the seeds, of the negatives and of the pool that it has not seen.
    Every model has its own scale, so the scores of each part of the pool are brought to mean 0 and
    deviation 1. If a part is too small to measure these, they are measured on the whole pool.
    Negatives were found in the pool, so models also see them among the unlabeled rows, which would
    be no fair sample without them.

    Args:
        estimator: Copies of it learn.
        positive: The rows known to be on topic.
        unlabeled: The rows that might be.
        count: How many parts, and models, there are at most; see `count_joint_parts`.
        rng: Deals the rows into folds.
        negative: Rows known to be off topic; if none is left, a model learns without them.
        weights: How much each of these counts, on average 1.
        unseen: How many of the last unlabeled rows no model sees; seeds are placed among the rest.
        center: "zero" if 0 is to stay 0: scores are then brought to deviation 1 only.
        on_model: Called with each model that has learned.
    """
    seen = unlabeled[: unlabeled.shape[0] - unseen]
    negative = unlabeled[:0] if negative is None else negative
    count = count_joint_parts(positive.shape[0], seen.shape[0], most=count)
    seed_folds = deal_folds(positive.shape[0], count, rng=rng)
    pool_folds = deal_folds(unlabeled.shape[0], count, rng=rng)
    off_folds = deal_folds(negative.shape[0], count, rng=rng)
    above, pool = np.empty(positive.shape[0]), np.empty(unlabeled.shape[0])
    off = np.empty(negative.shape[0])
    for fold in range(count):
        # A pool of one document is a single part.
        seeds, held_out = seed_folds == fold, pool_folds == fold % (pool_folds.max() + 1)
        beside, is_left = held_out[: seen.shape[0]], off_folds != fold
        model = copy.copy(estimator)
        left = (negative[is_left], None if weights is None else weights[is_left])
        model.learn(
            _drop_held_out(positive, seeds), *_add_known(_drop_held_out(seen, beside), *left)
        )
        scores = model.decision_function(unlabeled[held_out])
        beside_them = scores[: beside.sum()]
        above[seeds] = share_above(model.decision_function(positive[seeds]), beside_them)
        is_enough = len(beside_them) >= LEAST_BESIDE
        those = beside_them if is_enough else model.decision_function(seen)
        mean, deviation = measure_scale(those, center=center)
        pool[held_out] = (scores - mean) / deviation
        if not is_left.all():
            off[~is_left] = (model.decision_function(negative[~is_left]) - mean) / deviation
        if on_model:
            on_model(model)
    return Scores(score_at(above, pool[: seen.shape[0]]), pool, off)


def count_joint_parts(seeds: int, pool: int, *, most: int) -> int:
    """Return how many parts to deal seeds and pool into, so that each part has enough of both.

    >>> [count_joint_parts(seeds, pool, most=5) for seeds, pool in ((20, 999), (3, 999), (20, 9))]
    [5, 3, 2]
    """
    return max(2, min(most, seeds, pool // LEAST_BESIDE))


def _add_known(unlabeled: Any, negative: Any, weights: Numbers | None) -> Any:
    """Return the unlabeled rows with the negative ones, and these alone, repeated by weight."""
    if not negative.shape[0]:
        return unlabeled, None
    often = negative if weights is None else negative[repeat_by_weight(weights)]
    return stack_rows([unlabeled, negative]), often


def repeat_by_weight(weights: Numbers) -> NDArray[np.int64]:
    """Return row numbers repeated by weight, to a quarter of the mean weight and at least once.

    >>> [repeat_by_weight(np.array(pair)).tolist() for pair in ([2.0, 2.0], [0.5, 1.5])]
    [[0, 1], [0, 1, 1, 1]]
    """
    times = np.maximum(1, np.rint(4 * weights / weights.mean())).astype(np.int64)
    return np.repeat(np.arange(len(weights)), times // np.gcd.reduce(times))


def _drop_held_out(rows: Any, held_out: NDArray[np.bool_]) -> Any:
    """Return the rows that are not held out; all if that would leave none."""
    return rows if held_out.all() else rows[~held_out]


def deal_folds(size: int, count: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a fold for each row, from 0, dealt evenly and at random."""
    return rng.permutation(size) % max(2, min(count, size))


def share_above(scores: Numbers, pool: Numbers) -> Numbers:
    """Return the share of the pool that scores higher; those that score the same count half.

    If a score is not known (NaN), neither is the share.

    >>> share_above(np.array([5.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([0.   , 0.625, 1.   ])
    """
    ordered = np.sort(pool)
    below = np.searchsorted(ordered, scores, side="left")
    upto = np.searchsorted(ordered, scores, side="right")
    # NaN would be sorted above everything.
    return np.where(np.isnan(scores), np.nan, 1 - (below + upto) / 2 / len(pool))


def score_at(above: Numbers, pool: Numbers) -> Numbers:
    """Return the scores that have these shares of the pool above them.

    >>> score_at(np.array([0.0, 0.625, 1.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([4., 2., 1.])
    """
    places = (np.arange(len(pool)) + 0.5) / len(pool)
    return np.interp(above, places, np.sort(pool)[::-1])


def measure_scale(scores: Numbers, *, center: str = "mean") -> tuple[float, float]:
    """Return the mean and the deviation of scores; 1 for a deviation that is only rounding.

    With "zero" for the center, 0 takes the mean's place, so that scaled scores keep their sign.
    """
    mean, deviation = float(scores.mean()), float(scores.std())
    deviation = deviation if deviation > 1e-6 * max(1.0, abs(mean)) else 1.0
    return 0.0 if center == "zero" else mean, deviation
