"""What is asked of an index, as the server's own words.

All of it is in the subset that OpenSearch and Elasticsearch have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.errors import LibraryError
from likewise.library.memory import K1

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.protocol import Heading
    from likewise.library.query import Query, Term

Clause = dict[str, Any]

WHOLE = {"allow_partial_search_results": "false"}
"""Parameters of every search: what only some shards have answered is worse than nothing."""
SCORED = {**WHOLE, "search_type": "dfs_query_then_fetch"}
"""Parameters of a search whose scores count: all shards use the statistics of the whole."""

HEAVIEST = 1e30
"""How large a weight may be: scores are numbers of 32 bits."""

# Its scores lack a factor that those of all others have.
_FIRST_WITHOUT_FACTOR = 3


def text_query(query: Query, layout: Layout, *, scale: float = 1.0) -> Clause | None:
    """Return the clause that scores documents by a query; None if no document can match it."""
    clauses: list[Clause] = [
        {"term": {field: {"value": term.text, "boost": _boost(term)}}}
        for term in query.terms
        if (field := layout.text[term.field])
    ]
    if len(clauses) < max(1, query.minimum):
        return None
    asked: Clause = {"should": clauses, "minimum_should_match": max(1, query.minimum)}
    return {"bool": asked if scale == 1.0 else {**asked, "boost": scale}}


def _boost(term: Term) -> float:
    if not 0 <= term.weight <= HEAVIEST:
        raise LibraryError(
            f"the weight of {term.text!r} is {term.weight}; "
            f"servers take weights from 0 to {HEAVIEST:g}"
        )
    return abs(term.weight)  # they take no -0.0


def scale_of_scores(connection: Connection) -> float:
    """Return what scores have to be multiplied by to be BM25's as others compute it.

    OpenSearch 3 leaves out the factor k1 + 1, which changes no order.
    """
    major = connection.version.partition(".")[0]
    is_new = major.isdecimal() and int(major) >= _FIRST_WITHOUT_FACTOR
    return K1 + 1 if connection.distribution == "opensearch" and is_new else 1.0


def having_query(terms: Sequence[Collection[Heading]], layout: Layout) -> Clause:
    """Return the clause for all documents that have a heading of each of the terms."""
    clauses: list[Clause] = []
    for term in terms:
        values = {value for heading in term for value in layout.heading_values(heading)}
        clauses.append({"terms": {layout.mesh_field: sorted(values)}})
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def ids_of_hits(query: Clause, layout: Layout, *, scored: bool) -> Clause:
    """Return a search for nothing but ids, in the order of scores if they count, then of ids."""
    sort: list[Clause] = [{"_score": "desc"}] if scored else []
    if layout.id_field:
        # What hits are sorted by comes back with them, out of columns: no hit is looked up.
        return _search(query, sort=[*sort, {layout.id_field: "asc"}], stored_fields="_none_")
    return _search(query, sort=[*sort, {"_seq_no": "asc"}])


def documents_of_hits(query: Clause, layout: Layout) -> Clause:
    """Return a search for whole documents, in the order of ids where there is one."""
    source: Any = list(layout.source_fields) or True
    filtered = {"constant_score": {"filter": query}}
    return _search(filtered, sort=[{layout.id_field or "_seq_no": "asc"}], _source=source)


def _search(query: Clause, **how: Any) -> Clause:
    return {"query": query, "track_total_hits": False, "_source": False, **how}
