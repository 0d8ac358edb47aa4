"""Ids and keys inside a library: what a document is found under, and ids kept as numbers.

Engines hand out numbers of many hits at once, but text only one document at a time. So the
embedded engine keeps each id in numeric columns as well. An id that is a number, as PMIDs are, is
that number in the first column. Any other id has its length and first 7 bytes there, below a set
top bit, and 8 bytes more in each further column; columns that no id needs take no space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from likewise.documents import Document
from likewise.documents.document import check_document
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    identity_keys,
    settle,
)
from likewise.errors import RecordError, UnknownDocumentError
from likewise.library.protocol import Heading, Library, spell_place

Column = Callable[[str, Sequence[int]], Sequence[int]]

COLUMN_NAMES = tuple(f"id_{number}" for number in range(9))
MAX_BYTES = 7 + 8 * (len(COLUMN_NAMES) - 1)
"""Longer ids do not fit into the columns."""

_ALIASES = ("id:", "pmid:", "doi:", "pmcid:")
# Engines keep no terms longer than some tens of thousands of bytes.
MAX_ID = 1000

_FILLABLE = tuple(name for name in Document.__struct_fields__ if name not in ("id", "source"))
_TEXT = 1 << 63
# Below 2**63, and with only one way to write it.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")

# No heading is nearly as long, and engines limit the length of terms.
MAX_HEADING = 1000


def prepare_document(document: Document) -> Document:
    """Return a document with an id and clean fields; raise RecordError if its id is too long."""
    check_document(document)
    document = settle(document)
    if len(document.id) > MAX_ID:
        raise RecordError(f"an id of {len(document.id):,} characters; at most {MAX_ID} are kept")
    return document


def list_keys(document: Document) -> list[str]:
    """Return the keys a library finds a document under: its identity and its former ids."""
    return [*list_id_keys(document), *identity_keys(document)]


def list_id_keys(document: Document) -> list[str]:
    """Return the keys of a document's id, and of the ids of records that were merged with it.

    A paper that a person has joined with another has the identifiers of both, too.
    """
    aliases = [other for other in document.other_ids if other.startswith(_ALIASES)]
    return [f"id:{document.id}", *aliases]


def list_filled_fields(document: Document) -> list[str]:
    """Return the names of a document's fields that are not empty."""
    return [name for name in _FILLABLE if getattr(document, name)]


def pack_id(identifier: str) -> dict[str, int]:
    """Return the columns that hold an id.

    >>> pack_id("429554")
    {'id_0': 429554}
    """
    if _NUMBER.fullmatch(identifier):
        return {COLUMN_NAMES[0]: int(identifier)}
    raw = identifier.encode()
    length = min(len(raw), MAX_BYTES + 1)
    parts = [bytes([0x80 | length]) + raw[:7]]
    parts += [raw[start : start + 8] for start in range(7, min(length, MAX_BYTES), 8)]
    padded = (part.ljust(8, b"\0") for part in parts)
    return {
        name: int.from_bytes(part, "big") for name, part in zip(COLUMN_NAMES, padded, strict=False)
    }


def unpack_ids(rows: int, *, column: Column, whole: Callable[[int], str]) -> list[str]:
    """Return the ids of some rows.

    Args:
        rows: How many rows there are.
        column: Returns a column's values for the given rows.
        whole: Returns the id of a row if it is too long for its columns.
    """
    first = column(COLUMN_NAMES[0], range(rows))
    ids = [f"{value}" for value in first]
    if max(first, default=0) >= _TEXT:
        texts = [row for row, value in enumerate(first) if value >= _TEXT]
        for row, identifier in zip(texts, _unpack_texts(texts, first, column), strict=True):
            ids[row] = identifier or whole(row)
    return ids


def _unpack_texts(rows: list[int], first: Sequence[int], column: Column) -> list[str]:
    """Return the ids of rows that are text, "" for one that is too long."""
    heads = [first[row].to_bytes(8, "big") for row in rows]
    lengths = [head[0] & 0x7F for head in heads]
    raws = [head[1:] for head in heads]
    for number, name in enumerate(COLUMN_NAMES[1:]):
        longer = [place for place, length in enumerate(lengths) if length > 7 + 8 * number]
        if not longer:
            break
        values = column(name, [rows[place] for place in longer])
        for place, value in zip(longer, values, strict=True):
            raws[place] += value.to_bytes(8, "big")
    return [
        raw[:length].decode() if length <= MAX_BYTES else ""
        for raw, length in zip(raws, lengths, strict=True)
    ]


def look_up_documents(library: Library, identifiers: Sequence[str]) -> list[Document]:
    """Return the documents with these ids, PMIDs, DOIs or PMCIDs, in the order given."""
    keys = {identifier: _guess_keys(identifier) for identifier in identifiers}
    candidates = library.find({key for some in keys.values() for key in some})
    found = {f"id:{document.id}": document for document in candidates}
    for document in candidates:
        for key in list_keys(document):
            found.setdefault(key, document)
    documents = {name: next(filter(None, map(found.get, keys[name])), None) for name in keys}
    unknown = [name for name, document in documents.items() if document is None]
    if unknown:
        raise UnknownDocumentError(
            f"the library holds no document {', '.join(unknown)}; "
            f"find the right id with: likewise search {spell_place(library)} WORDS"
        )
    return [document for document in documents.values() if document]


def _guess_keys(identifier: str) -> list[str]:
    """Return the keys that a person may mean by an identifier, the likeliest first."""
    meant = {
        "id": identifier,
        "pmid": clean_pmid(identifier),
        "doi": clean_doi(identifier),
        "pmcid": clean_pmcid(identifier) if "pmc" in identifier.lower() else "",
    }
    return [f"{kind}:{value}" for kind, value in meant.items() if value]


def list_headings(document: Document) -> list[Heading]:
    """Return the headings that a document is found by, each once and in order.

    >>> from likewise.documents import Document, MeshHeading
    >>> list_headings(Document(mesh=(MeshHeading("Rats", "D051381", True), MeshHeading("Brain"))))
    [Heading(name='Brain', ui=''), Heading(name='Rats', ui='D051381')]
    """
    # MeSH's identifiers have no colon, and a colon ends the identifier in a term.
    found = {Heading(each.name, "" if ":" in each.ui else each.ui) for each in document.mesh}
    return sorted(heading for heading in found if 0 < len("".join(heading)) <= MAX_HEADING)


def spell_heading(heading: Heading) -> str:
    """Return the term of a heading."""
    return f"{heading.ui}:{heading.name}"


def parse_heading(term: str) -> Heading:
    """Return the heading of a term.

    >>> parse_heading("D000818:Animals"), parse_heading(":Fatty Acids, 18:1")
    (Heading(name='Animals', ui='D000818'), Heading(name='Fatty Acids, 18:1', ui=''))
    """
    ui, _, name = term.partition(":")
    return Heading(name, ui)
