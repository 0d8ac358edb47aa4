"""Term vectors of made-up documents: how many documents have terms, and which terms texts have.

The server gives statistics of terms with the term vectors of a document, which need not be in the
index: one is made of the terms, thousands at once. The server answers for the shard that such a
document would be sent to. So each shard is asked, with a routing value that leads to it, and their
numbers are added. In the same way, texts are made into terms as another index makes them, which
needs nothing but the right to read.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from likewise.errors import LibraryError
from likewise.library.opensearch.connection import (
    Connection,
    PartFailure,
    ask_for_each,
    ask_until_whole,
    split_batches,
)
from likewise.library.opensearch.foreign import IndexLayout
from likewise.library.opensearch.foreign_fields import IndexField
from likewise.library.protocol import Field

TERMS_AT_ONCE = 5000
"""How many terms are asked for at once."""
LONGEST_TERM = 32_766
"""Bytes of a term, at most: no index has longer ones, and servers fail on them."""
# This is more than enough: each try finds one of the shards, at random.
TRIES_PER_SHARD = 100

_ASKED = {
    "term_statistics": True,
    "field_statistics": False,
    "positions": False,
    "offsets": False,
    "payloads": False,
}

_NO_INDEX = PartFailure("index_not_found_exception", "the index is gone")
_NO_COPY = PartFailure("no_shard_available_action_exception", "a shard has no copy")

TEXTS_AT_ONCE = 500
"""How many texts go into a request at most."""
CHARACTERS_AT_ONCE = 200_000
MOST_KEPT = 100_000
LONGEST_KEPT = 40
"""Words are asked for over and over; longer texts are not."""


class Shard(NamedTuple):
    """A part of an index, and a routing value of documents that lie in it."""

    of: str
    routing: str


class _TermToken(msgspec.Struct, gc=False):
    position: int


class _VectorTerm(msgspec.Struct, gc=False):
    doc_freq: int = 0
    tokens: list[_TermToken] = []


class _TermVector(msgspec.Struct, gc=False):
    terms: dict[str, _VectorTerm] = {}


class _VectorsAnswer(msgspec.Struct, gc=False):
    term_vectors: dict[str, _TermVector] = {}
    error: PartFailure | None = None


class _AnalysisAnswer(msgspec.Struct, gc=False):
    docs: list[_VectorsAnswer]


class Frequencies:
    """Counts the documents that have a term."""

    def __init__(self, connection: Connection, layout: IndexLayout) -> None:
        self._connection = connection
        self._layout = layout
        self._shards: dict[str, list[Shard]] = {}

    def count(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field."""
        counts = dict.fromkeys(terms, 0)
        name = self._layout.text.get(field)
        if name is None or not counts:
            return counts
        shards = [
            shard for index in self._layout.holders[field] for shard in self._find_shards_of(index)
        ]
        asked = sorted(t for t in counts if len(t.encode(errors="surrogatepass")) <= LONGEST_TERM)
        jobs = [(shard, batch) for batch in split_batches(asked, TERMS_AT_ONCE) for shard in shards]

        def ask(job: tuple[Shard, list[str]]) -> dict[str, _VectorTerm]:
            return self._ask(job[0], job[1], field=field, name=name)

        for found in ask_for_each(ask, jobs):
            for term, statistics in found.items():
                counts[term] += statistics.doc_freq
        return counts

    def _ask(
        self, shard: Shard, terms: Sequence[str], *, field: Field, name: str
    ) -> dict[str, _VectorTerm]:
        body: dict[str, Any] = {
            **_ASKED,
            "doc": self._layout.make_specimen(field, terms),
            "fields": [name],
            # These are terms already: each comes out as it went in.
            "per_field_analyzer": {name: "keyword"},
        }
        path, params = f"/{shard.of}/_termvectors", {"routing": shard.routing}
        ask = self._connection.ask
        answer: _VectorsAnswer = ask("POST", path, body=body, params=params, shape=_VectorsAnswer)
        return answer.term_vectors.get(name, _TermVector()).terms

    def _find_shards_of(self, index: str) -> list[Shard]:
        if index not in self._shards:
            self._shards[index] = find_shards(self._connection, index)
        return self._shards[index]


def find_shards(connection: Connection, index: str) -> list[Shard]:
    """Return the shards of an index, each with a routing value that leads to it alone."""
    missing = _find_numbers(connection, index)
    found: list[Shard] = []
    for value in range(TRIES_PER_SHARD * len(missing)):
        led_to = _find_numbers(connection, index, routing=str(value))
        if len(led_to) == 1 and led_to <= missing:
            found.append(Shard(index, str(value)))
            missing -= led_to
        if not missing:
            return found
    raise LibraryError(
        f"{connection.address}: no routing leads to {len(missing)} of the shards of {index}, "
        "so terms can't be counted; index its documents again"
    )


def _find_numbers(connection: Connection, index: str, *, routing: str | None = None) -> set[int]:
    path = f"/{index}/_search_shards"
    ask = partial(connection.ask, "GET", path, params={"routing": routing})
    answer = ask_until_whole(connection, ask, _find_missing)
    return {copy["shard"] for copies in answer["shards"] for copy in copies}


def _find_missing(answer: dict[str, list[Any]]) -> Iterator[PartFailure]:
    if not answer["shards"]:
        yield _NO_INDEX
    yield from (_NO_COPY for copies in answer["shards"] if not copies)


class ForeignAnalysis:
    """Asks an index for the terms of texts, and remembers those of single words."""

    def __init__(self, connection: Connection, index: str, field: IndexField) -> None:
        self._connection = connection
        self._index = index
        self._field = field
        self._kept: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def list_terms(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms of each text, in their order."""
        known = {text: self._kept[text] for text in set(texts) if text in self._kept}
        # What is blank has no terms, whatever the analysis.
        known |= {text: [] for text in texts if not text.strip()}
        wanted = list(dict.fromkeys(text for text in texts if text not in known))
        batches = list(split_texts(wanted))
        for batch, found in zip(batches, ask_for_each(self._ask, batches), strict=True):
            known |= zip(batch, found, strict=True)
        self._keep({text: known[text] for text in wanted if len(text) <= LONGEST_KEPT})
        return [list(known[text]) for text in texts]

    def _ask(self, texts: Sequence[str]) -> list[list[str]]:
        asked = {
            "fields": [self._field.name],
            "term_statistics": False,
            "field_statistics": False,
            "positions": True,
            "offsets": False,
            "payloads": False,
            # Some indexes insist on it; for a document that is not there, any value will do.
            "routing": "0",
        }
        body = {"docs": [asked | {"doc": {self._field.source: text}} for text in texts]}
        path = f"/{self._index}/_mtermvectors"

        ask = partial(self._connection.ask, "POST", path, body=body, shape=_AnalysisAnswer)
        answer = ask_until_whole(self._connection, ask, lambda made: (d.error for d in made.docs))
        return [self._order_terms(document) for document in answer.docs]

    def _order_terms(self, document: _VectorsAnswer) -> list[str]:
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


def split_texts(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts in batches, none too large for a request."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == TEXTS_AT_ONCE or size + len(text) > CHARACTERS_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
