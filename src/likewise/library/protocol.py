"""What every engine must do, and the queries and answers that it exchanges.

The rest of likewise builds on this contract alone, and `tests/library/test_contract.py` holds every
engine to it.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count, islice
from operator import eq
from typing import Literal, NamedTuple, Protocol, Self, get_args, runtime_checkable

import msgspec

from likewise.arguments import check_count, check_type, require_identifier, spell_identifier
from likewise.documents import Document
from likewise.documents.notebook import DocumentList, render_sentences, render_table, wrap_html
from likewise.errors import LibraryError, UnknownDocumentError
from likewise.library.analysis import analyze_texts
from likewise.library.where import ANYWHERE, Where

Field = Literal["title", "abstract"]
"""The parts of a document that are searched, each with its own statistics."""
FIELDS: tuple[Field, ...] = get_args(Field)
SEARCH_LIMIT = 20
"""How many documents a search shows, unless it is asked for more or fewer."""
TOLD_FIELDS = ("title", "abstract", "year", "doi", "mesh", "references")
"""The fields that a notebook lists, each with the number of documents that have it."""
STEP = 1000
"""How many documents are read at a time when all are read."""


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
    """Limits on the documents, which do not affect their scores."""


class Hits(NamedTuple):
    """What a search found: ids and scores, best first, ties by id."""

    ids: list[str]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class LibraryInfo:
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
    """An indexed collection of documents.

    Engines subclass it and define the members up to `close`; those after it build on them. An
    engine that makes its own terms of texts defines `analyzes_by_chunk` and `analyze_all` too.

    >>> from likewise import Document
    >>> from likewise.library.memory import MemoryLibrary
    >>> library = MemoryLibrary()
    >>> library.add([Document(id="7", title="On cats"), Document(id="8", title="On dogs")])
    >>> library.commit()
    >>> library
    <Library in memory: 2 documents>
    >>> library.search("a cat")
    [<Document 7: On cats>]
    >>> len(library), 7 in library, library[8].title
    (2, True, 'On dogs')
    """

    @property
    def place(self) -> str:
        """Where it is, as `open_library` takes it; "" if it is only in memory."""

    @property
    def engine(self) -> str:
        """The engine's name and version, as in "tantivy 0.25.0"."""

    def add(
        self, documents: Iterable[Document], *, keys: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add documents, replacing those of the same ids; visible and durable after `commit`.

        A document without an id gets one.

        Args:
            documents: The documents.
            keys: The keys of documents, by id, if `list_keys` has computed them already.
        """

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents, as of the next `commit`; unknown ids are ignored."""

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order given; unknown ids are left out."""

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field."""

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties are in id order."""

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the sorted ids of all documents, or of those within some limits."""

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, or how many are within some limits."""

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""

    def list_files(self) -> dict[str, FileState]:
        """Return every file that the library has read to its end, by its path."""

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note durably, at once, that files were read; call it once their records are committed."""

    def close(self) -> None:
        """Close the library; what was not committed may be lost."""

    def refresh(self) -> int:
        """Show at once what others have committed; return a number that changes when they commit.

        An engine that keeps nothing between two searches need not do anything.
        """
        return 0

    @property
    def analyzes_by_chunk(self) -> bool:
        """Whether a text's terms are those of its chunks (`analysis.py`), in both fields alike."""
        return True

    def analyze(self, field: Field, text: str) -> list[str]:
        """Return the terms that the engine makes of a text."""
        return self.analyze_all(field, [text])[0]

    def analyze_all(
        self,
        field: Field,  # noqa: ARG002  # both alike here
        texts: Sequence[str],
    ) -> list[list[str]]:
        """Return the terms of each text, faster than by analysing one after the other."""
        return analyze_texts(texts)

    def search(
        self, words: str, *, limit: int = SEARCH_LIMIT, where: Where | str = ANYWHERE
    ) -> DocumentList:
        """Return the documents that have the most, and the rarest, of some words.

        Args:
            words: The words to look for in titles and abstracts; a document need not have all.
            limit: How many documents to return at most.
            where: Limits of the search, such as "year>=2010".
        """
        check_type(words, str, name="words", wanted='a text, such as "sleep apnea"')
        check_count(limit, name="limit")
        check_type(where, (str, Where), name="where", wanted='limits, such as "year>=2010"')
        limits = Where.parse(where) if isinstance(where, str) else where
        query = make_words_query(words, library=self, where=limits)
        return DocumentList(self.get(self.find_best(query, limit=limit).ids))

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        """Return True even if it is empty: `if library` asks whether there is a library."""
        return True

    def __contains__(self, identifier: object) -> bool:
        spelled = spell_identifier(identifier)
        return spelled is not None and bool(self.get([spelled]))

    def __getitem__(self, identifier: str | int) -> Document:
        """Return the document of an id; raise UnknownDocumentError if there is none."""
        spelled = require_identifier(identifier)
        for document in self.get([spelled]):
            return document
        raise UnknownDocumentError(
            f"{self.place or 'the library'}: no document has the id {spelled!r}; "
            'if it has another id, find it with library.search("words of its title")'
        )

    def __iter__(self) -> Iterator[Document]:
        """Yield all documents in the order of their ids, reading some at a time."""
        ids = self.list_ids()
        for start in range(0, len(ids), STEP):
            yield from self.get(ids[start : start + STEP])

    def __repr__(self) -> str:
        count = self.count()
        place = self.place or "in memory"
        return f"<Library {place}: {count:,} document{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        info = self.info()
        filled = [(name, f"{info.fields.get(name, 0):,}") for name in TOLD_FIELDS]
        table = render_table(("documents with", ""), filled, numbers=(1,))
        changed = f", last changed {info.changed[:10]}" if info.changed else ""
        place = self.place or "memory"
        about = f"{info.documents:,} documents in {place} ({self.engine}{changed})."
        return wrap_html(*render_sentences([about]), table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()


def check_is_library(library: object) -> None:
    """Raise ArgumentTypeError unless an argument is a library of some engine."""
    if not hasattr(library, "find_best"):
        check_type(library, (), name="library", wanted="an open library, or its path")


def spell_place(library: Library) -> str:
    """Return a library's place, quoted for a command line; LIB for one in memory."""
    return shlex.quote(library.place) if library.place else "LIB"


class Heading(NamedTuple):
    """A MeSH heading that documents have, by its name and its identifier."""

    name: str
    ui: str = ""
    """Its identifier, such as "D000818"; "" if the document's source gave none."""


@runtime_checkable
class HeadingIndex(Protocol):
    """What a library that indexes MeSH headings can do; only benchmarks and the demo need it."""

    def count_headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""

    def find_having(self, terms: Sequence[Collection[Heading]]) -> list[str]:
        """Return the sorted ids of the documents that have a heading of each of the terms."""


@dataclass(frozen=True)
class LibraryChanges:
    """What was added and revised in a library since a position in the order of its commits.

    That order does not depend on a clock, so setting the clock back changes nothing.
    """

    library: str
    """Its identity; one made anew in its place has another; "" if the library keeps no order."""
    position: int
    """The library's position now."""
    added: tuple[str, ...] = ()
    """The ids of documents that were not there before."""
    revised: tuple[str, ...] = ()
    """The ids of documents that were there before, but have changed."""


@runtime_checkable
class ChangeIndex(Protocol):
    """What a library can also do if it knows the order in which its documents came."""

    def list_changes(self, since: int | None = None) -> LibraryChanges:
        """Return what has changed since a position; without one, only the library's position."""


def find_changes(library: Library, since: int | None = None) -> LibraryChanges:
    """Return what has changed in a library of any engine, as far as it can tell."""
    if isinstance(library, ChangeIndex):
        return library.list_changes(since)
    return LibraryChanges("", 0)


@runtime_checkable
class ExactIndex(Protocol):
    """What a library can also do if it recognises a document without reading it."""

    def find_exact(self, documents: Sequence[Document]) -> set[str]:
        """Return the ids of those documents that the library holds exactly as given.

        Some may be left out, such as those that came before the library could tell.
        """


@runtime_checkable
class GatheredLibrary(Protocol):
    """What a library can also do if it may have been gathered from a source for some seeds."""

    def read_reach(self) -> dict[str, bool]:
        """Return, by each seed's id, whether the other seeds would have brought it in."""


def require_headings(library: Library) -> HeadingIndex:
    """Return the library if it indexes headings; raise LibraryError if it does not."""
    if isinstance(library, HeadingIndex):
        return library
    raise LibraryError(f"libraries of {library.engine} can't be asked for MeSH headings")


def make_words_query(text: str, *, library: Library, where: Where = ANYWHERE) -> Query:
    """Make a query of words, each of which counts once in the abstract and twice in the title."""
    terms = dict.fromkeys(
        Term(field, term, 2.0 if field == "title" else 1.0)
        for field in FIELDS
        for term in library.analyze(field, text)
    )
    return Query(tuple(terms), where=where)


def settle_ties(ids: list[str], scores: list[float]) -> None:
    """Sort the ids of equal scores, which are side by side, in place.

    >>> ids = ["b", "z", "a"]
    >>> settle_ties(ids, [2.0, 1.0, 1.0])
    >>> ids
    ['b', 'a', 'z']
    """
    tied = compress(count(), map(eq, scores, islice(scores, 1, None)))
    for start, stop in _find_runs(tied):
        # Most ties are pairs that are in order already.
        if stop - start > 2 or ids[start] > ids[start + 1]:
            ids[start:stop] = sorted(ids[start:stop])


def _find_runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of equal values, given the places that equal the next.

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
