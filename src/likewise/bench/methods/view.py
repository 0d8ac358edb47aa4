"""The view: what a method sees of a task, and what it answers.

There is no way from here to the truth. In an inductive task the pool's test part comes last and is
*unseen*: its documents are scored by models that learn from none of them. Only what needs no labels
(how frequent words are, latent topics) is counted over all texts, including theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from likewise.bench.tasks import Task, TaskEntry
from likewise.documents import Document
from likewise.expansion.retrieval import estimate_share
from likewise.features.encoders import Encoder, VectorCache, encode_texts
from likewise.features.terms import TermCounter, TermCounts
from likewise.features.words import WordFeatures, make_word_features
from likewise.learn.estimates import Interval
from likewise.learn.experience import read_material_signs
from likewise.learn.folds import Scores, keep_seeds_inside, score_at
from likewise.learn.judgement import judge
from likewise.learn.material import Material, Scored
from likewise.learn.thresholds import Keep
from likewise.learn.views import ViewSources, make_views
from likewise.library.analysis import build_analyzer
from likewise.library.links import MemoryLinks
from likewise.library.protocol import Field
from likewise.parameters import Value


@dataclass(frozen=True)
class TaskView:
    """What a method sees of a task."""

    task: Task
    counted: CountedTerms
    encoder: Encoder | None = None
    has_background: bool = False
    """Whether documents drawn at random are learned from, instead of the pool."""

    @property
    def on_background(self) -> TaskView:
        """The same view, but with documents drawn at random in place of the pool to learn from."""
        return replace(self, has_background=True)

    @cached_property
    def seed_entries(self) -> list[TaskEntry]:
        """The seeds of the training and the validation part."""
        return [entry for entry in self.task.list_entries("positive") if not entry.is_test_seed]

    @cached_property
    def seeds(self) -> list[Document]:
        """The documents that are known to be on topic."""
        return self._find_documents([entry.id for entry in self.seed_entries])

    @cached_property
    def negative_entries(self) -> list[TaskEntry]:
        """The known negatives of the training and the validation part."""
        return [entry for entry in self.task.list_entries("negative") if entry.split != "test"]

    @cached_property
    def negatives(self) -> list[Document]:
        """The documents that are known to be off topic."""
        return self._find_documents([entry.id for entry in self.negative_entries])

    @cached_property
    def entries(self) -> list[TaskEntry]:
        """The pool's entries: first those that may be learned from, then the unseen ones."""
        pool = self.task.list_entries("unlabeled")
        return sorted(pool, key=lambda entry: entry.split == "test")

    @cached_property
    def measured(self) -> list[str]:
        """The documents that the answer is about: the test part, or all of the pool."""
        if self.task.metadata.setting == "inductive":
            # This order does not give away which of them are seeds.
            return sorted(entry.id for entry in self.task.entries if entry.is_measured)
        return [entry.id for entry in self.entries]

    @cached_property
    def learned(self) -> list[str]:
        """The documents without a label that may be learned from.

        If they are drawn at random, there are as many as in the pool, or all if there are fewer.
        """
        retrieved = [entry.id for entry in self.entries if entry.split != "test"]
        if not self.has_background:
            return retrieved
        named = {entry.id for entry in self.task.entries}
        drawn = [identifier for identifier in self.task.background if identifier not in named]
        return drawn[: len(retrieved)]

    @property
    def unseen(self) -> int:
        """How many documents, at the end of the pool, may be scored but not learned from."""
        is_apart = self.has_background or self.task.metadata.setting == "inductive"
        return len(self.measured) if is_apart else 0

    @property
    def pool(self) -> list[str]:
        """The documents to score: those that may be learned from, then the unseen ones."""
        return [*self.learned, *self.measured] if self.unseen else self.learned

    @cached_property
    def is_inside(self) -> NDArray[np.bool_]:
        """Whether each seed would be in the pool, as far as is known."""
        inside = np.array([entry.above is not None for entry in self.seed_entries], dtype=bool)
        # It is unknown if the task says it of no seed, or if the pool was drawn at random.
        return inside if inside.any() and not self.has_background else np.ones_like(inside)

    def make_material(self, *, vectors: bool = False) -> Material:
        """Return the material for scoring, with the encoder's vectors if there is an encoder."""
        sources = ViewSources(
            documents=self._rows,
            words=self._words,
            retrieval=self._score_retrieval(),
            vectors=self._vectors if vectors else None,
            links=self._links,
        )
        return Material(
            seeds=len(self.seeds),
            documents=self._rows,
            views=make_views(sources),
            analyze_all=self.counted.analyze_all,
            outside=self._outside,
            encoder=self.encoder,
            negatives=len(self.negatives),
            unseen=self.unseen,
        )

    @property
    def _outside(self) -> float:
        """The share of the library outside the pool: 0 if none was retrieved, 1 if unknown."""
        size = self.task.metadata.library_size
        named = len(self.task.entries)
        if not any(entry.score is not None for entry in self.entries):
            return 0.0
        return max(0.0, 1 - named / size) if size else 1.0

    @cached_property
    def _rows(self) -> list[Document]:
        return [*self.seeds, *self.negatives, *self._find_documents(self.pool)]

    @cached_property
    def _links(self) -> MemoryLinks | None:
        """What the documents cite, if the task keeps that."""
        has_any = any(document.references for document in self._rows)
        return MemoryLinks(self._rows) if has_any else None

    @cached_property
    def _words(self) -> WordFeatures:
        return make_word_features(self.counted.counts(self._rows))

    @cached_property
    def _vectors(self) -> NDArray[np.float32] | None:
        if not self.encoder:
            return None
        texts = [document.text for document in self._rows]
        return encode_texts(texts, encoder=self.encoder, cache=VectorCache())

    def _score_retrieval(self) -> Scores:
        scores = {entry.id: entry.score for entry in self.entries} | self._score_test_seeds()
        known = np.array([scores.get(identifier) for identifier in self.pool], dtype=np.float64)
        off = np.array([entry.score for entry in self.negative_entries], dtype=np.float64)
        # What was not retrieved comes last.
        lowest = np.nanmin(known) if not np.isnan(known).all() else 0.0
        pool = np.where(np.isnan(known), lowest, known)
        above = np.array([entry.above for entry in self.seed_entries], dtype=np.float64)
        return Scores(score_at(above, pool), pool, np.where(np.isnan(off), lowest, off))

    def _score_test_seeds(self) -> dict[str, float]:
        """Return the engine's score at the rank that each seed of the test part would have."""
        seeds = [entry for entry in self.task.entries if entry.is_test_seed]
        found = np.array([entry.score for entry in self.entries if entry.score is not None])
        above = np.array([entry.above for entry in seeds], dtype=np.float64)
        if not len(found):
            return {}
        return dict(zip((entry.id for entry in seeds), score_at(above, found), strict=True))

    def _find_documents(self, ids: Sequence[str]) -> list[Document]:
        return [self.task.documents[identifier] for identifier in ids]


def judge_answer(view: TaskView, scored: Scored, *, keep: Keep | None = None) -> MethodAnswer:
    """Judge scores by the documents that may be learned from, and decide about those measured.

    If no seed has a score, nothing is decided. That happens with the engine's ranking, in tasks
    that do not say where it would rank the seeds.
    """
    pool = scored.scores.pool
    learned = len(pool) - view.unseen
    ids, measured = tuple(view.measured), pool[learned:] if view.unseen else pool
    if np.isnan(scored.scores.seeds).all():
        return MethodAnswer(ids=ids, scores=measured, decided=None, warnings=scored.warnings)
    scores = scored.scores._replace(pool=pool[:learned])
    signs = read_material_signs(view.make_material(), scored.scores)
    judgement = judge(keep_seeds_inside(scores, view.is_inside), signs=signs)
    decided = measured >= judgement.threshold(keep) if view.unseen else judgement.decide(keep)
    return MethodAnswer(
        ids=ids,
        scores=measured,
        decided=decided,
        probabilities=judgement.probabilities(measured),
        prior=judgement.prior,
        outside=estimate_share(int((~view.is_inside).sum()), len(view.is_inside)),
        warnings=scored.warnings,
    )


@dataclass(frozen=True, kw_only=True)
class MethodAnswer:
    """Scores and decisions for the documents that a method is measured on."""

    ids: tuple[str, ...]
    scores: NDArray[np.float64]
    decided: NDArray[np.bool_] | None
    """Which are decided to be on topic; None if the method can rank, but not decide."""
    probabilities: NDArray[np.float64] | None = None
    """The probability of being on topic, if the method gives one."""
    prior: Interval | None = None
    """The estimated share of the documents that is on topic, if the method gives one."""
    outside: Interval | None = None
    """The estimated share of the topic that lies outside the pool."""
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Value] = field(default_factory=dict)
    """Facts about how the answer was made, by name, such as the size of batches."""


def join_facts(facts: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the facts of several parts as one; values that differ are listed, each once.

    >>> join_facts([{"batch": 16, "steps": 3}, {"batch": 16, "steps": 4}])
    {'batch': 16, 'steps': '3, 4'}
    """
    joined: dict[str, dict[Value, None]] = {}
    for one in facts:
        for name, value in one.items():
            joined.setdefault(name, {})[value] = None
    return {
        name: next(iter(values)) if len(values) == 1 else ", ".join(map(str, values))
        for name, values in joined.items()
    }


class CountedTerms:
    """The term counts of all documents seen so far: pools of many tasks share most of theirs.

    The counts of some documents do not depend on which others were counted before, since columns
    are in the order of their terms; so the same task always gives the same numbers.
    """

    def __init__(self) -> None:
        self._counter = TermCounter(self.analyze_all, by_chunk=True)

    @staticmethod
    def analyze_all(field: Field, texts: Sequence[str]) -> list[list[str]]:  # noqa: ARG004
        """Return the terms of texts as the embedded engine makes them, which ignores the field."""
        return list(map(build_analyzer().analyze, texts))

    def counts(self, documents: Sequence[Document]) -> TermCounts:
        """Return the counts of documents, in this order, with a column for each of their terms."""
        self._counter.add(documents)
        counts = self._counter.counts([document.id for document in documents])
        columns = np.array(sorted(range(len(counts.terms)), key=counts.terms.__getitem__), np.int64)
        terms = [counts.terms[column] for column in columns]
        title, abstract = counts.title[:, columns], counts.abstract[:, columns]
        # Sums over a row differ in their last bits by the order in which its values are stored.
        title.sort_indices()
        abstract.sort_indices()
        return TermCounts(terms, title, abstract)
