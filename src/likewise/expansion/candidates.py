"""The candidates: seeds and pool, with their documents and features, as rounds add to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.terms import TermCounter
from likewise.features.words import word_features
from likewise.learn.folds import Scores
from likewise.learn.material import Material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.stages import Stages
    from likewise.features.encoders import Encoder
    from likewise.library.protocol import Library

BATCH = 2000


class Candidates:
    """Seeds and pool; documents are read and their terms counted once, when they join."""

    def __init__(
        self, library: Library, seeds: Seeds, *, encoder: Encoder | None, stages: Stages
    ) -> None:
        self.seeds = seeds
        self.pool: list[str] = []
        self.documents: dict[str, Document] = {seed.id: seed for seed in seeds.documents}
        self.seed_ids = list(self.documents)
        self._library = library
        self._encoder = encoder
        self._stages = stages
        self._counter = TermCounter(library.analyze)
        self._counter.add(seeds.documents)

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

    def material(self, retrieval: Scores, *, vectors: bool = True) -> Material:
        """Return what methods score seeds and pool from, with vectors if there is an encoder."""
        ids = [*self.seed_ids, *self.pool]
        with self._stages("features"):
            words = word_features(self._counter.counts(ids))
        self.words = words
        return Material(
            seeds=len(self.seed_ids),
            documents=[self.documents[identifier] for identifier in ids],
            analyze=self._library.analyze,
            words=words,
            retrieval=self._of_whole_pool(retrieval),
            encoder=self._encoder,
            vectors=self._vectors(ids) if vectors else None,
        )

    def seed_scores(self, scores: Scores) -> list[tuple[str, float]]:
        """Return each seed with its score; one that would not be retrieved has the lowest."""
        lowest = scores.pool.min()
        known = np.where(np.isnan(scores.seeds), lowest, scores.seeds)
        return list(zip(self.seed_ids, known.tolist(), strict=True))

    def _of_whole_pool(self, retrieval: Scores) -> Scores:
        """Return the engine's scores with the lowest for what only a later round has found."""
        later = len(self.pool) - len(retrieval.pool)
        if later <= 0:
            return retrieval
        return Scores(retrieval.seeds, np.pad(retrieval.pool, (0, later), mode="minimum"))

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
