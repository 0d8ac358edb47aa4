"""What every engine does: the contract that the rest of likewise builds on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from types import TracebackType

    from likewise.documents import Document
    from likewise.library.query import Field, Hits, Query


class LibraryInfo(NamedTuple):
    """What is known about a library as a whole."""

    documents: int
    fields: dict[str, int]
    """How many documents have a title, an abstract, MeSH headings, ..."""
    sources: dict[str, int]
    """How many documents came from each file."""
    bytes: int
    changed: str
    """When it was last committed to, in ISO 8601, or "" if never."""


class Heading(NamedTuple):
    """A MeSH heading that documents have, by its name and its identifier."""

    name: str
    ui: str = ""
    """Such as "D000818", or "" where the source of a document did not tell."""


class FileState(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file as it was when a library read it to its end."""

    size: int
    modified: int
    """In nanoseconds."""
    format: str | None = None
    """The format it was read as, if one was asked for."""
    deletions: int = 0
    """How many notices of deletion were in it."""
    to_be_heard_again: bool = False
    """Whether these notices are to be heard once more (`rereading.py`)."""


class Library(Protocol):
    """An indexed collection of documents."""

    @property
    def engine(self) -> str:
        """The engine's name and version, as in "tantivy 0.25.0"."""
        ...

    def add(self, documents: Iterable[Document]) -> None:
        """Add documents, each replacing the one of the same id; seen and safe after `commit`.

        A document without an id gets one.
        """
        ...

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents; unknown ids are ignored; gone after `commit`."""
        ...

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        ...

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids in the order asked; unknown ids are left out."""
        ...

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""
        ...

    @property
    def analyzes_by_chunk(self) -> bool:
        """Whether a text's terms are those of its chunks (`analysis.py`), in both fields alike."""
        ...

    def analyze(self, field: Field, text: str) -> list[str]:
        """Return the terms that the engine makes of a text."""
        ...

    def analyze_all(self, field: Field, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms of each of many texts, which is quicker than one after the other."""
        ...

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents' field each term occurs."""
        ...

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties by id."""
        ...

    def headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        ...

    def having(self, terms: Sequence[Collection[Heading]] = ()) -> list[str]:
        """Return the ids, in order, of all documents that have a heading of each of the terms.

        Without terms these are the ids of the whole library.
        """
        ...

    def count(self) -> int:
        """Return how many documents there are."""
        ...

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        ...

    def files_read(self) -> dict[str, FileState]:
        """Return every file that the library has read to its end, by its path."""
        ...

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note that files were read, durably and at once; what they held is committed by then."""
        ...

    def close(self) -> None:
        """Let go of the library; what was not committed may be dropped."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
