"""The scorers of the baselines: each scores seeds and pool out of fold.

What their parameters are called, which values they take and which are the defaults stands in
`baselines.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from likewise.bench.methods.profiles import RM3, Centroid, KernelDensities, OneClassSVM, Rocchio
from likewise.bench.methods.propensities import ElkanNoto, PUe
from likewise.bench.methods.spies import Spies
from likewise.features.lsa import find_latent_topics
from likewise.features.words import WordFeatures
from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import count_joint_parts, out_of_joint_folds
from likewise.learn.material import DealtRows, Material, OnStep, Scored
from likewise.learn.scorers import cross_fit

Generator = np.random.Generator


def score_centroid(material: Material, *, rng: Generator, on_step: OnStep | None = None) -> Scored:
    """Score by the cosine with the mean of the seeds' tf-idf."""
    return _score_out_of_fold(
        Centroid(), material.words.tfidf, of=material, rng=rng, on_step=on_step
    )


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
    return _score_out_of_fold(rocchio, material.words.tfidf, of=material, rng=rng, on_step=on_step)


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
    return _score_out_of_fold(
        model, _add_counts(material.words), of=material, rng=rng, on_step=on_step
    )


def score_one_class_svm(
    material: Material, *, rng: Generator, on_step: OnStep | None = None, nu: float, kernel: str
) -> Scored:
    """Score by how far inside the seeds' region of tf-idf a document is."""
    svm = OneClassSVM(nu=nu, kernel=kernel)
    return _score_out_of_fold(svm, material.words.tfidf, of=material, rng=rng, on_step=on_step)


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
    spies = Spies(share=share, noise=noise, smoothing=smoothing, turns=turns, seed=_draw_seed(rng))
    return _score_out_of_fold(
        spies, _add_counts(material.words), of=material, rng=rng, on_step=on_step
    )


def score_elkan_noto(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    strength: float,
    held_out: float,
) -> Scored:
    """Score by a logistic regression of tf-idf that weighs the pool."""
    regression = ElkanNoto(strength=strength, held_out=held_out, seed=_draw_seed(rng))
    return _score_out_of_fold(
        regression, material.words.tfidf, of=material, rng=rng, on_step=on_step
    )


def score_pue(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    prior: float,
    strength: float,
    most: float,
) -> Scored:
    """Score by a linear nnPU over tf-idf that counts seeds by their inverse propensity."""
    weighed = PUe(prior=prior, strength=strength, most=most, seed=_draw_seed(rng))
    return _score_out_of_fold(weighed, material.words.tfidf, of=material, rng=rng, on_step=on_step)


def score_pude(
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    dimensions: int,
    width: float,
) -> Scored:
    """Score by the ratio of kernel densities of seeds and pool."""
    rows = _choose_vectors(material, dimensions=dimensions, rng=rng)
    return _score_out_of_fold(
        KernelDensities(width=width), rows, of=material, rng=rng, on_step=on_step
    )


def score_pude_energy(  # noqa: PLR0913  # its parameters are the method's
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    dimensions: int,
    steps: int,
    calm: float,
    folds: int,
) -> Scored:
    """Score by the difference of two energies, learned from seeds and from pool."""
    from likewise.bench.methods.energies import Energies

    rows = _choose_vectors(material, dimensions=dimensions, rng=rng)
    dealt = DealtRows.of(rows, material, by="unlabeled")
    parts = count_joint_parts(material.seeds, dealt.seen, most=folds)
    learned: list[object] = []

    def tell(model: object) -> None:
        learned.append(model)
        if on_step:
            on_step(len(learned), parts)

    scores = out_of_joint_folds(
        Energies(steps=steps, calm=calm, seed=_draw_seed(rng)),
        rows[: material.seeds],
        dealt.unlabeled,
        count=folds,
        rng=rng,
        unseen=dealt.unseen,
        on_model=tell,
    )
    return Scored(dealt.scores(scores), None)


def _choose_vectors(material: Material, *, dimensions: int, rng: Generator) -> Any:
    """Return the encoder's vectors, or else latent topics; with a column at least."""
    if material.vectors is not None:
        return material.vectors
    rows = find_latent_topics(material.words.tfidf, rng=rng, dimensions=dimensions).vectors
    return rows if rows.shape[1] else np.zeros((rows.shape[0], 1))


def _score_out_of_fold(
    estimator: PUEstimator,
    rows: Any,
    *,
    of: Material,
    rng: Generator,
    on_step: OnStep | None,
) -> Scored:
    return Scored(cross_fit(estimator, rows, of=of, rng=rng, on_step=on_step), None)


def _add_counts(words: WordFeatures) -> Any:
    """Return saturated counts of each term, those of the title, boosted, and the abstract added."""
    count = len(words.terms)
    return (words.evidence[:, :count] + words.evidence[:, count : 2 * count]).tocsr()


def _draw_seed(rng: Generator) -> int:
    return int(rng.integers(2**32))
