"""What is read from an index: whole documents, ids of the best and of all, and counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from likewise.documents import Document
from likewise.library.opensearch.connection import (
    Connection,
    ask_for_each,
    ask_until_whole,
    split_batches,
)
from likewise.library.opensearch.layouts import (
    Hit,  # msgspec reads annotations
    IndexLayout,
    OwnLayout,
    spell_digest,
)
from likewise.library.opensearch.searches import (
    SCORED,
    WHOLE,
    Clause,
    Pages,
    find_score_scale,
    make_document_search,
    make_having_query,
    make_id_search,
    make_limited_query,
    make_text_query,
)
from likewise.library.protocol import Heading, Hits, LibraryInfo, Query, settle_ties
from likewise.library.where import ANYWHERE, Where

DOCUMENTS_AT_ONCE = 500
"""How many documents are asked for at once."""
DOCUMENTS_A_PAGE = 2000
"""How many documents come in one page of a search for whole ones."""

# How many more hits are asked for if a tie has to be whole.
BEYOND = 200
VALUES_AT_ONCE = 50_000
"""How many values are counted at once: more than MeSH has, fewer than servers refuse."""


class _GetAnswer(msgspec.Struct, gc=False):
    docs: list[Hit]


def read_by_id(
    connection: Connection, layout: IndexLayout, ids: Sequence[str]
) -> dict[str, Document]:
    """Return the documents with these ids, by id; unknown ids are left out."""
    wanted = sorted(set(ids) - {""})  # which nothing has, and servers do not take
    size = min(DOCUMENTS_AT_ONCE, layout.keys_at_once)

    def read(batch: list[str]) -> list[Document]:
        if layout.is_direct:
            return _get_directly(connection, layout, batch)
        return _search_documents(connection, layout, layout.make_id_query(batch))

    found = ask_for_each(read, list(split_batches(wanted, size)))
    return {document.id: document for documents in found for document in documents}


def read_by_key(
    connection: Connection, layout: IndexLayout, keys: Collection[str]
) -> list[Document]:
    """Return the documents that hold any of these identity keys, in the order of their ids."""
    found: dict[str, Document] = {}
    for batch in split_batches(sorted(set(keys)), layout.keys_at_once):
        query = layout.make_key_query(batch)
        if query is not None:
            documents = _search_documents(connection, layout, query)
            found |= {document.id: document for document in documents}
    return [found[identifier] for identifier in sorted(found)]


def find_exact(
    connection: Connection, layout: OwnLayout, documents: Sequence[Document]
) -> set[str]:
    """Return the ids of those documents that are in the index exactly as given."""
    # Only ids come back, from a column: documents need not be fetched to be compared.
    query = layout.make_key_query([spell_digest(document) for document in documents])
    search = make_id_search(query, layout, scored=False)
    hits = Pages(connection, layout, params=WHOLE).read_hits(search, wanted=len(documents))
    return {document.id for document in documents} & set(read_ids(hits, layout))


def _get_directly(
    connection: Connection, layout: IndexLayout, ids: Sequence[str]
) -> list[Document]:
    # The server already knows what was not committed, but it must not be seen.
    params = {"realtime": "false", "_source_includes": ",".join(layout.source_fields) or None}
    body = {"ids": [layout.find_stored_id(identifier) for identifier in ids]}
    path = f"/{layout.index}/_mget"

    def ask() -> _GetAnswer:
        answer: _GetAnswer = connection.ask(
            "POST", path, body=body, params=params, shape=_GetAnswer
        )
        return answer

    answer = ask_until_whole(connection, ask, lambda got: (hit.error for hit in got.docs))
    return [layout.read_document(hit) for hit in answer.docs if hit.found]


def _search_documents(connection: Connection, layout: IndexLayout, query: Clause) -> list[Document]:
    pages = Pages(connection, layout, params=WHOLE, page=DOCUMENTS_A_PAGE)
    return [
        layout.read_document(hit) for hit in pages.read_hits(make_document_search(query, layout))
    ]


def find_best(
    connection: Connection,
    layout: IndexLayout,
    *,
    query: Query,
    limit: int,
    exclude: AbstractSet[str],
) -> Hits:
    """Return the best documents for a query, without the excluded ids; ties are in id order."""
    clause = make_text_query(query, layout, scale=find_score_scale(connection))
    if limit < 1 or clause is None:
        return Hits([], [])
    pages = Pages(connection, layout, params=SCORED)
    search = make_id_search(clause, layout, scored=True)
    wanted = limit + len(exclude)
    # Indexes of ours return ties in the order of ids.
    found = (
        pages.read_hits(search, wanted=wanted)
        if layout.is_own
        else _find_whole_ties(pages, search, wanted)
    )
    ids = read_ids(found, layout)
    scores = [float(hit.sort[0]) for hit in found]
    settle_ties(ids, scores)
    kept = [row for row, identifier in enumerate(ids) if identifier not in exclude][:limit]
    return Hits([ids[row] for row in kept], [scores[row] for row in kept])


def _find_whole_ties(pages: Pages, search: Clause, wanted: int) -> list[Hit]:
    """Return at least the wanted hits, with all that tie with the last of them."""
    limit = wanted + BEYOND
    while True:
        hits = pages.read_hits(search, wanted=limit)
        if len(hits) < limit or hits[wanted - 1].sort[0] != hits[-1].sort[0]:
            return hits
        limit *= 2


def find_ids_having(
    connection: Connection, layout: IndexLayout, terms: Sequence[Collection[Heading]]
) -> list[str]:
    """Return the sorted ids of the documents that have a heading of each of the terms."""
    return _list_ids(connection, layout, make_having_query(terms, layout))


def list_ids(connection: Connection, layout: IndexLayout, where: Where) -> list[str]:
    """Return the sorted ids of all documents within some limits."""
    return _list_ids(connection, layout, make_limited_query(where, layout))


def _list_ids(connection: Connection, layout: IndexLayout, query: Clause) -> list[str]:
    search = make_id_search(query, layout, scored=False)
    return sorted(read_ids(Pages(connection, layout, params=WHOLE).read_hits(search), layout))


def read_ids(hits: Sequence[Hit], layout: IndexLayout) -> list[str]:
    """Return the ids of hits that were asked for by `make_id_search`."""
    return [str(hit.sort[-1]) for hit in hits] if layout.id_field else [hit.id for hit in hits]


def count_headings(connection: Connection, layout: IndexLayout) -> dict[Heading, int]:
    """Return every heading with the number of documents that have it."""
    counts: defaultdict[Heading, int] = defaultdict(int)
    for value, number in _count_values(connection, layout):
        counts[layout.parse_heading(value)] += number
    return dict(counts)


def _count_values(connection: Connection, layout: IndexLayout) -> list[tuple[str, int]]:
    """Return every value of the field of headings, and how many documents have it."""
    parts = 1
    while True:
        buckets = _count_in_parts(connection, layout, parts=parts)
        if buckets is not None:
            return [(str(bucket["key"]), bucket["doc_count"]) for bucket in buckets]
        parts *= 4


def _count_in_parts(connection: Connection, layout: IndexLayout, *, parts: int) -> list[Any] | None:
    """Return the counts of all values, asked for in parts, or None if one is too large."""
    found: list[Any] = []
    for number in range(parts):
        terms: dict[str, Any] = {"field": layout.mesh_field, "size": VALUES_AT_ONCE}
        if parts > 1:
            terms["include"] = {"partition": number, "num_partitions": parts}
        answer = aggregate(connection, layout, {"headings": {"terms": terms}})
        counted = answer["aggregations"]["headings"]
        if counted["sum_other_doc_count"]:
            return None
        found += counted["buckets"]
    return found


def count_documents(connection: Connection, layout: IndexLayout, where: Where = ANYWHERE) -> int:
    """Return how many documents are within some limits, in all shards."""
    # The server's own request for counting would count only the shards that it can reach.
    query = make_limited_query(where, layout)
    answer = aggregate(connection, layout, {}, query=query, track_total_hits=True)
    return int(answer["hits"]["total"]["value"])


def describe_library(connection: Connection, layout: IndexLayout, *, changed: str) -> LibraryInfo:
    """Return what is known about the library as a whole."""
    answer = aggregate(connection, layout, dict(layout.counted), track_total_hits=True)
    stored = connection.ask("GET", f"/{layout.index}/_stats/store")
    return LibraryInfo(
        documents=answer["hits"]["total"]["value"],
        fields=_sort_counts(answer["aggregations"]["fields"]["buckets"]),
        sources=_sort_counts(answer["aggregations"]["sources"]["buckets"]),
        bytes=stored["_all"]["total"]["store"]["size_in_bytes"],
        changed=changed,
    )


def _sort_counts(buckets: Any) -> dict[str, int]:
    """Return the count of each bucket that holds something, most frequent first."""
    named = buckets if isinstance(buckets, dict) else {bucket["key"]: bucket for bucket in buckets}
    counts = {str(name): int(bucket["doc_count"]) for name, bucket in named.items()}
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {name: number for name, number in often if number}


def aggregate(
    connection: Connection,
    layout: IndexLayout,
    aggregations: dict[str, Any],
    *,
    query: Clause | None = None,
    track_total_hits: bool = False,
) -> Any:
    """Return the server's counts of the documents that match a query, or of all."""
    body = {"size": 0, "track_total_hits": track_total_hits, "aggs": aggregations}
    if query:
        body["query"] = query
    return connection.ask("POST", f"/{layout.index}/_search", body=body, params=WHOLE)
