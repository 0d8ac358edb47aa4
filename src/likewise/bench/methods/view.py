"""The view: what a method sees of a task, and its answer from the scores that it gives.

There is no way from here to the truth. In an inductive task the pool's test part stands last and is
*unseen*: its documents are scored by models that learn from none of them. What is counted over all
texts without looking at labels (how frequent words are, latent topics) is counted over theirs too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.bench.methods.answers import Answer
from likewise.expansion.retrieval import share_with_interval
from likewise.features.words import word_features
from likewise.learn.folds import Scores, by_seeds_inside, score_at
from likewise.learn.judgement import judge
from likewise.learn.material import Material
from likewise.learn.signs import material_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.bench.methods.counted import CountedTerms
    from likewise.bench.tasks.task import Entry, Task
    from likewise.documents import Document
    from likewise.features.encoders import Encoder
    from likewise.features.words import WordFeatures
    from likewise.learn.material import Scored
    from likewise.learn.thresholds import Keep


@dataclass(frozen=True)
class View:
    """What a method sees of a task."""

    task: Task
    counted: CountedTerms
    encoder: Encoder | None = None
    has_background: bool = False
    """Whether what is learned from is drawn at random, instead of the pool."""

    @property
    def on_background(self) -> View:
        """This, with documents drawn at random to learn from; all that is measured is unseen."""
        return replace(self, has_background=True)

    @cached_property
    def seed_entries(self) -> list[Entry]:
        """The seeds of the training and the validation part."""
        return [entry for entry in self.task.labelled("positive") if not entry.is_test_seed]

    @cached_property
    def seeds(self) -> list[Document]:
        """The documents that are known to be on topic."""
        return self._documents([entry.id for entry in self.seed_entries])

    @cached_property
    def negative_entries(self) -> list[Entry]:
        """What is known to be off topic, of the training and the validation part."""
        return [entry for entry in self.task.labelled("negative") if entry.split != "test"]

    @cached_property
    def negatives(self) -> list[Document]:
        """The documents that are known to be off topic."""
        return self._documents([entry.id for entry in self.negative_entries])

    @cached_property
    def entries(self) -> list[Entry]:
        """The pool's entries: first those that may be learned from, then the unseen ones."""
        pool = self.task.labelled("unlabeled")
        return sorted(pool, key=lambda entry: entry.split == "test")

    @cached_property
    def measured(self) -> list[str]:
        """The documents that the answer is about: the test part, or all of the pool."""
        if self.task.metadata.setting == "inductive":
            # In an order that tells nothing, as of seeds and what was retrieved.
            return sorted(entry.id for entry in self.task.entries if entry.is_measured)
        return [entry.id for entry in self.entries]

    @cached_property
    def learned(self) -> list[str]:
        """The documents without a label that may be learned from.

        Of those drawn at random they are as many as of the pool, if there are so many.
        """
        retrieved = [entry.id for entry in self.entries if entry.split != "test"]
        if not self.has_background:
            return retrieved
        named = {entry.id for entry in self.task.entries}
        drawn = [identifier for identifier in self.task.background if identifier not in named]
        return drawn[: len(retrieved)]

    @property
    def unseen(self) -> int:
        """How many of the last documents of the pool may only be scored."""
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
        # A task that says nothing of any seed does not know, and nor does a pool drawn at random.
        return inside if inside.any() and not self.has_background else np.ones_like(inside)

    def material(self, *, vectors: bool = False) -> Material:
        """Return what methods score from, with the encoder's vectors if they are asked for."""
        return Material(
            seeds=len(self.seeds),
            documents=self._rows,
            analyze_all=self.counted.analyze_all,
            words=self._words,
            retrieval=self._retrieval(),
            outside=self._outside,
            encoder=self.encoder,
            vectors=self._vectors if vectors else None,
            negatives=len(self.negatives),
            unseen=self.unseen,
        )

    @property
    def _outside(self) -> float:
        """The share of the library outside the pool: all of it, if its size is not told."""
        size = self.task.metadata.library_size
        named = len(self.task.entries)
        if not any(entry.score is not None for entry in self.entries):
            return 0.0
        return max(0.0, 1 - named / size) if size else 1.0

    @cached_property
    def _rows(self) -> list[Document]:
        return [*self.seeds, *self.negatives, *self._documents(self.pool)]

    @cached_property
    def _words(self) -> WordFeatures:
        return word_features(self.counted.counts(self._rows))

    @cached_property
    def _vectors(self) -> NDArray[np.float32] | None:
        if not self.encoder:
            return None
        from likewise.features.vectors import VectorCache, cached_vectors

        texts = [document.text for document in self._rows]
        return cached_vectors(texts, encoder=self.encoder, cache=VectorCache())

    def _retrieval(self) -> Scores:
        scores = {entry.id: entry.score for entry in self.entries} | self._test_seed_scores()
        known = np.array([scores.get(identifier) for identifier in self.pool], dtype=np.float64)
        off = np.array([entry.score for entry in self.negative_entries], dtype=np.float64)
        # What was not retrieved comes last.
        lowest = np.nanmin(known) if not np.isnan(known).all() else 0.0
        pool = np.where(np.isnan(known), lowest, known)
        above = np.array([entry.above for entry in self.seed_entries], dtype=np.float64)
        return Scores(score_at(above, pool), pool, np.where(np.isnan(off), lowest, off))

    def _test_seed_scores(self) -> dict[str, float]:
        """Return the engine's score at the place that each seed of the test part would have."""
        seeds = [entry for entry in self.task.entries if entry.is_test_seed]
        found = np.array([entry.score for entry in self.entries if entry.score is not None])
        above = np.array([entry.above for entry in seeds], dtype=np.float64)
        if not len(found):
            return {}
        return dict(zip((entry.id for entry in seeds), score_at(above, found), strict=True))

    def _documents(self, ids: Sequence[str]) -> list[Document]:
        return [self.task.documents[identifier] for identifier in ids]


def judged_answer(view: View, scored: Scored, *, keep: Keep | None = None) -> Answer:
    """Judge the scores of a pool by what may be learned from, and decide what is measured.

    Where no seed has a score, as the engine's ranking in tasks that do not tell where it would put
    them, nothing is decided.
    """
    pool = scored.scores.pool
    learned = len(pool) - view.unseen
    ids, measured = tuple(view.measured), pool[learned:] if view.unseen else pool
    if np.isnan(scored.scores.seeds).all():
        return Answer(ids=ids, scores=measured, decided=None, warnings=scored.warnings)
    scores = scored.scores._replace(pool=pool[:learned])
    signs = material_signs(view.material(), scored.scores)
    judgement = judge(by_seeds_inside(scores, view.is_inside), signs=signs)
    decided = measured >= judgement.threshold(keep) if view.unseen else judgement.decided(keep)
    return Answer(
        ids=ids,
        scores=measured,
        decided=decided,
        probabilities=judgement.probabilities(measured),
        prior=judgement.prior,
        outside=share_with_interval(int((~view.is_inside).sum()), len(view.is_inside)),
        warnings=scored.warnings,
    )
