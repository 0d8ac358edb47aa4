"""Estimators that learn from documents on topic and documents that might be.

They follow scikit-learn's conventions: `__init__` only stores parameters, names of learned
attributes end in an underscore, and `fit` takes rows and their labels and returns the estimator.
A row is a document; `decision_function` says how much it is like the positive ones. `fit` also
scores every document by models that did not see it (`folds.py`); `predict_proba` and `predict`
rest on these scores.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likewise.learn.folds import Learner, measure_scale, out_of_fold
from likewise.learn.judgement import Judgement, judge
from likewise.learn.manners import (
    Parametrized,
    check_labels,
    check_learned,
    check_rows,
    copy_unchecked,
)
from likewise.learn.regression import Hyperplane, fit_logistic, fit_squared_hinge
from likewise.learn.rows import (
    Numbers,
    Rows,
    measure_shares,
    measure_surprise,
    split_by_label,
    stack_rows,
)

Weight = float | Callable[[int], float]

POOL_ROWS = 3_000
"""With negatives, learning from more unlabeled rows than this is not worth the time."""
DEALS = 3
"""How many deals of folds quick estimators average over, so that chance hardly matters."""
MANY_ROWS = 50_000
"""With more unlabeled rows than this, one deal takes long enough, and leaves less to chance."""


class PUEstimator(Parametrized, ABC):
    """An estimator that learns from positive and unlabeled rows.

    A subclass says in `learn` how it learns and in `score_rows` how it scores.
    """

    judgement_: Judgement
    classes_ = np.array([False, True])
    """What is predicted: off and on topic, in the order of `predict_proba`."""
    deals: int = 1
    """How many deals of folds its scores are averaged over; known once it has learned."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # as scikit-learn names them
        """Learn, and judge what a score means from scores of rows that were held out.

        Args:
            X: The rows, one for each document.
            y: 1 for what is on topic, -1 for what is off topic, 0 or NaN for all others. If no row
                is labelled 0 or NaN, -1 stands for the others, and `predict` returns 1 and -1.
        """
        for learned in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, learned)
        rows = check_rows(self, X, is_first=True)
        known, self.classes_ = check_labels(self, y)
        positive, unlabeled, negative = split_by_label(rows, known)
        self.learn(positive, unlabeled, negative)
        rng = np.random.default_rng(0)
        # The rows of folds have been checked already.
        learner = copy_unchecked(self)
        scores = out_of_fold(learner, positive, unlabeled, negative=negative, rng=rng)
        self.judgement_ = judge(scores)
        return self

    @abstractmethod
    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn to score, without judging what a score means."""

    @abstractmethod
    def score_rows(self, rows: Any) -> Numbers:
        """Return a score for each row; the higher it is, the likelier the row is on topic."""

    def decision_function(self, rows: Any) -> Numbers:
        """Return a score for each row; the higher it is, the likelier the row is on topic."""
        try:
            return self.score_rows(check_rows(self, rows))
        except AttributeError:
            check_learned(self)
            raise

    def predict_proba(self, rows: Any) -> Numbers:
        """Return the probabilities of being off and on topic, in two columns."""
        scores = self.decision_function(rows)
        likely = self.judgement_.probabilities(scores)
        return np.column_stack([1 - likely, likely])

    def predict(self, rows: Any) -> NDArray[Any]:
        """Decide for each row whether it is on topic, at the threshold of the best expected F1."""
        is_on_topic = self.decision_function(rows) >= self.judgement_.threshold()
        return np.asarray(self.classes_[is_on_topic.astype(np.int64)])

    def score(self, X: Any, y: Any) -> float:  # noqa: N803  # as scikit-learn names them
        """Return the share of rows that are predicted as they are labelled."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


class PULogistic(PUEstimator):
    """Logistic regression of positive against unlabeled rows; both sides weigh the same.

    Negative rows join the unlabeled ones, of which at most POOL_ROWS are then used: the more is
    known, the less the pool adds.
    """

    plane_: Hyperplane

    def __init__(self, *, strength: float = 0.1) -> None:
        self.strength = strength

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn a hyperplane, starting from the one that was learned before, if any."""
        # Taken evenly from all rows, since the pool comes in the engine's order.
        step = 1 if negative is None else -(-unlabeled.shape[0] // POOL_ROWS)
        blocks = [positive, unlabeled[::step], *([] if negative is None else [negative])]
        sizes = [block.shape[0] for block in blocks]
        counts = [unlabeled.shape[0], *sizes[2:]]
        targets = np.repeat([1.0, 0.0], [sizes[0], sum(sizes[1:])])
        # Together, positive rows weigh as much as all others.
        weights = np.repeat([sum(counts), *counts] / np.array(sizes), sizes)
        self.plane_ = fit_logistic(
            stack_rows(blocks),
            targets,
            weights=weights,
            strength=self.strength,
            start=getattr(self, "plane_", None),
        )
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the log odds of being a positive row rather than an unlabeled one."""
        return self.plane_(rows)


class Divergence(PUEstimator):
    """A sum over the columns that a row has, of how surprising each is in the positive rows.

    With s the share of positive rows that have a column (smoothed by one row if s < b) and b the
    share of the other rows, a column is worth

        s ln(s / b) + (1 - s) ln((1 - s) / (1 - b))

    The first `rising` columns count only if s > b; the others only if s < b, against a row, and
    `against` times as much. The first are counts, the others presence: see `features/words.py`.
    Short texts lack words because they are short: if positive rows have only r < 1 times as many of
    those other columns as usual, 1 - (1 - b)^(r^2) takes the place of b there.
    The other rows are the unlabeled ones. If n rows are negative, their share counts n / (n +
    `half`) in b, and that of the unlabeled rows counts the rest.
    """

    weights_: Numbers
    others_: int

    def __init__(
        self, *, rising: int | None = None, against: float = 0.5, half: float = 200.0
    ) -> None:
        self.rising = rising
        self.against = against
        self.half = half

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn what each column is worth."""
        rows, others, seen = positive.shape[0], unlabeled.shape[0], measure_shares(positive)
        background = measure_shares(unlabeled)
        if negative is not None:
            count = weigh_count(negative.shape[0], half=self.half)
            background = (1 - count) * background + count * measure_shares(negative)
        # A column that no other row has is rare, not impossible.
        background = (background * others + 0.5) / (others + 1)
        is_rising = np.arange(len(seen)) < (len(seen) if self.rising is None else self.rising)
        length = float(seen[~is_rising].sum() / max(background[~is_rising].sum(), 1e-9))
        expected = background if length >= 1 else 1 - (1 - background) ** length**2
        up, down = is_rising & (seen > background), ~is_rising & (seen < expected)
        smoothed = (seen[down] * rows + expected[down]) / (rows + 1)
        self.others_ = others
        self.weights_ = np.zeros(len(seen))
        self.weights_[up] = measure_surprise(seen[up], background[up])
        self.weights_[down] = -self.against * measure_surprise(smoothed, expected[down])
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the sum of what a row's columns are worth."""
        return np.asarray(rows @ self.weights_).ravel()

    @property
    def deals(self) -> int:  # type: ignore[override]  # known once it has learned
        """Several, unless there are very many unlabeled rows."""
        return 1 if self.others_ > MANY_ROWS else DEALS


class Fused(PUEstimator):
    """The weighted mean of several estimators, each with rows of its own kind.

    First, the scores of each part are brought to mean 0 and deviation 1 over the unlabeled rows.
    The rows of all kinds come together, as `Rows`. A weight may depend on how many negative rows
    there are; a part of weight 0 does not learn.
    """

    parts_: list[Learner]
    weights_: list[float]

    def __init__(self, parts: Sequence[tuple[Learner, Weight]]) -> None:
        self.parts = parts

    def learn(self, positive: Rows, unlabeled: Rows, negative: Rows | None = None) -> Self:
        """Train every part whose weight is not 0."""
        count = 0 if negative is None else negative.shape[0]
        known = getattr(self, "parts_", None) or [copy.copy(part) for part, _ in self.parts]
        self.weights_ = [weight(count) if callable(weight) else weight for _, weight in self.parts]
        self.parts_, self.scales_ = [], []
        for place, part in enumerate(map(copy.copy, known)):
            self.parts_.append(part)
            self.scales_.append((0.0, 1.0))
            if self.weights_[place]:
                off = None if negative is None else negative.kinds[place]
                part.learn(positive.kinds[place], unlabeled.kinds[place], off)
                self.scales_[-1] = measure_scale(part.decision_function(unlabeled.kinds[place]))
        return self

    def score_rows(self, rows: Rows) -> Numbers:
        """Return the weighted mean of the parts' scores."""
        scores = [
            weight * (part.decision_function(kind) - mean) / deviation
            for part, weight, kind, (mean, deviation) in zip(
                self.parts_, self.weights_, rows.kinds, self.scales_, strict=True
            )
            if weight
        ]
        return np.asarray(np.sum(scores, axis=0) / sum(self.weights_))

    @property
    def deals(self) -> int:  # type: ignore[override]  # known once it has learned
        """The fewest deals of any part whose weight is not 0."""
        parts = zip(self.parts_, self.weights_, strict=True)
        return min((part.deals for part, weight in parts if weight), default=1)


def weigh_count(count: int, *, half: float) -> float:
    """Return a share that grows with a count: a half at `half`, nearly 1 for large counts.

    >>> weigh_count(0, half=50), weigh_count(50, half=50), weigh_count(450, half=50)
    (0.0, 0.5, 0.9)
    """
    return count / (count + half)


class LinearSVM(PUEstimator):
    """A support vector machine of positive against negative rows, with a squared hinge loss.

    All positive rows together weigh `positive` times as much as all negative ones, and the weights
    of all rows sum to their number. Rows come with weights of their own, as `Rows(rows, weights)`;
    only those of negative rows count. Without negative rows, the unlabeled ones take their place.

    Its defaults are those of ASReview's model (ELAS u4).
    """

    plane_: Hyperplane

    def __init__(self, *, strength: float = 0.11, positive: float = 9.8) -> None:
        self.strength = strength
        self.positive = positive

    def learn(self, positive: Rows, unlabeled: Rows, negative: Rows | None = None) -> Self:
        """Learn a hyperplane."""
        others = unlabeled if negative is None else negative
        counts = positive.shape[0], others.shape[0]
        unit = sum(counts) / (1 + self.positive)
        weights = [
            np.full(counts[0], unit * self.positive / counts[0]),
            unit * others.kinds[1] / others.kinds[1].sum(),
        ]
        self.plane_ = fit_squared_hinge(
            stack_rows([positive.kinds[0], others.kinds[0]]),
            np.repeat([1.0, -1.0], counts),
            weights=np.concatenate(weights),
            strength=self.strength,
        )
        return self

    def score_rows(self, rows: Rows) -> Numbers:
        """Return how far on the positive side of the hyperplane each row is."""
        return self.plane_(rows.kinds[0])
