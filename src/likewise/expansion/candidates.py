"""The candidates: what is known, and the pool, which grows with each round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.pairs import words_and_pairs
from likewise.features.terms import TermCounter
from likewise.features.words import word_features
from likewise.learn.material import Material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.expansion.kept_terms import KeptTerms
    from likewise.expansion.known import Known
    from likewise.expansion.retrieval import Retrieval
    from likewise.expansion.stages import Stages
    from likewise.features.encoders import Encoder
    from likewise.features.pairs import WordPairs
    from likewise.learn.folds import Scores
    from likewise.library.protocol import Library

BATCH = 2000


class Candidates:
    """What is known, and the pool; documents are read and their terms counted once."""

    def __init__(
        self,
        library: Library,
        known: Known,
        *,
        encoder: Encoder | None,
        stages: Stages,
        kept_terms: KeptTerms | None = None,
    ) -> None:
        self.seeds = known.seeds
        self.known = known
        self.pool: list[str] = []
        self.documents: dict[str, Document] = {seed.id: seed for seed in known.seeds.documents}
        self.seed_ids = list(self.documents)
        self.negative_ids = [document.id for document in known.negatives]
        self.documents |= {document.id: document for document in known.negatives}
        self._library = library
        self._encoder = encoder
        self._stages = stages
        self._counter = counter_of(library, kept_terms)
        self._counter.add(self.documents.values())

    def add(self, ids: Sequence[str]) -> list[str]:
        """Let documents join the pool; return the ids of those that were not in it."""
        new = [identifier for identifier in ids if identifier not in self.documents]
        with self._stages("documents"):
            documents = self._library.get(new)
        with self._stages("features"):
            for start in range(0, len(documents), BATCH):
                self._counter.add(documents[start : start + BATCH])
                self._stages.step(start, len(documents))
        joined = [document.id for document in documents]
        self.documents |= zip(joined, documents, strict=True)
        self.pool += joined
        return joined

    def material(self, retrieval: Retrieval, *, vectors: bool = True) -> Material:
        """Return what methods score seeds and pool from, with vectors if there is an encoder."""
        ids = self.ids
        with self._stages("features"):
            words = word_features(self._counter.counts(ids))
        self.words = words
        return Material(
            seeds=len(self.seed_ids),
            documents=[self.documents[identifier] for identifier in ids],
            analyze_all=self._library.analyze_all,
            words=words,
            retrieval=self._of_whole_pool(retrieval.scores),
            outside=retrieval.outside_share,
            engine_terms=retrieval.terms,
            encoder=self._encoder,
            vectors=self._vectors(ids) if vectors else None,
            negatives=len(self.negative_ids),
            found=len(self.seeds.marked),
            pairs=self._pairs(ids) if self.negative_ids else None,
            negative_weights=self.known.weights,
        )

    def _pairs(self, ids: list[str]) -> WordPairs:
        known = np.arange(len(self.seed_ids) + len(self.negative_ids))
        with self._stages("features"):
            return words_and_pairs(self._counter.words(ids), within=known)

    @property
    def ids(self) -> list[str]:
        """The documents of all rows: seeds, negatives, pool."""
        return [*self.seed_ids, *self.negative_ids, *self.pool]

    def _of_whole_pool(self, retrieval: Scores) -> Scores:
        """Return the engine's scores with the lowest for what only a later round has found."""
        later = len(self.pool) - len(retrieval.pool)
        if later <= 0:
            return retrieval
        return retrieval._replace(pool=np.pad(retrieval.pool, (0, later), mode="minimum"))

    def _vectors(self, ids: list[str]) -> NDArray[np.float32] | None:
        if not self._encoder:
            return None
        from likewise.features.vectors import VectorCache, cached_vectors

        with self._stages("encoding"):
            return cached_vectors(
                [self.documents[identifier].text for identifier in ids],
                encoder=self._encoder,
                cache=VectorCache(),
                on_progress=lambda done: self._stages.step(done.encoded, done.total),
            )


def counter_of(library: Library, kept_terms: KeptTerms | None) -> TermCounter:
    """Return what counts terms as a library makes them, with the help of what is kept, if any."""
    if kept_terms:
        return kept_terms.counter(library)
    return TermCounter(library.analyze_all, by_chunk=library.analyzes_by_chunk)


def strangers_last(scores: Scores, material: Material) -> Scores:
    """Return scores by which what shares no term with the query comes last, without abstract last.

    Only a library that is no larger than the pool has such candidates.
    """
    is_stranger = material.retrieval.pool == 0
    if not is_stranger.any() or is_stranger.all():
        return scores
    documents = material.documents[material.known :]
    has_abstract = np.array([bool(document.abstract) for document in documents])
    strangers = np.flatnonzero(is_stranger)
    order = strangers[np.lexsort((-scores.pool[strangers], ~has_abstract[strangers]))]
    pool = scores.pool.copy()
    step = max(float(scores.pool.std()), 1e-6)
    pool[order] = pool[~is_stranger].min() - step * (1 + np.arange(len(order)) / len(order))
    return scores._replace(pool=pool)
