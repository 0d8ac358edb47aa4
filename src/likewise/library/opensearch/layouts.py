"""How documents lie in an index, and the way there and back.

An index of ours holds the document's own JSON, and beside it, under `find` and kept out of what
comes back, what it is found by. Other indexes are laid out as their makers liked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import msgspec

from likewise.documents import Document
from likewise.library.analysis import english, terms_of
from likewise.library.headings import from_term, headings_of, to_term
from likewise.library.identifiers import filled_fields, library_keys
from likewise.library.opensearch.mapping import WINDOW
from likewise.library.opensearch.whole import Failure  # noqa: TC001  # msgspec reads annotations
from likewise.library.query import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from likewise.library.opensearch.connection import Connection
    from likewise.library.protocol import Heading

NOTHING = "\u2205"
"""The term of an empty field; no analysis makes it of a text.

Lucene leaves documents without a field out of their number and of the mean length, other engines
do not. With one term that nobody asks for they are counted.
"""

# The server takes no longer ones.
MAX_STORED_ID = 512


class Hit(msgspec.Struct, gc=False, rename={"id": "_id", "index": "_index", "source": "_source"}):
    """A document as the server answers with it."""

    id: str = ""
    index: str = ""
    found: bool = True
    error: Failure | None = None
    """Why it can't be told whether it is there."""
    source: msgspec.Raw = msgspec.Raw(b"{}")
    sort: tuple[Any, ...] = ()
    """The values that it was sorted by: its score first, where there is one."""


class Layout(Protocol):
    """How documents lie in an index."""

    @property
    def index(self) -> str:
        """The name of the index, or of what stands for several."""
        ...

    @property
    def is_own(self) -> bool:
        """Whether likewise made the index, and may write to it."""
        ...

    @property
    def window(self) -> int:
        """How many hits the server gives in one page at most."""
        ...

    @property
    def text(self) -> Mapping[Field, str | None]:
        """The index's field for each part of a document that is searched."""
        ...

    @property
    def holders(self) -> Mapping[Field, Sequence[str]]:
        """The single indexes, of those that the name stands for, that have the field of a part."""
        ...

    @property
    def id_field(self) -> str | None:
        """The field that holds ids and can be sorted by, or None where ids are `_id`."""
        ...

    @property
    def mesh_field(self) -> str | None:
        """The field that holds headings, whole."""
        ...

    @property
    def source_fields(self) -> Sequence[str]:
        """What of the source makes a document; none means all of it."""
        ...

    @property
    def is_direct(self) -> bool:
        """Whether documents are got by `_id`, without a search."""
        ...

    @property
    def keys_at_once(self) -> int:
        """How many ids or identity keys a query may ask for."""
        ...

    @property
    def counted(self) -> Mapping[str, Any]:
        """The aggregations that count documents: by `fields` that they have, and by `sources`.

        Each answers with buckets: a list of them with keys, or an object.
        """
        ...

    def document(self, hit: Hit) -> Document:
        """Return the document of a hit."""
        ...

    def stored_id(self, identifier: str) -> str | None:
        """Return the `_id` of a document, if it can be told."""
        ...

    def id_query(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the query for the documents of these ids."""
        ...

    def key_query(self, keys: Collection[str]) -> dict[str, Any] | None:
        """Return the query for documents that hold any of these identity keys, if there is one."""
        ...

    def heading_of(self, value: str) -> Heading:
        """Return the heading of a value of the field of headings."""
        ...

    def heading_values(self, heading: Heading) -> Sequence[str]:
        """Return the values under which the field of headings holds a heading."""
        ...

    def specimen(self, field: Field, terms: Sequence[str]) -> dict[str, Any]:
        """Return a source that has these terms in the index's field."""
        ...

    def analyze_all(
        self, connection: Connection, field: Field, texts: Sequence[str]
    ) -> list[list[str]]:
        """Return the terms of each text."""
        ...


@dataclass(frozen=True)
class OwnLayout:
    """The layout of an index that likewise made."""

    index: str
    indexes: Sequence[str] = ()
    """Those that the name stands for: one, which may be written to, or more."""
    window: int = WINDOW

    is_own: ClassVar[bool] = True
    text: ClassVar[Mapping[Field, str | None]] = {
        "title": "find.title",
        "abstract": "find.abstract",
    }
    id_field: ClassVar[str] = "find.id"
    mesh_field: ClassVar[str] = "find.mesh"
    source_fields: ClassVar[Sequence[str]] = ()
    # The server's own limit is 65,536.
    keys_at_once: ClassVar[int] = 50_000
    counted: ClassVar[Mapping[str, Any]] = {
        "fields": {"terms": {"field": "find.has", "size": 100}},
        "sources": {"terms": {"field": "find.source", "size": 10_000}},
    }

    @property
    def is_direct(self) -> bool:
        """Whether documents are got by `_id`: the server does so out of a single index."""
        return len(self.indexes) < 2

    @property
    def single(self) -> str:
        """The name of the one index that the name stands for, if there is just one."""
        return self.indexes[0] if len(self.indexes) == 1 else self.index

    @property
    def holders(self) -> Mapping[Field, Sequence[str]]:
        """The single indexes behind the name, all of which have both fields."""
        return dict.fromkeys(FIELDS, self.indexes or [self.index])

    def document(self, hit: Hit) -> Document:
        """Return the document of a hit."""
        return _decode(hit.source)

    def stored_id(self, identifier: str) -> str:
        """Return the `_id` of a document: its own, or a hash where that is too long for it."""
        raw = identifier.encode(errors="surrogatepass")
        if len(raw) <= MAX_STORED_ID:
            return identifier
        return "long-" + hashlib.blake2b(raw, digest_size=16).hexdigest()

    def id_query(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the query for the documents of these ids."""
        return {"terms": {self.id_field: list(ids)}}

    def key_query(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the query for documents that hold any of these identity keys."""
        return {"terms": {"find.key": sorted(keys)}}

    def heading_of(self, value: str) -> Heading:
        """Return the heading of a value of the field of headings."""
        return from_term(value)

    def heading_values(self, heading: Heading) -> Sequence[str]:
        """Return the value under which the field of headings holds a heading."""
        return [to_term(heading)]

    def specimen(self, field: Field, terms: Sequence[str]) -> dict[str, Any]:
        """Return a source that has these terms in the index's field."""
        return {"find": {field: terms}}

    def analyze_all(
        self,
        connection: Connection,  # noqa: ARG002  # the server is not asked
        field: Field,  # noqa: ARG002  # both alike here
        texts: Sequence[str],
    ) -> list[list[str]]:
        """Return the terms of each text."""
        return [list(terms_of(text)) for text in texts]

    def to_source(self, document: Document) -> bytes:
        """Return a document as the index takes it: JSON, in one line."""
        return _encode(_Stored.of(document))


class _Find(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What a document is found by; the fields of `find` in the index's mapping."""

    id: str
    key: list[str]
    title: str
    abstract: str
    source: str
    has: list[str] = []
    mesh: list[str] = []


class _Stored(Document, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """A document, and beside it what it is found by."""

    find: _Find

    @classmethod
    def of(cls, document: Document) -> _Stored:
        find = _Find(
            id=document.id,
            key=library_keys(document),
            title=_terms(document.title),
            abstract=_terms(document.abstract),
            source=document.source,
            has=filled_fields(document),
            mesh=[to_term(heading) for heading in headings_of(document)],
        )
        return cls(find=find, **{name: getattr(document, name) for name in _FIELDS})


def _terms(text: str) -> str:
    # Analysed here and not by the server, whose stemmer differs from version to version.
    return " ".join(english().analyze(text)) or NOTHING


_FIELDS = Document.__struct_fields__
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Document).decode
