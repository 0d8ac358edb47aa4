"""What the linear method learns from documents that are known to be off topic.

Those a person marks stand at the top of the list: they tell what the topic is not where it is hard
to tell, and nothing of the rest of the pool. So this is only ever learned beside what is learned
from the pool, and counts the more the more of them there are: a few change little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from likewise.learn.estimators import PUEstimator, Rows, stacked
from likewise.learn.regression import Hyperplane, fit_squared_hinge

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LinearSVM(PUEstimator):
    """A support vector machine of the positive against the negative, with a squared hinge loss.

    All positive rows together weigh `positive` times as much as all negative ones, and all rows as
    much as there are of them. The rows of a kind come with their weights, as `Rows(kind, weights)`;
    only those of negative ones count. Without negative rows, the unlabeled ones stand for them.

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
            stacked([positive.kinds[0], others.kinds[0]]),
            np.repeat([1.0, -1.0], counts),
            weights=np.concatenate(weights),
            strength=self.strength,
        )
        return self

    def decision_function(self, rows: Rows) -> NDArray[np.float64]:
        """Return how far on the positive side of the hyperplane each row is."""
        return self.plane_(rows.kinds[0])
