"""Profiles of the seeds: queries, a region and densities that say how similar a document is.

None of them learns to tell seeds from others. Centroid, Rocchio and RM3 are relevance feedback:
they turn seeds into a query, and score a row by a weighted sum of its columns.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from likewise.extras import require
from likewise.features.words import normalise_rows
from likewise.learn.estimators import PUEstimator
from likewise.learn.rows import measure_shares, measure_surprise

Numbers = NDArray[np.float64]


AT_ONCE = 500
"""The number of rows whose distances from all others are in memory at once."""


class Centroid(PUEstimator):
    """The cosine of a row and the mean of the positive rows, after all are scaled to length 1.

    The unlabeled rows are ignored. If there are negative rows, the cosine with their mean is
    subtracted.
    """

    weights_: Numbers

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the mean."""
        self.weights_ = _direction(positive)
        if negative is not None:
            self.weights_ = self.weights_ - _direction(negative)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the cosine."""
        return _sums(normalise_rows(rows), self.weights_)


class Rocchio(PUEstimator):
    """The query of Rocchio (1971), with the unlabeled rows in place of those off topic.

    With m_P and m_U the means of positive and unlabeled rows, a column weighs

        max(0, beta m_P - gamma m_U)

    since weights below 0 are usually left out. Rows that are known to be negative take the place of
    the unlabeled ones.
    """

    weights_: Numbers

    def __init__(self, *, beta: float = 0.75, gamma: float = 0.15) -> None:
        self.beta = beta
        self.gamma = gamma

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn the weights."""
        others = unlabeled if negative is None else negative
        weights = self.beta * _mean(positive) - self.gamma * _mean(others)
        self.weights_ = np.maximum(weights, 0)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the weighted sum."""
        return _sums(rows, self.weights_)


class RM3(PUEstimator):
    """The relevance model RM3 over the positive rows, used as a query of BM25.

    Rows are saturated counts of terms. With c(t, d) those of a document, and the mean over the
    positive rows, the relevance model (Lavrenko and Croft, 2001) is

        r(t) = mean of c(t, d) / sum_t c(t, d)

    The `terms` likeliest are kept and scaled to sum to 1. They are mixed with the query q(t) that
    the same rows make: the `terms` of the highest divergence (`library/more_like.py`), each with
    its divergence over idf as its weight, and also scaled to sum to 1. A term then weighs

        (original q(t) + (1 - original) r(t)) idf(t)

    with idf(t) = ln(1 + (n - n_t + 0.5) / (n_t + 0.5)), where n_t of n unlabeled rows have it.
    Negative rows are ignored.
    """

    weights_: Numbers

    def __init__(self, *, terms: int = 100, original: float = 0.5) -> None:
        self.terms = terms
        self.original = original

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the weights."""
        size = unlabeled.shape[0]
        having = measure_shares(unlabeled) * size
        idf = np.log(1 + (size - having + 0.5) / (having + 0.5))
        query = self._weigh_query(positive, background=(having + 0.5) / (size + 1), idf=idf)
        relevance = self._weigh_relevance(positive)
        self.weights_ = (self.original * query + (1 - self.original) * relevance) * idf
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the weighted sum."""
        return _sums(rows, self.weights_)

    def _weigh_query(self, positive: Any, *, background: Numbers, idf: Numbers) -> Numbers:
        seen = measure_shares(positive)
        value = np.where(seen > background, measure_surprise(seen, background), 0)
        return _keep_best(value, count=self.terms, weights=value / idf)

    def _weigh_relevance(self, positive: Any) -> Numbers:
        lengths = np.asarray(positive.sum(axis=1)).ravel()
        parts = 1 / np.where(lengths > 0, lengths, 1) / positive.shape[0]
        likely = np.asarray(positive.T @ parts).ravel()
        return _keep_best(likely, count=self.terms, weights=likely)


def _keep_best(value: Numbers, *, count: int, weights: Numbers) -> Numbers:
    """Return weights that sum to 1 for the most valuable columns, and 0 for all others.

    >>> _keep_best(np.array([1.0, 3.0, 2.0]), count=2, weights=np.array([5.0, 1.0, 3.0])).tolist()
    [0.0, 0.25, 0.75]
    """
    kept = np.zeros_like(weights)
    best = np.argsort(-value, kind="stable")[:count]
    kept[best] = weights[best]
    total = kept.sum()
    return kept / total if total > 0 else kept


def _direction(rows: Any) -> Numbers:
    mean = _mean(normalise_rows(rows))
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else mean


def _mean(rows: Any) -> Numbers:
    return np.asarray(rows.sum(axis=0) / rows.shape[0], dtype=np.float64).ravel()


def _sums(rows: Any, weights: Numbers) -> Numbers:
    return np.asarray(rows @ weights, dtype=np.float64).ravel()


class OneClassSVM(PUEstimator):
    """The region of the seeds (Schölkopf et al., 2001), as scikit-learn finds it.

    With k the kernel, x_i the positive rows and 0 <= a_i <= 1 / (nu n), sum a_i = 1, it minimises

        sum_ij a_i a_j k(x_i, x_j)

    A row x scores sum_i a_i k(x_i, x) less the height of the border. Unlabeled and negative rows
    are ignored.
    """

    model_: Any

    def __init__(self, *, nu: float = 0.5, kernel: str = "linear") -> None:
        self.nu = nu
        self.kernel = kernel

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the region."""
        svm = require("sklearn.svm", for_="The method one-class-svm", extra="bench")
        # With rows of length 1 and a gamma of 1, the kernel of a cosine c is exp(2 c - 2).
        self.model_ = svm.OneClassSVM(nu=self.nu, kernel=self.kernel, gamma=1.0)
        self.model_.fit(_prepare_rows(positive))
        return self

    def score_rows(self, rows: Any) -> NDArray[np.float64]:
        """Return how far inside the region a row is; below 0, how far outside."""
        return np.asarray(self.model_.decision_function(_prepare_rows(rows)), dtype=np.float64)


def _prepare_rows(rows: Any) -> Any:
    """Return rows as scikit-learn's solver takes them, with at least one column."""
    if not rows.shape[1]:
        return np.zeros((rows.shape[0], 1))
    if not sparse.issparse(rows):
        return np.asarray(rows, dtype=np.float64)
    made = sparse.csr_matrix(rows, dtype=np.float64)
    made.indices, made.indptr = made.indices.astype(np.int32), made.indptr.astype(np.int32)
    return made


class KernelDensities(PUEstimator):
    """How dense seeds are where a document lies, against how dense the pool is there: puDE.

    A document x is on topic with probability p(x | on topic) p / p(x). The densities are
    estimated from seeds and pool; the prior p is the same for all, so it changes no order (Zhang,
    Chen, Zou, Pan, Wang and Stevenson, 2024). With x_i the n rows of a sample, in d columns, a
    density is

        q(x) = 1 / n sum_i exp(-|x - x_i|^2 / (2 h^2)) / (2 pi h^2)^(d / 2)

    The width h is Scott's rule, s n^(-1 / (d + 4)) with s the deviation of a column of the pool,
    times `width`. The authors' rows are codes of a variational autoencoder; here they are latent
    topics, or the encoder's vectors. Their other densities, from energies, are in `energies.py`.
    Negative rows count as rows of the pool.
    """

    takes_sparse = False
    positive_: Numbers
    unlabeled_: Numbers
    deviation_: float

    def __init__(self, *, width: float = 1.0) -> None:
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

    def score_rows(self, rows: Any) -> Numbers:
        """Return ln p(x | on topic) - ln p(x)."""
        on, everywhere = (
            compute_log_density(
                np.asarray(rows, dtype=np.float64), sample, width=self.measure_width(sample)
            )
            for sample in (self.positive_, self.unlabeled_)
        )
        return on - everywhere

    def measure_width(self, sample: Numbers) -> float:
        """Return how wide the kernels of a sample are."""
        count, dimensions = sample.shape
        return float(self.width * self.deviation_ * count ** (-1 / (dimensions + 4)))


def compute_log_density(rows: Numbers, sample: Numbers, *, width: float) -> Numbers:
    """Return the logarithm of a sample's density at each row.

    >>> compute_log_density(np.array([[0.0]]), np.array([[0.0]]), width=1.0).round(4).tolist()
    [-0.9189]
    """
    squares = (sample**2).sum(axis=1)
    scale = np.log(len(sample)) + sample.shape[1] / 2 * np.log(2 * np.pi * width**2)
    found = []
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        distances = squares - 2 * part @ sample.T + (part**2).sum(axis=1)[:, None]
        found.append(logsumexp(-np.maximum(distances, 0) / (2 * width**2), axis=1) - scale)
    return np.concatenate([np.empty(0), *found])
