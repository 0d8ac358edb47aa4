"""PubMed's tagged format, which MEDLINE and Ovid use too.

Tags are four columns wide and values are wrapped, with six spaces before what goes on. Records are
kept apart by blank lines, or just follow one another.

The format has no place for a supplied id, so one that is not the PMID, DOI or PMCID is written to
OID ("other id") as "likewise: id". MeSH headings keep their names and whether they are major. Notes
are written to GN ("general note"), one a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from likewise.documents.document import AnnotatedDocument, Document, MeshHeading, format_notes
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    one_line,
    read_tagged_records,
)
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year
from likewise.documents.sources import Line, ReadItem, Source, make_item

_DIALECT = TagDialect(
    tag_line=re.compile(r"(?=.{4}-(?:\s|\Z))([A-Z][A-Z0-9]{1,3}) *-\s*(.*)", re.DOTALL),
    opening="PMID",
    once=frozenset({"PMID", "UI", "OWN", "STAT", "TI"}),
)
_WIDTH = 82
_OWN_ID = "likewise: "

_OVID_HEADING = re.compile(r"\s*<\s*\d+\s*>\s*")
_ARTICLE_ID = re.compile(r"(.+?)\s*\[([\w.-]+)\]")
_SHORT_NAME = re.compile(r"([^,]+) ([A-Z]{1,4})((?: (?:Jr|Sr|\d(?:nd|rd|th)))?)")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in PubMed's tagged format."""
    found = False
    for record in read_tagged_records(_read_lines(source), _DIALECT, source=source):
        found = True
        yield make_item(_parse_record(record), record.line, record.values("GN"))
    if not found:
        raise source.fail("no PubMed record in it", advice="each begins with a line 'PMID- 1234'")


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as PubMed does."""
    for document, notes in annotated:
        # The PMID's line stands there even if it is empty: it is what the format is known by.
        lines = [f"PMID- {document.pmid}"]
        values = [*_list_fields(document), *(("GN", note) for note in format_notes(notes))]
        for tag, value in values:
            if text := one_line(value):
                lines += _wrap(tag, text)
        stream.write("\n".join([*lines, "", ""]).encode())


def _read_lines(source: Source) -> Iterator[Line]:
    for number, text in source.lines():
        yield Line(number, "" if _OVID_HEADING.fullmatch(text) else text)


def _parse_record(record: TaggedRecord) -> Document:
    title = record.first("TI")
    if not title or title.lower().strip("[].") == "not available":
        title = record.first("TT", "BTI")
    articles = _find_article_ids(record)
    return Document(
        id=_find_own_id(record),
        title=title,
        abstract=record.first("AB"),
        year=clean_year(record.first("DP", "YR", "DEP")),
        authors=_read_authors(record),
        journal=record.first("JT", "JN", "TA", "JA") or _find_book(record, title),
        doi=_find_doi(record, articles),
        pmid=clean_pmid(record.first("PMID", "UI")),
        pmcid=clean_pmcid(record.first("PMC")),
        other_ids=tuple(dict.fromkeys(f"{kind}:{it}" for kind, it in articles if kind != "doi")),
        mesh=_read_headings(record.values("MH")),
        keywords=tuple(
            word for value in record.values("OT", "KW") if (word := one_line(value).lstrip("*"))
        ),
        publication_types=tuple(kind for value in record.values("PT") if (kind := one_line(value))),
        language=record.first("LA", "LG"),
    )


def _find_own_id(record: TaggedRecord) -> str:
    ids = (one_line(value) for value in record.values("OID"))
    return next((it.removeprefix(_OWN_ID) for it in ids if it.startswith(_OWN_ID)), "")


def _read_authors(record: TaggedRecord) -> tuple[str, ...]:
    """Return people by their full names where these are given, and groups, in the file's order."""
    person = "FAU" if "FAU" in record else "AU"
    names = (one_line(value) for value in record.values(person, "CN"))
    return tuple(_put_family_first(name) if person == "AU" else name for name in names if name)


def _put_family_first(name: str) -> str:
    """Return a short name such as "Smith JA Jr" with a comma after the family."""
    found = _SHORT_NAME.fullmatch(name)
    return f"{found[1]}, {found[2]}{found[3]}" if found else name


def _find_book(record: TaggedRecord, title: str) -> str:
    book = record.first("BTI")
    return book if book != title else ""


def _find_article_ids(record: TaggedRecord) -> list[tuple[str, str]]:
    found = (_ARTICLE_ID.fullmatch(one_line(value)) for value in record.values("AID", "LID"))
    return [(match[2], match[1]) for match in found if match]


def _find_doi(record: TaggedRecord, articles: list[tuple[str, str]]) -> str:
    dois = (clean_doi(value) for kind, value in articles if kind == "doi")
    return next(filter(None, dois), "") or clean_doi(record.first("DO", "SO"))


def _read_headings(values: list[str]) -> tuple[MeshHeading, ...]:
    """Return the descriptors; one is major if it or any of its qualifiers has an asterisk."""
    major: dict[str, bool] = {}
    for value in map(one_line, values):
        name = value.partition("/")[0].lstrip("*").strip()
        if name:
            major[name] = major.get(name, False) or value.startswith("*") or "/*" in value
    return tuple(MeshHeading(name=name, major=major[name]) for name in major)


def _list_fields(document: Document) -> Iterator[tuple[str, str]]:
    yield "DP", str(document.year or "")
    yield "TI", document.title
    yield "AB", document.abstract
    for author in document.authors:
        if "," in author:
            yield "FAU", author
            yield "AU", _shorten_name(author)
        else:
            yield "CN", author
    yield "LA", document.language
    for kind in document.publication_types:
        yield "PT", kind
    yield "JT", document.journal
    for heading in document.mesh:
        yield "MH", f"*{heading.name}" if heading.major else heading.name
    yield "PMC", document.pmcid
    for keyword in document.keywords:
        yield "OT", keyword
    if document.doi:
        yield "AID", f"{document.doi} [doi]"
    for scheme, _, value in (identifier.partition(":") for identifier in document.other_ids):
        yield "AID", f"{value} [{scheme}]"
    if document.id not in (document.pmid, document.doi, document.pmcid):
        yield "OID", _OWN_ID + document.id


def _shorten_name(author: str) -> str:
    family, _, given = author.partition(",")
    initials = "".join(part[0].upper() for part in re.split(r"\W+", given) if part)
    return f"{family} {initials}"


def _wrap(tag: str, text: str) -> Iterator[str]:
    """Yield the lines of a value; only spaces are broken at, so long words may stick out."""
    indent = f"{tag:<4}- "
    while len(text) > _WIDTH:
        cut = text.rfind(" ", 0, _WIDTH + 1)
        if cut < 0 and (cut := text.find(" ", _WIDTH)) < 0:
            break
        yield indent + text[:cut]
        indent, text = " " * 6, text[cut + 1 :]
    yield indent + text
