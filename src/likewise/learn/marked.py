"""What the linear method learns from documents that are known to be off topic.

Those a person marks stand at the top of the list: they tell what the topic is not where it is hard
to tell, and nothing of the rest of the pool. So the pool stays in, as if it were a few negatives
more, and what is learned from the pool alone fades as negatives come in, from all of the score
without any of them: a few change little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from likewise.learn.estimators import PUEstimator, Rows, stacked
from likewise.learn.regression import Hyperplane, fit_logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL_ROWS = 1000
"""More unlabeled rows than this say no more about the pool, all of which counts little."""


class PNULogistic(PUEstimator):
    """Logistic regression of the positive against the negative, with the unlabeled as a few more.

    All positive rows together weigh `positive` times as much as the others. Of these, a negative
    row weighs 1, or what it is given, and all unlabeled ones together `pool`. The rows of a kind
    come with their weights, as `Rows(kind, weights)`.
    """

    plane_: Hyperplane

    def __init__(self, *, strength: float = 3.0, positive: float = 5.0, pool: float = 10.0) -> None:
        self.strength = strength
        self.positive = positive
        self.pool = pool

    def learn(self, positive: Rows, unlabeled: Rows, negative: Rows | None = None) -> Self:
        """Learn a hyperplane, starting from the one of before if there is one."""
        # Evenly out of all, since the pool comes in the order of an engine.
        step = -(-unlabeled.shape[0] // POOL_ROWS)
        blocks = [positive, unlabeled[::step], *([] if negative is None else [negative])]
        counts = [block.shape[0] for block in blocks]
        known = self.pool + (negative.kinds[1].sum() if negative is not None else 0)
        # As much in all as there are rows, of which the unlabeled make up so many.
        total = counts[0] + known
        weights = [
            np.full(counts[0], total * self.positive / (1 + self.positive) / counts[0]),
            np.full(counts[1], total / (1 + self.positive) * self.pool / known / counts[1]),
        ]
        if negative is not None:
            weights.append(total / (1 + self.positive) / known * negative.kinds[1])
        self.plane_ = fit_logistic(
            stacked([block.kinds[0] for block in blocks]),
            np.repeat([1.0, 0.0], [counts[0], sum(counts[1:])]),
            weights=np.concatenate(weights),
            strength=self.strength,
            start=getattr(self, "plane_", None),
        )
        return self

    def decision_function(self, rows: Rows) -> NDArray[np.float64]:
        """Return the log odds of being a positive row rather than one of the others."""
        return self.plane_(rows.kinds[0])


class Likeness(PUEstimator):
    """How like the mean of the positive rows a row is, less a part of its likeness to negatives."""

    centre_: NDArray[np.float64]

    def __init__(self, *, against: float = 0.3) -> None:
        self.against = against

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Take the means."""
        self.centre_ = _mean(positive)
        if negative is not None:
            self.centre_ = self.centre_ - self.against * _mean(negative)
        return self

    def decision_function(self, rows: Any) -> NDArray[np.float64]:
        """Return the likeness of each row."""
        return np.asarray(rows @ self.centre_, dtype=np.float64).ravel()


def _mean(rows: Any) -> NDArray[np.float64]:
    return np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
