"""S-EM: spies find documents that are surely off topic, and EM learns the rest (Liu et al., 2002).

Step 1. A share of the seeds, the *spies*, is hidden in the pool, and a naive Bayes classifier
learns the other seeds against it, followed by EM. What looks less on topic than nearly all spies is
a reliable negative. Step 2. Naive Bayes learns seeds against reliable negatives, and EM continues
from there for as long as the error does not seem to rise. In EM the seeds stay on topic; all others
are as likely on topic as the model of the turn before says. What parameters mean is said in
`baselines.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from likewise.learn.estimators import PUEstimator
from likewise.learn.rows import stack_rows

Numbers = NDArray[np.float64]


class NaiveBayes(NamedTuple):
    """Log odds of being on topic that are a sum over a row's columns.

    Let s(t) be the sum of column t over the rows, each weighed by how likely it is on topic.
    With c(t) = (s(t) + smoothing) / sum_t (s(t) + smoothing), d(t) the same for rows off topic, and
    p the mean probability, a row x scores

        ln(p / (1 - p)) + sum_t x(t) ln(c(t) / d(t))
    """

    weights: Numbers
    intercept: float

    @classmethod
    def of(cls, rows: Any, likely: Numbers, *, smoothing: float) -> NaiveBayes:
        """Learn from rows and how likely each is on topic."""
        on, off = (_shares(rows, part, smoothing=smoothing) for part in (likely, 1 - likely))
        prior = np.clip(likely.mean(), 1e-9, 1 - 1e-9)
        return cls(np.log(on) - np.log(off), float(np.log(prior) - np.log1p(-prior)))

    def __call__(self, rows: Any) -> Numbers:
        """Return the log odds of each row."""
        return np.asarray(rows @ self.weights, dtype=np.float64).ravel() + self.intercept


class Spies(PUEstimator):
    """Naive Bayes by S-EM. Negative rows are reliable negatives from the start."""

    takes_negative_numbers = False
    model_: NaiveBayes

    def __init__(
        self,
        *,
        share: float = 0.15,
        noise: float = 0.15,
        smoothing: float = 0.1,
        turns: int = 8,
        seed: int = 0,
    ) -> None:
        self.share = share
        self.noise = noise
        self.smoothing = smoothing
        self.turns = turns
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Find reliable negatives, and learn from them and the positive rows."""
        is_off = self._is_reliable(positive, unlabeled)
        off = unlabeled[is_off]
        if negative is not None:
            off = stack_rows([off, negative])
        first = self._learn_bayes(positive, off, np.zeros(off.shape[0]))
        others = unlabeled if negative is None else stack_rows([unlabeled, negative])
        fixed = others.shape[0] - unlabeled.shape[0]
        models = self._run_turns(first, positive, others, fixed=fixed)
        self.model_ = _stop_before_error_rises(models, positive, others)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the log odds of being on topic."""
        return self.model_(rows)

    def _is_reliable(self, positive: Any, unlabeled: Any) -> NDArray[np.bool_]:
        """Return which unlabeled rows look less on topic than nearly all spies; at least one."""
        count = positive.shape[0]
        drawn = np.random.default_rng(self.seed).permutation(count)
        spies = np.isin(np.arange(count), drawn[: _count_spies(count, share=self.share)])
        mixed = stack_rows([unlabeled, positive[spies]])
        known = positive[~spies]
        first = self._learn_bayes(known, mixed, np.zeros(mixed.shape[0]))
        *_, model = self._run_turns(first, known, mixed)
        threshold = np.quantile(model(positive[spies]), self.noise)
        scores = model(unlabeled)
        return np.asarray((scores < threshold) | (scores == scores.min()))

    def _run_turns(
        self, first: NaiveBayes, positive: Any, others: Any, *, fixed: int = 0
    ) -> Iterator[NaiveBayes]:
        """Yield the models of EM, turn by turn, until they change no more.

        Args:
            first: Where it starts, which is yielded too.
            positive: Rows that stay on topic.
            others: Rows that are as likely on topic as the model of the turn before says.
            fixed: How many of these, at the end, stay off topic.
        """
        is_free = np.arange(others.shape[0]) < others.shape[0] - fixed
        model = first
        yield model
        for _ in range(self.turns):
            before, likely = model, np.where(is_free, expit(model(others)), 0)
            model = self._learn_bayes(positive, others, likely)
            yield model
            if np.allclose(model.weights, before.weights, atol=1e-4):
                break

    def _learn_bayes(self, positive: Any, others: Any, likely: Numbers) -> NaiveBayes:
        everyone = np.append(np.ones(positive.shape[0]), likely)
        return NaiveBayes.of(stack_rows([positive, others]), everyone, smoothing=self.smoothing)


def _stop_before_error_rises(
    models: Iterator[NaiveBayes], positive: Any, others: Any
) -> NaiveBayes:
    """Return the last model before the estimated error rises (Liu et al., 2002).

    With f the decision, y whether a row is on topic, and P(y = 1) the share of the others that the
    first model takes for on topic, the error is, up to a constant,

        P(f = 1) + 2 P(f = 0 | y = 1) P(y = 1)
    """
    best = next(models)
    prior = (best(others) > 0).mean()
    lowest = np.inf
    for model in chain([best], models):
        error = (model(others) > 0).mean() + 2 * (model(positive) <= 0).mean() * prior
        if error > lowest:
            break
        best, lowest = model, error
    return best


def _count_spies(count: int, *, share: float) -> int:
    """Return how many of the seeds are spies: at least one, and not all if there are several.

    >>> [_count_spies(count, share=0.15) for count in (1, 2, 20)]
    [1, 1, 3]
    """
    return max(1, min(round(share * count), count - 1))


def _shares(rows: Any, likely: Numbers, *, smoothing: float) -> Numbers:
    sums = np.asarray(rows.T @ likely, dtype=np.float64).ravel() + smoothing
    return np.asarray(sums / sums.sum())
