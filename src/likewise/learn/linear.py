"""The views of the linear method: what each looks at, how it learns, and how much it counts.

From seeds and pool alone, three views say how like the seeds a document is: what is surprising in
the seeds against the pool, and two regressions against it. Beside them stands the engine's own
ranking, which tells seeds from the whole *library*. The more of the library lies outside the pool,
the more the engine counts; regressions earn their time only where the pool is nearly all there is,
as in the list of a review (`contrasts`).

What is known to be off topic joins the pool in these, and adds views of its own: support vector
machines on words and pairs of words, and on latent topics. Each way of doing so has a name:

fading     the more negatives, the more count machines on them beside the rest
ensemble   they count as much as the rest, however few negatives there are
pnu        regressions on negatives and pool at once and machines on negatives, and nothing else
pn         machines on negatives alone, and nothing else
unlabeled  as if nothing were known of them
ignore     as if they were not there

Without negatives all are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.features.lsa import Topics
from likewise.features.pairs import WordPairs, make_word_pairs, read_word_sequences
from likewise.features.tokens import AnalyzeAll
from likewise.features.words import TITLE_BOOST, WordFeatures
from likewise.learn.estimators import (
    Divergence,
    Fused,
    LinearSVM,
    PUEstimator,
    PULogistic,
    weigh_count,
)
from likewise.learn.explanations import TermModel, TermSum, divide_rows
from likewise.learn.folds import measure_scale
from likewise.learn.material import Material, Scored, fuse_scores
from likewise.learn.rows import CountedRows, Rows

Weight = Callable[[int], float]

HALF = 5
"""With so many negatives, what is learned from them counts half of what it does with many."""
ENOUGH = 150
"""With so many, regressions on the pool are not worth their time."""
FAIR = 2
"""So many negatives count for each document that was found beside them."""
ENGINE = 2.0
"""What the engine counts beside divergence where nearly all of the library is outside the pool."""
NEARLY_ALL = 0.25
"""Where more of the library than this is outside the pool, regressions on the pool don't count."""


class Contrasts(NamedTuple):
    """How much the contrast with the library, and regressions on the pool, count."""

    engine: float
    """Beside divergence, which counts 1."""
    regressions: float
    """1 for as much as divergence, both together."""


def weigh_contrasts(outside: float) -> Contrasts:
    """Return what counts how much where such a share of the library is outside the pool.

    >>> contrasts(0.0), contrasts(0.7)
    (Contrasts(engine=0.0, regressions=1.0), Contrasts(engine=1.4, regressions=0.0))
    """
    return Contrasts(ENGINE * outside, max(0.0, 1 - outside / NEARLY_ALL))


class Way(NamedTuple):
    """How much views count, given how many negatives there are (one at least)."""

    divergence: Weight
    pool: Weight
    """Each regression of seeds against the pool."""
    negatives: Weight
    """Machines of seeds against negatives: see `_on_negatives`."""


def fading(*, found: int) -> Way:
    """Return the default way, if so many relevant documents were found beside the negatives.

    Who marks the top of a ranking and finds nothing relevant has marked what is nearest to the
    topic, and nothing else: to learn from it moves the topic away. So no more negatives count than
    what was found beside them allows.
    """

    def fair(count: int) -> int:
        return min(count, FAIR * found)

    return Way(
        divergence=lambda _: 1.0,
        pool=lambda count: 0.5 if fair(count) < ENOUGH else 0.0,
        negatives=lambda count: weigh_count(fair(count), half=HALF),
    )


WAYS = {
    "ensemble": Way(lambda _: 1.0, lambda _: 0.5, lambda _: 1.0),
    "pnu": Way(lambda _: 0.0, lambda _: 0.5, lambda _: 1.0),
    "pn": Way(lambda _: 0.0, lambda _: 0.0, lambda _: 1.0),
}
"""Every other way that learns from negatives, by name."""


class LinearView(NamedTuple):
    """A view: what it looks at, how it learns, and how much it counts."""

    estimator: PUEstimator
    rows: Any
    weight: Weight
    explained: Callable[[Any], Iterable[TermSum]] = lambda _: ()
    """Makes a learned estimator sums over terms; none of what is no such sum."""


def make_linear_views(
    material: Material,
    *,
    topics: Callable[[], Topics],
    strengths: tuple[float, float],
    way: Way | None = None,
    regressions: float = 1.0,
) -> list[LinearView]:
    """Return the views of a material that count; those on negatives only if there are any.

    Args:
        material: What is learned from.
        topics: Makes its latent topics, if a view needs them.
        strengths: How freely regressions on the pool may fit: those of terms, those of topics.
        way: How negatives are learned from; fading, if it is not said.
        regressions: How much regressions on the pool count.
    """
    words, size = material.words, len(material.words.terms)
    listed = min(1.0, regressions)
    way = way or fading(found=material.found)
    divergence = LinearView(
        Divergence(rising=2 * size),
        CountedRows(words.evidence),
        _without(1.0, way.divergence),
        lambda learned: [TermSum(words.evidence, learned.weights_, np.arange(3 * size) % size)],
    )
    views = [divergence]
    if regressions:
        weight = _times(regressions, _without(0.5, way.pool))
        views += _view_pool(material, topics=topics(), strengths=strengths, weight=weight)
    if material.vectors is not None:
        views.append(
            LinearView(PULogistic(strength=strengths[1]), material.vectors, _without(0.5, way.pool))
        )
    if material.negatives and way.negatives(material.negatives):
        views += _view_negatives(material, topics=topics, weight=way.negatives, listed=listed)
    return views


def explain_linear(fused: Fused, views: list[LinearView], *, words: WordFeatures) -> TermModel:
    """Return the fused score of the linear method as a sum over terms."""
    total = sum(fused.weights_)
    explained: list[TermSum] = []
    for view, part, weight, (_, deviation) in zip(
        views, fused.parts_, fused.weights_, fused.scales_, strict=True
    ):
        if weight:
            worth = weight / total / deviation
            explained += [made._replace(worth=worth * made.worth) for made in view.explained(part)]
    return TermModel(words, explained)


def _view_pool(
    material: Material, *, topics: Topics, strengths: tuple[float, float], weight: Weight
) -> list[LinearView]:
    words = material.words
    columns = words.weighted_columns % len(words.terms)
    return [
        LinearView(
            PULogistic(strength=strengths[0]),
            words.weighted,
            weight,
            lambda learned: [TermSum(words.weighted, learned.plane_.weights, columns)],
        ),
        LinearView(
            PULogistic(strength=strengths[1]), topics.vectors, weight, _of_topics(words, topics)
        ),
    ]


def _view_negatives(
    material: Material, *, topics: Callable[[], Topics], weight: Weight, listed: float
) -> list[LinearView]:
    """Return machines of seeds against negatives; that on topics only where the pool is a list."""
    words, pairs = material.words, material.pairs
    if pairs is None:
        within = np.arange(material.known)
        pairs = make_word_pairs(read_word_sequences(material.documents), within=within)
    counts, weight = _counts(material), _without(0.0, weight)
    of_pairs = _of_pairs(words, pairs, material.analyze_all)
    views = [LinearView(LinearSVM(), Rows(pairs.rows, counts), weight, of_pairs)]
    if listed:
        rows, of_topics = Rows(topics().vectors, counts), _of_topics(words, topics())
        views.append(LinearView(LinearSVM(), rows, _times(listed, weight), of_topics))
    if material.vectors is not None:
        views.append(LinearView(LinearSVM(), Rows(material.vectors, counts), weight))
    return views


def _without(weight: float, given: Weight) -> Weight:
    """Return how much a view counts: this without negatives, what is given with some."""
    return lambda count: given(count) if count else weight


def _times(factor: float, weight: Weight) -> Weight:
    return lambda count: factor * weight(count)


def _counts(material: Material) -> NDArray[np.float64]:
    """Return how much each row counts as a negative."""
    counts = np.ones(len(material.documents))
    if material.negative_weights is not None:
        counts[material.seeds : material.known] = material.negative_weights
    return counts


def _of_topics(words: WordFeatures, topics: Topics) -> Callable[[Any], list[TermSum]]:
    return lambda learned: [
        TermSum(
            divide_rows(words.tfidf, topics.lengths),
            topics.directions.T @ learned.plane_.weights,
            words.tfidf_columns,
        )
    ]


def _of_pairs(
    words: WordFeatures, pairs: WordPairs, analyze_all: AnalyzeAll
) -> Callable[[Any], list[TermSum]]:
    """Return what makes a machine on words and pairs a sum over terms; small words are no terms.

    The two words of a pair share what it is worth; where one is no term, the other has it all.
    """

    def explained(learned: Any) -> list[TermSum]:
        numbers = {term: number for number, term in enumerate(words.terms)}
        columns = pairs.columns()
        used = np.unique(columns[columns >= 0])
        terms = np.full(len(pairs.words) + 1, -1)
        found = analyze_all("abstract", [pairs.words[word] for word in used.tolist()])
        terms[used] = [numbers.get(one[0], -1) if len(one) == 1 else -1 for one in found]
        is_term = terms[columns] >= 0
        worth = learned.plane_.weights / np.maximum(is_term.sum(axis=0), 1)
        return [
            TermSum(pairs.rows, np.where(is_one, worth, 0.0), np.maximum(terms[column], 0))
            for column, is_one in zip(columns, is_term, strict=True)
        ]

    return explained


def fuse_with_engine(
    learned: Scored, material: Material, *, weights: tuple[float, float]
) -> Scored:
    """Return what was learned fused with the engine's ranking, both explained by their terms.

    Args:
        learned: What the views say.
        material: What they were learned from.
        weights: How much they count, and the engine.
    """
    if not weights[1]:
        return learned
    engine = Scored(material.retrieval, explain_engine(material))
    fused = fuse_scores([learned, engine], weights=weights)
    models = [(part.model, measure_scale(part.scores.pool)[1]) for part in (learned, engine)]
    views = [
        view._replace(worth=weight / sum(weights) / deviation * view.worth)
        for (model, deviation), weight in zip(models, weights, strict=True)
        for view in (model.views if model else ())
    ]
    return fused._replace(model=TermModel(material.words, views))


def explain_engine(material: Material) -> TermModel:
    """Return the engine's score as a sum over terms, counts saturated as ours are."""
    words, size = material.words, len(material.words.terms)
    numbers = {term: number for number, term in enumerate(words.terms)}
    worth = np.zeros(3 * size)
    for term in material.engine_terms:
        if (number := numbers.get(term.text)) is not None:
            # The evidence of titles is boosted, as the term's weight is.
            in_title = term.field == "title"
            worth[number + (0 if in_title else size)] = term.weight / (
                TITLE_BOOST if in_title else 1
            )
    return TermModel(words, [TermSum(words.evidence, worth, np.arange(3 * size) % size)])


def explain_divergence(words: WordFeatures, *, seeds: int) -> TermModel:
    """Return what the seeds have that the pool lacks as a sum over terms."""
    size = len(words.terms)
    learned = Divergence(rising=2 * size).learn(words.evidence[:seeds], words.evidence[seeds:])
    return TermModel(words, [TermSum(words.evidence, learned.weights_, np.arange(3 * size) % size)])


def explain_plane(logistic: PULogistic, *, words: WordFeatures) -> TermModel:
    """Return a logistic regression of tf-idf as a sum over terms."""
    return TermModel(words, [TermSum(words.tfidf, logistic.plane_.weights, words.tfidf_columns)])
