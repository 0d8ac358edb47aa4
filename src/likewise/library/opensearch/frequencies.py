"""In how many documents terms occur: asked for thousands of terms at once.

The server gives statistics of terms with the term vectors of a document, and that document need not
be there: one is made of the terms. It answers for the shard that such a document would be sent to,
so each shard is asked, by a routing value that leads to it, and their numbers are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.errors import LibraryError
from likewise.library.opensearch.batching import ask_for_each, batches
from likewise.library.opensearch.whole import Failure, ask_until_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.query import Field

BATCH = 5000
"""How many terms are asked for at once."""
LONGEST_TERM = 32_766
"""Bytes of a term, at most: no index has longer ones, and servers fail at them."""
# So many are more than enough: each finds one of the shards, at random.
TRIES_PER_SHARD = 100

_ASKED = {
    "term_statistics": True,
    "field_statistics": False,
    "positions": False,
    "offsets": False,
    "payloads": False,
}


_NO_INDEX = Failure("index_not_found_exception", "the index is gone")
_NO_COPY = Failure("no_shard_available_action_exception", "of a shard there is no copy")


class Shard(NamedTuple):
    """A part of an index, and a routing value of documents that lie in it."""

    of: str
    routing: str


class _Term(msgspec.Struct, gc=False):
    doc_freq: int = 0


class _Vector(msgspec.Struct, gc=False):
    terms: dict[str, _Term] = {}


class _Answer(msgspec.Struct, gc=False):
    term_vectors: dict[str, _Vector] = {}


class Frequencies:
    """Counts the documents that have a term."""

    def __init__(self, connection: Connection, layout: Layout) -> None:
        self._connection = connection
        self._layout = layout
        self._shards: dict[str, list[Shard]] = {}

    def count(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents' field each term occurs."""
        counts = dict.fromkeys(terms, 0)
        name = self._layout.text[field]
        if name is None or not counts:
            return counts
        shards = [shard for index in self._layout.holders[field] for shard in self._of(index)]
        asked = sorted(filter(_can_be_a_term, counts))
        jobs = [(shard, batch) for batch in batches(asked, BATCH) for shard in shards]

        def ask(job: tuple[Shard, list[str]]) -> dict[str, _Term]:
            return self._ask(job[0], job[1], field=field, name=name)

        for found in ask_for_each(ask, jobs):
            for term, statistics in found.items():
                counts[term] += statistics.doc_freq
        return counts

    def _ask(
        self, shard: Shard, terms: Sequence[str], *, field: Field, name: str
    ) -> dict[str, _Term]:
        body: dict[str, Any] = {
            **_ASKED,
            "doc": self._layout.specimen(field, terms),
            "fields": [name],
            # Terms are terms already: each comes out as it went in.
            "per_field_analyzer": {name: "keyword"},
        }
        path, params = f"/{shard.of}/_termvectors", {"routing": shard.routing}
        ask = self._connection.ask
        answer: _Answer = ask("POST", path, body=body, params=params, shape=_Answer)
        return answer.term_vectors.get(name, _Vector()).terms

    def _of(self, index: str) -> list[Shard]:
        if index not in self._shards:
            self._shards[index] = shards_of(self._connection, index)
        return self._shards[index]


def _can_be_a_term(text: str) -> bool:
    return len(text.encode(errors="surrogatepass")) <= LONGEST_TERM


def shards_of(connection: Connection, index: str) -> list[Shard]:
    """Return the shards of an index, each with a routing value that leads to it alone."""
    missing = _numbers(connection, index)
    found: list[Shard] = []
    for value in range(TRIES_PER_SHARD * len(missing)):
        led_to = _numbers(connection, index, routing=str(value))
        if len(led_to) == 1 and led_to <= missing:
            found.append(Shard(index, str(value)))
            missing -= led_to
        if not missing:
            return found
    raise LibraryError(
        f"{connection.address}: no routing leads to {len(missing)} of the shards of {index}, "
        "so how often terms occur can't be counted; index its documents anew"
    )


def _numbers(connection: Connection, index: str, *, routing: str | None = None) -> set[int]:
    params = {"routing": routing}

    def ask() -> list[list[Any]]:
        path = f"/{index}/_search_shards"
        shards: list[list[Any]] = connection.ask("GET", path, params=params)["shards"]
        return shards

    answer = ask_until_whole(connection, ask, _missing)
    return {copy["shard"] for copies in answer for copy in copies}


def _missing(shards: list[list[Any]]) -> Iterator[Failure]:
    if not shards:
        yield _NO_INDEX
    yield from (_NO_COPY for copies in shards if not copies)
