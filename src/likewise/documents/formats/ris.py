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
from collections.abc import Iterable, Iterator
from typing import IO

from likewise.documents.document import AnnotatedDocument, Document, MeshHeading, format_notes
from likewise.documents.formats.cells import read_person
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    one_line,
    read_tagged_records,
)
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
)
from likewise.documents.sources import ReadItem, Source, make_item

# Two spaces mark any tag. One space is not enough to tell a tag from an abstract's line that begins
# with "IL - 6", so there only the common tags count.
_COMMON = (
    "TY|ER|T[123I]|A[1234BDNU]|ED|PY|Y[12]|DA|N[12]|KW|J[12AFO]|VL|IS|SP|EP|SN|PB|CY|UR|L[1234K]"
    "|D[BOP]|LA|ID|C[1-8]|M[123]|U[1-5]|PT|ST"
)
_DIALECT = TagDialect(
    tag_line=re.compile(
        rf"\s*(?=[A-Z][A-Z0-9]\s{{2,}}-|(?:{_COMMON})\s-)([A-Z][A-Z0-9])\s+-\s*(.*)", re.DOTALL
    ),
    opening="TY",
    once=frozenset({"TY"}),
    closing="ER",
)
_HEADING = re.compile(r"(.+) \[(MeSH|Majr)\]")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a RIS file."""
    found = False
    for record in read_tagged_records(source.lines(), _DIALECT, source=source):
        found = True
        yield make_item(parse_record(record), record.line, record.values("N1"))
    if not found:
        raise source.fail("no RIS record in it", advice="each begins with a line like 'TY  - JOUR'")


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as RIS; each value stands on one line."""
    for entry in annotated:
        fields = list_fields(entry)
        lines = [f"{tag}  - {text}" for tag, value in fields if (text := one_line(value))]
        stream.write("\r\n".join([*lines, "ER  - ", "", ""]).encode())


def parse_record(record: TaggedRecord) -> Document:
    """Return the document in a record."""
    title = record.first("TI", "T1", "CT", "BT", "TT", "ST")
    book = record.first("BT")
    keywords = _split_values(record, "KW")
    headings = [found for word in keywords if (found := _HEADING.fullmatch(word))]
    return Document(
        id=record.first("ID"),
        title=title,
        abstract=_read_abstract(record),
        year=_read_year(record),
        authors=_read_authors(record),
        journal=record.first("JF", "T2", "JO", "JA", "J2", "J1") or (book if book != title else ""),
        doi=find_doi(record),
        pmid=find_pmid(record),
        pmcid=find_pmcid(record),
        other_ids=find_other_ids(record),
        mesh=tuple(MeshHeading(name=found[1], major=found[2] == "Majr") for found in headings),
        keywords=tuple(word for word in keywords if not _HEADING.fullmatch(word)),
        publication_types=tuple(
            dict.fromkeys(kind for kind in _split_values(record, "M3", "PT") if not clean_doi(kind))
        ),
        language=record.first("LA"),
    )


def _read_abstract(record: TaggedRecord) -> str:
    return one_line(" ".join(record.values("AB"))) or one_line(" ".join(record.values("N2")))


def _read_year(record: TaggedRecord) -> int | None:
    years = (clean_year(value) for tag in ("PY", "Y1", "DA") for value in record.values(tag))
    return next((year for year in years if year), None)


def _read_authors(record: TaggedRecord) -> tuple[str, ...]:
    """Return the authors, or the editors of a record that has none."""
    tags = ("AU", "A1") if record.first("AU", "A1") else ("A2", "ED", "A3", "A4")
    parts = [one_line(part) for value in record.values(*tags) for part in value.split(";")]
    # Embase writes "Rossi M."; but where people have commas, a name without one is a group's.
    are_short = not any("," in part for part in parts)
    stripped = (name for part in parts if (name := part.strip(" ,")))
    names = [read_person(name) if are_short or "," in name else name for name in stripped]
    # Some exports give every author twice, once for each of the two tags.
    return tuple(dict.fromkeys(names) if "AU" in record and "A1" in record else names)


def _split_values(record: TaggedRecord, *tags: str) -> list[str]:
    parts = (part for value in record.values(*tags) for part in re.split(r"(?<!&amp);|\n", value))
    return [text for part in parts if (text := one_line(part))]


def list_fields(entry: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    """Yield a document's values and the notes on it, each with its tag."""
    document = entry.document
    yield "TY", "JOUR"
    yield "ID", document.id
    yield "TI", document.title
    for author in document.authors:
        author = author.replace(";", ",")
        # A comma at its end keeps a group's name from being taken for a family and initials.
        yield "AU", author if "," in author or read_person(author) == author else f"{author},"
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
    for note in format_notes(entry.notes):
        yield "N1", note


_LINKS = ("UR", "LK", "L2", "L1", "L3")
_CUSTOM = tuple(f"{letter}{digit}" for letter in "UC" for digit in range(1, 9))
_NOTES = ("N1", "M1", "M2")
# "PMID: 1", "PUBMED 1,EMBASE 2" (Cochrane), "MEDLINE:1" (Web of Science), "PMID: NLM1" (EBSCO).
_NAMED_PMID = re.compile(
    r"(?:^|[\s,;])(?:PMID|PubMed(?:\s*ID)?|MEDLINE)\W*(?:NLM)?(\d{1,9})(?!\w)", re.IGNORECASE
)
_MARKED_PMID = re.compile(r"\s*(\d{1,9})\s*\[pmid\]\s*", re.IGNORECASE)
_MARKED_PMCID = re.compile(r"\s*(?:PMCID\W*)?(PMC\d+)(?:\.\d+)?\s*(?:\[pmcid\])?\s*", re.IGNORECASE)
_LINKED_PMID = re.compile(r"\s*PM:\s*0*([1-9]\d{0,8})\s*", re.IGNORECASE)
_EMBASE = re.compile(r"L\d{5,}")
_WITH_SCHEME = re.compile(r"(?!https?:)[\w.-]+:\S.*")


def find_doi(record: TaggedRecord) -> str:
    """Return the DOI: of its own tag, else of those where old exports put it, else of a link."""
    for value in record.values("DO") + record.values("M3") + record.values("L3"):
        if doi := find_doi_in_link(value) or clean_doi(value):
            return doi
    return next((doi for value in record.values(*_LINKS) if (doi := find_doi_in_link(value))), "")


def find_pmid(record: TaggedRecord) -> str:
    """Return the PMID, where something says that a number is one."""
    for value in _list_accessions(record):
        if len(value) < 9 and _is_from_pubmed(record) and (pmid := clean_pmid(value)):
            return pmid
    for value in record.values("AN", *_CUSTOM):
        if found := _MARKED_PMID.fullmatch(value) or _NAMED_PMID.search(value):
            return clean_pmid(found[1])
    return (
        _find_pmid_by_database(record)
        or next(
            (pmid for value in record.values(*_LINKS) if (pmid := _find_pmid_in_link(value))), ""
        )
        or find_pmid_in_note("\n".join(record.values(*_NOTES)))
    )


def find_pmcid(record: TaggedRecord) -> str:
    """Return the PMCID, whichever of the custom tags or links has it."""
    for value in record.values(*_CUSTOM):
        if found := _MARKED_PMCID.fullmatch(value):
            return clean_pmcid(found[1])
    linked = (pmcid for value in record.values(*_LINKS) if (pmcid := find_pmcid_in_link(value)))
    return next(linked, "") or find_pmcid_in_note("\n".join(record.values(*_NOTES)))


def find_other_ids(record: TaggedRecord) -> tuple[str, ...]:
    """Return the databases' own accession numbers, each as "scheme:value"."""
    pmid = find_pmid(record)
    database = re.sub(r"[^a-z0-9]+", "-", record.first("DB").lower()).strip("-") or "accession"
    found = [
        _add_scheme(value, database)
        for value in _list_accessions(record)
        if not (_NAMED_PMID.search(value) or (pmid and clean_pmid(value) == pmid))
    ]
    for value in map(one_line, record.values("U2")):
        if _EMBASE.fullmatch(value):
            found.append(f"embase:{value}")
        elif _WITH_SCHEME.fullmatch(value) and not _NAMED_PMID.search(value):
            found.append(value)
    return tuple(dict.fromkeys(found))


def _find_pmid_by_database(record: TaggedRecord) -> str:
    """Return the PMID from where only one database puts it, without a word that it is one."""
    # Embase gives its own number in U2 and PubMed's in C5.
    if any(_EMBASE.fullmatch(value.strip()) for value in record.values("U2")):
        return clean_pmid(record.first("C5"))
    database = record.first("DB").lower()
    if "scopus" in database:
        return clean_pmid(record.first("C2"))
    # Ovid may have no AN. EndNote's ID counts its records, so a short number is no PMID.
    if _names_pubmed(database) and not record.first("AN"):
        number = record.first("ID")
        return clean_pmid(number) if re.fullmatch(r"\d{6,8}", number) else ""
    return ""


def _find_pmid_in_link(value: str) -> str:
    found = _LINKED_PMID.fullmatch(value)
    return found[1] if found else find_pmid_in_link(value)


def _add_scheme(value: str, database: str) -> str:
    if _WITH_SCHEME.fullmatch(value):
        scheme, _, number = value.partition(":")
        return f"{scheme.lower()}:{number}"
    return f"central:{value}" if value.startswith("CN-") else f"{database}:{value}"


def _list_accessions(record: TaggedRecord) -> list[str]:
    parts = (part for value in record.values("AN") for part in re.split(r"[;\n]", value))
    return [text for part in parts if (text := one_line(part))]


def _is_from_pubmed(record: TaggedRecord) -> bool:
    """Tell whether the accession number is PubMed's."""
    said = " ".join(record.values("DB", "DP")).lower()
    # EndNote keeps PubMed's numbers in AN and C2, and often forgets the database.
    forgotten = any(_MARKED_PMCID.fullmatch(value) for value in record.values("C2"))
    return _names_pubmed(said) if said else forgotten


def _names_pubmed(said: str) -> bool:
    return bool(re.search(r"pubmed|medline|\bnlm\b", said)) and "embase" not in said
