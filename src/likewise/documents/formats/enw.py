"""EndNote's tagged format (Refer), which Google Scholar and many journals offer as `.enw`.

It says what RIS says in other tags, so its records are read and written as RIS records are, with
everything that is known about identifiers there. What RIS can't hold is lost here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats.ris import USUAL, list_fields, parse_record
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    one_line,
    parse_records,
    read_tagged_records,
)
from likewise.documents.sources import Complaint, ReadItem, Source

_WRITTEN = {
    "TY": "0", "ID": "F", "TI": "T", "AU": "A", "PY": "D", "T2": "J", "AB": "X", "DO": "R",
    "AN": "M", "DB": "~", "C2": "2", "U2": "1", "KW": "K", "M3": "9", "LA": "G", "N1": "Z",
    "A2": "E", "DA": "8", "T3": "S", "VL": "V", "IS": "N", "SP": "P", "ET": "7", "PB": "I",
    "CY": "C", "SN": "@", "UR": "U", "A3": "Y", "A4": "?", "AD": "+", "C3": "3", "C4": "4",
    "C5": "#", "C6": "$", "C7": "]", "CA": "^", "CN": "L", "DP": "W", "L1": ">", "NV": "6",
    "OP": "(", "RI": "*", "RN": "<", "RP": ")", "SE": "&", "ST": "!", "TA": "H", "TT": "Q",
    "Y2": "[",
}  # fmt: skip
_TAGS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!#$&()*+,./:;<=>?@[]^~_"
_DIALECT = TagDialect(
    tag_line=re.compile(rf"%([{re.escape(_TAGS)}])(?=\s|\Z)\s*+(.*)", re.DOTALL),
    opening="TY",
    once=frozenset({"TY"}),
    # A journal has a tag of its own, and so has a book or a meeting that a paper is in.
    names={tag: name for name, tag in _WRITTEN.items()} | {"J": "JF", "B": "T2"},
    unnamed="enw:",
)
_BOOK_TITLE = "B"
_ALIASES = {"U1": "1", "JF": "J"}
_KINDS = {
    "JOUR": "Journal Article", "BOOK": "Book", "CHAP": "Book Section", "THES": "Thesis",
    "CPAPER": "Conference Paper", "CONF": "Conference Proceedings", "RPRT": "Report",
    "GEN": "Generic", "EDBOOK": "Edited Book", "EBOOK": "Electronic Book",
    "ECHAP": "Electronic Book Section", "EJOUR": "Electronic Article", "ELEC": "Web Page",
    "NEWS": "Newspaper Article", "MGZN": "Magazine Article", "PAT": "Patent",
    "UNPB": "Unpublished Work", "MANSCPT": "Manuscript", "DATA": "Dataset",
    "COMP": "Computer Program", "ENCYC": "Encyclopedia", "DICT": "Dictionary",
    "GOVDOC": "Government Document", "STAND": "Standard", "SER": "Serial", "BLOG": "Blog",
    "GRANT": "Grant", "PAMP": "Pamphlet", "PCOMM": "Personal Communication",
}  # fmt: skip
_KINDS_BY_NAME = {name.lower(): kind for kind, name in _KINDS.items()}


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in EndNote's tagged format."""
    found = False
    for record in read_tagged_records(source.lines(), _DIALECT, source=source):
        if "TY" not in record:
            described = "a record without its first line, '%0 ...'"
            yield Complaint(described, record.line, advice="export it again")
            continue
        found = True
        yield from parse_records([_name_kind(record)], parse_record, notes="N1")
    if not found:
        raise source.fail(
            "no EndNote record in it", advice="each begins with a line like '%0 Journal Article'"
        )


def _name_kind(record: TaggedRecord) -> TaggedRecord:
    """Return a record with its type, if it has one, in RIS's words."""
    kind = _KINDS_BY_NAME.get(record.first("TY").lower())
    entries = record.items()
    if kind:
        entries = [(tag, kind if tag == "TY" else value) for tag, value in entries]
    return TaggedRecord(record.line, entries)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents in EndNote's tagged format; each value stands on one line."""
    for entry in annotated:
        kind = entry.document.kind or USUAL
        lines = [f"%0 {one_line(_KINDS.get(kind, kind))}"]
        for tag, value in _list_fields(entry):
            if text := one_line(value):
                lines.append(f"%{tag} {text}")
        stream.write("\n".join([*lines, "", ""]).encode())


def _list_fields(entry: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    """Yield what RIS would say, in the tags of this format."""
    for name, value in list_fields(entry):
        if name in _ALIASES:
            yield _ALIASES[name], value
        elif name == "T2" and not _is_in_journal(entry):
            yield _BOOK_TITLE, value
        elif name == "SP" and value and entry.document.pages.startswith(value):
            yield _WRITTEN["SP"], entry.document.pages
        elif name in _WRITTEN and name != "TY":
            yield _WRITTEN[name], value
        elif name.startswith("enw:") and name.removeprefix("enw:") in _TAGS:
            yield name.removeprefix("enw:"), value


def _is_in_journal(entry: AnnotatedDocument) -> bool:
    return entry.document.kind in ("", USUAL, "EJOUR", "MGZN", "NEWS")
