"""Why a document has its score: the terms that moved it, and the seed it is most like."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.expansion import Explanation
from likewise.learn.explanations import TermModel, divergence_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.expansion.candidates import Candidates

TERMS = 8


class Why:
    """Explains the documents of an expansion, each when it is asked for."""

    def __init__(self, candidates: Candidates, *, model: TermModel | None) -> None:
        self._candidates = candidates
        self._given = model
        self._rows = {identifier: row for row, identifier in enumerate(candidates.ids)}

    def __call__(self, identifier: str) -> Explanation:
        """Return why the document of an id has its score."""
        row = self._rows[identifier]
        added = sorted(self._model.contributions(row).items(), key=lambda item: (-item[1], item[0]))
        up = [(term, value) for term, value in added[:TERMS] if value > 0]
        down = [(term, value) for term, value in reversed(added[-TERMS:]) if value < 0]
        return Explanation(tuple(up), tuple(down), self._candidates.seed_ids[self._nearest[row]])

    @cached_property
    def _model(self) -> TermModel:
        # A method that is no sum over terms is explained by what the seeds share.
        words, seeds = self._candidates.words, len(self._candidates.seed_ids)
        return self._given or divergence_model(words, seeds=seeds)

    @cached_property
    def _nearest(self) -> NDArray[np.int64]:
        """The number of the seed that each document is most like, by the cosine of tf-idf."""
        tfidf, seeds = self._candidates.words.tfidf, len(self._candidates.seed_ids)
        likeness = (tfidf @ tfidf[:seeds].T).toarray()
        likeness[np.arange(seeds), np.arange(seeds)] = -1
        return np.asarray(likeness.argmax(axis=1))
