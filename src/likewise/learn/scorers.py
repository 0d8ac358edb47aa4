"""The scorers of the methods that need nothing but numpy: each scores seeds and pool out of fold.

What their parameters are called, which values they take and which are the defaults stands in
`methods.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.features.lsa import latent_topics
from likewise.learn.clustering import COPKMeans
from likewise.learn.estimators import Divergence, Fused, PUEstimator, PULogistic, Rows
from likewise.learn.explanations import fused_model, plane_model
from likewise.learn.folds import Scores, out_of_fold
from likewise.learn.material import Material, OnStep, Scored

if TYPE_CHECKING:
    import numpy as np


def score_linear(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float,
    topic_strength: float,
) -> Scored:
    """Fuse three linear views: divergent terms, a logistic regression of terms, one of topics."""
    words = material.words
    topics = latent_topics(words.tfidf, rng=rng)
    parts: list[tuple[PUEstimator, float]] = [
        (Divergence(rising=2 * len(words.terms)), 1.0),
        (PULogistic(strength=strength), 0.5),
        (PULogistic(strength=topic_strength), 0.5),
    ]
    kinds: list[Any] = [words.evidence, words.weighted, topics.vectors]
    if material.vectors is not None:
        parts.append((PULogistic(strength=topic_strength), 0.5))
        kinds.append(material.vectors)
    fused = Fused(parts)
    scores = cross_fitted(fused, Rows(*kinds), of=material, rng=rng, on_step=on_step)
    return Scored(scores, fused_model(fused, words=words, topics=topics))


def score_naive(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float,
) -> Scored:
    """Take the pool for negative: logistic regression of tf-idf, seeds against pool."""
    words, logistic = material.words, PULogistic(strength=strength)
    scores = cross_fitted(logistic, words.tfidf, of=material, rng=rng, on_step=on_step)
    return Scored(scores, plane_model(logistic, words=words))


def score_bm25(
    material: Material,
    *,
    rng: np.random.Generator,  # noqa: ARG001  # every method takes the same
    on_step: OnStep | None = None,  # noqa: ARG001
) -> Scored:
    """Take the engine's ranking as it is."""
    return Scored(material.retrieval, None)


def score_copkmeans(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    restarts: int,
) -> Scored:
    """Cluster the encoder's vectors, or else the latent topics, with all seeds in one cluster."""
    rows = material.vectors
    if rows is None:
        rows = latent_topics(material.words.tfidf, rng=rng).vectors
    clusters = COPKMeans(restarts=restarts, seed=int(rng.integers(2**32)))
    scores = cross_fitted(clusters, rows, of=material, rng=rng, on_step=on_step)
    return Scored(scores, None)


def cross_fitted(
    estimator: PUEstimator,
    rows: Any,
    *,
    of: Material,
    rng: np.random.Generator,
    on_step: OnStep | None,
) -> Scores:
    """Let an estimator learn from all rows that it may, and return its scores out of fold."""
    positive, unlabeled = rows[: of.seeds], rows[of.seeds :]
    estimator.learn(positive, unlabeled[of.seen_pool])
    return out_of_fold(estimator, positive, unlabeled, rng=rng, unseen=of.unseen, on_step=on_step)
