"""Hits of a search, however many: in one page, or in several that see the index as it was.

Several pages are held together by a point in time, which the server keeps for a minute after each.
It is lost with the node that kept it; then all pages are asked for again.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.errors import LibraryError
from likewise.library.opensearch.layouts import Hit  # noqa: TC001  # msgspec reads annotations
from likewise.library.opensearch.troubles import RETRYABLE, ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.opensearch.queries import Clause

KEEP_ALIVE = "1m"
PAGE_PATIENCE = 5.0
"""How many seconds a page is waited for before all of them are asked for again."""
AGAIN = 0.5
"""How many seconds lie between two attempts."""


class _Hits(msgspec.Struct, gc=False):
    hits: list[Hit]


class _Answer(msgspec.Struct, gc=False):
    hits: _Hits
    pit_id: str = ""


class Pages:
    """The hits of a search, page by page."""

    def __init__(
        self,
        connection: Connection,
        layout: Layout,
        *,
        params: Mapping[str, str],
        page: int | None = None,
    ) -> None:
        """Say where to search.

        Args:
            connection: The way to the index.
            layout: Says which index it is, and how many hits it gives at once.
            params: Parameters of each request.
            page: How many hits to ask for at once, if fewer than the index gives.
        """
        self._connection = connection
        self._layout = layout
        self._params = params
        self._size = min(layout.window, page or layout.window)

    def hits(self, search: Clause, *, wanted: int | None = None) -> list[Hit]:
        """Return the first hits of a search, or all of them."""
        if wanted is not None and wanted <= self._size:
            return self._first(search, size=wanted)
        hits = self._first(search, size=self._size) if wanted is None else []
        if wanted is None and len(hits) < self._size:
            return hits
        return self._all(search, wanted=wanted)

    def _first(self, search: Clause, *, size: int) -> list[Hit]:
        path = f"/{self._layout.index}/_search"
        answer = self._connection.ask(
            "POST", path, body={**search, "size": size}, params=self._params, shape=_Answer
        )
        return _trimmed(answer.hits.hits, search)

    def _all(self, search: Clause, *, wanted: int | None) -> list[Hit]:
        give_up = math.inf
        while True:
            try:
                with _point_in_time(self._connection, self._layout.index) as point:
                    return self._paged(search, point, wanted=wanted)
            except ClusterError as error:
                give_up = min(give_up, time.monotonic() + self._connection.patience)
                if not _is_lost(error) or time.monotonic() >= give_up:
                    raise
            time.sleep(AGAIN)

    def _paged(self, search: Clause, point: str, *, wanted: int | None) -> list[Hit]:
        hits: list[Hit] = []
        asked: dict[str, Any] = {**search, "size": self._size}
        while wanted is None or len(hits) < wanted:
            asked["pit"] = {"id": point, "keep_alive": KEEP_ALIVE}
            answer = self._connection.ask(
                "POST",
                "/_search",
                body=asked,
                params=self._params,
                shape=_Answer,
                patience=min(PAGE_PATIENCE, self._connection.patience),
            )
            page, point = answer.hits.hits, answer.pit_id or point
            is_last = len(page) < self._size
            page = page if is_last else _without_last_tie(page)
            if page:
                asked["search_after"] = page[-1].sort
            hits += _trimmed(page, search)
            if is_last:
                break
        return hits[:wanted]


def _without_last_tie(page: list[Hit]) -> list[Hit]:
    """Return a page without those that stand where it ends; they come whole with the next.

    There is more than one only where nothing that is sorted by tells all documents apart.
    """
    last = page[-1].sort
    others = (place for place in range(len(page) - 1, -1, -1) if page[place].sort != last)
    return page[: next(others, len(page) - 1) + 1]


def _trimmed(hits: list[Hit], search: Clause) -> list[Hit]:
    """Cut off what a server added to the values that hits are sorted by."""
    length = len(search["sort"])
    if hits and len(hits[0].sort) > length:
        for hit in hits:
            hit.sort = hit.sort[:length]
    return hits


@contextmanager
def _point_in_time(connection: Connection, index: str) -> Iterator[str]:
    """Hold an index still for as long as pages are asked for."""
    is_elastic = connection.distribution == "elasticsearch"
    path = f"/{index}/_pit" if is_elastic else f"/{index}/_search/point_in_time"
    params = {"keep_alive": KEEP_ALIVE}
    if not is_elastic:
        # There it is so by itself.
        params["allow_partial_pit_creation"] = "false"
    answer = connection.ask("POST", path, params=params)
    point: str = answer["id"] if is_elastic else answer["pit_id"]
    try:
        yield point
    finally:
        # It ends by itself, only later.
        with suppress(LibraryError):
            gone: Any = {"id": point} if is_elastic else {"pit_id": [point]}
            path = "/_pit" if is_elastic else "/_search/point_in_time"
            connection.ask("DELETE", path, body=gone, missing={}, patience=0)


def _is_lost(error: ClusterError) -> bool:
    """Tell whether another point in time may do better."""
    return (
        # Without an answer, or with one that asks to come again.
        error.status == 0
        or error.status in RETRYABLE
        or error.status == HTTPStatus.NOT_FOUND
        or "search_context_missing_exception" in error.kinds
    )
