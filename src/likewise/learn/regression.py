"""Weighted linear models with an L2 penalty, for sparse and dense rows alike.

With rows x_i of weight a_i and f_i = w x_i + c, a logistic regression of targets y_i in [0, 1]
minimises

    strength * sum a_i (ln(1 + exp f_i) - y_i f_i) + |w|^2 / 2

and a support vector machine of signs y_i, -1 or 1,

    strength * sum a_i max(0, 1 - y_i f_i)^2 + (|w|^2 + c^2) / 2
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from likewise.learn.rows import Numbers

MOST_STEPS = 60
PRECISION = 1e-3


class Hyperplane(NamedTuple):
    """A linear function of a row."""

    weights: Numbers
    intercept: float

    def __call__(self, rows: Any) -> Numbers:
        """Return its value at each row."""
        return np.asarray(rows @ self.weights).ravel() + self.intercept


def fit_logistic(
    rows: Any,
    targets: Numbers,
    *,
    weights: Numbers,
    strength: float,
    start: Hyperplane | None = None,
) -> Hyperplane:
    """Return the hyperplane with the smallest penalised loss.

    A solution of nearly the same problem to start from saves most of the steps.
    """
    if not hasattr(rows, "tocsr"):
        return _fit(rows, targets, weights=weights, strength=strength, start=start)
    # A column without entries has no slope, so only the others are fitted.
    rows = rows.tocsr()
    columns = np.unique(rows.indices)
    if start is not None:
        start = start._replace(weights=start.weights[columns])
    plane = _fit(rows[:, columns], targets, weights=weights, strength=strength, start=start)
    slopes = np.zeros(rows.shape[1])
    slopes[columns] = plane.weights
    return plane._replace(weights=slopes)


def _fit(
    rows: Any, targets: Numbers, *, weights: Numbers, strength: float, start: Hyperplane | None
) -> Hyperplane:
    # Importing this takes half of all the time to start, and most expansions need no regression.
    from scipy.optimize import minimize

    # Converted once rather than at each step, since the weights have double precision.
    rows = rows.astype(np.float64)
    transposed = rows.T.tocsr() if hasattr(rows, "tocsr") else rows.T

    def loss(point: Numbers) -> tuple[float, Numbers]:
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


def fit_squared_hinge(
    rows: Any, signs: Numbers, *, weights: Numbers, strength: float
) -> Hyperplane:
    """Return the hyperplane of a linear support vector machine with a squared hinge loss.

    At the smallest loss, w = sum b_i x_i and c = sum b_i, with b_i = 0 for every row beyond its
    margin. For the others, the support vectors, f_i + b_i / (2 strength a_i) = y_i: one linear
    equation for each, however many columns there are. Newton's method solves these, then finds
    again which rows are within their margin; a few such steps are enough. All weights are above 0.
    """
    rows = rows.astype(np.float64)
    ridge = 1 / (2 * strength * weights)
    is_within, solved = np.ones(len(signs), dtype=bool), np.zeros(len(signs))
    plane = Hyperplane(np.zeros(rows.shape[1]), 0.0)
    for _ in range(MOST_STEPS):
        vectors = rows[is_within]
        found = _solve(vectors, signs[is_within], ridge[is_within], start=solved[is_within])
        solved = np.zeros(len(signs))
        solved[is_within] = found
        plane = Hyperplane(np.asarray(vectors.T @ found).ravel(), float(found.sum()))
        before, is_within = is_within, signs * plane(rows) < 1
        if (is_within == before).all():
            break
    return plane


def _solve(rows: Any, values: Numbers, ridge: Numbers, *, start: Numbers) -> Numbers:
    """Return b with (X X' + 1 + diag(ridge)) b = values, by conjugate gradients.

    This is what scipy.sparse.linalg.cg does, but importing that takes as long as most of this.
    """
    transposed = rows.T.tocsr() if hasattr(rows, "tocsr") else rows.T

    def times(b: Numbers) -> Numbers:
        return np.asarray(rows @ (transposed @ b) + b.sum() + ridge * b)

    solved, rest = start.copy(), values - times(start)
    least = PRECISION**2 * float(values @ values)
    direction, now = rest, float(rest @ rest)
    # In exact arithmetic, one step for each row would be enough; rounding may need more.
    for _ in range(10 * len(values)):
        if now <= least:
            break
        image = times(direction)
        step = now / float(direction @ image)
        solved += step * direction
        rest = rest - step * image
        before, now = now, float(rest @ rest)
        direction = rest + now / before * direction
    return solved
