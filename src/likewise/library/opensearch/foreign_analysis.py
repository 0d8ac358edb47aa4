"""The terms of texts as another index makes them.

The server is asked for the term vectors of documents that are not there: any number of texts comes
in one request. Nothing but the right to read is needed for it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from likewise.library.opensearch.batching import ask_for_each
from likewise.library.opensearch.whole import Failure, ask_until_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.fields import IndexField

BATCH = 500
"""How many texts go into a request at most."""
BATCH_CHARACTERS = 200_000

MOST_KEPT = 100_000
LONGEST_KEPT = 40
"""Words are asked for over and over, longer texts are not."""


class _Token(msgspec.Struct, gc=False):
    position: int


class _Term(msgspec.Struct, gc=False):
    tokens: list[_Token] = []


class _Vector(msgspec.Struct, gc=False):
    terms: dict[str, _Term] = {}


class _Vectors(msgspec.Struct, gc=False):
    term_vectors: dict[str, _Vector] = {}
    error: Failure | None = None


class _Answer(msgspec.Struct, gc=False):
    docs: list[_Vectors]


class ForeignAnalysis:
    """Asks an index for the terms of texts, and remembers those of single words."""

    def __init__(self, index: str, field: IndexField) -> None:
        self._index = index
        self._field = field
        self._kept: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def terms(self, connection: Connection, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms of each text, in their order."""
        known = {text: self._kept[text] for text in set(texts) if text in self._kept}
        # What is blank has no terms, whatever the analysis.
        known |= {text: [] for text in texts if not text.strip()}
        wanted = list(dict.fromkeys(text for text in texts if text not in known))
        batches = list(batches_of(wanted))
        answers = ask_for_each(lambda batch: self._ask(connection, batch), batches)
        for batch, found in zip(batches, answers, strict=True):
            known |= zip(batch, found, strict=True)
        self._keep({text: known[text] for text in wanted if len(text) <= LONGEST_KEPT})
        return [list(known[text]) for text in texts]

    def _ask(self, connection: Connection, texts: Sequence[str]) -> list[list[str]]:
        asked = {
            "fields": [self._field.name],
            "term_statistics": False,
            "field_statistics": False,
            "positions": True,
            "offsets": False,
            "payloads": False,
            # Some indexes insist on it; what is not there may lie anywhere.
            "routing": "0",
        }
        body = {"docs": [asked | {"doc": {self._field.source: text}} for text in texts]}
        path = f"/{self._index}/_mtermvectors"

        def ask() -> _Answer:
            answer: _Answer = connection.ask("POST", path, body=body, shape=_Answer)
            return answer

        answer = ask_until_whole(connection, ask, lambda made: (d.error for d in made.docs))
        return [self._in_order(document) for document in answer.docs]

    def _in_order(self, document: _Vectors) -> list[str]:
        vector = document.term_vectors.get(self._field.name)
        if vector is None:
            return []
        placed = [(t.position, term) for term, found in vector.terms.items() for t in found.tokens]
        placed.sort()
        return [term for _, term in placed]

    def _keep(self, known: dict[str, list[str]]) -> None:
        with self._lock:
            if len(self._kept) + len(known) > MOST_KEPT:
                self._kept.clear()
            self._kept |= known


def batches_of(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts in batches, none too large for a request."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
