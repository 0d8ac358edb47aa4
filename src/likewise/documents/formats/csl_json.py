"""CSL-JSON, as Zotero, Mendeley, Pandoc and the DOI registries' services write it.

A file is an array of items, or has one item per line. What CSL has no variable for is written under
our own names to `custom`, for which its schema leaves room. Variables that no document has a field
for are kept under their names, such as "csl:genre".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

import msgspec

from likewise.documents.citations import format_date, list_remarks, read_date_parts
from likewise.documents.document import KNOWN_NOTES, AnnotatedDocument, Document, Note
from likewise.documents.formats import cells
from likewise.documents.formats.columns import clean_with, read_isbn, read_issn
from likewise.documents.formats.jsonl import read_objects
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_pmcid_in_note,
    find_pmid_in_note,
)
from likewise.documents.sources import BadRecordError, ReadItem, Record, Source

# CSL's types, by what RIS calls them.
_TYPES = {
    "JOUR": "article-journal", "BOOK": "book", "CHAP": "chapter", "ENCYC": "entry-encyclopedia",
    "DICT": "entry-dictionary", "CPAPER": "paper-conference", "THES": "thesis", "RPRT": "report",
    "ELEC": "webpage", "BLOG": "post-weblog", "MGZN": "article-magazine",
    "NEWS": "article-newspaper", "PAT": "patent", "DATA": "dataset", "COMP": "software",
    "MANSCPT": "manuscript", "UNPB": "article", "MAP": "map", "PAMP": "pamphlet",
    "SER": "periodical", "STAND": "standard", "BILL": "bill", "CASE": "legal_case",
    "GEN": "document",
}  # fmt: skip
_KINDS = {name: kind for kind, name in _TYPES.items()} | {"review": "JOUR"}
_PREFIX = "csl:"
_TYPE = "csl:type"
# Variables that are the same texts as fields of ours.
_TEXTS = {
    "title": "title", "abstract": "abstract", "container-title": "journal",
    "collection-title": "series", "volume": "volume", "issue": "issue", "page": "pages",
    "edition": "edition", "publisher": "publisher", "publisher-place": "place",
    "language": "language", "source": "database",
}  # fmt: skip
_CLEANED: dict[str, tuple[str, Callable[[str], str]]] = {
    "DOI": ("doi", clean_doi),
    "PMID": ("pmid", clean_pmid),
    "PMCID": ("pmcid", clean_pmcid),
}
# Fields of ours for which CSL has no variable.
_OWN = (
    *("other_ids", "mesh", "publication_types", "kind", "urls", "accession", "extra", "source"),
)


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file of CSL items."""
    for item in read_objects(source, parse_item):
        yield _show_notes(item) if isinstance(item, Record) else item


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as an array of CSL items."""
    before = b"[\n"
    for document, notes in annotated:
        stream.write(before + msgspec.json.encode(_make_item(document, notes)))
        before = b",\n"
    stream.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def parse_item(item: dict[str, Any]) -> Document:
    """Return the document in an item; raise BadRecordError if there is none.

    >>> parse_item({"id": "li2021", "type": "book", "title": "On cats", "edition": 2}).edition
    '2'
    """
    parsed = _CslItem(item)
    document = Document(**parsed.read_fields())
    if not (document.is_identifiable or document.id):
        raise BadRecordError("no title, no abstract and no identifier")
    return document


class _CslItem:
    """The variables of an item, and which of them a document has taken."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        custom = item.get("custom")
        self._custom = custom if isinstance(custom, dict) else {}
        # JSON has ways to say nothing, so a word such as "nan" is a text here.
        self._left = {
            name: value for name, value in item.items() if value not in (None, "", [], {})
        }

    def read_fields(self) -> dict[str, Any]:
        """Return the fields of a document."""
        fields = self._read_own()
        fields["id"] = self._take("id", _read_value) or ""
        for name, field in _TEXTS.items():
            fields[field] = self._take(name, _read_value) or ""
        for name, (field, clean) in _CLEANED.items():
            fields[field] = self._take(name, clean_with(clean)) or ""
        fields["authors"] = self._take("author", _read_names) or ()
        fields["editors"] = self._take("editor", _read_names) or ()
        fields["keywords"] = self._take("keyword", _read_keywords) or ()
        fields["issn"] = self._take("ISSN", read_issn) or ()
        fields["isbn"] = self._take("ISBN", read_isbn) or ()
        fields["remarks"] = self._take("note", lambda text: list_remarks(_read_lines(text))) or ()
        note = "\n".join(fields["remarks"])
        fields["pmid"] = fields["pmid"] or find_pmid_in_note(note)
        fields["pmcid"] = fields["pmcid"] or find_pmcid_in_note(note)
        url = self._take("URL", cells.read_text)
        urls = fields.get("urls", ())
        fields["urls"] = tuple(dict.fromkeys((url, *urls) if url else urls))
        fields.update(self._take_date())
        fields["kind"] = fields.get("kind") or self._take_kind()
        fields["extra"] = (*fields.get("extra", ()), *self._list_left())
        return fields

    def _read_own(self) -> dict[str, Any]:
        """Return what we have written to `custom` ourselves."""
        own = {name: self._custom[name] for name in _OWN if name in self._custom}
        if not own:
            return {}
        try:
            document = msgspec.convert(own, Document)
        except msgspec.ValidationError:
            return {}
        known = {*own, *KNOWN_NOTES}
        rest = {name: value for name, value in self._custom.items() if name not in known}
        self._left.pop("custom", None)
        if rest:
            self._left["custom"] = rest
        return {name: getattr(document, name) for name in own}

    def _take(self, name: str, read_value: Callable[[Any], Any]) -> Any:
        """Return what a variable says, and take it; leave one that can't be understood."""
        if name not in self._left:
            return None
        try:
            said = read_value(self._left[name])
        except TypeError:
            return None
        if said:
            del self._left[name]
        return said

    def _take_date(self) -> dict[str, Any]:
        issued = self._left.get("issued")
        if issued is None:
            return {}
        year, date = clean_year(str(issued)), read_date_parts(issued)
        if year and (date or not _says_more(issued)):
            del self._left["issued"]
        return {"year": year, "date": date}

    def _take_kind(self) -> str:
        name = self._left.get("type")
        if not isinstance(name, str):
            return ""
        kind = _KINDS.get(name, "GEN")
        if _TYPES.get(kind) == name:
            del self._left["type"]
        return kind

    def _list_left(self) -> Iterator[tuple[str, str]]:
        custom = self._left.get("custom")
        if isinstance(custom, dict) and custom.keys() <= set(KNOWN_NOTES):
            del self._left["custom"]
        for name, value in self._left.items():
            if name not in KNOWN_NOTES:
                text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
                yield f"{_PREFIX}{name}", text


def _read_value(value: Any) -> str:
    """Return a text with single spaces, or a number as a text."""
    return cells.read_text(value) if isinstance(value, str) else cells.read_number(value)


def _says_more(issued: Any) -> bool:
    """Return whether a date without month and day says more than its year, as two years do."""
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    return isinstance(issued, dict) and (len(issued) > 1 or (parts is not None and len(parts) > 1))


def _read_lines(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.splitlines()
    raise TypeError(cells.name_kind(value))


def _read_keywords(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cells.read_texts(value)))


def _read_names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(cells.name_kind(value))
    return tuple(filter(None, map(_read_name, value)))


def _read_name(value: Any) -> str:
    """Return a name as "Family, Given" or "Family, Given, Suffix", with its particles."""
    if not isinstance(value, dict):
        return cells.read_person(value)
    if literal := value.get("literal"):
        return cells.read_text(literal)
    parts = {name: cells.read_text(part) for name, part in value.items() if isinstance(part, str)}
    family = " ".join(filter(None, (parts.get("non-dropping-particle"), parts.get("family"))))
    given = " ".join(filter(None, (parts.get("given"), parts.get("dropping-particle"))))
    return ", ".join(filter(None, (family, given, parts.get("suffix"))))


def _show_notes(record: Record) -> Record:
    """Return a record with the notes in its `custom` beside its variables."""
    named = dict(zip(record.names, record.values, strict=True))
    custom = named.get("custom")
    if not isinstance(custom, dict):
        return record
    notes = {name: custom[name] for name in KNOWN_NOTES if name in custom}
    shown = {**named, **notes}
    return Record(record.document, record.line, tuple(shown), tuple(shown.values()))


def _make_item(document: Document, notes: Mapping[str, Note]) -> dict[str, Any]:
    kept = dict(document.extra)
    item: dict[str, Any] = {
        "id": document.id,
        "type": kept.get(_TYPE) or _TYPES.get(document.kind or "JOUR", "document"),
    }
    item |= {name: getattr(document, field) for name, field in _TEXTS.items()}
    item |= {name: getattr(document, field) for name, (field, _) in _CLEANED.items()}
    item |= {
        "author": list(map(_make_name, document.authors)),
        "editor": list(map(_make_name, document.editors)),
        "issued": _make_date(document),
        "ISSN": ", ".join(document.issn),
        "ISBN": ", ".join(document.isbn),
        "URL": next(iter(document.urls), ""),
        "keyword": "; ".join(document.keywords),
        "note": "\n".join(document.remarks),
    }
    for tag, value in document.extra:
        name = tag.removeprefix(_PREFIX)
        if tag.startswith(_PREFIX) and not item.get(name):
            item[name] = _decode(value)
    custom = item.get("custom")
    own = _list_own(document)
    item["custom"] = {**(custom if isinstance(custom, dict) else {}), **own, **notes}
    return {name: value for name, value in item.items() if value or name in ("id", "type")}


def _list_own(document: Document) -> dict[str, Any]:
    """Return what is written to `custom` under our names."""
    own = {name: msgspec.to_builtins(getattr(document, name)) for name in _OWN}
    own["kind"] = "" if document.kind in _TYPES else document.kind
    own["urls"] = document.urls[1:]
    own["extra"] = [pair for pair in document.extra if not pair[0].startswith(_PREFIX)]
    return {name: value for name, value in own.items() if value}


def _make_name(name: str) -> dict[str, str]:
    family, comma, rest = name.partition(", ")
    given, _, suffix = rest.partition(", ")
    if not comma:
        return {"literal": name}
    return {"family": family, "given": given, **({"suffix": suffix} if suffix else {})}


def _make_date(document: Document) -> dict[str, Any] | None:
    parts = document.date.split("/")
    if document.date and format_date(*parts[:3]) == document.date:
        return {"date-parts": [[int(part) for part in parts]]}
    if document.date:
        return {"literal": document.date}
    return {"date-parts": [[document.year]]} if document.year else None


def _decode(text: str) -> Any:
    """Return what was kept of a variable: lists and objects are kept as JSON."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
