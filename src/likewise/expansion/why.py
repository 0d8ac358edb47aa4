"""Why a document has its score: the terms that moved it, and the seed it is most like."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.expansion import Explanation, Reasons
from likewise.learn.explanations import TermModel, divergence_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.expansion.candidates import Candidates
    from likewise.learn.explanations import Strongest

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
        added = self._model.contributions(row).items()
        first = sorted(added, key=lambda item: (-item[1], item[0]))[:TERMS]
        last = sorted(added, key=lambda item: (item[1], item[0]))[:TERMS]
        up = [(term, value) for term, value in first if value > 0]
        down = [(term, value) for term, value in last if value < 0]
        return Explanation(tuple(up), tuple(down), self._candidates.seed_ids[self._nearest[row]])

    def reasons(self, *, up: int, down: int) -> Iterator[tuple[str, Reasons]]:
        """Yield every document's id and why it has its score, with so many terms at most."""
        strongest = self._model.strongest(up=up, down=down)
        above, below = (self._by_document(terms) for terms in strongest)
        nearest = (self._candidates.seed_ids[seed] for seed in self._nearest.tolist())
        yield from zip(self._rows, map(Reasons, above, below, nearest), strict=True)

    def _by_document(self, strongest: Strongest) -> Iterator[tuple[str, ...]]:
        names = self._candidates.words.terms
        terms = [names[number] for number in strongest.terms.tolist()]
        bounds = np.searchsorted(strongest.rows, np.arange(len(self._rows) + 1)).tolist()
        return (tuple(terms[first:last]) for first, last in pairwise(bounds))

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
