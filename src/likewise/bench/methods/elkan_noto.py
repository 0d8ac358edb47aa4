"""Elkan and Noto (2008): from the probability of being labelled to that of being on topic.

With g(x) the probability that a row is labelled, and c that of a positive row to be labelled, a row
that is not labelled is positive with probability

    w(x) = (1 - c) / c * g(x) / (1 - g(x))

c is the mean of g over positive rows that g did not learn from. A second classifier learns from the
positive rows, and from each unlabeled row as positive with weight w and as negative with 1 - w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import expit

from likewise.learn.estimators import PUEstimator, stacked
from likewise.learn.regression import Hyperplane, fit_logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


class ElkanNoto(PUEstimator):
    """Logistic regressions, the second of which weighs the unlabeled rows.

    Negative rows are negative to the second and unlabeled to the first.
    """

    labelled_: Hyperplane
    plane_: Hyperplane
    frequency_: float
    """The probability of a positive row to be labelled: c."""

    def __init__(self, *, strength: float = 1.0, held_out: float = 0.2, seed: int = 0) -> None:
        """Store the parameters.

        Args:
            strength: How freely both regressions may fit.
            held_out: The share of positive rows that c is the mean over.
            seed: Draws them.
        """
        self.strength = strength
        self.held_out = held_out
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn who is labelled, weigh the unlabeled rows, and learn who is positive."""
        others = unlabeled if negative is None else stacked([unlabeled, negative])
        is_held_out = self._drawn(positive.shape[0])
        known = positive if is_held_out.all() else positive[~is_held_out]
        self.labelled_ = self._fitted(known, others, np.zeros(others.shape[0]), start="labelled_")
        frequency = expit(self.labelled_(positive[is_held_out])).mean()
        self.frequency_ = float(np.clip(frequency, 1e-6, 1 - 1e-6))
        likely = positive_among_unlabeled(self.labelled_(others), frequency=self.frequency_)
        likely[unlabeled.shape[0] :] = 0
        self.plane_ = self._fitted(positive, others, likely, start="plane_")
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return the log odds of being positive."""
        return self.plane_(rows)

    def _drawn(self, count: int) -> NDArray[np.bool_]:
        size = max(1, round(self.held_out * count))
        return np.random.default_rng(self.seed).permutation(count) < size

    def _fitted(self, positive: Any, others: Any, likely: Numbers, *, start: str) -> Hyperplane:
        targets = np.append(np.ones(positive.shape[0]), likely)
        return fit_logistic(
            stacked([positive, others]),
            targets,
            weights=np.ones(len(targets)),
            strength=self.strength,
            start=getattr(self, start, None),
        )


def positive_among_unlabeled(log_odds: Numbers, *, frequency: float) -> Numbers:
    """Return how likely rows that are not labelled are positive, w.

    >>> positive_among_unlabeled(np.log([0.25, 1.0, 9.0]), frequency=0.8).round(4).tolist()
    [0.0625, 0.25, 1.0]
    """
    # Odds beyond these mean no more, and would overflow.
    odds = np.exp(np.clip(log_odds, -100, 100))
    return np.asarray(np.minimum((1 - frequency) / frequency * odds, 1.0))
