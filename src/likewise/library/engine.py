"""How documents and queries look to tantivy: the schema, and the way there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import tantivy

from likewise.documents import Document
from likewise.library.analysis import english
from likewise.library.headings import headings_of, to_term
from likewise.library.identifiers import COLUMN_NAMES, filled_fields, library_keys, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from likewise.library.protocol import Heading
    from likewise.library.query import Query

EngineHits = list[tuple[float, tantivy.DocAddress]]

_ANALYZER = "likewise_english"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Document).decode


def open_index(path: Path, *, create: bool = False) -> tantivy.Index:
    """Open the index in a folder, or with `create` make one there if there is none yet."""
    if create and not tantivy.Index.exists(str(path)) and not any(path.glob("*.store")):
        index = tantivy.Index(_schema(), path=str(path))
    else:
        index = tantivy.Index.open(str(path))
    # An index does not remember its analyzers.
    index.register_tokenizer(_ANALYZER, english())
    return index


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in COLUMN_NAMES:
        builder.add_unsigned_field(name, fast=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name=_ANALYZER, index_option="freq")
    for name in ("has", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_text_field("mesh", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def indexes_mesh(schema: tantivy.Schema) -> bool:
    """Tell whether headings are indexed; libraries of format 1 have no field for them."""
    try:
        tantivy.Query.term_query(schema, "mesh", "")
    except ValueError:
        return False
    return True


def to_engine(
    document: Document, schema: tantivy.Schema, *, with_mesh: bool = True
) -> tantivy.Document:
    """Return a document as the engine takes it, with its headings if there is a field for them."""
    values: dict[str, Any] = {
        "id": document.id,
        "key": library_keys(document),
        "title": document.title,
        "abstract": document.abstract,
        "has": filled_fields(document),
        "source": document.source,
        "stored": _encode(document),
        **pack(document.id),
    }
    if with_mesh and document.mesh:
        values["mesh"] = [to_term(heading) for heading in headings_of(document)]
    return tantivy.Document.from_dict(values, schema)


def from_engine(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> Document:
    """Return the document that the engine keeps at an address."""
    return _decode(searcher.doc(address)["stored"][0])


def engine_query(query: Query, schema: tantivy.Schema) -> tantivy.Query:
    """Return a query as the engine takes it."""
    clauses = []
    for term in query.terms:
        clause = tantivy.Query.term_query(schema, term.field, term.text, "freq")
        if term.weight != 1.0:
            clause = tantivy.Query.boost_query(clause, term.weight)
        clauses.append((tantivy.Occur.Should, clause))
    minimum = query.minimum if query.minimum > 1 else None
    return tantivy.Query.boolean_query(clauses, minimum_number_should_match=minimum)


def having_query(terms: Sequence[Collection[Heading]], schema: tantivy.Schema) -> tantivy.Query:
    """Return the query for all documents that have a heading of each of the terms."""
    clauses = []
    for term in terms:
        known = sorted(map(to_term, term))
        # Sets of terms are not scored, so none of this costs more than walking through it.
        clauses.append((tantivy.Occur.Must, tantivy.Query.term_set_query(schema, "mesh", known)))
    return tantivy.Query.boolean_query(clauses) if clauses else tantivy.Query.all_query()


def whole_ties(searcher: tantivy.Searcher, query: tantivy.Query, *, wanted: int) -> EngineHits:
    """Return at least the wanted hits, with all that tie with the last of them.

    The engine cuts a tie wherever it likes; only a whole one can be cut by id.
    """
    limit = wanted + 200
    while True:
        hits: EngineHits = searcher.search(query, limit=limit, count=False).hits
        if len(hits) < limit or hits[wanted - 1][0] != hits[-1][0]:
            return hits
        limit *= 2


def ids_at(searcher: tantivy.Searcher, addresses: list[tantivy.DocAddress]) -> list[str]:
    """Return the ids of the documents at these addresses."""

    def column(name: str, rows: Sequence[int]) -> Sequence[int]:
        asked = addresses if len(rows) == len(addresses) else [addresses[row] for row in rows]
        return searcher.fast_field_values(name, asked)  # type: ignore[return-value]

    def whole(row: int) -> str:
        return from_engine(searcher, addresses[row]).id

    return unpack(len(addresses), column=column, whole=whole)


def counts(searcher: tantivy.Searcher, field: str) -> dict[str, int]:
    """Return how many documents have each value of a field, most frequent first."""
    wanted = {"counts": {"terms": {"field": field, "size": 10_000}}}
    buckets = searcher.aggregate(tantivy.Query.all_query(), wanted)["counts"]["buckets"]
    return {bucket["key"]: bucket["doc_count"] for bucket in buckets}
