"""Baselines that estimate how likely documents are to be labelled: Elkan and Noto's, and PUe.

What their parameters mean is said in `baselines.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import deal_folds
from likewise.learn.regression import Hyperplane, fit_logistic
from likewise.learn.rows import stack_rows

Numbers = NDArray[np.float64]


FOLDS = 5
MOST_STEPS = 100


class ElkanNoto(PUEstimator):
    """Two logistic regressions, of which the first weighs the second's rows (Elkan and Noto, 2008).

    With g(x) the probability that a row is labelled, and c the probability that a positive row is,
    a row that is not labelled is positive with probability

        w(x) = (1 - c) / c * g(x) / (1 - g(x))

    c is the mean of g over positive rows that g did not learn from. The second regression learns
    from the positive rows, and from each unlabeled row as positive with weight w and as negative
    with 1 - w. Negative rows are negative to the second and unlabeled to the first.
    """

    labelled_: Hyperplane
    plane_: Hyperplane
    frequency_: float
    """The probability that a positive row is labelled: c."""

    def __init__(self, *, strength: float = 1.0, held_out: float = 0.2, seed: int = 0) -> None:
        self.strength = strength
        self.held_out = held_out
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn which rows are labelled, weigh the unlabeled ones, and learn which are positive."""
        others = unlabeled if negative is None else stack_rows([unlabeled, negative])
        count = positive.shape[0]
        order = np.random.default_rng(self.seed).permutation(count)
        is_held_out = order < max(1, round(self.held_out * count))
        known = positive if is_held_out.all() else positive[~is_held_out]
        # Each starts from the fit before, which is close by if the rows are nearly the same.
        fit = partial(_fit_plane, strength=self.strength)
        unknown = np.zeros(others.shape[0])
        self.labelled_ = fit(known, others, unknown, start=getattr(self, "labelled_", None))
        frequency = expit(self.labelled_(positive[is_held_out])).mean()
        self.frequency_ = float(np.clip(frequency, 1e-6, 1 - 1e-6))
        likely = weigh_unlabeled(self.labelled_(others), frequency=self.frequency_)
        likely[unlabeled.shape[0] :] = 0
        self.plane_ = fit(positive, others, likely, start=getattr(self, "plane_", None))
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the log odds of being positive."""
        return self.plane_(rows)


def weigh_unlabeled(log_odds: Numbers, *, frequency: float) -> Numbers:
    """Return w, how likely rows that are not labelled are positive.

    >>> weigh_unlabeled(np.log([0.25, 1.0, 9.0]), frequency=0.8).round(4).tolist()
    [0.0625, 0.25, 1.0]
    """
    # Odds beyond these change nothing, and would overflow.
    odds = np.exp(np.clip(log_odds, -100, 100))
    return np.asarray(np.minimum((1 - frequency) / frequency * odds, 1.0))


class WeightedRisk(NamedTuple):
    """A risk, and its slope at the score of each row."""

    value: float
    positive: Numbers
    unlabeled: Numbers


class PUe(PUEstimator):
    """A linear score trained with the non-negative risk, with seeds weighed by inverse propensity.

    If seeds are not a fair sample of their topic, each document x on topic became a seed with a
    probability of its own, its *propensity* e(x). Weighed by 1 / e, seeds are a fair sample again.
    With w_i these weights, scaled to sum to 1, p the prior and l the logistic loss, PUe minimises

        p sum_i w_i l(f(x_i)) + max(0, E_U[l(-f)] - p sum_i w_i l(-f(x_i)))

    which with equal weights is the non-negative PU risk (Wang et al., 2023). The authors take e
    from a network that tells labelled documents from the others; here logistic regressions give it,
    for each seed one that did not learn from this seed, and f is linear. Negative rows count as
    unlabeled.
    """

    weights_: Numbers
    """How much each positive row counts; their sum is 1."""
    plane_: Hyperplane

    def __init__(
        self, *, prior: float = 0.5, strength: float = 0.01, most: float = 10.0, seed: int = 0
    ) -> None:
        self.prior = prior
        self.strength = strength
        self.most = most
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Weigh the positive rows, and learn from them and the others."""
        others = unlabeled if negative is None else stack_rows([unlabeled, negative])
        self.weights_ = invert_propensities(
            self._estimate_propensities(positive, others), most=self.most
        )
        self.plane_ = self._fit_risk(positive, others)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the score of each row."""
        return self.plane_(rows)

    def _estimate_propensities(self, positive: Any, others: Any) -> Numbers:
        """Return how likely each positive row is to be labelled, by a model that did not see it."""
        found, count = np.empty(positive.shape[0]), positive.shape[0]
        dealt = deal_folds(count, FOLDS, rng=np.random.default_rng(self.seed))
        plane: Hyperplane | None = None
        for fold in range(dealt.max() + 1):
            held_out = dealt == fold
            known = positive if held_out.all() else positive[~held_out]
            unknown = np.zeros(others.shape[0])
            plane = _fit_plane(known, others, unknown, strength=1.0, start=plane)
            found[held_out] = expit(plane(positive[held_out]))
        return found

    def _fit_risk(self, positive: Any, others: Any) -> Hyperplane:
        rows = stack_rows([positive, others]).astype(np.float64)
        seeds, scale = positive.shape[0], self.strength * rows.shape[0]

        def loss(point: Numbers) -> tuple[float, Numbers]:
            slope, values = point[:-1], Hyperplane(point[:-1], point[-1])(rows)
            risk = compute_weighted_risk(
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


def invert_propensities(propensities: Numbers, *, most: float) -> Numbers:
    """Return inverse propensities that sum to 1, none more than `most` times another.

    >>> invert_propensities(np.array([0.5, 0.25, 0.25]), most=10.0).tolist()
    [0.2, 0.4, 0.4]
    """
    weights = 1 / np.maximum(propensities, 1e-12)
    weights = np.minimum(weights, most * weights.min())
    return np.asarray(weights / weights.sum())


def compute_weighted_risk(
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


def _fit_plane(
    positive: Any, others: Any, likely: Numbers, *, strength: float, start: Hyperplane | None
) -> Hyperplane:
    """Return a regression, given how likely each of the other rows is positive."""
    targets = np.append(np.ones(positive.shape[0]), likely)
    rows, weights = stack_rows([positive, others]), np.ones(len(targets))
    return fit_logistic(rows, targets, weights=weights, strength=strength, start=start)
