"""The embedded engine: a folder on disk, searched by tantivy.

Title and abstract are indexed apart, with frequencies but without positions; the whole document
is stored beside them as one value. A commit is atomic: a process killed at any moment leaves
the last commit. One process writes at a time, any number read.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
import tantivy

from likewise.documents import Document
from likewise.errors import LibraryBusyError, LibraryError
from likewise.library.analysis import english
from likewise.library.folder import INDEX, claim_folder, folder_size
from likewise.library.identifiers import (
    COLUMN_NAMES,
    filled_fields,
    library_keys,
    pack,
    unpack,
)
from likewise.library.protocol import LibraryInfo
from likewise.library.query import Field, Hits, Query, settle_ties

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

ANALYZER = "likewise_english"
WRITER_MEMORY = 160_000_000

EngineHits = list[tuple[float, tantivy.DocAddress]]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Document).decode


class EmbeddedLibrary:
    """A library in a folder."""

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        """Open a library, or with `write` make it where there is none and claim it for writing."""
        self.path = Path(path)
        claim_folder(self.path, create=write)
        self._writer: tantivy.IndexWriter | None = None
        self._uncommitted: set[str] = set()
        with self._engine_errors():
            self._index = _open_index(self.path / INDEX)
            self._schema = self._index.schema
            if write:
                self._writer = self._index.writer(WRITER_MEMORY, 1)

    # Writing

    def add(self, documents: Iterable[Document]) -> None:
        """Add documents, each replacing the one of the same id; seen and safe after `commit`."""
        writer = self._claimed_writer()
        searcher = self._index.searcher()
        with self._engine_errors():
            for document in documents:
                # A delete costs a search at the next commit, and most documents are new.
                if document.id in self._uncommitted or searcher.doc_freq("id", document.id):
                    writer.delete_documents_by_term("id", document.id)
                writer.add_document(self._to_engine(document))
                self._uncommitted.add(document.id)

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents; unknown ids are ignored; gone after `commit`."""
        writer = self._claimed_writer()
        with self._engine_errors():
            for identifier in ids:
                writer.delete_documents_by_term("id", identifier)

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        writer = self._claimed_writer()
        with self._engine_errors():
            writer.commit()
            self._index.reload()
        self._uncommitted.clear()

    def _claimed_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise LibraryError(f"{self.path}: this library was opened for reading only")
        return self._writer

    def _to_engine(self, document: Document) -> tantivy.Document:
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
        return tantivy.Document.from_dict(values, self._schema)

    # Reading

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids in the order asked; unknown ids are left out."""
        stored = self._stored("id", set(ids), limit=len(ids))
        found = {document.id: document for document in stored}
        return [found[identifier] for identifier in ids if identifier in found]

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""
        searcher = self._index.searcher()
        # Most keys asked for are new, and a look into the dictionary is far cheaper than a search.
        known = {key: n for key in set(keys) if (n := searcher.doc_freq("key", key))}
        stored = self._stored("key", known, limit=sum(known.values()))
        return sorted(stored, key=lambda document: document.id)

    def _stored(self, field: str, values: Collection[str], *, limit: int) -> list[Document]:
        if not values:
            return []
        searcher = self._index.searcher()
        query = tantivy.Query.term_set_query(self._schema, field, sorted(values))
        with self._engine_errors():
            hits = searcher.search(query, limit=limit, count=False).hits
            return [_decode(searcher.doc(address)["stored"][0]) for _, address in hits]

    def analyze(self, field: Field, text: str) -> list[str]:  # noqa: ARG002  # both alike here
        """Return the terms that the engine makes of a text."""
        return english().analyze(text)

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents' field each term occurs."""
        searcher = self._index.searcher()
        return {term: searcher.doc_freq(field, term) for term in terms}

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties by id."""
        searcher = self._index.searcher()
        wanted = min(limit + len(exclude), searcher.num_docs)
        if wanted < 1 or not query.terms:
            return Hits([], [])
        with self._engine_errors():
            hits = _whole_ties(searcher, self._engine_query(query), wanted=wanted)
        ids = self._ids(searcher, [address for _, address in hits])
        scores = [score for score, _ in hits]
        settle_ties(ids, scores)
        if exclude:
            excluded = set(exclude)
            kept = [row for row, identifier in enumerate(ids) if identifier not in excluded]
            ids, scores = [ids[row] for row in kept], [scores[row] for row in kept]
        return Hits(ids[:limit], scores[:limit])

    def _engine_query(self, query: Query) -> tantivy.Query:
        clauses = []
        for term in query.terms:
            clause = tantivy.Query.term_query(self._schema, term.field, term.text, "freq")
            if term.weight != 1.0:
                clause = tantivy.Query.boost_query(clause, term.weight)
            clauses.append((tantivy.Occur.Should, clause))
        minimum = query.minimum if query.minimum > 1 else None
        return tantivy.Query.boolean_query(clauses, minimum_number_should_match=minimum)

    def _ids(self, searcher: tantivy.Searcher, addresses: list[tantivy.DocAddress]) -> list[str]:
        def column(name: str, rows: Sequence[int]) -> Sequence[int]:
            asked = addresses if len(rows) == len(addresses) else [addresses[row] for row in rows]
            return searcher.fast_field_values(name, asked)  # type: ignore[return-value]

        return [
            identifier or _decode(searcher.doc(address)["stored"][0]).id
            for identifier, address in zip(unpack(len(addresses), column), addresses, strict=True)
        ]

    def count(self) -> int:
        """Return how many documents there are."""
        return self._index.searcher().num_docs

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        searcher = self._index.searcher()
        state = self.path / INDEX / "meta.json"
        changed = datetime.fromtimestamp(state.stat().st_mtime, UTC) if searcher.num_docs else None
        return LibraryInfo(
            documents=searcher.num_docs,
            fields=_counts(searcher, "has"),
            sources=_counts(searcher, "source"),
            bytes=folder_size(self.path),
            changed=changed.isoformat(timespec="seconds") if changed else "",
        )

    def close(self) -> None:
        """Let go of the library; what was not committed is dropped."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with self._engine_errors():
                writer.rollback()
                writer.wait_merging_threads()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _engine_errors(self) -> Iterator[None]:
        """Turn what the engine raises into one line that says what to do."""
        try:
            yield
        except (ValueError, OSError) as error:
            said = " ".join(str(error).split())
            if "LockBusy" in said:
                raise LibraryBusyError(
                    f"{self.path}: another process is writing to this library; "
                    "wait until it is done (searching goes on meanwhile)"
                ) from error
            raise LibraryError(
                f"{self.path}: the index can't be used: {said}; what was committed before is safe"
            ) from error


def _whole_ties(searcher: tantivy.Searcher, query: tantivy.Query, *, wanted: int) -> EngineHits:
    """Return at least the wanted hits, with all that tie with the last of them.

    The engine cuts a tie wherever it likes; only a whole one can be cut by id.
    """
    limit = wanted + 200
    while True:
        hits: EngineHits = searcher.search(query, limit=limit, count=False).hits
        if len(hits) < limit or hits[wanted - 1][0] != hits[-1][0]:
            return hits
        limit *= 2


def _open_index(path: Path) -> tantivy.Index:
    index = (
        tantivy.Index.open(str(path))
        if tantivy.Index.exists(str(path))
        else tantivy.Index(_schema(), path=str(path))
    )
    index.register_tokenizer(ANALYZER, english())
    return index


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in COLUMN_NAMES:
        builder.add_unsigned_field(name, fast=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="freq")
    for name in ("has", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def _counts(searcher: tantivy.Searcher, field: str) -> dict[str, int]:
    """Return how many documents have each value of a field, most frequent first."""
    wanted = {"counts": {"terms": {"field": field, "size": 10_000}}}
    buckets = searcher.aggregate(tantivy.Query.all_query(), wanted)["counts"]["buckets"]
    return {bucket["key"]: bucket["doc_count"] for bucket in buckets}
