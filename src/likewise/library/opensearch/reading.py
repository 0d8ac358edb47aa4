"""What is read from an index: whole documents, ids of the best and of all, terms and counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import msgspec

from likewise.arguments import require_identifiers
from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library.analysis import analyze_text
from likewise.library.opensearch.connection import (
    WHOLE,
    Connection,
    ask_for_each,
    ask_until_whole,
    split_batches,
)
from likewise.library.opensearch.foreign import IndexLayout
from likewise.library.opensearch.layouts import (
    Hit,  # msgspec reads annotations
    OwnLayout,
    spell_digest,
)
from likewise.library.opensearch.searches import (
    SCORED,
    Clause,
    Pages,
    find_score_scale,
    make_document_search,
    make_having_query,
    make_id_search,
    make_limited_query,
    make_text_query,
)
from likewise.library.opensearch.term_vectors import ForeignAnalysis, Frequencies
from likewise.library.protocol import Field, Heading, Hits, LibraryInfo, Query, settle_ties
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


class IndexReader:
    """The part of a library on a cluster that reads, from an index of any layout."""

    def __init__(self, connection: Connection, layout: IndexLayout) -> None:
        self._connection = connection
        self._layout = layout
        self._frequencies = Frequencies(connection, layout)
        self._analyses: dict[Field, ForeignAnalysis] = {}
        if not isinstance(layout, OwnLayout):
            for part, field in layout.chosen.text.items():
                holder = layout.holders[part][0]
                self._analyses[part] = ForeignAnalysis(connection, holder, field)

    # Documents

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order given; unknown ids are left out."""
        ids = require_identifiers(ids)
        wanted = sorted(set(ids) - {""})  # which nothing has, and servers do not take
        size = min(DOCUMENTS_AT_ONCE, self._layout.keys_at_once)
        read = self._get_directly if self._layout.is_direct else self._search_by_id
        batches = ask_for_each(read, list(split_batches(wanted, size)))
        found = {document.id: document for documents in batches for document in documents}
        return [found[identifier] for identifier in ids if identifier in found]

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""
        found: dict[str, Document] = {}
        for batch in split_batches(sorted(set(keys)), self._layout.keys_at_once):
            query = self._layout.make_key_query(batch)
            if query is not None:
                found |= {document.id: document for document in self._search_documents(query)}
        return [found[identifier] for identifier in sorted(found)]

    def find_exact(self, documents: Sequence[Document]) -> set[str]:
        """Return the ids of those documents that the library holds exactly as given."""
        if not isinstance(self._layout, OwnLayout):
            return set()
        # Only ids come back, from a column: documents need not be fetched to be compared.
        query = self._layout.make_key_query([spell_digest(document) for document in documents])
        search = make_id_search(query, self._layout, scored=False)
        pages = Pages(self._connection, self._layout, params=WHOLE)
        hits = pages.read_hits(search, wanted=len(documents))
        return {document.id for document in documents} & set(self._read_ids(hits))

    def _get_directly(self, ids: list[str]) -> list[Document]:
        layout = self._layout
        ask = partial(
            self._connection.ask,
            "POST",
            f"/{layout.index}/_mget",
            body={"ids": [layout.find_stored_id(identifier) for identifier in ids]},
            # The server already knows what was not committed, but it must not be seen.
            params={
                "realtime": "false",
                "_source_includes": ",".join(layout.source_fields) or None,
            },
            shape=_GetAnswer,
        )
        answer = ask_until_whole(self._connection, ask, lambda got: (hit.error for hit in got.docs))
        return [layout.read_document(hit) for hit in answer.docs if hit.found]

    def _search_by_id(self, ids: list[str]) -> list[Document]:
        return self._search_documents(self._layout.make_id_query(ids))

    def _search_documents(self, query: Clause) -> list[Document]:
        pages = Pages(self._connection, self._layout, params=WHOLE, page=DOCUMENTS_A_PAGE)
        hits = pages.read_hits(make_document_search(query, self._layout))
        return [self._layout.read_document(hit) for hit in hits]

    # Terms

    @property
    def analyzes_by_chunk(self) -> bool:
        """Whether texts are analysed here, not by the server, as for all indexes of likewise."""
        return isinstance(self._layout, OwnLayout)

    def analyze(self, field: Field, text: str) -> list[str]:
        """Return the terms that the engine makes of a text."""
        return self.analyze_all(field, [text])[0]

    def analyze_all(self, field: Field, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms that the engine makes of each text; none if it has no such field."""
        if self.analyzes_by_chunk:
            return [list(analyze_text(text)) for text in texts]
        if field not in self._analyses:
            return [[] for _ in texts]
        return self._analyses[field].list_terms(texts)

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field."""
        return self._frequencies.count(field, terms)

    # Ids

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties are in id order."""
        self._check_limit(query.where)
        layout, excluded = self._layout, set(exclude)
        clause = make_text_query(query, layout, scale=find_score_scale(self._connection))
        if limit < 1 or clause is None:
            return Hits([], [])
        pages = Pages(self._connection, layout, params=SCORED)
        search = make_id_search(clause, layout, scored=True)
        wanted = limit + len(excluded)
        # Indexes of ours return ties in the order of ids.
        found = (
            pages.read_hits(search, wanted=wanted)
            if isinstance(layout, OwnLayout)
            else _find_whole_ties(pages, search, wanted)
        )
        ids = self._read_ids(found)
        scores = [float(hit.sort[0]) for hit in found]
        settle_ties(ids, scores)
        kept = [row for row, identifier in enumerate(ids) if identifier not in excluded][:limit]
        return Hits([ids[row] for row in kept], [scores[row] for row in kept])

    def find_having(self, terms: Sequence[Collection[Heading]]) -> list[str]:
        """Return the sorted ids of the documents that have a heading of each of the terms."""
        self._check_mesh()
        return self._list_ids(make_having_query(terms, self._layout))

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the sorted ids of all documents, or of those within some limits."""
        self._check_limit(where)
        return self._list_ids(make_limited_query(where, self._layout))

    def _list_ids(self, query: Clause) -> list[str]:
        search = make_id_search(query, self._layout, scored=False)
        pages = Pages(self._connection, self._layout, params=WHOLE)
        return sorted(self._read_ids(pages.read_hits(search)))

    def _read_ids(self, hits: Sequence[Hit]) -> list[str]:
        """Return the ids of hits that were asked for by `make_id_search`."""
        if self._layout.id_field:
            return [str(hit.sort[-1]) for hit in hits]
        return [hit.id for hit in hits]

    def _check_limit(self, where: Where) -> None:
        if why := self._layout.explain_unlimited(where):
            raise LibraryError(f"{self._connection.address}: {why}")

    def _check_mesh(self) -> None:
        if self._layout.mesh_field is None:
            raise LibraryError(
                f"{self._connection.address}: no field with whole MeSH headings (keyword) is known "
                "in this index; name it, if there is one: --fields mesh=FIELD"
            )

    # Counts

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, or how many are within some limits."""
        self._check_limit(where)
        # The server's own request for counting would count only the shards that it can reach.
        query = make_limited_query(where, self._layout)
        answer = aggregate(self._connection, self._layout, {}, query=query, track_total_hits=True)
        return int(answer["hits"]["total"]["value"])

    def count_headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        self._check_mesh()
        parts = 1
        while (buckets := self._count_in_parts(parts)) is None:
            parts *= 4
        parse = self._layout.parse_heading
        return {parse(str(bucket["key"])): bucket["doc_count"] for bucket in buckets}

    def _count_in_parts(self, parts: int) -> list[Any] | None:
        """Return the counts of all headings, asked for in parts, or None if one is too large."""
        found: list[Any] = []
        for number in range(parts):
            terms: dict[str, Any] = {"field": self._layout.mesh_field, "size": VALUES_AT_ONCE}
            if parts > 1:
                terms["include"] = {"partition": number, "num_partitions": parts}
            answer = aggregate(self._connection, self._layout, {"headings": {"terms": terms}})
            counted = answer["aggregations"]["headings"]
            if counted["sum_other_doc_count"]:
                return None
            found += counted["buckets"]
        return found

    def _describe(self, *, changed: str) -> LibraryInfo:
        """Return what is known about the library as a whole, given when it was last changed."""
        layout = self._layout
        answer = aggregate(self._connection, layout, dict(layout.counted), track_total_hits=True)
        stored = self._connection.ask("GET", f"/{layout.index}/_stats/store")
        return LibraryInfo(
            documents=answer["hits"]["total"]["value"],
            fields=_sort_counts(answer["aggregations"]["fields"]["buckets"]),
            sources=_sort_counts(answer["aggregations"]["sources"]["buckets"]),
            bytes=stored["_all"]["total"]["store"]["size_in_bytes"],
            changed=changed,
        )


def _find_whole_ties(pages: Pages, search: Clause, wanted: int) -> list[Hit]:
    """Return at least the wanted hits, with all that tie with the last of them."""
    limit = wanted + BEYOND
    while True:
        hits = pages.read_hits(search, wanted=limit)
        if len(hits) < limit or hits[wanted - 1].sort[0] != hits[-1].sort[0]:
            return hits
        limit *= 2


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
