"""Documents as rows of our own tables, which lose nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from likewise.documents.document import AnnotatedDocument, Document, MeshHeading
from likewise.documents.identity import clean_year

FIELDS = Document.__struct_fields__
"""The columns that we write, in this order; a table that has them all is read back exactly."""
LISTS = frozenset(
    (
        *("authors", "other_ids", "mesh", "keywords", "publication_types"),
        *("issn", "isbn", "editors", "urls", "remarks", "references", "extra"),
    )
)
ALWAYS_OURS = frozenset(
    (
        *("id", "title", "abstract", "year", "authors", "journal", "doi", "pmid", "pmcid"),
        *("other_ids", "mesh", "keywords", "publication_types", "language", "source"),
    )
)
"""The columns that our tables have had from the first version on."""


def to_row(document: Document) -> dict[str, str]:
    """Return a document as texts by column, such that nothing is lost."""
    row = {}
    for name in FIELDS:
        value = getattr(document, name)
        if name == "mesh":
            value = [_write_heading(heading) for heading in value]
        elif name == "extra":
            value = [write_pair(*pair) for pair in value]
        row[name] = _join(value) if name in LISTS else "" if value is None else str(value)
    return row


def lay_out_table(
    annotated: Iterable[AnnotatedDocument],
) -> tuple[list[str], Iterator[AnnotatedDocument]]:
    """Return the columns of a table, the notes' after ours, and the entries that fill it."""
    entries = iter(annotated)
    first = list(islice(entries, 1))
    notes = first[0].notes if first else ()
    return [*FIELDS, *notes], chain(first, entries)


def from_row(row: dict[str, str]) -> Document:
    """Return the document that `to_row` was given.

    >>> document = Document(title="On cats", keywords=("a; b", "c"), mesh=(MeshHeading("Cats"),))
    >>> from_row(to_row(document)) == document
    True
    """
    fields: dict[str, Any] = {
        name: split_parts(text) if name in LISTS else text for name, text in row.items()
    }
    year = row.get("year", "")
    fields["year"] = int(year) if re.fullmatch(r"-?[0-9]{1,9}", year) else clean_year(year)
    fields["mesh"] = tuple(_read_heading(text) for text in fields.get("mesh", ()))
    fields["extra"] = tuple(map(read_pair, fields.get("extra", ())))
    return Document(**fields)


def _join(values: Sequence[str]) -> str:
    return "; ".join(value.replace("\\", r"\\").replace(";", r"\;") for value in values)


_PART = re.compile(r"(?:\A|; )((?:[^;\\]|\\.)*+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def split_parts(text: str) -> tuple[str, ...]:
    """Return the items of a cell of ours."""
    if not text:
        return ()
    if "\\" not in text:
        return tuple(text.split("; "))
    return tuple(_ESCAPED.sub(r"\1", part) for part in _PART.findall(text))


def write_pair(tag: str, value: str) -> str:
    r"""Write a pair of tag and value as "ris:C1=value".

    >>> write_pair("ris:C1", "a=b"), write_pair("csv:a=b", "c")
    ('ris:C1=a=b', 'csv:a\\=b=c')
    """
    guarded = tag.replace("\\", r"\\").replace("=", r"\=") if "=" in tag or "\\" in tag else tag
    return f"{guarded}={value}"


_PAIR = re.compile(r"((?:[^\\=]|\\.)*+)=?", re.DOTALL)


def read_pair(text: str) -> tuple[str, str]:
    """Return the pair that `write_pair` was given."""
    found = _PAIR.match(text)
    end = found.end() if found else 0
    tag = found[1] if found else ""
    return _ESCAPED.sub(r"\1", tag) if "\\" in tag else tag, text[end:]


def _write_heading(heading: MeshHeading) -> str:
    """Write a heading as "*D000818:Animals", the star for a major one.

    >>> _write_heading(MeshHeading("Animals", ui="D000818")), _write_heading(MeshHeading("a: b"))
    ('D000818:Animals', ':a: b')
    """
    # A name that could be taken for star or identifier has a colon before it.
    guarded = heading.ui or ":" in heading.name or heading.name[:1] in ("*", "")
    text = f"{heading.ui}:{heading.name}" if guarded else heading.name
    return f"*{text}" if heading.major else text


def _read_heading(text: str) -> MeshHeading:
    major = text.startswith("*")
    ui, colon, name = text.removeprefix("*").partition(":")
    return MeshHeading(name if colon else ui, ui=ui if colon else "", major=major)
