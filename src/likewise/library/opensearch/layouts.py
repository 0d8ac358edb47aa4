"""How documents are laid out in an index, read and written, and how likewise makes an index.

An index of ours holds each document as JSON. What the document is found by lies beside it, under
`find`, and does not come back with it. Other indexes are laid out as their makers liked.
"""

from __future__ import annotations

import hashlib
import secrets
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from likewise.documents import Document
from likewise.library.analysis import MAX_TERM_BYTES, STOP_WORDS, build_analyzer
from likewise.library.keys import (
    MAX_ID,
    list_filled_fields,
    list_headings,
    list_keys,
    parse_heading,
    spell_heading,
)
from likewise.library.links import list_names
from likewise.library.opensearch.connection import PartFailure
from likewise.library.protocol import FIELDS, Field, Heading
from likewise.library.where import LAST_YEAR, VALUE_FIELDS, ValueLimit, Where, list_values

NOTHING = "\u2205"
"""The term of an empty field; no analysis makes it of a text.

Lucene does not count documents without a field, neither in their number nor in the mean length;
other engines do. With one term that nobody asks for, Lucene counts them too.
"""

# The server takes no longer ids.
MAX_STORED_ID = 512
DIGEST_BYTES = 12

_FIELDS = Document.__struct_fields__
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Document).decode
INDEX_FORMAT = FIRST_WITH_LIMITS = 2
"""Indexes of format 1, which have no fields for limits, are read and written too."""
ANALYZER = "likewise_english"
WINDOW = 100_000
"""How many hits come in one page; most pools fit into one."""


class Hit(msgspec.Struct, gc=False, rename={"id": "_id", "index": "_index", "source": "_source"}):
    """A document in an answer of the server."""

    id: str = ""
    index: str = ""
    found: bool = True
    error: PartFailure | None = None
    """Why the server could not say whether it is there."""
    source: msgspec.Raw = msgspec.Raw(b"{}")
    sort: tuple[Any, ...] = ()
    """The values that it was sorted by: its score first, if there is one."""
    fields: dict[str, list[Any]] = {}
    """The values of columns that were asked for."""


@dataclass(frozen=True)
class OwnLayout:
    """The layout of an index that likewise made."""

    index: str
    indexes: Sequence[str] = ()
    """The indexes that the name stands for: one, which may be written to, or more."""
    window: int = WINDOW
    has_limits: bool = True
    """Whether years, languages and types are indexed, as they are from format 2 on."""
    has_links: bool = True
    """Whether what documents cite is indexed; an older index has it once it is written to."""
    made: str = ""
    """An id that tells the index from others of its name, even after it was restored."""

    text: ClassVar[Mapping[Field, str]] = {"title": "find.title", "abstract": "find.abstract"}
    id_field: ClassVar[str] = "find.id"
    mesh_field: ClassVar[str] = "find.mesh"
    source_fields: ClassVar[Sequence[str]] = ()
    """All of the source makes a document."""
    # The server's own limit is 65,536.
    keys_at_once: ClassVar[int] = 50_000
    counted: ClassVar[Mapping[str, Any]] = {
        "fields": {"terms": {"field": "find.has", "size": 100}},
        "sources": {"terms": {"field": "find.source", "size": 10_000}},
    }

    @property
    def is_direct(self) -> bool:
        """Whether documents are fetched by `_id`, which servers do only from a single index."""
        return len(self.indexes) < 2

    @property
    def single(self) -> str:
        """The name of the one index that the name stands for, if there is just one."""
        return self.indexes[0] if len(self.indexes) == 1 else self.index

    @property
    def holders(self) -> Mapping[Field, Sequence[str]]:
        """The single indexes behind the name, all of which have both fields."""
        return dict.fromkeys(FIELDS, self.indexes or [self.index])

    def read_document(self, hit: Hit) -> Document:
        """Return the document of a hit."""
        return _decode(hit.source)

    def find_stored_id(self, identifier: str) -> str:
        """Return the `_id` of a document: its own id, or a hash if that is too long."""
        raw = identifier.encode(errors="surrogatepass")
        if len(raw) <= MAX_STORED_ID:
            return identifier
        return "long-" + hashlib.blake2b(raw, digest_size=16).hexdigest()

    def make_id_query(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the query for the documents of these ids."""
        return {"terms": {self.id_field: list(ids)}}

    def make_key_query(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the query for documents that hold any of these identity keys."""
        return {"terms": {"find.key": sorted(keys)}}

    def explain_unlimited(self, where: Where) -> str:
        """Return why searches can't be limited, and the way out; "" if they can."""
        if self.has_limits or not where:
            return ""
        return (
            "made by an earlier likewise, which indexed no year, language or type to limit a "
            "search by; index its files again, into a new name: likewise index FILES --into ADDRESS"
        )

    def make_limit(self, where: Where) -> dict[str, Any]:
        """Return the parts of a bool query that limit it."""
        years = {"gte": where.first_year or 1, "lte": where.last_year or LAST_YEAR}
        return join_limits(
            where,
            years={"range": {"find.year": years}},
            match=lambda limit: {"terms": {f"find.{limit.field}": list(limit.values)}},
        )

    def parse_heading(self, value: str) -> Heading:
        """Return the heading of a value of the field of headings."""
        return parse_heading(value)

    def spell_heading(self, heading: Heading) -> str:
        """Return the value under which the field of headings holds a heading."""
        return spell_heading(heading)

    def make_specimen(self, field: Field, terms: Sequence[str]) -> dict[str, Any]:
        """Return a source that has these terms in the index's field."""
        return {"find": {field: terms}}

    def to_source(self, document: Document, *, keys: Sequence[str] | None = None) -> bytes:
        """Return a document as the index takes it: JSON, in one line."""
        return _encode(_StoredDocument.of(document, keys=keys))


def join_limits(
    where: Where, *, years: dict[str, Any], match: Callable[[ValueLimit], dict[str, Any]]
) -> dict[str, Any]:
    """Return the parts of a bool query that limit it.

    Args:
        where: The limits.
        years: The clause for limits on years.
        match: Returns the clause for documents that have one of some values.
    """
    included = [match(limit) for limit in where.limits if not limit.is_excluded]
    excluded = [match(limit) for limit in where.limits if limit.is_excluded]
    if where.has_years:
        included.insert(0, years)
    parts = {"filter": included, "must_not": excluded}
    return {name: clauses for name, clauses in parts.items() if clauses}


class _FindFields(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What a document is found by; the fields of `find` in the index's mapping."""

    id: str
    key: list[str]
    title: str
    abstract: str
    source: str
    has: list[str] = []
    mesh: list[str] = []
    year: int | None = None
    language: list[str] = []
    type: list[str] = []
    paper: str = ""
    references: list[str] = []


class _StoredDocument(Document, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """A document, and beside it what it is found by."""

    find: _FindFields

    @classmethod
    def of(cls, document: Document, *, keys: Sequence[str] | None) -> _StoredDocument:
        citing, *others = list_names(document)
        cited = [name for name in document.references if name not in (citing, *others)]
        find = _FindFields(
            id=document.id,
            key=[*(keys or list_keys(document)), spell_digest(document)],
            title=_join_terms(document.title),
            abstract=_join_terms(document.abstract),
            source=document.source,
            has=list_filled_fields(document),
            mesh=[spell_heading(heading) for heading in list_headings(document)],
            year=document.year,
            language=list_values(document, "language"),
            type=list_values(document, "type"),
            paper=citing if cited else "",
            references=cited,
        )
        return cls(find=find, **{name: getattr(document, name) for name in _FIELDS})


def spell_digest(document: Document) -> str:
    """Return a key that only an identical document has, with the same id."""
    digest = hashlib.blake2b(_encode(document), digest_size=DIGEST_BYTES).digest()
    return f"exact:{b64encode(digest).decode()}"


def _join_terms(text: str) -> str:
    # Analysed here and not by the server, whose stemmer differs from version to version.
    return " ".join(build_analyzer().analyze(text)) or NOTHING


def make_index_body(*, shards: int = 1, replicas: int | None = None) -> dict[str, Any]:
    """Return the request that makes an index.

    Unless a number is given, there is one replica if there is a second node to hold it.
    """
    copies = (
        {"auto_expand_replicas": "0-1"} if replicas is None else {"number_of_replicas": replicas}
    )
    return {
        "settings": {
            "index": {
                "number_of_shards": shards,
                **copies,
                "max_result_window": WINDOW,
            },
            "analysis": _make_analysis(),
        },
        "mappings": {
            "_meta": {"likewise": {"format": INDEX_FORMAT, "made": secrets.token_hex(8)}},
            # What is under `find` is made of the rest, and need not come back.
            "_source": {"excludes": ["find"]},
            "dynamic": False,
            "properties": {"find": {"dynamic": False, "properties": _make_properties()}},
        },
    }


def _make_properties() -> dict[str, Any]:
    names = ("id", "key", "has", "source", "mesh", *VALUE_FIELDS)
    fields: dict[str, Any] = {name: {"type": "keyword"} for name in names}
    # Keys are only looked up, never counted or sorted.
    fields["key"]["doc_values"] = False
    # No real identifier is as long; a document that has one is kept all the same.
    fields["key"]["ignore_above"] = 2 * MAX_ID
    # Servers take values of 32,766 bytes; a source that is longer is not counted.
    for name in ("source", *VALUE_FIELDS):
        fields[name]["ignore_above"] = 32_766 // 4
    fields["year"] = {"type": "short"}
    text = {
        "type": "text",
        "index_options": "freqs",
        # Terms come ready made, as library/analysis.py makes them ...
        "analyzer": "whitespace",
        # ... and people's own queries, sent by other tools, are analysed nearly alike.
        "search_analyzer": ANALYZER,
    }
    return fields | {"title": text, "abstract": text} | make_link_properties()


def make_link_properties() -> dict[str, Any]:
    """Return the fields that tell what documents cite, as the mapping has them under `find`."""
    name = {"type": "keyword", "ignore_above": 2 * MAX_ID}
    return {"paper": name, "references": name}


def _make_analysis() -> dict[str, Any]:
    return {
        "tokenizer": {
            "likewise_words": {"type": "pattern", "pattern": r"[^\p{IsAlphabetic}\p{N}]+"}
        },
        "filter": {
            "likewise_length": {"type": "length", "max": MAX_TERM_BYTES - 1},
            "likewise_stop": {"type": "stop", "stopwords": STOP_WORDS},
            "likewise_stemmer": {"type": "stemmer", "language": "porter2"},
        },
        "analyzer": {
            ANALYZER: {
                "type": "custom",
                "tokenizer": "likewise_words",
                "filter": [
                    "likewise_length",
                    "lowercase",
                    "asciifolding",
                    "likewise_stop",
                    "likewise_stemmer",
                ],
            }
        },
    }


def read_format(index: Mapping[str, Any]) -> int | None:
    """Return the format of an index that likewise made, as the server describes it, or None."""
    found = read_meta(index).get("format")
    return found if isinstance(found, int) else None


def read_meta(index: Mapping[str, Any]) -> dict[str, Any]:
    """Return what likewise has written into the mapping of an index of its own."""
    meta = index.get("mappings", {}).get("_meta")
    ours = meta.get("likewise") if isinstance(meta, dict) else None
    return ours if isinstance(ours, dict) else {}
