"""The linear method: what all views of a material say, fused.

From seeds and pool alone, views say how much a document is like the seeds: by what is surprising in
the seeds compared with the pool, and by regressions against it. Beside them stands the engine's own
ranking, which tells seeds from the whole *library*. The more of the library lies outside the pool,
the more the engine counts; regressions are worth their time only if the pool is nearly the whole
library, as in the list of a review (`weigh_contrasts`).

Negatives join the pool in all of these, and support vector machines learn to tell seeds from them.
There are several ways to weigh this, each with a name:

fading     the more negatives there are, the more these machines count beside the rest
ensemble   the machines count in full, however few negatives there are
pnu        only regressions on negatives and pool together, and the machines
pn         only the machines
unlabeled  as if nothing were known of the negatives
ignore     as if the negatives were not there

Without negatives, all ways are the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from likewise.learn.estimators import Fused, weigh_count
from likewise.learn.explanations import TermModel, TermSum
from likewise.learn.folds import measure_scale
from likewise.learn.material import (
    LearnedPart,
    LinearPlan,
    Material,
    OnStep,
    Scored,
    ViewWeights,
    fuse_scores,
)
from likewise.learn.rows import Rows
from likewise.learn.scorers import cross_fit
from likewise.machine import THREADS

HALF = 5
"""With this many negatives, what is learned from them counts half of what it can count at most."""
ENOUGH = 150
"""With this many negatives, regressions on the pool are not worth the time."""
FAIR = 2
"""How many negatives count, at most, for each document found to be on topic beside them."""
ENGINE = 2.0
"""How much the engine counts beside divergence if nearly all of the library is outside the pool."""
NEARLY_ALL = 0.25
"""If this share of the library or more is outside the pool, regressions on the pool don't count."""


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
    citations: float,
) -> Scored:
    """Fuse what tells seeds from the pool with what tells them from the library."""
    if negatives == "fading" and not material.found:
        # If nothing was found, negatives are only what is nearest to the topic, and mislead.
        negatives = "unlabeled"
    usual_library, usual_regressions = weigh_contrasts(material.outside)
    plan = LinearPlan(
        material=material,
        way=WAYS.get(negatives) or fade_negatives(found=material.found),
        regressions=usual_regressions if regressions == "auto" else float(regressions),
        strengths=(strength, topic_strength),
        library=usual_library if library == "auto" else float(library),
        rng=rng,
        citations=citations,
    )
    parts = list_parts(plan)
    fused = Fused([(part.estimator, part.weight) for part in parts])
    rows = Rows(*(part.rows for part in parts))
    scores = cross_fit(
        fused, rows, of=material, rng=rng, on_step=on_step, negatives=negatives, threads=THREADS
    )
    learned = Scored(scores, explain_fused(fused, parts, material=material))
    return add_scored_parts(learned, plan, weight=sum(fused.weights_))


def list_parts(plan: LinearPlan) -> list[LearnedPart]:
    """Return what is learned from the views: first from the pool, then from negatives."""
    parts = [part for view in plan.material.views.values() for part in view.list_learned(plan)]
    return sorted(parts, key=lambda part: part.of_negatives)


def explain_fused(fused: Fused, parts: list[LearnedPart], *, material: Material) -> TermModel:
    """Return the fused score of what was learned as sums over the words of each view."""
    total = sum(fused.weights_)
    sums: list[TermSum] = []
    for part, learned, weight, (_, deviation) in zip(
        parts, fused.parts_, fused.weights_, fused.scales_, strict=True
    ):
        if weight:
            sums += [one.scale(weight / total / deviation) for one in part.explain(learned)]
    return TermModel(material.words.terms, sums)


def add_scored_parts(learned: Scored, plan: LinearPlan, *, weight: float) -> Scored:
    """Fuse what was learned, with this weight, with scores that views need not learn.

    Both are explained by words.
    """
    material = plan.material
    parts = [part for view in material.views.values() for part in view.list_scored(plan)]
    if not parts:
        return learned
    weights = [weight, *(part.weight for part in parts)]
    scored = [learned, *(Scored(part.scores, None) for part in parts)]
    explained = [learned.model.sums if learned.model else (), *(part.sums for part in parts)]
    sums = [
        one.scale(weight / sum(weights) / measure_scale(of.scores.pool)[1])
        for of, weight, found in zip(scored, weights, explained, strict=True)
        for one in found
    ]
    fused = fuse_scores(scored, weights=weights)
    return fused._replace(model=TermModel(material.words.terms, sums))


def weigh_contrasts(outside: float) -> tuple[float, float]:
    """Return how much the engine and the regressions count beside divergence, which counts 1.

    `outside` is the share of the library that is outside the pool. Regressions count 1 if both
    together count as much as divergence.

    >>> weigh_contrasts(0.0), weigh_contrasts(0.7)
    ((0.0, 1.0), (1.4, 0.0))
    """
    return ENGINE * outside, max(0.0, 1 - outside / NEARLY_ALL)


def fade_negatives(*, found: int) -> Callable[[int], ViewWeights]:
    """Return the default way, given how many relevant documents were found beside the negatives.

    A person who marks the top of a ranking and finds nothing relevant has marked only what is
    nearest to the topic; learning from that would push the topic away. So the more relevant
    documents were found, the more negatives may count.
    """

    def weigh(count: int) -> ViewWeights:
        fair = min(count, FAIR * found)
        return ViewWeights(1.0, 0.5 if fair < ENOUGH else 0.0, weigh_count(fair, half=HALF))

    return weigh


WAYS: dict[str, Callable[[int], ViewWeights]] = {
    "ensemble": lambda _: ViewWeights(1.0, 0.5, 1.0),
    "pnu": lambda _: ViewWeights(0.0, 0.5, 1.0),
    "pn": lambda _: ViewWeights(0.0, 0.0, 1.0),
}
"""Every other way that learns from negatives, by name."""
