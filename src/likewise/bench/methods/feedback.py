"""Relevance feedback: classic ways to turn documents on topic into a query for more of them.

All of them score a row x by a weighted sum of its columns; they differ in the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from likewise.features.words import unit_rows
from likewise.learn.estimators import PUEstimator, shares, surprise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


class Centroid(PUEstimator):
    """The cosine of a row and the mean of the positive rows, each made of length 1 before.

    The unlabeled rows are not looked at. Where rows are known to be negative, the cosine with their
    mean is subtracted.
    """

    weights_: Numbers

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the mean."""
        self.weights_ = _direction(positive)
        if negative is not None:
            self.weights_ = self.weights_ - _direction(negative)
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return the cosine."""
        return _sums(unit_rows(rows), self.weights_)


class Rocchio(PUEstimator):
    """The query of Rocchio (1971), with the unlabeled rows for those that are off topic.

    With m_P and m_U the means of positive and unlabeled rows, a column weighs

        max(0, beta m_P - gamma m_U)

    as is usual, weights below 0 are left out. Where rows are known to be negative, these are taken
    instead of the unlabeled ones.
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

    def decision_function(self, rows: Any) -> Numbers:
        """Return the weighted sum."""
        return _sums(rows, self.weights_)


class RM3(PUEstimator):
    """The relevance model RM3 over the positive rows, searched with as BM25 does.

    Rows are saturated counts of terms. With c(t, d) those of a document, and means over the
    positive rows, the relevance model (Lavrenko and Croft, 2001) is

        r(t) = mean of c(t, d) / sum_t c(t, d)

    of which the `terms` likeliest are kept, brought to sum 1. It is mixed with the query q(t) that
    the same rows make: as many terms of the highest divergence (`library/more_like.py`), by value
    over idf, of sum 1 too. A term then weighs

        (original q(t) + (1 - original) r(t)) idf(t)

    with idf(t) = ln(1 + (n - n_t + 0.5) / (n_t + 0.5)), where n_t of n unlabeled rows have it.
    Negative rows are not looked at.
    """

    weights_: Numbers

    def __init__(self, *, terms: int = 100, original: float = 0.5) -> None:
        self.terms = terms
        self.original = original

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:  # noqa: ARG002
        """Learn the weights."""
        size = unlabeled.shape[0]
        having = shares(unlabeled) * size
        idf = np.log(1 + (size - having + 0.5) / (having + 0.5))
        query = self._query(positive, background=(having + 0.5) / (size + 1), idf=idf)
        relevance = self._relevance(positive)
        self.weights_ = (self.original * query + (1 - self.original) * relevance) * idf
        return self

    def decision_function(self, rows: Any) -> Numbers:
        """Return the weighted sum."""
        return _sums(rows, self.weights_)

    def _query(self, positive: Any, *, background: Numbers, idf: Numbers) -> Numbers:
        seen = shares(positive)
        value = np.where(seen > background, surprise(seen, background), 0)
        return _kept(value, count=self.terms, weights=value / idf)

    def _relevance(self, positive: Any) -> Numbers:
        lengths = np.asarray(positive.sum(axis=1)).ravel()
        parts = 1 / np.where(lengths > 0, lengths, 1) / positive.shape[0]
        likely = np.asarray(positive.T @ parts).ravel()
        return _kept(likely, count=self.terms, weights=likely)


def _kept(value: Numbers, *, count: int, weights: Numbers) -> Numbers:
    """Return the weights of the most valuable, of sum 1, and 0 for all others.

    >>> _kept(np.array([1.0, 3.0, 2.0]), count=2, weights=np.array([5.0, 1.0, 3.0])).tolist()
    [0.0, 0.25, 0.75]
    """
    kept = np.zeros_like(weights)
    best = np.argsort(-value, kind="stable")[:count]
    kept[best] = weights[best]
    total = kept.sum()
    return kept / total if total > 0 else kept


def _direction(rows: Any) -> Numbers:
    mean = _mean(unit_rows(rows))
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else mean


def _mean(rows: Any) -> Numbers:
    return np.asarray(rows.sum(axis=0) / rows.shape[0], dtype=np.float64).ravel()


def _sums(rows: Any, weights: Numbers) -> Numbers:
    return np.asarray(rows @ weights, dtype=np.float64).ravel()
