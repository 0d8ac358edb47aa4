"""What every engine must do, and the queries and answers that it understands.

The rest of likewise builds on this contract alone, and `tests/library/test_contract.py` holds every
engine to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, islice
from operator import eq
from types import TracebackType
from typing import Literal, NamedTuple, Protocol, Self, get_args, runtime_checkable

import msgspec

from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library.where import ANYWHERE, Where

Field = Literal["title", "abstract"]
"""The parts of a document that are searched, each with its own statistics."""
FIELDS: tuple[Field, ...] = get_args(Field)


class Term(NamedTuple):
    """A term as an engine's `analyze` gives it, the field to look in, and its weight."""

    field: Field
    text: str
    weight: float = 1.0


class Query(NamedTuple):
    """Weighted terms, of which a document must contain at least `minimum`.

    A document's score is the sum over its terms of weight times BM25 in the term's field.
    """

    terms: tuple[Term, ...]
    minimum: int = 1
    where: Where = ANYWHERE
    """What the documents are limited to; it does not count for their scores."""


class Hits(NamedTuple):
    """What a search found: ids and scores, best first, ties by id."""

    ids: list[str]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.ids)


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
    """Whether these notices have to be read once more (`source_files.py`)."""


class Library(Protocol):
    """An indexed collection of documents."""

    @property
    def engine(self) -> str:
        """The engine's name and version, as in "tantivy 0.25.0"."""
        ...

    def add(
        self, documents: Iterable[Document], *, keys: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add documents, each replacing the one of the same id; seen and safe after `commit`.

        A document without an id gets one.

        Args:
            documents: The documents.
            keys: The keys of documents, by id, where `list_keys` has computed them already.
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

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the ids, in order, of all documents, or of those within a limit."""
        ...

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, or how many within a limit."""
        ...

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        ...

    def list_files(self) -> dict[str, FileState]:
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


class Heading(NamedTuple):
    """A MeSH heading that documents have, by its name and its identifier."""

    name: str
    ui: str = ""
    """Its identifier, such as "D000818"; "" if the document's source gave none."""


@runtime_checkable
class HeadingIndex(Protocol):
    """What a library that indexes MeSH headings can do; only benchmarks need it."""

    def count_headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        ...

    def find_having(self, terms: Sequence[Collection[Heading]]) -> list[str]:
        """Return the ids, in order, of all documents that have a heading of each of the terms."""
        ...


class LibraryChanges(NamedTuple):
    """What came into a library since a position in the order of its commits, and what was revised.

    No clock tells that order, so that one which is set back changes nothing.
    """

    library: str
    """What tells the library from one that is made anew in its place; "" if it keeps no order."""
    position: int
    """Where it is now."""
    added: tuple[str, ...] = ()
    """The ids of documents that were not there before."""
    revised: tuple[str, ...] = ()
    """The ids of documents that were, and say something else now."""


@runtime_checkable
class ChangeIndex(Protocol):
    """What a library can do besides, if it knows in which order its documents came."""

    def list_changes(self, since: int | None = None) -> LibraryChanges:
        """Return what has changed since a position; without one, only where the library is now."""
        ...


def find_changes(library: Library, since: int | None = None) -> LibraryChanges:
    """Return what has changed in a library of any engine, as far as it can tell."""
    if isinstance(library, ChangeIndex):
        return library.list_changes(since)
    return LibraryChanges("", 0)


@runtime_checkable
class GatheredLibrary(Protocol):
    """What a library can do besides, if it may have been gathered from a source for some seeds."""

    def read_reach(self) -> dict[str, bool]:
        """Return, of seeds by id, whether the other seeds would have brought them in."""
        ...


def require_headings(library: Library) -> HeadingIndex:
    """Return the library if it indexes headings; raise LibraryError if it does not."""
    if isinstance(library, HeadingIndex):
        return library
    raise LibraryError(f"libraries of {library.engine} can't be asked for MeSH headings")


def make_words_query(text: str, *, library: Library, where: Where = ANYWHERE) -> Query:
    """Make a query of words that may each match in the abstract or, counted twice, in the title."""
    terms = dict.fromkeys(
        Term(field, term, 2.0 if field == "title" else 1.0)
        for field in FIELDS
        for term in library.analyze(field, text)
    )
    return Query(tuple(terms), where=where)


def settle_ties(ids: list[str], scores: list[float]) -> None:
    """Put ids of equal scores, which stand side by side, in order.

    >>> ids = ["b", "z", "a"]
    >>> settle_ties(ids, [2.0, 1.0, 1.0])
    >>> ids
    ['b', 'a', 'z']
    """
    tied = compress(count(), map(eq, scores, islice(scores, 1, None)))
    for start, stop in _find_runs(tied):
        # Most ties are pairs that the engine found in order.
        if stop - start > 2 or ids[start] > ids[start + 1]:
            ids[start:stop] = sorted(ids[start:stop])


def _find_runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield where each run of equal values begins and ends, given the places that equal the next.

    >>> list(_find_runs([3, 7, 8]))
    [(3, 5), (7, 10)]
    """
    start = stop = 0
    for place in places:
        if place >= stop:
            if stop:
                yield start, stop
            start = place
        stop = place + 2
    if stop:
        yield start, stop
