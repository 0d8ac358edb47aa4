"""The scorers of the methods that need nothing but numpy: each scores seeds and pool out of fold.

`methods.py` lists their parameters, with the values that these take and their defaults.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from likewise.features.words import find_latent_topics
from likewise.learn.estimators import PUEstimator, PULogistic
from likewise.learn.explanations import TermModel, TermSum
from likewise.learn.folds import Scores, out_of_fold, score_at, share_above
from likewise.learn.material import DealtRows, Material, OnStep, Scored
from likewise.learn.rows import Numbers

MOST_TURNS = 100


def score_naive(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float,
) -> Scored:
    """Score by a logistic regression of tf-idf that takes the pool for off topic."""
    words, logistic = material.words, PULogistic(strength=strength)
    scores = cross_fit(logistic, words.tfidf, of=material, rng=rng, on_step=on_step)
    terms = TermSum(words.tfidf, logistic.plane_.weights, words.tfidf_columns)
    return Scored(scores, TermModel(words.terms, [terms]))


def score_bm25(
    material: Material,
    *,
    rng: np.random.Generator,  # noqa: ARG001  # every method takes the same
    on_step: OnStep | None = None,  # noqa: ARG001
) -> Scored:
    """Score by the engine's own ranking."""
    return Scored(material.retrieval, None)


def score_copkmeans(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    restarts: int,
) -> Scored:
    """Cluster the encoder's vectors, or else the latent topics, with all seeds in one cluster.

    All negatives are in the other cluster. A pool document is in the seeds' cluster if its score is
    0 or more. Clusterings that leave out a quarter of the pool could each find other clusters. So
    the scores of the pool come from one clustering of everything, in which being seen pushes no
    document out, and only seeds and negatives are scored out of fold.
    """
    rows = material.vectors
    if rows is None:
        rows = find_latent_topics(material.words.tfidf, rng=rng).vectors
    clusters = COPKMeans(restarts=restarts, seed=int(rng.integers(2**32)))
    found = cross_fit(clusters, rows, of=material, rng=rng, on_step=on_step, negatives="apart")
    pool, seen = clusters.decision_function(rows[material.known :]), material.seen_pool
    seeds, negatives = (
        score_at(share_above(scores, found.pool[seen]), pool[seen])
        for scores in (found.seeds, found.negatives)
    )
    return Scored(Scores(seeds, pool, negatives), None)


def cross_fit(  # noqa: PLR0913
    estimator: PUEstimator,
    rows: Any,
    *,
    of: Material,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    negatives: str = "unlabeled",
    threads: int = 1,
) -> Scores:
    """Let an estimator learn from all rows that it may, and return its scores out of fold.

    The rows, of any kind, are those of a material's documents. Its negatives are treated as if
    nothing were known ("unlabeled"), left out ("ignore"), or, with any other word, given as
    negative. For `on_step` and `threads` see `out_of_fold`.
    """
    positive, dealt = rows[: of.seeds], DealtRows.of(rows, of, by=negatives)
    estimator.learn(positive, dealt.unlabeled[: dealt.seen], dealt.negative)
    scores = out_of_fold(
        estimator,
        positive,
        dealt.unlabeled,
        rng=rng,
        negative=dealt.negative,
        unseen=dealt.unseen,
        threads=threads,
        on_step=on_step,
    )
    return dealt.scores(scores)


class COPKMeans(PUEstimator):
    """Two clusters, with the positive rows in one and the negative ones in the other.

    COP-KMeans (Wagstaff et al., 2001), in place of positive-unlabeled learning, as in the paper's
    appendix. With c and d the centres of the positive and the other cluster, the sum over all rows
    x of

        |x - c|^2  if x is in the positive cluster, else  |x - d|^2

    is minimised in turns: rows go to the nearer centre, and centres to the mean of their rows. Rows
    that must stay together go where their mean is nearer, so they count as that mean, with their
    number as its weight.
    """

    centres_: Centres
    takes_sparse = False

    def __init__(self, *, restarts: int = 5, seed: int = 0) -> None:
        self.restarts = restarts
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Find the centres from several starts, and keep those of the tightest clusters."""
        rng = np.random.default_rng(self.seed)
        clusters = _Clusters(*(np.asarray(rows, float) for rows in (positive, unlabeled)))
        if negative is not None:
            clusters.part(np.asarray(negative, float))
        found = [clusters.settle(clusters.start(rng)) for _ in range(self.restarts)]
        self.centres_ = min(found, key=clusters.inertia)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return how much farther the other centre is; 0 or more is in the positive cluster."""
        return _measure_distance(rows, self.centres_.other) - _measure_distance(
            rows, self.centres_.positive
        )


class Centres(NamedTuple):
    """The centres of the two clusters."""

    positive: Numbers
    other: Numbers

    def lead(self, rows: Numbers) -> Numbers:
        """Return how much greater the squared distance to the other centre is."""
        # |x - d|^2 - |x - c|^2, in which |x|^2 cancels out.
        squares = (self.other**2).sum() - (self.positive**2).sum()
        return np.asarray(2 * (rows @ (self.positive - self.other)) + squares)


class _Clusters:
    """What is clustered: positive rows as one point, negative ones as another, and all others."""

    def __init__(self, positive: Numbers, unlabeled: Numbers) -> None:
        self.seeds = positive.mean(axis=0)
        self.seeds_weight = len(positive)
        self.points = unlabeled
        self.weights = np.ones(len(unlabeled))
        self.is_free = np.ones(len(unlabeled), dtype=bool)

    def part(self, negative: Numbers) -> None:
        """Add negative rows as one point that is never in the positive cluster."""
        self.points = np.vstack([self.points, negative.mean(axis=0)])
        self.weights = np.append(self.weights, len(negative))
        self.is_free = np.append(self.is_free, False)

    def start(self, rng: np.random.Generator) -> Centres:
        """Return first centres: that of the positive rows and, as in k-means++, one likely far."""
        chances = self.weights * _measure_distance(self.points, self.seeds) ** 2
        total = chances.sum()
        chosen = rng.choice(len(chances), p=chances / total if total else None)
        return Centres(self.seeds, self.points[chosen])

    def settle(self, centres: Centres) -> Centres:
        """Return where the centres come to rest."""
        for _ in range(MOST_TURNS):
            moved = self._means(self._is_positive(self._name_clusters(centres)))
            if all(map(np.array_equal, moved, centres)):
                break
            centres = moved
        return centres

    def inertia(self, centres: Centres) -> float:
        """Return the sum that is minimised, less the part that no clustering can change."""
        is_positive = self._is_positive(centres)
        nearest = np.where(is_positive[:, None], centres.positive, centres.other)
        seeds = self.seeds_weight * ((self.seeds - centres.positive) ** 2).sum()
        return float(seeds + self.weights @ ((self.points - nearest) ** 2).sum(axis=1))

    def _name_clusters(self, centres: Centres) -> Centres:
        """Return the centres, swapped if positive and negative rows would then cost less."""
        bound = ~self.is_free
        apart = self.weights[bound] @ centres.lead(self.points[bound])
        kept = self.seeds_weight * centres.lead(self.seeds) >= apart
        return centres if kept else Centres(centres.other, centres.positive)

    def _is_positive(self, centres: Centres) -> NDArray[np.bool_]:
        """Return which points are in the positive cluster; the other one is never empty."""
        lead = centres.lead(self.points)
        is_positive = (lead >= 0) & self.is_free
        if is_positive.all():
            is_positive[lead.argmin()] = False
        return is_positive

    def _means(self, is_positive: NDArray[np.bool_]) -> Centres:
        inside = self.weights * is_positive
        outside = self.weights - inside
        positive = self.seeds_weight * self.seeds + inside @ self.points
        return Centres(
            positive / (self.seeds_weight + inside.sum()), outside @ self.points / outside.sum()
        )


def _measure_distance(rows: Any, centre: Numbers) -> Numbers:
    return np.asarray(np.linalg.norm(np.asarray(rows) - centre, axis=1))
