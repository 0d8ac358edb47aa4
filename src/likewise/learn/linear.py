"""The views of the linear method: what each looks at, how it learns, and how much it counts.

From seeds and pool alone, three views say how like the seeds a document is. What is known to be off
topic adds others, each way of doing so under a name:

fading     the more negatives, the less count regressions on the pool and the more those on them
ensemble   the mean of regressions on the pool and regressions on negatives
pnu        regressions on negatives and pool at once, and nothing else
pn         regressions on negatives alone, and nothing else
unlabeled  as if nothing were known of them
ignore     as if they were not there

Without negatives all are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.features.plain import plain_words
from likewise.learn.estimators import Divergence, PUEstimator, PULogistic, Rows, part_of
from likewise.learn.explanations import TermModel, View, divided
from likewise.learn.marked import Likeness, PNULogistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likewise.features.lsa import Topics
    from likewise.features.plain import PlainWords
    from likewise.features.terms import AnalyzeAll
    from likewise.features.words import WordFeatures
    from likewise.learn.estimators import Fused
    from likewise.learn.material import Material

    Weight = Callable[[int], float]

HALF = 5
"""With so many negatives, regressions on the pool count half of what they do without."""
ENOUGH = 95
"""With so many, they would count less than a twentieth of that, and are not worth their time."""
LIKENESS_HALF = 50
"""With so many, likeness counts half of what the regressions on negatives do."""


class Way(NamedTuple):
    """How much views count, given how many negatives there are (one at least)."""

    divergence: Weight
    pool: Weight
    """Each regression of seeds against the pool."""
    negatives: Weight
    """Each regression of seeds against negatives."""
    likeness: Weight
    others: float
    """As how many negatives the pool counts in these."""


FADING = Way(
    divergence=lambda _: 1.0,
    pool=lambda count: 0.5 * (1 - part_of(count, half=HALF)) if count < ENOUGH else 0.0,
    negatives=lambda count: part_of(count, half=HALF),
    likeness=lambda count: part_of(count, half=HALF) * (1 - part_of(count, half=LIKENESS_HALF)),
    others=10.0,
)
_ALONE = Way(lambda _: 0.0, lambda _: 0.0, lambda _: 1.0, lambda _: 0.0, others=0.0)
WAYS = {
    "fading": FADING,
    "ensemble": Way(lambda _: 1.0, lambda _: 0.5, lambda _: 1.0, lambda _: 0.0, others=0.0),
    "pnu": _ALONE._replace(others=FADING.others),
    "pn": _ALONE,
}
"""Every way that learns from negatives, by name."""


class LinearView(NamedTuple):
    """A view: what it looks at, how it learns, and how much it counts."""

    estimator: PUEstimator
    rows: Any
    weight: Weight
    explained: Callable[[Any], View] | None = None
    """Makes a learned estimator a sum over terms; None for what is no such sum."""


def linear_views(
    material: Material, *, topics: Topics, strengths: tuple[float, float], way: Way
) -> list[LinearView]:
    """Return the views of a material; those on negatives only if there are any.

    Args:
        material: What is learned from.
        topics: Its latent topics.
        strengths: How freely regressions on the pool may fit: those of terms, those of topics.
        way: How negatives are learned from.
    """
    words, size = material.words, len(material.words.terms)
    of_topics = _of_topics(words, topics)
    views = [
        LinearView(
            Divergence(rising=2 * size),
            words.evidence,
            _without(1.0, way.divergence),
            lambda learned: View(words.evidence, learned.weights_, np.arange(3 * size) % size),
        ),
        LinearView(
            PULogistic(strength=strengths[0]),
            words.weighted,
            _without(0.5, way.pool),
            lambda learned: View(
                words.weighted, learned.plane_.weights, words.weighted_columns % size
            ),
        ),
        LinearView(
            PULogistic(strength=strengths[1]), topics.vectors, _without(0.5, way.pool), of_topics
        ),
    ]
    if material.vectors is not None:
        regression = PULogistic(strength=strengths[1])
        views.append(LinearView(regression, material.vectors, _without(0.5, way.pool)))
    return views + (_on_negatives(material, topics=topics, way=way) if material.negatives else [])


def linear_model(fused: Fused, views: list[LinearView], *, words: WordFeatures) -> TermModel:
    """Return the fused score of the linear method as a sum over terms."""
    total = sum(fused.weights_)
    explained = []
    for view, part, weight, (_, deviation) in zip(
        views, fused.parts_, fused.weights_, fused.scales_, strict=True
    ):
        if weight and view.explained:
            made = view.explained(part)
            explained.append(made._replace(worth=weight / total / deviation * made.worth))
    return TermModel(words, explained)


def _on_negatives(material: Material, *, topics: Topics, way: Way) -> list[LinearView]:
    words, plain = material.words, material.plain or plain_words(material.documents)
    counts = _counts(material)
    on_negatives = PNULogistic(pool=way.others)
    negatives, likeness = _without(0.0, way.negatives), _without(0.0, way.likeness)
    of_topics, of_plain = _of_topics(words, topics), _of_plain(words, plain, material.analyze_all)
    columns = words.weighted_columns % len(words.terms)
    views = [
        LinearView(on_negatives, Rows(plain.rows, counts), negatives, of_plain),
        LinearView(on_negatives, Rows(topics.vectors, counts), negatives, of_topics),
        LinearView(
            Likeness(),
            words.weighted,
            likeness,
            lambda learned: View(words.weighted, learned.centre_, columns),
        ),
    ]
    if material.vectors is not None:
        views.append(LinearView(on_negatives, Rows(material.vectors, counts), negatives))
    return views


def _without(weight: float, given: Weight) -> Weight:
    """Return how much a view counts: this without negatives, what is given with some."""
    return lambda count: given(count) if count else weight


def _counts(material: Material) -> NDArray[np.float64]:
    """Return how much each row counts as a negative."""
    counts = np.ones(len(material.documents))
    if material.negative_weights is not None:
        counts[material.seeds : material.known] = material.negative_weights
    return counts


def _of_topics(words: WordFeatures, topics: Topics) -> Callable[[Any], View]:
    return lambda learned: View(
        divided(words.tfidf, topics.lengths),
        topics.directions.T @ learned.plane_.weights,
        words.tfidf_columns,
    )


def _of_plain(
    words: WordFeatures, plain: PlainWords, analyze_all: AnalyzeAll
) -> Callable[[Any], View]:
    """Return what makes a regression of plain words a sum over terms; small words are no terms."""

    def explained(learned: Any) -> View:
        numbers = {term: number for number, term in enumerate(words.terms)}
        terms = analyze_all("abstract", plain.words)
        known = [numbers.get(found[0]) if len(found) == 1 else None for found in terms]
        is_term = np.array([number is not None for number in known], dtype=bool)
        return View(
            plain.rows,
            np.where(is_term, learned.plane_.weights, 0.0),
            np.array([number or 0 for number in known], dtype=np.int64),
        )

    return explained
