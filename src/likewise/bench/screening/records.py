"""The records of a review with their features, which are made once for all rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.bench.methods.counted import CountedTerms
from likewise.features.lsa import latent_topics
from likewise.features.pairs import words_and_pairs
from likewise.features.plain import word_sequences
from likewise.features.words import word_features
from likewise.learn.folds import Scores
from likewise.learn.material import Material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy import sparse

    from likewise.documents import Document


class Records:
    """Documents in rows, and their features."""

    def __init__(self, documents: Sequence[Document]) -> None:
        """Count words and make features, once."""
        self.documents = tuple(documents)
        self.rows = {document.id: row for row, document in enumerate(self.documents)}
        self.words = word_features(CountedTerms().counts(self.documents))
        self.topics = latent_topics(self.words.tfidf, rng=np.random.default_rng(0))
        self.pairs = words_and_pairs(word_sequences(self.documents))

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self.documents)

    def material(
        self,
        relevant: Sequence[int],
        irrelevant: Sequence[int],
        pool: Sequence[int],
        *,
        found: int = 0,
    ) -> Material:
        """Return what methods score from: rows on topic, rows off topic, then the pool.

        The last of those on topic, as many as were `found`, were not known at first.
        """
        order = np.array([*relevant, *irrelevant, *pool], dtype=np.int64)
        words = self.words.of(order)
        return Material(
            seeds=len(relevant),
            negatives=len(irrelevant),
            found=found,
            documents=[self.documents[row] for row in order],
            analyze_all=CountedTerms.analyze_all,
            words=words,
            retrieval=_likeness(words.tfidf, len(relevant), len(irrelevant)),
            topics=self.topics.of(order),
            pairs=self.pairs.of(order),
        )


def _likeness(tfidf: sparse.csr_array, relevant: int, irrelevant: int) -> Scores:
    """Return how like the relevant rows each is, each of these held out, in place of an engine."""
    total = np.asarray(tfidf[:relevant].sum(axis=0)).ravel()
    likeness = np.asarray(tfidf @ total, dtype=np.float64)
    squares = np.asarray(tfidf[:relevant].power(2).sum(axis=1), dtype=np.float64).ravel()
    held_out = (likeness[:relevant] - squares) / max(1, relevant - 1)
    others = likeness[relevant:] / relevant
    return Scores(held_out, others[irrelevant:], others[:irrelevant])
