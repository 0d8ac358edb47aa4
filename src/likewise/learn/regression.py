"""Weighted logistic regression with an L2 penalty, for sparse and dense rows alike.

With rows x_i of weight a_i and target y_i in [0, 1], and f_i = w x_i + c, it minimises

    strength * sum a_i (ln(1 + exp f_i) - y_i f_i) + |w|^2 / 2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_STEPS = 60
PRECISION = 1e-3


class Hyperplane(NamedTuple):
    """A linear function of a row."""

    weights: NDArray[np.float64]
    intercept: float

    def __call__(self, rows: Any) -> NDArray[np.float64]:
        """Return its value at each row."""
        return np.asarray(rows @ self.weights).ravel() + self.intercept


def fit_logistic(
    rows: Any,
    targets: NDArray[np.float64],
    *,
    weights: NDArray[np.float64],
    strength: float,
    start: Hyperplane | None = None,
) -> Hyperplane:
    """Return the hyperplane of the smallest penalised loss.

    Args:
        rows: A matrix, sparse or not.
        targets: Between 0 and 1, one a row.
        weights: How much each row counts.
        strength: How much the loss counts against the penalty.
        start: Where to start from; a solution of nearly the same problem saves most of the steps.
    """
    # Once here rather than at each step: the weights are of double precision.
    rows = rows.astype(np.float64)
    transposed = rows.T.tocsr() if hasattr(rows, "tocsr") else rows.T

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slope, values = point[:-1], Hyperplane(point[:-1], point[-1])(rows)
        losses = np.logaddexp(0, values) - targets * values
        pull = strength * weights * (expit(values) - targets)
        gradient = np.append(np.asarray(transposed @ pull).ravel() + slope, pull.sum())
        return float(strength * (weights @ losses) + slope @ slope / 2), gradient

    first = np.zeros(rows.shape[1] + 1) if start is None else np.append(*start)
    tolerance = PRECISION * max(1.0, strength)
    options = {"maxiter": MOST_STEPS, "gtol": tolerance}
    found = minimize(loss, first, jac=True, method="L-BFGS-B", options=options)
    return Hyperplane(found.x[:-1], float(found.x[-1]))
