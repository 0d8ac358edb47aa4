"""What is counted in an index: headings, and the documents by their fields and sources."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from likewise.library.opensearch.queries import WHOLE
from likewise.library.protocol import LibraryInfo

if TYPE_CHECKING:
    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.protocol import Heading

AT_ONCE = 50_000
"""How many values are counted at once: more than MeSH has, fewer than servers refuse."""


def heading_counts(connection: Connection, layout: Layout) -> dict[Heading, int]:
    """Return every heading with the number of documents that have it."""
    counts: defaultdict[Heading, int] = defaultdict(int)
    for value, number in _values(connection, layout):
        counts[layout.heading_of(value)] += number
    return dict(counts)


def _values(connection: Connection, layout: Layout) -> list[tuple[str, int]]:
    """Return every value of the field of headings, and how many documents have it."""
    parts = 1
    while True:
        buckets = _buckets(connection, layout, parts=parts)
        if buckets is not None:
            return [(str(bucket["key"]), bucket["doc_count"]) for bucket in buckets]
        parts *= 4


def _buckets(connection: Connection, layout: Layout, *, parts: int) -> list[Any] | None:
    """Return the counts of all values, asked for in parts, or None if one is too large."""
    found: list[Any] = []
    for number in range(parts):
        terms: dict[str, Any] = {"field": layout.mesh_field, "size": AT_ONCE}
        if parts > 1:
            terms["include"] = {"partition": number, "num_partitions": parts}
        answer = _aggregated(connection, layout, {"headings": {"terms": terms}})
        counted = answer["aggregations"]["headings"]
        if counted["sum_other_doc_count"]:
            return None
        found += counted["buckets"]
    return found


def document_count(connection: Connection, layout: Layout) -> int:
    """Return how many documents there are, in all shards."""
    # The request made for it counts what it can reach.
    return int(_aggregated(connection, layout, {}, track_total_hits=True)["hits"]["total"]["value"])


def library_info(connection: Connection, layout: Layout, *, changed: str) -> LibraryInfo:
    """Return what is known about the library as a whole."""
    answer = _aggregated(connection, layout, dict(layout.counted), track_total_hits=True)
    stored = connection.ask("GET", f"/{layout.index}/_stats/store")
    return LibraryInfo(
        documents=answer["hits"]["total"]["value"],
        fields=_counts(answer["aggregations"]["fields"]["buckets"]),
        sources=_counts(answer["aggregations"]["sources"]["buckets"]),
        bytes=stored["_all"]["total"]["store"]["size_in_bytes"],
        changed=changed,
    )


def _counts(buckets: Any) -> dict[str, int]:
    """Return the count of each bucket that holds something, most frequent first."""
    named = buckets if isinstance(buckets, dict) else {bucket["key"]: bucket for bucket in buckets}
    counts = {str(name): int(bucket["doc_count"]) for name, bucket in named.items()}
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {name: number for name, number in often if number}


def _aggregated(
    connection: Connection,
    layout: Layout,
    aggregations: dict[str, Any],
    *,
    track_total_hits: bool = False,
) -> Any:
    body = {"size": 0, "track_total_hits": track_total_hits, "aggs": aggregations}
    return connection.ask("POST", f"/{layout.index}/_search", body=body, params=WHOLE)
