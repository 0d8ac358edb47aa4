"""Searches of an index: queries in the server's own language, and their hits page by page.

All of it is in the subset that OpenSearch and Elasticsearch have in common. Several pages are held
together by a point in time, which the server keeps for a minute after each. It is lost with the
node that kept it; then all pages are asked for again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

from likewise.errors import ClusterError, LibraryError
from likewise.library.memory import K1
from likewise.library.opensearch.connection import WHOLE, Connection
from likewise.library.opensearch.foreign import IndexLayout
from likewise.library.opensearch.layouts import Hit  # msgspec reads annotations
from likewise.library.opensearch.troubles import RETRYABLE
from likewise.library.protocol import Heading, Query, Term
from likewise.library.where import Where

Clause = dict[str, Any]

SCORED = {**WHOLE, "search_type": "dfs_query_then_fetch"}
"""Parameters of a search whose scores count: all shards use the statistics of the whole."""

HEAVIEST = 1e30
"""How large a weight may be: scores are numbers of 32 bits."""

# From this version on, OpenSearch's scores lack a factor that all other servers' have.
_FIRST_WITHOUT_FACTOR = 3

KEEP_ALIVE = "1m"
PAGE_PATIENCE = 5.0
"""How many seconds to wait for a page before all of them are asked for again."""
AGAIN = 0.5
"""How many seconds to wait between two attempts."""


def make_text_query(query: Query, layout: IndexLayout, *, scale: float = 1.0) -> Clause | None:
    """Return the clause that scores documents by a query; None if no document can match it."""
    clauses: list[Clause] = [
        {"term": {field: {"value": term.text, "boost": _check_boost(term)}}}
        for term in query.terms
        if (field := layout.text.get(term.field))
    ]
    if len(clauses) < max(1, query.minimum):
        return None
    asked: Clause = {
        "should": clauses,
        "minimum_should_match": max(1, query.minimum),
        **(layout.make_limit(query.where) if query.where else {}),
    }
    return {"bool": asked if scale == 1.0 else {**asked, "boost": scale}}


def _check_boost(term: Term) -> float:
    if not 0 <= term.weight <= HEAVIEST:
        raise LibraryError(
            f"the weight of {term.text!r} is {term.weight}; "
            f"servers take weights from 0 to {HEAVIEST:g}"
        )
    return abs(term.weight)  # they take no -0.0


def find_score_scale(connection: Connection) -> float:
    """Return the factor that makes a server's scores equal to BM25 as others compute it.

    OpenSearch 3 leaves out the factor k1 + 1, which changes no order.
    """
    major = connection.version.partition(".")[0]
    is_new = major.isdecimal() and int(major) >= _FIRST_WITHOUT_FACTOR
    return K1 + 1 if connection.distribution == "opensearch" and is_new else 1.0


def make_having_query(terms: Sequence[Collection[Heading]], layout: IndexLayout) -> Clause:
    """Return the clause for all documents that have a heading of each of the terms."""
    clauses = [
        {"terms": {layout.mesh_field: sorted({layout.spell_heading(heading) for heading in term})}}
        for term in terms
    ]
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def make_limited_query(where: Where, layout: IndexLayout) -> Clause:
    """Return the clause for all documents within some limits."""
    parts = layout.make_limit(where)
    return {"bool": parts} if parts else {"match_all": {}}


def make_id_search(query: Clause, layout: IndexLayout, *, scored: bool) -> Clause:
    """Return a search for nothing but ids, sorted by score if `scored`, then by id."""
    # The values that hits are sorted by come back from columns, so no hit is looked up.
    how = {"stored_fields": "_none_"} if layout.id_field else {}
    return _make_search(query, layout, scored=scored, **how)


def make_document_search(query: Clause, layout: IndexLayout) -> Clause:
    """Return a search for whole documents, sorted by id if there is a field of ids."""
    source: Any = list(layout.source_fields) or True
    return _make_search({"constant_score": {"filter": query}}, layout, _source=source)


def make_column_search(query: Clause, layout: IndexLayout, *, columns: Sequence[str]) -> Clause:
    """Return a search for some fields of documents, from columns, sorted by id."""
    filtered = {"constant_score": {"filter": query}}
    how: Clause = {"stored_fields": "_none_", "docvalue_fields": list(columns)}
    return _make_search(filtered, layout, **how)


def _make_search(query: Clause, layout: IndexLayout, *, scored: bool = False, **how: Any) -> Clause:
    by_score = [{"_score": "desc"}] if scored else []
    sort = [*by_score, {layout.id_field or "_seq_no": "asc"}]
    return {"query": query, "track_total_hits": False, "_source": False, "sort": sort, **how}


class _HitList(msgspec.Struct, gc=False):
    hits: list[Hit]


class _PageAnswer(msgspec.Struct, gc=False):
    hits: _HitList
    pit_id: str = ""


@dataclass(frozen=True)
class Pages:
    """The hits of a search, page by page."""

    connection: Connection
    layout: IndexLayout
    params: Mapping[str, str]
    """Parameters of each request."""
    page: int | None = None
    """How many hits to ask for at once, if fewer than the index gives."""

    @property
    def _size(self) -> int:
        return min(self.layout.window, self.page or self.layout.window)

    def read_hits(self, search: Clause, *, wanted: int | None = None) -> list[Hit]:
        """Return the first hits of a search, or all of them."""
        if wanted is not None and wanted <= self._size:
            return self._read_first(search, size=wanted)
        hits = self._read_first(search, size=self._size) if wanted is None else []
        if wanted is None and len(hits) < self._size:
            return hits
        return self._read_all(search, wanted=wanted)

    def _read_first(self, search: Clause, *, size: int) -> list[Hit]:
        path = f"/{self.layout.index}/_search"
        answer = self.connection.ask(
            "POST", path, body={**search, "size": size}, params=self.params, shape=_PageAnswer
        )
        return _trim_sort(answer.hits.hits, search)

    def _read_all(self, search: Clause, *, wanted: int | None) -> list[Hit]:
        give_up = math.inf
        while True:
            try:
                with _hold_still(self.connection, self.layout.index) as point:
                    return self._read_pages(search, point, wanted=wanted)
            except ClusterError as error:
                give_up = min(give_up, time.monotonic() + self.connection.patience)
                if not _is_lost(error) or time.monotonic() >= give_up:
                    raise
            time.sleep(AGAIN)

    def _read_pages(self, search: Clause, point: str, *, wanted: int | None) -> list[Hit]:
        hits: list[Hit] = []
        asked: dict[str, Any] = {**search, "size": self._size}
        while wanted is None or len(hits) < wanted:
            asked["pit"] = {"id": point, "keep_alive": KEEP_ALIVE}
            answer = self.connection.ask(
                "POST",
                "/_search",
                body=asked,
                params=self.params,
                shape=_PageAnswer,
                patience=min(PAGE_PATIENCE, self.connection.patience),
            )
            page, point = answer.hits.hits, answer.pit_id or point
            is_last = len(page) < self._size
            page = page if is_last else _drop_last_tie(page)
            if page:
                asked["search_after"] = page[-1].sort
            hits += _trim_sort(page, search)
            if is_last:
                break
        return hits[:wanted]


def _drop_last_tie(page: list[Hit]) -> list[Hit]:
    """Return a page without the hits that tie with its last one: they come with the next page.

    There is more than one only if the values sorted by do not tell all documents apart.
    """
    last = page[-1].sort
    others = (place for place in range(len(page) - 1, -1, -1) if page[place].sort != last)
    return page[: next(others, len(page) - 1) + 1]


def _trim_sort(hits: list[Hit], search: Clause) -> list[Hit]:
    """Cut off what a server added to the values that hits are sorted by."""
    length = len(search["sort"])
    if hits and len(hits[0].sort) > length:
        for hit in hits:
            hit.sort = hit.sort[:length]
    return hits


@contextmanager
def _hold_still(connection: Connection, index: str) -> Iterator[str]:
    """Hold an index still for as long as pages are asked for."""
    is_elastic = connection.distribution == "elasticsearch"
    path = f"/{index}/_pit" if is_elastic else f"/{index}/_search/point_in_time"
    params = {"keep_alive": KEEP_ALIVE}
    if not is_elastic:
        # Elasticsearch does so by default.
        params["allow_partial_pit_creation"] = "false"
    answer = connection.ask("POST", path, params=params)
    point: str = answer["id"] if is_elastic else answer["pit_id"]
    try:
        yield point
    finally:
        # It would end by itself, only later.
        with suppress(LibraryError):
            gone: Any = {"id": point} if is_elastic else {"pit_id": [point]}
            path = "/_pit" if is_elastic else "/_search/point_in_time"
            connection.ask("DELETE", path, body=gone, missing={}, patience=0)


def _is_lost(error: ClusterError) -> bool:
    """Return whether another point in time may help."""
    return (
        # There was no answer, or one that asks to try again.
        error.status == 0
        or error.status in RETRYABLE
        or error.status == HTTPStatus.NOT_FOUND
        or "search_context_missing_exception" in error.kinds
    )
