"""The views: every named source of evidence about documents, from which methods score.

words    what is surprising in the seeds' terms against the pool, and a regression of terms
pairs    plain words and pairs of them; learned from negatives alone
topics   latent topics
vectors  those of a pretrained encoder; they are not sums over words, so they explain nothing
engine   the engine's own ranking, which tells seeds from the whole *library*
citations  how documents are linked with the seeds, if links are known (`citations.py`)

`make_views` makes them in one place for the product and for the benchmark. To add one, write a
subclass of `View` in a module of its own, with a function that makes it from `ViewSources` (or
returns None if there is no such evidence), and name that function in `VIEWS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.features import AnalyzeAll
from likewise.features.pairs import WordPairs, make_word_pairs, read_word_sequences
from likewise.features.terms import Sequences
from likewise.features.words import TITLE_BOOST, Topics, WordFeatures, find_latent_topics
from likewise.learn.citations import make_citation_view
from likewise.learn.estimators import Divergence, LinearSVM, PULogistic
from likewise.learn.explanations import TermModel, TermSum, divide_rows
from likewise.learn.folds import Scores
from likewise.learn.material import Explain, LearnedPart, LinearPlan, Material, ScoredPart, View
from likewise.learn.rows import CountedRows, Numbers, Rows
from likewise.library.links import LinkSource
from likewise.library.protocol import Term

TOPIC_ROWS = 4_000
"""Latent topics are found from at most this many documents of a pool."""


@dataclass(frozen=True)
class ViewSources:
    """What views of some documents are made from."""

    documents: Sequence[Document]
    """In the order of the rows: seeds, negatives, pool."""
    words: WordFeatures
    retrieval: Scores
    """What the engine's own ranking says of the seeds, each held out, and of the pool."""
    engine_terms: Sequence[Term] = ()
    """The terms that the engine was asked for, each with the weight that one occurrence adds."""
    read_words: Callable[[], Sequences] | None = None
    """Reads the plain words of the documents, if that can be done faster than from their texts."""
    vectors: NDArray[np.float32] | None = None
    """The vectors of an encoder, if the method learns from them."""
    links: LinkSource | None = None
    """Who cites whom, if the library knows."""


def make_views(sources: ViewSources) -> dict[str, View]:
    """Return the views of documents by name, in the order in which they are fused."""
    made = (make(sources) for make in VIEWS)
    return {view.name: view for view in made if view}


@dataclass(frozen=True, eq=False)
class WordView(View):
    """The terms of documents."""

    name = "words"
    evidence: WordFeatures

    def list_learned(self, plan: LinearPlan) -> list[LearnedPart]:
        """Return divergence from the pool, and a regression of terms if regressions count."""
        words, size = self.evidence, len(self.evidence.terms)
        divergence = LearnedPart(
            Divergence(rising=2 * size),
            CountedRows(words.evidence),
            lambda count: plan.weigh(count).divergence,
            lambda learned: [_sum_evidence(words, learned.weights_)],
        )
        if not plan.regressions:
            return [divergence]
        columns = words.weighted_columns % size
        regression = LearnedPart(
            PULogistic(strength=plan.strengths[0]),
            words.weighted,
            lambda count: plan.regressions * plan.weigh(count).pool,
            lambda learned: [TermSum(words.weighted, learned.plane_.weights, columns)],
        )
        return [divergence, regression]


@dataclass(frozen=True, eq=False)
class PairView(View):
    """Plain words and pairs of them, made when they are needed unless they were made before."""

    name = "pairs"
    evidence: WordPairs | None = None
    read_words: Callable[[], Sequences] | None = None

    def list_learned(self, plan: LinearPlan) -> list[LearnedPart]:
        """Return a support vector machine of seeds against negatives, if there are any."""
        if not plan.has_negatives:
            return []
        material = plan.material
        pairs = self.evidence
        if pairs is None:
            read = self.read_words or (lambda: read_word_sequences(material.documents))
            pairs = make_word_pairs(read(), within=np.arange(material.known))
        explain = _explain_pairs(material.words, pairs, material.analyze_all)
        return [_learn_negatives(plan, CountedRows(pairs.rows), explain)]

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the pairs of these rows, in this order."""
        return replace(super().take(rows), read_words=None)


@dataclass(frozen=True, eq=False)
class TopicView(View):
    """Latent topics, found when they are needed unless they were found before."""

    name = "topics"
    evidence: Topics | None = None

    def list_learned(self, plan: LinearPlan) -> list[LearnedPart]:
        """Return regression and machine on topics, if the pool is nearly the whole library."""
        # A pool that is only a part of the library does not hold all that is to be told apart.
        listed = min(1.0, plan.regressions)
        if not listed:
            return []
        words = plan.material.words
        topics = self.find(plan.material, rng=plan.rng)
        explain = _explain_topics(words, topics)
        regression = LearnedPart(
            PULogistic(strength=plan.strengths[1]),
            topics.vectors,
            lambda count: plan.regressions * plan.weigh(count).pool,
            explain,
        )
        if not plan.has_negatives:
            return [regression]
        return [regression, _learn_negatives(plan, topics.vectors, explain, factor=listed)]

    def find(self, material: Material, *, rng: np.random.Generator) -> Topics:
        """Return the topics, found from the first documents and, if many, evenly from the rest."""
        if self.evidence is not None:
            return self.evidence
        tfidf, size, half = material.words.tfidf, len(material.documents), TOPIC_ROWS // 2
        if size <= TOPIC_ROWS:
            return find_latent_topics(tfidf, rng=rng)
        rest = np.linspace(half, size - 1, TOPIC_ROWS - half).astype(np.int64)
        return find_latent_topics(tfidf, rng=rng, within=np.concatenate([np.arange(half), rest]))


@dataclass(frozen=True, eq=False)
class VectorView(View):
    """The vectors of a pretrained encoder."""

    name = "vectors"
    evidence: NDArray[np.float32]

    def list_learned(self, plan: LinearPlan) -> list[LearnedPart]:
        """Return regression and machine on vectors."""
        regression = LearnedPart(
            PULogistic(strength=plan.strengths[1]),
            self.evidence,
            lambda count: plan.weigh(count).pool,
        )
        if not plan.has_negatives:
            return [regression]
        return [regression, _learn_negatives(plan, self.evidence)]


@dataclass(frozen=True, eq=False)
class EngineView(View):
    """The engine's own ranking."""

    name = "engine"
    evidence: Scores
    terms: Sequence[Term] = ()
    """The terms that it was asked for, each with the weight that one occurrence adds."""

    def list_scored(self, plan: LinearPlan) -> list[ScoredPart]:
        """Return the ranking, if the contrast with the library counts."""
        if not plan.library:
            return []
        return [ScoredPart(self.evidence, plan.library, [self.explain(plan.material.words)])]

    def explain(self, words: WordFeatures) -> TermSum:
        """Return the engine's score as a sum over terms, with counts saturated like ours."""
        size = len(words.terms)
        numbers = {term: number for number, term in enumerate(words.terms)}
        worth = np.zeros(3 * size)
        for term in self.terms:
            if (number := numbers.get(term.text)) is not None:
                # The evidence of titles is boosted, as the term's weight is.
                in_title = term.field == "title"
                worth[number + (0 if in_title else size)] = term.weight / (
                    TITLE_BOOST if in_title else 1
                )
        return _sum_evidence(words, worth)


VIEWS: tuple[Callable[[ViewSources], View | None], ...] = (
    lambda sources: WordView(sources.words),
    lambda sources: PairView(read_words=sources.read_words),
    lambda _: TopicView(),
    lambda sources: None if sources.vectors is None else VectorView(sources.vectors),
    lambda sources: EngineView(sources.retrieval, sources.engine_terms),
    lambda sources: make_citation_view(sources.documents, sources.links),
)
"""What makes each view, in the order in which they are fused."""


def explain_divergence(words: WordFeatures, *, seeds: int) -> TermModel:
    """Return, as a sum over terms, what the seeds have and the pool lacks."""
    rising = 2 * len(words.terms)
    learned = Divergence(rising=rising).learn(words.evidence[:seeds], words.evidence[seeds:])
    return TermModel(words.terms, [_sum_evidence(words, learned.weights_)])


def _learn_negatives(
    plan: LinearPlan, rows: Any, explain: Explain = lambda _: (), *, factor: float = 1.0
) -> LearnedPart:
    """Return a support vector machine of seeds against negatives."""
    return LearnedPart(
        LinearSVM(),
        Rows(rows, plan.negative_counts),
        lambda count: factor * plan.weigh(count).negatives,
        explain,
        of_negatives=True,
    )


def _sum_evidence(words: WordFeatures, worth: Numbers) -> TermSum:
    """Return a sum over the terms in titles, in abstracts, and in either."""
    return TermSum(words.evidence, worth, np.arange(3 * len(words.terms)) % len(words.terms))


def _explain_topics(words: WordFeatures, topics: Topics) -> Explain:
    return lambda learned: [
        TermSum(
            divide_rows(words.tfidf, topics.lengths),
            topics.directions.T @ learned.plane_.weights,
            words.tfidf_columns,
        )
    ]


def _explain_pairs(words: WordFeatures, pairs: WordPairs, analyze_all: AnalyzeAll) -> Explain:
    """Return a function that turns a machine on words and pairs into a sum over terms.

    The two words of a pair share its weight; if one is not a term, the other gets all of it.
    """

    def explain(learned: Any) -> list[TermSum]:
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

    return explain
