"""Why a document has its score: what each of its terms adds to it.

All views of the linear method are sums over terms: a document's score is what its terms are worth,
each view's part brought to the scale on which it is fused.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.learn.estimators import Divergence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.features.words import WordFeatures
    from likewise.learn.estimators import PULogistic


class View(NamedTuple):
    """A sum over columns that is part of a score."""

    rows: Any
    """A sparse matrix with a row a document."""
    worth: NDArray[np.float64]
    """What each column adds to the score."""
    terms: NDArray[np.int64]
    """The number of each column's term."""


class TermModel:
    """A score as a sum over terms."""

    def __init__(self, words: WordFeatures, views: list[View]) -> None:
        self.words = words
        self.views = views

    def contributions(self, row: int) -> dict[str, float]:
        """Return what each term adds to the score of a document."""
        added: defaultdict[int, float] = defaultdict(float)
        for view in self.views:
            start, stop = view.rows.indptr[row : row + 2]
            columns = view.rows.indices[start:stop]
            worth = view.rows.data[start:stop] * view.worth[columns]
            for term, value in zip(view.terms[columns].tolist(), worth.tolist(), strict=True):
                added[term] += value
        return {self.words.terms[term]: value for term, value in added.items() if value}


def plane_model(logistic: PULogistic, *, words: WordFeatures) -> TermModel:
    """Return a logistic regression of tf-idf as a sum over terms."""
    return TermModel(words, [View(words.tfidf, logistic.plane_.weights, words.tfidf_columns)])


def divergence_model(words: WordFeatures, *, seeds: int) -> TermModel:
    """Return what the seeds have that the pool lacks as a sum over terms."""
    size = len(words.terms)
    learned = Divergence(rising=2 * size).learn(words.evidence[:seeds], words.evidence[seeds:])
    return TermModel(words, [View(words.evidence, learned.weights_, np.arange(3 * size) % size)])


def divided(rows: Any, lengths: NDArray[np.float32]) -> Any:
    """Return sparse rows, each divided by its length."""
    shorter = rows.copy()
    shorter.data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
    return shorter
