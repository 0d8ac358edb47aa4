"""Searching a library by one line: words, any of which may occur, or whatever filters take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from likewise.documents import Document
from likewise.expansion.filter_lines import parse_filter
from likewise.expansion.filters import FIELDS, FilteredText, ListFilter
from likewise.library.protocol import Library, make_words_query
from likewise.library.where import ANYWHERE, Where

SEARCHED = {name: field for name, field in FIELDS.items() if name not in ("tag", "reason", "note")}
"""The fields that a search may name: what reviewers wrote stands in sessions, not in libraries."""
MOST_LOOKED_AT = 5_000
"""How many documents a search with phrases, fields, NOT or OR looks through."""
STEP = 500


class FoundDocument(NamedTuple):
    """A document that a search found."""

    document: Document
    score: float


class SearchResult(NamedTuple):
    """A page of what a search found, best first."""

    found: list[FoundDocument]
    has_more: bool
    complaint: str
    """What of the line was not understood, or where the search gave up; "" if nothing."""


def search_library(
    library: Library, line: str, *, limit: int, offset: int = 0, where: Where = ANYWHERE
) -> SearchResult:
    """Search for words, any of which may occur; the more of them, and the rarer, the better.

    With phrases in quotes, fields, NOT or OR, the line is read as a filter, and only documents
    that it keeps are found; the words that it asks for say in which order.

    Args:
        library: The library.
        line: What was typed.
        limit: How many documents at most.
        offset: How many of the best to leave out.
        where: Limits of the search.
    """
    wanted = parse_filter(line, fields=SEARCHED)
    if wanted.is_plain:
        query = make_words_query(line, library=library, where=where)
        hits = library.search(query, limit=offset + limit + 1)
        ids, scores = hits.ids[offset : offset + limit], hits.scores[offset:]
        held = {document.id: document for document in library.get(ids)}
        pairs = zip(ids, scores, strict=False)
        found = [FoundDocument(held[name], score) for name, score in pairs if name in held]
        return SearchResult(found, len(hits) > offset + limit, "")
    return _search_filtered(library, wanted, limit=limit, offset=offset, where=where)


def _search_filtered(
    library: Library, wanted: ListFilter, *, limit: int, offset: int, where: Where
) -> SearchResult:
    query = make_words_query(" ".join(wanted.sought), library=library, where=where)
    if not query.terms:
        lacking = "a search needs a word that is to occur, beside fields and NOT"
        return SearchResult([], has_more=False, complaint="; ".join([*wanted.complaints, lacking]))
    hits = library.search(query, limit=MOST_LOOKED_AT)
    complaints = list(wanted.complaints)
    kept: list[FoundDocument] = []
    for one in _read_hits(library, dict(zip(hits.ids, hits.scores, strict=True))):
        if wanted.keeps(FilteredText.of(one.document)):
            kept.append(one)
        if len(kept) > offset + limit:
            break
    else:
        if len(hits) == MOST_LOOKED_AT:
            complaints.append(f"only the best {MOST_LOOKED_AT:,} documents were looked through")
    page = kept[offset : offset + limit]
    return SearchResult(page, len(kept) > offset + limit, "; ".join(complaints))


def _read_hits(library: Library, scores: dict[str, float]) -> Iterator[FoundDocument]:
    """Yield documents, the best first, read from the library as they are asked for."""
    ids = list(scores)
    for start in range(0, len(ids), STEP):
        some = ids[start : start + STEP]
        held = {document.id: document for document in library.get(some)}
        yield from (FoundDocument(held[name], scores[name]) for name in some if name in held)
