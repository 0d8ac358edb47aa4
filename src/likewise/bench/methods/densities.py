"""puDE by kernels: how dense seeds are where a document lies, against how dense the pool is there.

A document x is on topic with probability p(x | on topic) p / p(x). Both densities are estimated,
from seeds and from pool, and the prior p, the same for all, changes no order (Zhang, Chen, Zou,
Pan, Wang and Stevenson, 2024). With x_i the n rows of a sample, in d columns, a density is

    q(x) = 1 / n sum_i exp(-|x - x_i|^2 / (2 h^2)) / (2 pi h^2)^(d / 2)

The width h is Scott's rule, s n^(-1 / (d + 4)) with s the deviation of a column of the pool, times
`width`. The authors' rows are codes of a variational autoencoder; here they are latent topics, or
the encoder's vectors. Their other densities, from energies, are in `energies.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from likewise.learn.estimators import PUEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

AT_ONCE = 500
"""Rows whose distances from all others are in memory at a time."""


class KernelDensities(PUEstimator):
    """The log ratio of two kernel densities. Negative rows are of the pool."""

    positive_: Numbers
    unlabeled_: Numbers
    deviation_: float

    def __init__(self, *, width: float = 1.0) -> None:
        """Store the parameters.

        Args:
            width: How wide kernels are, as a multiple of Scott's rule.
        """
        self.width = width

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Keep the rows, and the deviation of a column."""
        others = unlabeled if negative is None else np.concatenate([unlabeled, negative])
        self.positive_, self.unlabeled_ = (
            np.asarray(rows, dtype=np.float64) for rows in (positive, others)
        )
        variance = float(self.unlabeled_.var(axis=0).mean())
        # Rows that are all alike have no width of their own.
        self.deviation_ = variance**0.5 if variance > 1e-12 else 1.0
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return ln p(x | on topic) - ln p(x)."""
        on, everywhere = (
            log_density(np.asarray(rows, dtype=np.float64), sample, width=self.width_of(sample))
            for sample in (self.positive_, self.unlabeled_)
        )
        return on - everywhere

    def width_of(self, sample: Numbers) -> float:
        """Return how wide the kernels of a sample are."""
        count, dimensions = sample.shape
        return float(self.width * self.deviation_ * count ** (-1 / (dimensions + 4)))


def log_density(rows: Numbers, sample: Numbers, *, width: float) -> Numbers:
    """Return the logarithm of a sample's density at each row.

    >>> log_density(np.array([[0.0]]), np.array([[0.0]]), width=1.0).round(4).tolist()
    [-0.9189]
    """
    from scipy.special import logsumexp

    squares = (sample**2).sum(axis=1)
    scale = np.log(len(sample)) + sample.shape[1] / 2 * np.log(2 * np.pi * width**2)
    found = []
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        distances = squares - 2 * part @ sample.T + (part**2).sum(axis=1)[:, None]
        found.append(logsumexp(-np.maximum(distances, 0) / (2 * width**2), axis=1) - scale)
    return np.concatenate([np.empty(0), *found])
