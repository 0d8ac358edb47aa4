"""The scorers of the baselines: each scores seeds and pool out of fold.

What their parameters are called, which values they take and which are the defaults stands in
`baselines.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.bench.methods.elkan_noto import ElkanNoto
from likewise.bench.methods.feedback import RM3, Centroid, Rocchio
from likewise.bench.methods.one_class import OneClassSVM
from likewise.bench.methods.spies import Spies
from likewise.learn.material import Material, OnStep, Scored
from likewise.learn.scorers import cross_fitted

if TYPE_CHECKING:
    import numpy as np

    from likewise.features.words import WordFeatures
    from likewise.learn.estimators import PUEstimator

    Generator = np.random.Generator


def score_centroid(material: Material, *, rng: Generator, on_step: OnStep | None = None) -> Scored:
    """Score by the cosine with the mean of the seeds' tf-idf."""
    return _scored(Centroid(), material.words.tfidf, of=material, rng=rng, on_step=on_step)


def score_rocchio(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    beta: float,
    gamma: float,
) -> Scored:
    """Score by Rocchio's query over tf-idf."""
    rocchio = Rocchio(beta=beta, gamma=gamma)
    return _scored(rocchio, material.words.tfidf, of=material, rng=rng, on_step=on_step)


def score_rm3(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    terms: int,
    original: float,
) -> Scored:
    """Score by a relevance model over saturated counts."""
    model = RM3(terms=terms, original=original)
    return _scored(model, _counts(material.words), of=material, rng=rng, on_step=on_step)


def score_one_class_svm(
    material: Material, *, rng: Generator, on_step: OnStep | None = None, nu: float, kernel: str
) -> Scored:
    """Score by how far inside the seeds' region of tf-idf a document is."""
    svm = OneClassSVM(nu=nu, kernel=kernel)
    return _scored(svm, material.words.tfidf, of=material, rng=rng, on_step=on_step)


def score_spy(  # noqa: PLR0913  # its parameters are the method's
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    share: float,
    noise: float,
    smoothing: float,
    turns: int,
) -> Scored:
    """Score by naive Bayes over saturated counts, with reliable negatives and EM."""
    spies = Spies(share=share, noise=noise, smoothing=smoothing, turns=turns, seed=_drawn(rng))
    return _scored(spies, _counts(material.words), of=material, rng=rng, on_step=on_step)


def score_elkan_noto(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    strength: float,
    held_out: float,
) -> Scored:
    """Score by a logistic regression of tf-idf that weighs the pool."""
    regression = ElkanNoto(strength=strength, held_out=held_out, seed=_drawn(rng))
    return _scored(regression, material.words.tfidf, of=material, rng=rng, on_step=on_step)


def _scored(
    estimator: PUEstimator,
    rows: Any,
    *,
    of: Material,
    rng: Generator,
    on_step: OnStep | None,
) -> Scored:
    return Scored(cross_fitted(estimator, rows, of=of, rng=rng, on_step=on_step), None)


def _counts(words: WordFeatures) -> Any:
    """Return saturated counts of each term, those of the title, boosted, and the abstract added."""
    count = len(words.terms)
    return (words.evidence[:, :count] + words.evidence[:, count : 2 * count]).tocsr()


def _drawn(rng: Generator) -> int:
    return int(rng.integers(2**32))
