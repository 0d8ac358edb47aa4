"""The engine on OpenSearch and Elasticsearch: an index on a cluster of others.

Terms are made here, by `library/analysis.py`, and the index holds them as they are: so every server
finds the same. What is not committed may be dropped, or be seen already, but is never half there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from likewise.errors import LibraryError
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.counting import document_count, heading_counts, library_info
from likewise.library.opensearch.frequencies import Frequencies
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.notebook import Notebook
from likewise.library.opensearch.opening import Copies, claim_layout, find_layout
from likewise.library.opensearch.reading import documents_by_id, documents_by_key
from likewise.library.opensearch.searching import best_hits, ids_having
from likewise.library.opensearch.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from likewise.documents import Document
    from likewise.library.opensearch.layouts import Layout
    from likewise.library.protocol import FileState, Heading, LibraryInfo
    from likewise.library.query import Field, Hits, Query


class OpenSearchLibrary:
    """A library in an index on a cluster."""

    def __init__(
        self,
        address: str,
        *,
        write: bool = False,
        shards: int | None = None,
        replicas: int | None = None,
    ) -> None:
        """Open an index, or with `write` make it where there is none and claim it for writing."""
        self.address = parse_address(address)
        self._connection = Connection(self.address)
        self._writer: Writer | None = None
        self._layout: Layout
        try:
            if write:
                own = claim_layout(self._connection, copies=Copies(shards, replicas))
                self._layout, self._writer = own, Writer(self._connection, own)
            else:
                self._layout = find_layout(self._connection)
        except BaseException:
            self._connection.close()
            raise
        self._frequencies = Frequencies(self._connection, self._layout)

    @property
    def engine(self) -> str:
        """The server's name and version, as in "opensearch 2.5.0"."""
        return f"{self._connection.distribution} {self._connection.version}".rstrip()

    # Writing

    def add(self, documents: Iterable[Document]) -> None:
        """Add documents, each replacing the one of the same id; seen and safe after `commit`."""
        self._claimed_writer().add(documents)

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents; unknown ids are ignored; gone after `commit`."""
        self._claimed_writer().delete(ids)

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        self._claimed_writer().commit()

    def files_read(self) -> dict[str, FileState]:
        """Return the files that were read to their end, as they were then, by path."""
        return notebook.files_read() if (notebook := self._notebook) else {}

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note, for good, that files were read; to be called after they were committed."""
        self._claimed_writer().notebook.note_files(states)

    def _claimed_writer(self) -> Writer:
        if self._writer is None:
            raise LibraryError(f"{self.address}: this library was opened for reading only")
        return self._writer

    @property
    def _notebook(self) -> Notebook | None:
        """What is noted of the index, if it is one of ours."""
        if self._writer:
            return self._writer.notebook
        own = self._layout
        return Notebook(self._connection, own.single) if isinstance(own, OwnLayout) else None

    # Reading

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids in the order asked; unknown ids are left out."""
        found = documents_by_id(self._connection, self._layout, ids)
        return [found[identifier] for identifier in ids if identifier in found]

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""
        return documents_by_key(self._connection, self._layout, keys)

    @property
    def analyzes_by_chunk(self) -> bool:
        """Whether texts are analysed here, as for any index of ours, and not by the server."""
        return self._layout.is_own

    def analyze(self, field: Field, text: str) -> list[str]:
        """Return the terms that the engine makes of a text."""
        return self.analyze_all(field, [text])[0]

    def analyze_all(self, field: Field, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms that the engine makes of each of many texts."""
        return self._layout.analyze_all(self._connection, field, texts)

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents' field each term occurs."""
        return self._frequencies.count(field, terms)

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties by id."""
        return best_hits(
            self._connection, self._layout, query=query, limit=limit, exclude=set(exclude)
        )

    def headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        self._check_mesh()
        return heading_counts(self._connection, self._layout)

    def having(self, terms: Sequence[Collection[Heading]] = ()) -> list[str]:
        """Return the ids, in order, of all documents that have a heading of each of the terms."""
        if terms:
            self._check_mesh()
        return ids_having(self._connection, self._layout, terms)

    def _check_mesh(self) -> None:
        if self._layout.mesh_field is None:
            raise LibraryError(
                f"{self.address}: no field with whole MeSH headings (keyword) is known in this "
                "index; name it, if there is one: --fields mesh=FIELD"
            )

    def count(self) -> int:
        """Return how many documents there are."""
        return document_count(self._connection, self._layout)

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        changed = notebook.state().changed if (notebook := self._notebook) else ""
        return library_info(self._connection, self._layout, changed=changed)

    def close(self) -> None:
        """Let go of the library; what was not committed may be dropped."""
        try:
            if self._writer:
                writer, self._writer = self._writer, None
                writer.close()
        finally:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
