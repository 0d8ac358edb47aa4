"""Terms counted once: pools of many tasks share most of their documents.

What is returned for some documents does not depend on which others were counted before, so that the
same task gives the same numbers: columns are in the order of their terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.terms import TermCounter, TermCounts
from likewise.library.analysis import english

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.documents import Document
    from likewise.library.query import Field


class CountedTerms:
    """The term counts of all documents seen so far."""

    def __init__(self) -> None:
        self._counter = TermCounter(self.analyze_all, by_chunk=True)

    @staticmethod
    def analyze_all(field: Field, texts: Sequence[str]) -> list[list[str]]:  # noqa: ARG004
        """Return the terms of texts, as the embedded engine makes them; both fields are alike."""
        return list(map(english().analyze, texts))

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
