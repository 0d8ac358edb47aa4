"""EndNote's tagged format (Refer), which Google Scholar and many journals offer as `.enw`.

It says what RIS says in other tags, so its records are read and written as RIS records are, with
everything that is known about identifiers there. What RIS can't hold is lost here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats.ris import list_fields, parse_record
from likewise.documents.formats.tagged import TagDialect, one_line, read_tagged_records
from likewise.documents.sources import Complaint, ReadItem, Source, make_item

_WRITTEN = {
    "TY": "0", "ID": "F", "TI": "T", "AU": "A", "PY": "D", "T2": "J", "AB": "X", "DO": "R",
    "AN": "M", "DB": "~", "C2": "2", "U2": "1", "KW": "K", "M3": "9", "LA": "G", "N1": "Z",
}  # fmt: skip
_DIALECT = TagDialect(
    tag_line=re.compile(r"%([0-9A-Z!#$&()*+,./:;<=>?@\[\]^~_])(?=\s|\Z)\s*(.*)", re.DOTALL),
    opening="TY",
    once=frozenset({"TY"}),
    names={tag: name for name, tag in _WRITTEN.items()}
    # A book's or a meeting's title, the full date, editors, the database's owner, links.
    | {"J": "JF", "B": "T2", "8": "DA", "E": "A2", "W": "DP", "U": "UR"},
)


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in EndNote's tagged format."""
    found = False
    for record in read_tagged_records(source.lines(), _DIALECT, source=source):
        if "TY" not in record:
            described = "a record without its first line, '%0 ...'"
            yield Complaint(described, record.line, advice="export it again")
            continue
        found = True
        yield make_item(parse_record(record), record.line, record.values("N1"))
    if not found:
        raise source.fail(
            "no EndNote record in it", advice="each begins with a line like '%0 Journal Article'"
        )


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents in EndNote's tagged format; each value stands on one line."""
    for entry in annotated:
        lines = ["%0 Journal Article"]
        for name, value in list_fields(entry):
            if name != "TY" and (text := one_line(value)):
                lines.append(f"%{_WRITTEN[name]} {text}")
        stream.write("\n".join([*lines, "", ""]).encode())
