"""Ids out of an index: the best for a query, or all of documents that have certain headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.library.opensearch.pages import Pages
from likewise.library.opensearch.queries import (
    SCORED,
    WHOLE,
    having_query,
    ids_of_hits,
    scale_of_scores,
    text_query,
)
from likewise.library.query import Hits, settle_ties

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from collections.abc import Set as AbstractSet

    from likewise.library.opensearch.connection import Connection
    from likewise.library.opensearch.layouts import Hit, Layout
    from likewise.library.opensearch.queries import Clause
    from likewise.library.protocol import Heading
    from likewise.library.query import Query

# How many more hits are asked for where a tie has to be whole.
BEYOND = 200


def best_hits(
    connection: Connection, layout: Layout, *, query: Query, limit: int, exclude: AbstractSet[str]
) -> Hits:
    """Return the best documents for a query, without the excluded ids; ties by id."""
    clause = text_query(query, layout, scale=scale_of_scores(connection))
    if limit < 1 or clause is None:
        return Hits([], [])
    pages = Pages(connection, layout, params=SCORED)
    search = ids_of_hits(clause, layout, scored=True)
    wanted = limit + len(exclude)
    # Indexes of ours give ties in the order of ids.
    found = (
        pages.hits(search, wanted=wanted) if layout.is_own else _whole_ties(pages, search, wanted)
    )
    ids = ids_of(found, layout)
    scores = [float(hit.sort[0]) for hit in found]
    settle_ties(ids, scores)
    kept = [row for row, identifier in enumerate(ids) if identifier not in exclude][:limit]
    return Hits([ids[row] for row in kept], [scores[row] for row in kept])


def _whole_ties(pages: Pages, search: Clause, wanted: int) -> list[Hit]:
    """Return at least the wanted hits, with all that tie with the last of them."""
    limit = wanted + BEYOND
    while True:
        hits = pages.hits(search, wanted=limit)
        if len(hits) < limit or hits[wanted - 1].sort[0] != hits[-1].sort[0]:
            return hits
        limit *= 2


def ids_having(
    connection: Connection, layout: Layout, terms: Sequence[Collection[Heading]]
) -> list[str]:
    """Return the ids, in order, of all documents that have a heading of each of the terms."""
    search = ids_of_hits(having_query(terms, layout), layout, scored=False)
    return sorted(ids_of(Pages(connection, layout, params=WHOLE).hits(search), layout))


def ids_of(hits: Sequence[Hit], layout: Layout) -> list[str]:
    """Return the ids of hits that were asked for by `ids_of_hits`."""
    return [str(hit.sort[-1]) for hit in hits] if layout.id_field else [hit.id for hit in hits]
