"""The scorers of the baselines: each scores seeds and pool out of fold.

The names, values and defaults of their parameters are in `baselines.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from likewise.bench.methods.profiles import RM3, Centroid, KernelDensities, OneClassSVM, Rocchio
from likewise.bench.methods.propensities import ElkanNoto, PUe
from likewise.bench.methods.spies import Spies
from likewise.features.words import find_latent_topics
from likewise.learn.citations import CitationView, weigh_citations
from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import Scores, count_joint_parts, out_of_joint_folds
from likewise.learn.material import DealtRows, Material, OnStep, Scored
from likewise.learn.scorers import cross_fit

Generator = np.random.Generator


def _take_tfidf(material: Material) -> Any:
    return material.words.tfidf


def _add_counts(material: Material) -> Any:
    """Return the saturated counts of each term: the title's, boosted, plus the abstract's."""
    words, count = material.words, len(material.words.terms)
    return (words.evidence[:, :count] + words.evidence[:, count : 2 * count]).tocsr()


def _score_words(  # what every scorer is given, and what differs
    material: Material,
    *,
    rng: Generator,
    on_step: OnStep | None = None,
    kind: type[PUEstimator],
    make_rows: Callable[[Material], Any],
    draws_seed: bool = False,
    **chosen: Any,
) -> Scored:
    """Score by an estimator over words, whose parameters are those of the method.

    Args:
        material: The documents.
        rng: Deals them into folds, and draws the estimator's seed.
        on_step: Called with how many models have learned.
        kind: The estimator.
        make_rows: Makes its rows from the documents.
        draws_seed: Whether the estimator is random, and takes a seed.
        chosen: The parameters.
    """
    seed = {"seed": _draw_seed(rng)} if draws_seed else {}
    estimator, rows = kind(**chosen, **seed), make_rows(material)
    return Scored(cross_fit(estimator, rows, of=material, rng=rng, on_step=on_step), None)


score_centroid = partial(_score_words, kind=Centroid, make_rows=_take_tfidf)
score_rocchio = partial(_score_words, kind=Rocchio, make_rows=_take_tfidf)
score_rm3 = partial(_score_words, kind=RM3, make_rows=_add_counts)
score_one_class_svm = partial(_score_words, kind=OneClassSVM, make_rows=_take_tfidf)
score_spy = partial(_score_words, kind=Spies, make_rows=_add_counts, draws_seed=True)
score_elkan_noto = partial(_score_words, kind=ElkanNoto, make_rows=_take_tfidf, draws_seed=True)
score_pue = partial(_score_words, kind=PUe, make_rows=_take_tfidf, draws_seed=True)


def score_citations(
    material: Material,
    *,
    rng: Generator,  # noqa: ARG001  # every method takes the same
    on_step: OnStep | None = None,  # noqa: ARG001
) -> Scored:
    """Score by links with the seeds, each seed by the others; the mean if no link is known."""
    view, seeds, known = material.views.get("citations"), material.seeds, material.known
    scores = np.zeros(len(material.documents))
    if isinstance(view, CitationView):
        found = weigh_citations(view.evidence, seeds=seeds)
        mean = found.scores[known:][found.is_known[known:]].mean()
        scores = np.where(found.is_known, found.scores, mean)
    return Scored(Scores(scores[:seeds], scores[known:], scores[seeds:known]), None)


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
    ratio = KernelDensities(width=width)
    scores = cross_fit(ratio, rows, of=material, rng=rng, on_step=on_step)
    return Scored(scores, None)


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
    """Return the encoder's vectors, or else latent topics, with at least one column."""
    if material.vectors is not None:
        return material.vectors
    rows = find_latent_topics(material.words.tfidf, rng=rng, dimensions=dimensions).vectors
    return rows if rows.shape[1] else np.zeros((rows.shape[0], 1))


def _draw_seed(rng: Generator) -> int:
    return int(rng.integers(2**32))
