"""Ovid's labelled text, which is read only: a label on a line, its values indented below it.

Records are numbered ("<1>"); before the first, the database and the search may be told. It says
what MEDLINE's tagged format says with words for tags, so its records are read as those are. What
has no tag there is kept under its label, such as "ovid:Institution".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from likewise.documents.document import Document
from likewise.documents.formats.nbib import parse_record
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    parse_records,
    read_tagged_records,
)
from likewise.documents.sources import Line, ReadItem, Source

_NUMBER = re.compile(r"<\s*+\d++\s*+>\s*+")
_DATABASE = "Database: "
_RECORD = "record"
_MEDLINE = re.compile(r"medline|pubmed", re.IGNORECASE)
_NAMES = {
    "unique identifier": "UI", "accession number": "AN", "title": "TI", "original title": "TT",
    "authors": "AU", "author": "AU", "authors full name": "FAU", "source": "SO",
    "journal name": "JN", "nlm journal name": "TA", "year of publication": "YR",
    "date of publication": "DP", "publication date": "DP", "volume": "VI", "issue": "IP",
    "issue/part": "IP", "page": "PG", "pages": "PG", "abstract": "AB",
    "mesh subject headings": "MH", "subject headings": "MH", "keyword heading": "OT",
    "keywords": "OT", "publication type": "PT", "language": "LA", "publisher": "PB",
    "country of publication": "PL", "digital object identifier": "DO", "doi": "DO",
    "pmc identifier": "PMC", "pmid": "PMID", "issn": "IS", "issn print": "IS",
    "issn electronic": "IS", "issn linking": "IS", "isbn": "ISBN", "link": "UR",
    "link to the ovid full text or citation": "UR", "database": "DB",
}  # fmt: skip
# Of these, each line is a value; of others, all lines are one text.
_LINES = frozenset({"AU", "FAU", "MH", "OT", "PT", "IS", "ISBN", "UR"})
_DIALECT = TagDialect(
    tag_line=re.compile(r"([^\t]++)\t(.*)", re.DOTALL),
    opening=_RECORD,
    once=frozenset({_RECORD}),
)


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of an export of Ovid as labelled text."""
    found = False
    records = read_tagged_records(_put_labels_first(source), _DIALECT, source=source)
    for item in parse_records((it for it in records if _RECORD in it), _parse_record):
        found = True
        yield item
    if not found:
        raise source.fail("no record of Ovid's in it", advice="each begins with a line like '<1>'")


def _parse_record(record: TaggedRecord) -> Document:
    document = parse_record(record)
    changed: dict[str, Any] = {
        name: value
        for name, value in _parse_source(record.first("SO")).items()
        if not getattr(document, name)
    }
    changed["extra"] = tuple(pair for pair in document.extra if pair[0] != f"nbib:{_RECORD}")
    if document.database and not _MEDLINE.search(document.database):
        # Another database's number is no PMID.
        changed["pmid"] = document.pmid if record.first("PMID") else ""
        changed["accession"] = document.accession or record.first("UI")
    return msgspec.structs.replace(document, **changed)


def _parse_source(text: str) -> dict[str, str]:
    """Return what a source such as "J Cats. 12(3):31-7, 2018." says; nothing if it is no such."""
    journal, _, rest = text.rstrip(" .").rpartition(". ")
    numbers, colon, pages = rest.partition(":")
    volume, _, issue = numbers.partition("(")
    if not (journal and colon and volume.strip().isdecimal()):
        return {}
    return {
        "journal": journal,
        "volume": volume.strip(),
        "issue": issue.rstrip(" )"),
        "pages": pages.partition(",")[0].strip(),
    }


def _put_labels_first(source: Source) -> Iterator[Line]:
    """Yield each value on a line, after its tag and a tab."""
    tag, database, is_open, is_next = "", "", False, False
    for number, text in source.lines():
        if _NUMBER.fullmatch(text):
            is_open, tag = True, ""
            yield Line(number, f"{_RECORD}\t{text}")
            yield Line(number, f"DB\t{database}")
        elif not is_open:
            database = database or text.partition(_DATABASE)[2].strip()
        elif text[:1].isspace() and text.strip() and tag:
            begins = is_next or tag in _LINES
            yield Line(number, f"{tag}\t{text.strip()}" if begins else text.replace("\t", " "))
            is_next = False
        elif label := text.strip():
            tag, is_next = _NAMES.get(label.lower()) or f"ovid:{label}", True
