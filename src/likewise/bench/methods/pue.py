"""PUe: seeds that stand for others count more (Wang et al., 2023).

Where seeds are no fair sample of their topic, a seed x is one of those on topic with a probability
of its own, its *propensity* e(x). Counted by 1 / e, seeds are a fair sample again. With w_i these
weights, brought to a sum of 1, p the prior and l the logistic loss, what is made small is

    p sum_i w_i l(f(x_i)) + max(0, E_U[l(-f)] - p sum_i w_i l(-f(x_i)))

which with equal weights is the non-negative PU risk. The authors take e from a network that tells
labelled documents from the others; here it is a logistic regression, of seeds that it did not learn
from, and f is linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy.special import expit

from likewise.learn.estimators import PUEstimator, stacked
from likewise.learn.folds import folds
from likewise.learn.regression import Hyperplane, fit_logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FOLDS = 5
MOST_STEPS = 100


class WeightedRisk(NamedTuple):
    """A risk, and its slope at the score of each row."""

    value: float
    positive: Numbers
    unlabeled: Numbers


class PUe(PUEstimator):
    """A linear score with the non-negative risk, seeds counted by their inverse propensity.

    Negative rows are taken for unlabeled.
    """

    weights_: Numbers
    """How much each positive row counts; their sum is 1."""
    plane_: Hyperplane

    def __init__(
        self, *, prior: float = 0.5, strength: float = 0.01, most: float = 10.0, seed: int = 0
    ) -> None:
        """Store the parameters.

        Args:
            prior: The share of the unlabeled that is positive.
            strength: How freely the score may fit.
            most: How many times as much as the least one a positive row may count.
            seed: Deals the folds that propensities are estimated in.
        """
        self.prior = prior
        self.strength = strength
        self.most = most
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Weigh the positive rows, and learn from them and the others."""
        others = unlabeled if negative is None else stacked([unlabeled, negative])
        self.weights_ = inverse_weights(self._propensities(positive, others), most=self.most)
        self.plane_ = self._fitted(positive, others)
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return the score of each row."""
        return self.plane_(rows)

    def _propensities(self, positive: Any, others: Any) -> Numbers:
        """Return how likely each positive row is labelled, by a model that did not see it."""
        found, count = np.empty(positive.shape[0]), positive.shape[0]
        dealt = folds(count, FOLDS, rng=np.random.default_rng(self.seed))
        plane: Hyperplane | None = None
        for fold in range(dealt.max() + 1):
            held_out = dealt == fold
            known = positive if held_out.all() else positive[~held_out]
            targets = np.repeat([1.0, 0.0], [known.shape[0], others.shape[0]])
            plane = fit_logistic(
                stacked([known, others]),
                targets,
                weights=np.ones(len(targets)),
                strength=1.0,
                start=plane,
            )
            found[held_out] = expit(plane(positive[held_out]))
        return found

    def _fitted(self, positive: Any, others: Any) -> Hyperplane:
        from scipy.optimize import minimize

        rows = stacked([positive, others]).astype(np.float64)
        seeds, scale = positive.shape[0], self.strength * rows.shape[0]

        def loss(point: Numbers) -> tuple[float, Numbers]:
            slope, values = point[:-1], Hyperplane(point[:-1], point[-1])(rows)
            risk = weighted_risk(
                values[:seeds], values[seeds:], weights=self.weights_, prior=self.prior
            )
            pull = scale * np.append(risk.positive, risk.unlabeled)
            gradient = np.append(np.asarray(rows.T @ pull).ravel() + slope, pull.sum())
            return scale * risk.value + float(slope @ slope) / 2, gradient

        known = getattr(self, "plane_", None)
        first = np.zeros(rows.shape[1] + 1) if known is None else np.append(*known)
        options = {"maxiter": MOST_STEPS, "gtol": 1e-3}
        point = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
        return Hyperplane(point[:-1], float(point[-1]))


def inverse_weights(propensities: Numbers, *, most: float) -> Numbers:
    """Return weights of which the sum is 1, by inverse propensity.

    >>> inverse_weights(np.array([0.5, 0.25, 0.25]), most=10.0).tolist()
    [0.2, 0.4, 0.4]
    """
    weights = 1 / np.maximum(propensities, 1e-12)
    weights = np.minimum(weights, most * weights.min())
    return np.asarray(weights / weights.sum())


def weighted_risk(
    positive: Numbers, unlabeled: Numbers, *, weights: Numbers, prior: float
) -> WeightedRisk:
    """Return the risk of scores, given how much each positive one counts."""
    on_topic = prior * weights @ np.logaddexp(0, -positive)
    off_topic = np.logaddexp(0, unlabeled).mean() - prior * weights @ np.logaddexp(0, positive)
    slope = -prior * weights * expit(-positive)
    if off_topic < 0:
        return WeightedRisk(float(on_topic), slope, np.zeros(len(unlabeled)))
    return WeightedRisk(
        float(on_topic + off_topic),
        slope - prior * weights * expit(positive),
        expit(unlabeled) / len(unlabeled),
    )
