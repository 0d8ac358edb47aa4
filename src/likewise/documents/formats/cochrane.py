"""Labelled text of the Cochrane Library (CENTRAL), which is read only.

Each record begins with a line "Record #1 of 5"; lines such as "AU: Adeyemi T" follow. It says what
RIS says in other labels, so its records are read as RIS records are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from likewise.documents.formats.ris import parse_record
from likewise.documents.formats.tagged import TagDialect, parse_records, read_tagged_records
from likewise.documents.sources import Line, ReadItem, Source

CENTRAL = "Cochrane Central Register of Controlled Trials"
REVIEWS = "Cochrane Database of Systematic Reviews"
_BEGINNING = "Record #"
_DIALECT = TagDialect(
    tag_line=re.compile(r"([A-Z][A-Z0-9]{1,4}):\s*+(.*)", re.DOTALL),
    opening="TY",
    once=frozenset({"TY"}),
    names={
        "TY": "TY", "ID": "AN", "AU": "AU", "TI": "TI", "SO": "T2", "YR": "PY", "VL": "VL",
        "NO": "IS", "PG": "SP", "DOI": "DO", "AB": "AB", "PT": "M3", "KY": "KW", "PM": "C3",
        "XR": "C4", "US": "UR", "DB": "DB", "LA": "LA", "PB": "PB", "SN": "SN", "CC": "C1",
    },
    unnamed="cochrane:",
)  # fmt: skip


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of an export of the Cochrane Library as labelled text."""
    found = False
    records = read_tagged_records(_mark_records(source), _DIALECT, source=source)
    for item in parse_records((it for it in records if "TY" in it), parse_record):
        found = True
        yield item
    if not found:
        raise source.fail(
            "no record of the Cochrane Library in it",
            advice="each begins with a line like 'Record #1 of 5'",
        )


def _mark_records(source: Source) -> Iterator[Line]:
    """Yield the lines, with the type and the database of a record where it begins."""
    for number, text in source.lines():
        if text.startswith(_BEGINNING):
            yield Line(number, "TY: JOUR")
            continue
        if text.startswith("ID: "):
            yield Line(number, f"DB: {CENTRAL if text.startswith('ID: CN-') else REVIEWS}")
        yield Line(number, text)
