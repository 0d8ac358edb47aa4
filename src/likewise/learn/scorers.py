"""The scorers of the methods that need nothing but numpy: each scores seeds and pool out of fold.

What their parameters are called, which values they take and which are the defaults stands in
`methods.py`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from likewise.features.lsa import Topics, find_latent_topics
from likewise.learn.clustering import COPKMeans
from likewise.learn.estimators import Fused, PUEstimator, PULogistic
from likewise.learn.folds import Scores, out_of_fold, score_at, share_above
from likewise.learn.linear import (
    WAYS,
    explain_linear,
    explain_plane,
    fuse_with_engine,
    make_linear_views,
    weigh_contrasts,
)
from likewise.learn.material import DealtRows, Material, OnStep, Scored
from likewise.learn.rows import Rows

TOPIC_ROWS = 4_000
"""What the latent topics of a pool are is told by so many of its documents."""


def score_linear(  # noqa: PLR0913  # its parameters
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    library: float | str,
    regressions: float | str,
    strength: float,
    topic_strength: float,
    negatives: str,
) -> Scored:
    """Fuse what tells seeds from the pool with what tells them from the library."""
    if negatives == "fading" and not material.found:
        # Marked where nothing was found, they are what is nearest to the topic, and mislead.
        negatives = "unlabeled"
    usual = weigh_contrasts(material.outside)
    views = make_linear_views(
        material,
        topics=cache(lambda: material.topics or find_topics(material, rng=rng)),
        strengths=(strength, topic_strength),
        way=WAYS.get(negatives),
        regressions=usual.regressions if regressions == "auto" else float(regressions),
    )
    fused = Fused([(view.estimator, view.weight) for view in views])
    rows = Rows(*(view.rows for view in views))
    scores = cross_fit(fused, rows, of=material, rng=rng, on_step=on_step, negatives=negatives)
    learned = Scored(scores, explain_linear(fused, views, words=material.words))
    engine = usual.engine if library == "auto" else float(library)
    return fuse_with_engine(learned, material, weights=(sum(fused.weights_), engine))


def find_topics(material: Material, *, rng: np.random.Generator) -> Topics:
    """Return latent topics, found from the first of a large pool and evenly from its rest."""
    size, half = len(material.documents), TOPIC_ROWS // 2
    if size <= TOPIC_ROWS:
        return find_latent_topics(material.words.tfidf, rng=rng)
    rest = np.linspace(half, size - 1, TOPIC_ROWS - half).astype(np.int64)
    within = np.concatenate([np.arange(half), rest])
    return find_latent_topics(material.words.tfidf, rng=rng, within=within)


def score_naive(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float,
) -> Scored:
    """Take the pool for negative: logistic regression of tf-idf, seeds against pool."""
    words, logistic = material.words, PULogistic(strength=strength)
    scores = cross_fit(logistic, words.tfidf, of=material, rng=rng, on_step=on_step)
    return Scored(scores, explain_plane(logistic, words=words))


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
    """Cluster the encoder's vectors, or else the latent topics, with all seeds in one cluster.

    Negatives are all in the other. A pool document is in the seeds' cluster if its score is 0 or
    more. Each quarter of the pool, held out, could come into clusters of another kind; so the pool
    has the scores of one clustering of all, which no document is pushed out of by being seen, and
    only what is known is held out.
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


def cross_fit(
    estimator: PUEstimator,
    rows: Any,
    *,
    of: Material,
    rng: np.random.Generator,
    on_step: OnStep | None,
    negatives: str = "unlabeled",
) -> Scores:
    """Let an estimator learn from all rows that it may, and return its scores out of fold.

    Args:
        estimator: What learns.
        rows: Of the documents of the material, of whatever kind.
        of: The material.
        rng: Deals the rows into folds.
        on_step: Hears how many models have learned.
        negatives: What it is told of documents known to be off topic: that they are "unlabeled", as
            if nothing were known of them; to "ignore" them; anything else: that they are negative.
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
        on_step=on_step,
    )
    return dealt.scores(scores)
