"""Web of Science's plain text: two-letter tags, and three spaces before continuation lines.

A file begins with FN and VR, a record with PT, and ER ends it. Each person, address and cited
reference has a line of its own; the lines of other tags are one text. What has no field is
kept under its tag ("wos:CR") and written again. Links, remarks, notes and the numbers of other
databases are written as RIS does (UR, N1, DB, AN), since Web of Science has no tags for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import IO, Any

import msgspec

from likewise.documents.citations import (
    clean_date,
    find_serials,
    join_pages,
    list_remarks,
    spell_date,
    split_pages,
)
from likewise.documents.document import AnnotatedDocument, Document, format_notes
from likewise.documents.formats.tagged import TagDialect, TaggedRecord, one_line, read_tagged
from likewise.documents.identity import clean_doi, clean_pmid, clean_year, find_references
from likewise.documents.sources import ReadItem, Source

_DIALECT = TagDialect(
    tag_line=re.compile(r"([A-Z][A-Z0-9])(?![^ \t]) ?(.*)", re.DOTALL),
    opening="PT",
    once=frozenset({"PT"}),
    closing="ER",
    names={"EF": "ER"},
    is_strict=True,
    notes="N1",
    if_empty=("no record of Web of Science in it", "each begins with a line like 'PT J'"),
)
_KINDS = {"J": "JOUR", "B": "BOOK", "S": "SER", "P": "PAT", "C": "CONF"}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_CHAPTER = "Book Chapter"
_DATABASE = "Web of Science"
_SIMPLE = {
    "title": "TI", "abstract": "AB", "journal": "SO", "series": "SE", "language": "LA",
    "volume": "VL", "issue": "IS", "edition": "ET", "publisher": "PU", "place": "PI",
}  # fmt: skip
# Each line of these is a value.
_LINES = frozenset({"AU", "AF", "BA", "BF", "BE", "CA", "GP", "C1", "C3", "CR", "UR", "N1"})
# Every value of these tags is in a field; the short names are made from the full ones.
_WHOLE = frozenset(
    {"FN", "VR", "PT", "AU", "AF", "CA", "BE", "DE", "ID", "DT", "SN", "EI", "BN", "BP", "EP"}
) | {"UR", "N1", "DB", "AN", "PD", "PY", *_SIMPLE.values()}
# How we write a reference of which only the number is known.
_BARE_REFERENCE = re.compile(r"PMID: [0-9]+|DOI 10\.\S+")
_EXTRA = re.compile(r"wos:(?!PT|ER|EF|FN|VR)[A-Z][A-Z0-9]")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in Web of Science's plain text."""
    return read_tagged(source, _DIALECT, _parse_record)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as Web of Science does, with each value on one line."""
    stream.write(f"FN {_DATABASE}\nVR 1.0\n".encode())
    for document, notes in annotated:
        fields = [*_list_fields(document), *(("N1", note) for note in format_notes(notes))]
        written = [(tag, text) for tag, value in fields if (text := one_line(value))]
        for tag, values in groupby(written, key=itemgetter(0)):
            first, *others = (text for _, text in values)
            # Continuation lines would make one text of the values, except for these tags.
            begin = "   " if tag in _LINES else f"{tag} "
            lines = [f"{tag} {first}", *(f"{begin}{text}" for text in others)]
            stream.write("".join(f"{line}\n" for line in lines).encode())
        stream.write(b"ER\n\n")
    stream.write(b"EF\n")


def _parse_record(record: TaggedRecord) -> Document:
    types = _split_list(record, "DT")
    kind = record.first("PT")
    unique = record.first("UT")
    accession = record.first("AN") or unique
    document = Document(
        kind="CHAP" if kind == "B" and _CHAPTER in types else _KINDS.get(kind, kind),
        authors=(*(_read_lines(record, "AF") or _read_lines(record, "AU")),
                 *_read_lines(record, "CA")),
        editors=_read_lines(record, "BE"),
        doi=clean_doi(record.first("DI")),
        pmid=clean_pmid(record.first("PM")),
        other_ids=(_name_number(unique),) if unique else (),
        keywords=tuple(dict.fromkeys((*_split_list(record, "DE"), *_split_list(record, "ID")))),
        publication_types=types,
        remarks=list_remarks(_read_lines(record, "N1")),
        urls=_read_lines(record, "UR"),
        database=record.first("DB") or (_DATABASE if unique else ""),
        accession=accession,
        references=find_references(_read_lines(record, "CR")),
        **_read_citation(record),
    )  # fmt: skip
    extra = tuple(_list_extra(record, document))
    return msgspec.structs.replace(document, extra=extra) if extra else document


def _read_citation(record: TaggedRecord) -> dict[str, Any]:
    serials = find_serials(record.values("SN", "EI", "BN"))
    year = clean_year(record.first("PY", "EA", "PD"))
    return {
        **{name: record.first(tag) for name, tag in _SIMPLE.items()},
        "year": year,
        "date": clean_date(record.first("PD"), year),
        "pages": join_pages(record.first("BP"), record.first("EP")) or record.first("AR"),
        "issn": serials.issn,
        "isbn": serials.isbn,
    }


def _read_lines(record: TaggedRecord, tag: str) -> tuple[str, ...]:
    lines = (line for value in record.values(tag) for line in value.split("\n"))
    return tuple(text for line in lines if (text := one_line(line)))


def _split_list(record: TaggedRecord, tag: str) -> tuple[str, ...]:
    parts = (part for value in record.values(tag) for part in one_line(value).split(";"))
    return tuple(dict.fromkeys(text for part in parts if (text := part.strip())))


def _name_number(unique: str) -> str:
    """Return a number of Web of Science's as "wos:0001"."""
    scheme, colon, number = unique.partition(":")
    return f"{scheme.lower()}:{number}" if colon else f"wos:{unique}"


def _list_extra(record: TaggedRecord, document: Document) -> Iterator[tuple[str, str]]:
    """Yield what no field holds, under the names of its tags."""
    held = {"AR": document.pages, "PM": document.pmid, "UT": document.accession}
    for tag, value in record.items():
        if tag in _WHOLE:
            continue
        for part in value.split("\n") if tag in _LINES else [value]:
            text = one_line(part)
            is_doi = tag == "DI" and clean_doi(text) == document.doi != ""
            is_bare = tag == "CR" and _BARE_REFERENCE.fullmatch(text)
            if text and not is_doi and not is_bare and held.get(tag) != text:
                yield f"wos:{tag}", text


def _list_fields(document: Document) -> Iterator[tuple[str, str]]:
    is_chapter = document.kind == "CHAP" and _CHAPTER in document.publication_types
    yield "PT", "B" if is_chapter else _LETTERS.get(document.kind or "JOUR", document.kind)
    yield from _list_people(document)
    for name, tag in _SIMPLE.items():
        yield tag, getattr(document, name)
    yield "DT", "; ".join(kind.replace(";", ",") for kind in document.publication_types)
    yield "DE", "; ".join(keyword.replace(";", ",") for keyword in document.keywords)
    yield from _list_numbers(document)
    yield from (("UR", url) for url in document.urls)
    yield from (("N1", remark) for remark in document.remarks)
    yield from (("CR", text) for text in _list_bare_references(document))
    for name, value in document.extra:
        if _EXTRA.fullmatch(name):
            yield name.removeprefix("wos:"), value


def _list_bare_references(document: Document) -> Iterator[str]:
    """Yield the references that no line of Web of Science's own names."""
    told = set(find_references(value for name, value in document.extra if name == "wos:CR"))
    for reference in document.references:
        if reference not in told:
            yield f"PMID: {reference}" if reference.isdecimal() else f"DOI {reference}"


def _list_people(document: Document) -> Iterator[tuple[str, str]]:
    people = list(document.authors)
    # Groups have a tag of their own, so only those at the end keep their place there.
    while people and "," not in people[-1]:
        people.pop()
    yield from (("AU", _shorten_name(person)) for person in people)
    yield from (("AF", person) for person in people)
    yield from (("CA", group) for group in document.authors[len(people) :])
    yield from (("BE", editor) for editor in document.editors)


def _shorten_name(person: str) -> str:
    family, comma, given = person.partition(",")
    initials = "".join(part[0].upper() for part in re.split(r"\W++", given) if part)
    return f"{family}, {initials}" if comma else person


def _list_numbers(document: Document) -> Iterator[tuple[str, str]]:
    first, last = split_pages(document.pages)
    is_dated = bool(document.year) and clean_year(document.date) == document.year
    spelled = spell_date(document.date)
    yield "PY", str(document.year or "")
    yield "PD", spelled.removeprefix(f"{document.year} ") if is_dated else spelled
    yield "BP", first
    yield "EP", last
    for place, number in enumerate(document.issn):
        yield "EI" if place else "SN", number
    yield from (("BN", number) for number in document.isbn)
    yield "DI", document.doi
    yield "PM", document.pmid
    unique = next((it for it in document.other_ids if it.startswith("wos:")), "")
    is_own = document.database == _DATABASE and document.accession
    yield "UT", document.accession if is_own else unique.upper()
    if not is_own:
        yield "DB", document.database
        yield "AN", document.accession
