"""RIS, in the dialects of reference managers and databases.

Where dialects differ, any of them is understood: the title is TI, T1, CT or BT; the abstract is AB,
or N2 where there is no AB; the journal is the fullest of its names. A record ends with ER, or where
the next TY stands, or with the file.

RIS has no place for MeSH, so headings are written as keywords that say what they are, in PubMed's
own words ("Asthma [MeSH]", "Asthma [Majr]"): they come back as headings, without their codes. A
keyword, an author or a type of publication can't hold a semicolon, which separates several of them.
Identifiers other than PMID, DOI and PMCID are written to U2 as "scheme:value".
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from likewise.documents.annotations import note_lines
from likewise.documents.document import Document, MeshHeading
from likewise.documents.formats.people import person
from likewise.documents.formats.records import LEFT_OUT, NOTES, SAYS_NOTHING
from likewise.documents.formats.ris_identifiers import doi_of, other_ids_of, pmcid_of, pmid_of
from likewise.documents.formats.tagged import Dialect, TaggedRecord, one_line, tagged_records
from likewise.documents.identity import clean_doi, clean_year
from likewise.documents.sources import Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.annotations import Annotated
    from likewise.documents.sources import Source

# Two spaces mark any tag. One space is not enough to tell a tag from an abstract's line that begins
# with "IL - 6", so there only the common tags count.
_COMMON = (
    "TY|ER|T[123I]|A[1234BDNU]|ED|PY|Y[12]|DA|N[12]|KW|J[12AFO]|VL|IS|SP|EP|SN|PB|CY|UR|L[1234K]"
    "|D[BOP]|LA|ID|C[1-8]|M[123]|U[1-5]|PT|ST"
)
_DIALECT = Dialect(
    tag_line=re.compile(
        rf"\s*(?=[A-Z][A-Z0-9]\s{{2,}}-|(?:{_COMMON})\s-)([A-Z][A-Z0-9])\s+-\s*(.*)", re.DOTALL
    ),
    opening="TY",
    once=frozenset({"TY"}),
    closing="ER",
)
_HEADING = re.compile(r"(.+) \[(MeSH|Majr)\]")


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a RIS file."""
    found = False
    for record in tagged_records(source.lines(), _DIALECT, source=source):
        found = True
        source.line, source.said = record.line, Said(NOTES, [record.values("N1")])
        document = document_of(record)
        if document.says_something:
            yield document
        else:
            source.problem(SAYS_NOTHING, advice=LEFT_OUT)
    if not found:
        raise source.fail("no RIS record in it", advice="each begins with a line like 'TY  - JOUR'")


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write documents as RIS; each value stands on one line."""
    for entry in annotated:
        fields = fields_of(entry)
        lines = [f"{tag}  - {text}" for tag, value in fields if (text := one_line(value))]
        stream.write("\r\n".join([*lines, "ER  - ", "", ""]).encode())


def document_of(record: TaggedRecord) -> Document:
    """Return the document in a record."""
    title = record.first("TI", "T1", "CT", "BT", "TT", "ST")
    book = record.first("BT")
    keywords = _several(record, "KW")
    headings = [found for word in keywords if (found := _HEADING.fullmatch(word))]
    return Document(
        id=record.first("ID"),
        title=title,
        abstract=_abstract(record),
        year=_year(record),
        authors=_authors(record),
        journal=record.first("JF", "T2", "JO", "JA", "J2", "J1") or (book if book != title else ""),
        doi=doi_of(record),
        pmid=pmid_of(record),
        pmcid=pmcid_of(record),
        other_ids=other_ids_of(record),
        mesh=tuple(MeshHeading(name=found[1], major=found[2] == "Majr") for found in headings),
        keywords=tuple(word for word in keywords if not _HEADING.fullmatch(word)),
        publication_types=tuple(
            dict.fromkeys(kind for kind in _several(record, "M3", "PT") if not clean_doi(kind))
        ),
        language=record.first("LA"),
    )


def _abstract(record: TaggedRecord) -> str:
    return one_line(" ".join(record.values("AB"))) or one_line(" ".join(record.values("N2")))


def _year(record: TaggedRecord) -> int | None:
    years = (clean_year(value) for tag in ("PY", "Y1", "DA") for value in record.values(tag))
    return next((year for year in years if year), None)


def _authors(record: TaggedRecord) -> tuple[str, ...]:
    """Return the authors, or the editors of a record that has none."""
    tags = ("AU", "A1") if record.first("AU", "A1") else ("A2", "ED", "A3", "A4")
    parts = [one_line(part) for value in record.values(*tags) for part in value.split(";")]
    # Embase writes "Rossi M."; but where people have commas, a name without one is a group's.
    are_short = not any("," in part for part in parts)
    stripped = (name for part in parts if (name := part.strip(" ,")))
    names = [person(name) if are_short or "," in name else name for name in stripped]
    # Some exports give every author twice, once for each of the two tags.
    return tuple(dict.fromkeys(names) if "AU" in record and "A1" in record else names)


def _several(record: TaggedRecord, *tags: str) -> list[str]:
    parts = (part for value in record.values(*tags) for part in re.split(r"(?<!&amp);|\n", value))
    return [text for part in parts if (text := one_line(part))]


def fields_of(entry: Annotated) -> Iterator[tuple[str, str]]:
    """Yield a document's values and the notes on it, each with its tag."""
    document = entry.document
    yield "TY", "JOUR"
    yield "ID", document.id
    yield "TI", document.title
    for author in document.authors:
        author = author.replace(";", ",")
        # A comma at its end keeps a group's name from being taken for a family and initials.
        yield "AU", author if "," in author or person(author) == author else f"{author},"
    yield "PY", str(document.year or "")
    yield "T2", document.journal
    yield "AB", document.abstract
    yield "DO", document.doi
    if document.pmid:
        yield "AN", document.pmid
        yield "DB", "PubMed"
    yield "C2", document.pmcid
    for identifier in document.other_ids:
        yield "U2", identifier
    for heading in document.mesh:
        yield "KW", f"{heading.name} [{'Majr' if heading.major else 'MeSH'}]".replace(";", ",")
    for keyword in document.keywords:
        yield "KW", keyword.replace(";", ",")
    for kind in document.publication_types:
        yield "M3", kind.replace(";", ",")
    yield "LA", document.language
    for note in note_lines(entry.notes):
        yield "N1", note
