"""Term counts: each document's terms, counted once, from which all word features are made."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from likewise.library.query import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.documents import Document

    Analyze = Callable[[Field, str], list[str]]
    AnalyzeAll = Callable[[Field, Sequence[str]], list[list[str]]]

BATCH = 1_000
"""So many documents' terms are held at a time."""


class TermCounts(NamedTuple):
    """How often each term occurs in each document, title and abstract apart."""

    terms: list[str]
    """The columns."""
    title: sparse.csr_array
    abstract: sparse.csr_array


class TermCounter:
    """Counts terms as documents come in; what was counted is not counted again."""

    def __init__(self, analyze_all: AnalyzeAll) -> None:
        """Count terms as an engine's analysis of many texts gives them."""
        self._analyze_all = analyze_all
        self._columns: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._fields = {field: _Rows() for field in FIELDS}

    def add(self, documents: Iterable[Document]) -> None:
        """Count the terms of documents, each under its id."""
        new: dict[str, Document] = {}
        for document in documents:
            if document.id not in self._rows:
                new.setdefault(document.id, document)
        rows = list(new.values())
        for start in range(0, len(rows), BATCH):
            self._add(rows[start : start + BATCH])

    def _add(self, documents: Sequence[Document]) -> None:
        columns = self._columns
        analyzed = [
            self._analyze_all(field, [getattr(document, field) for document in documents])
            for field in FIELDS
        ]
        for document, fields in zip(documents, zip(*analyzed, strict=True), strict=True):
            self._rows[document.id] = len(self._rows)
            for rows, terms in zip(self._fields.values(), fields, strict=True):
                rows.append(Counter([columns.setdefault(term, len(columns)) for term in terms]))

    def counts(self, ids: Sequence[str]) -> TermCounts:
        """Return the counts of documents, in this order."""
        rows = [self._rows[identifier] for identifier in ids]
        title, abstract = (self._fields[field].matrix(len(self._columns))[rows] for field in FIELDS)
        return TermCounts(list(self._columns), title, abstract)


def one_by_one(analyze: Analyze) -> AnalyzeAll:
    """Return the analysis of many texts that analyses one after the other."""
    return lambda field, texts: [analyze(field, text) for text in texts]


class _Rows:
    """The rows of a matrix of counts, as they come."""

    def __init__(self) -> None:
        self.columns = array("i")
        self.counts = array("f")
        self.ends = array("q", [0])

    def append(self, counted: Counter[int]) -> None:
        """Add a row."""
        self.columns.extend(counted.keys())
        self.counts.extend(counted.values())
        self.ends.append(len(self.columns))

    def matrix(self, columns: int) -> sparse.csr_array:
        """Return all rows."""
        parts = (
            np.array(self.counts, dtype=np.float32),
            np.array(self.columns, dtype=np.int32),
            np.array(self.ends, dtype=np.int64),
        )
        made = sparse.csr_array(parts, shape=(len(self.ends) - 1, columns))
        made.sort_indices()
        return made
