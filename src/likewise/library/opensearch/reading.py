"""Whole documents out of an index: many by their ids, or all that hold certain keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.library.opensearch.batching import ask_for_each, batches
from likewise.library.opensearch.layouts import Hit  # noqa: TC001  # msgspec reads annotations
from likewise.library.opensearch.pages import Pages
from likewise.library.opensearch.queries import WHOLE, documents_of_hits
from likewise.library.opensearch.whole import ask_until_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from likewise.documents import Document
    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.opensearch.queries import Clause

BATCH = 500
"""How many documents are asked for at once."""
PAGE = 2000
"""How many documents come in one page of a search for whole ones."""


class _Got(msgspec.Struct, gc=False):
    docs: list[Hit]


def documents_by_id(
    connection: Connection, layout: Layout, ids: Sequence[str]
) -> dict[str, Document]:
    """Return the documents of these ids, by id; those that are not there are left out."""
    wanted = sorted(set(ids) - {""})  # which nothing has, and servers do not take
    size = min(BATCH, layout.keys_at_once)

    def read(batch: list[str]) -> list[Document]:
        if layout.is_direct:
            return _got(connection, layout, batch)
        return _searched(connection, layout, layout.id_query(batch))

    found = ask_for_each(read, list(batches(wanted, size)))
    return {document.id: document for documents in found for document in documents}


def documents_by_key(
    connection: Connection, layout: Layout, keys: Collection[str]
) -> list[Document]:
    """Return the documents that hold any of these identity keys, in the order of their ids."""
    found: dict[str, Document] = {}
    for batch in batches(sorted(set(keys)), layout.keys_at_once):
        query = layout.key_query(batch)
        if query is not None:
            documents = _searched(connection, layout, query)
            found |= {document.id: document for document in documents}
    return [found[identifier] for identifier in sorted(found)]


def _got(connection: Connection, layout: Layout, ids: Sequence[str]) -> list[Document]:
    # What was not committed is known to the server already, but is not to be seen.
    params = {"realtime": "false", "_source_includes": ",".join(layout.source_fields) or None}
    body = {"ids": [layout.stored_id(identifier) for identifier in ids]}
    path = f"/{layout.index}/_mget"

    def ask() -> _Got:
        answer: _Got = connection.ask("POST", path, body=body, params=params, shape=_Got)
        return answer

    answer = ask_until_whole(connection, ask, lambda got: (hit.error for hit in got.docs))
    return [layout.document(hit) for hit in answer.docs if hit.found]


def _searched(connection: Connection, layout: Layout, query: Clause) -> list[Document]:
    pages = Pages(connection, layout, params=WHOLE, page=PAGE)
    return [layout.document(hit) for hit in pages.hits(documents_of_hits(query, layout))]
