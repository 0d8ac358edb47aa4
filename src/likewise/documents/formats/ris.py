"""RIS, in the dialects of reference managers and databases, and two formats that say the same.

Where dialects differ, any of them is understood: the title is TI, T1, CT or BT; the abstract is AB,
or N2 if there is no AB; the journal is the fullest of its names. A record ends with ER, before the
next TY, or with the file. Whatever has no field of its own, or differs from what the field says, is
kept under its tag ("ris:C1") and written again.

RIS has no place for MeSH, so headings are written as keywords that say what they are, in PubMed's
own words ("Asthma [MeSH]", "Asthma [Majr]"): they come back as headings, without their codes. A
keyword, an author or a type of publication can't hold a semicolon, which separates several of them.
Identifiers other than PMID, DOI and PMCID are written to U2 as "scheme:value". The PMID is the
accession number, unless the record is another database's: then it is U1, as in "123[pmid]".

EndNote's tagged format and the labelled text of the Cochrane Library say in other tags what RIS
says. So their records are read like RIS records, with everything that is known about identifiers
here, and EndNote's are also written like them. What RIS can't hold is lost there too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress
from operator import not_
from typing import IO, Any

import msgspec

from likewise.documents.citations import (
    ENDNOTE_TYPES,
    clean_date,
    find_serials,
    join_pages,
    list_remarks,
    split_pages,
)
from likewise.documents.document import AnnotatedDocument, Document, MeshHeading, format_notes
from likewise.documents.formats import ris_ids
from likewise.documents.formats.cells import read_person
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    one_line,
    read_tagged,
    read_tagged_records,
)
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_year,
    find_doi_in_link,
    find_references,
)
from likewise.documents.sources import (
    BadRecordError,
    Line,
    ReadItem,
    Record,
    Source,
    make_record,
    try_record,
)

# Two spaces mark any tag. One space is not enough to tell a tag from an abstract's line that begins
# with "IL - 6", so with one space only the common tags count.
_COMMON = (
    "TY|ER|T[123I]|A[1234BDNU]|E[DT]|PY|Y[12]|DA|N[12]|KW|J[12AFO]|VL|IS|SP|EP|SN|PB|CY|UR|L[1234K]"
    "|D[BOP]|LA|ID|C[1-8]|M[123]|U[1-5]|PT|ST"
)
_DIALECT = TagDialect(
    tag_line=re.compile(
        rf"\s*+(?=[A-Z][A-Z0-9]\s{{2,}}+-|(?:{_COMMON})\s-)([A-Z][A-Z0-9])\s++-\s*+(.*)", re.DOTALL
    ),
    opening="TY",
    once=frozenset({"TY"}),
    closing="ER",
    notes="N1",
    if_empty=("no RIS record in it", "each begins with a line like 'TY  - JOUR'"),
)
USUAL = "JOUR"
"""The type that is written for a document whose type is not known."""
# The second title of a whole book is that of its series.
_BOOKS = frozenset({"BOOK", "EBOOK", "EDBOOK"})
_TITLES = ("TI", "T1", "CT", "BT", "TT", "ST")
_JOURNALS = ("JF", "T2", "JO", "JA", "J2", "J1")
_DATES = ("DA", "PY", "Y1")
# A tag that a file may have, and that neither begins nor ends a record.
_EXTRA = re.compile(r"ris:(?!TY|ER)[A-Z][A-Z0-9]")
_HEADING_ENDS = {" [MeSH]": False, " [Majr]": True}
# Semicolons and line ends separate values, but "&amp;" is one character.
_BETWEEN = re.compile(r"(?<!&amp);|\n")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a RIS file."""
    return read_tagged(source, _DIALECT, parse_record)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as RIS, with each value on one line."""
    for entry in annotated:
        fields = ((tag, one_line(value)) for tag, value in list_fields(entry) if ":" not in tag)
        lines = [f"{tag}  - {text}" for tag, text in fields if text]
        stream.write("\r\n".join([*lines, "ER  - ", "", ""]).encode())


def parse_record(record: TaggedRecord) -> Document:
    """Return the document in a record."""
    kind = record.first("TY")
    title = record.first(*_TITLES)
    words = _split_values(record, "KW")
    headings = list(map(_read_heading, words))
    document = Document(
        id=record.first("ID"),
        kind=kind,
        title=title,
        abstract=_read_abstract(record),
        authors=_read_people(record, "AU", "A1"),
        editors=_read_people(record, "A2", "ED"),
        mesh=tuple(filter(None, headings)),
        keywords=tuple(compress(words, map(not_, headings))),
        publication_types=_read_types(record),
        remarks=list_remarks(record.values("N1")),
        references=_read_references(record),
        **ris_ids.find_identifiers(record),
        **_read_containers(record, kind=kind, title=title),
        **_read_citation(record),
    )
    extra = tuple(_list_extra(record, document))
    return msgspec.structs.replace(document, extra=extra) if extra else document


def _read_containers(record: TaggedRecord, *, kind: str, title: str) -> dict[str, Any]:
    """Return the journal, or the book that a chapter is in, and the series."""
    if kind in _BOOKS:
        journals = [tag for tag in _JOURNALS if tag != "T2"]
        return {"journal": record.first(*journals), "series": record.first("T2", "T3")}
    book = record.first("BT")
    journal = record.first(*_JOURNALS) or (book if book != title else "")
    return {"journal": journal, "series": record.first("T3")}


def _read_citation(record: TaggedRecord) -> dict[str, Any]:
    """Return the fields that tell where and when it was published, and where it was found."""
    serials = find_serials(record.values("SN"))
    year = _read_year(record)
    return {
        "year": year,
        "date": _read_date(record, year),
        "volume": record.first("VL"),
        "issue": record.first("IS"),
        "pages": _read_pages(record),
        "issn": serials.issn,
        "isbn": serials.isbn,
        "edition": record.first("ET"),
        "publisher": record.first("PB"),
        "place": record.first("CY"),
        "language": record.first("LA"),
        "urls": _read_urls(record),
        "database": record.first("DB"),
    }


def _read_abstract(record: TaggedRecord) -> str:
    return one_line(" ".join(record.values("AB"))) or one_line(" ".join(record.values("N2")))


def _read_year(record: TaggedRecord) -> int | None:
    years = (clean_year(value) for tag in ("PY", "Y1", "DA") for value in record.values(tag))
    return next((year for year in years if year), None)


def _read_date(record: TaggedRecord, year: int | None) -> str:
    dates = (clean_date(value, year) for tag in _DATES for value in record.values(tag))
    return next(filter(None, dates), "")


def _read_pages(record: TaggedRecord) -> str:
    pages = join_pages(record.first("SP"), record.first("EP"))
    number = "" if pages else record.first("C7")
    # Programs keep PMCIDs in the same tag as the number of an article.
    return pages or ("" if clean_pmcid(number) and number[:1] in "Pp" else number)


def _read_urls(record: TaggedRecord) -> tuple[str, ...]:
    lines = (one_line(line) for value in record.values("UR") for line in value.split("\n"))
    links = (line for line in lines if line and not ris_ids.is_pubmed_link(line))
    return tuple(dict.fromkeys(links))


def _read_people(record: TaggedRecord, *tags: str) -> tuple[str, ...]:
    parts = [one_line(part) for value in record.values(*tags) for part in value.split(";")]
    # Embase writes "Rossi M."; but if people have commas, a name without one is a group's.
    are_short = not any("," in part for part in parts)
    stripped = (name for part in parts if (name := part.strip(" ,")))
    names = [read_person(name) if are_short or "," in name else name for name in stripped]
    # Some exports give every name twice, once for each of the two tags.
    return tuple(dict.fromkeys(names) if all(tag in record for tag in tags) else names)


def _read_heading(word: str) -> MeshHeading | None:
    is_major = _HEADING_ENDS.get(word[-7:])
    return None if is_major is None or len(word) < 8 else MeshHeading(word[:-7], major=is_major)


def _read_references(record: TaggedRecord) -> tuple[str, ...]:
    # Scopus puts a paper's references into a note, a semicolon after each; others have CR.
    listed = [note for note in record.values("N1") if note.startswith("References:")]
    return find_references(_BETWEEN.split(";".join([*listed, *record.values("CR")])))


def _read_types(record: TaggedRecord) -> tuple[str, ...]:
    kinds = (kind for kind in _split_values(record, "M3", "PT") if not clean_doi(kind))
    return tuple(dict.fromkeys(kinds))


def _split_values(record: TaggedRecord, *tags: str) -> list[str]:
    parts = (part for value in record.values(*tags) for part in _BETWEEN.split(value))
    return [text for part in parts if (text := one_line(part))]


# Every value of these tags is in a field.
_WHOLE = frozenset({"AU", "A1", "A2", "ED", "KW", "PT", "AB", "UR", "N1"})
# A value of these is in a field only if the field says the same; of several, the others are not.
_FIELDS = {
    "TY": ("kind",), "ID": ("id",), "VL": ("volume",), "IS": ("issue",), "ET": ("edition",),
    "PB": ("publisher",), "CY": ("place",), "LA": ("language",), "DB": ("database",),
    "AN": ("accession",), "T3": ("series",), "N2": ("abstract",), "C7": ("pages", "pmcid"),
    **dict.fromkeys(_TITLES, ("title",)),
    **dict.fromkeys(_JOURNALS, ("journal",)),
    "T2": ("journal", "series"),
    "BT": ("title", "journal"),
}  # fmt: skip


# These need a closer look; a tag that is in none of the three has no field.
_CHECKED = frozenset({*_DATES, "SP", "EP", "SN", "DO", "L3", "M3", "N2", *ris_ids.CUSTOM})


def _list_extra(record: TaggedRecord, document: Document) -> Iterator[tuple[str, str]]:
    """Yield what no field holds, under the names of its tags."""
    for tag, value in record.items():
        if tag in _WHOLE or not (text := one_line(value)):
            continue
        for name in _FIELDS.get(tag, ()):
            if text == getattr(document, name):
                break
        else:
            if tag not in _CHECKED or not _is_held(tag, text, document):
                yield tag if ":" in tag else f"ris:{tag}", text


def _is_held(tag: str, text: str, document: Document) -> bool:
    """Return whether fields hold what a value says, perhaps in other words."""
    if tag in _DATES:
        is_same_year = clean_year(text) in (None, document.year)
        return is_same_year and clean_date(text, document.year) in ("", document.date)
    if tag in ("SP", "EP"):
        return join_pages(text, "") in document.pages
    if tag == "SN":
        return any(find_serials([text]))
    if tag in ("DO", "L3", "M3"):
        doi = find_doi_in_link(text) or clean_doi(text)
        return doi == document.doi if doi else tag == "M3"
    if tag == "N2":
        return text in document.abstract
    return ris_ids.tells_identifier(text, document)


def list_fields(entry: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    """Yield a document's values and the notes on it, each with its tag.

    The tags of other formats come with their format, such as "enw:O".
    """
    document = entry.document
    yield "TY", document.kind or USUAL
    yield "ID", document.id
    yield "TI", document.title
    yield from (("AU", _protect_name(author)) for author in document.authors)
    yield from (("A2", _protect_name(editor)) for editor in document.editors)
    yield from _list_publication(document)
    yield "AB", document.abstract
    yield from _list_identifiers(document)
    for heading in document.mesh:
        yield "KW", f"{heading.name} [{'Majr' if heading.major else 'MeSH'}]".replace(";", ",")
    for keyword in document.keywords:
        yield "KW", keyword.replace(";", ",")
    for kind in document.publication_types:
        yield "M3", kind.replace(";", ",")
    yield "LA", document.language
    yield from (("UR", url) for url in document.urls)
    yield from (("N1", remark) for remark in document.remarks)
    for name, value in document.extra:
        if _EXTRA.fullmatch(name) or not name.startswith("ris:"):
            yield name.removeprefix("ris:"), value
    for note in format_notes(entry.notes):
        yield "N1", note


def _protect_name(name: str) -> str:
    name = name.replace(";", ",")
    # A comma at its end keeps a group's name from being taken for a family and initials.
    return name if "," in name or read_person(name) == name else f"{name},"


def _list_publication(document: Document) -> Iterator[tuple[str, str]]:
    is_book = document.kind in _BOOKS
    first, last = split_pages(document.pages)
    yield "PY", str(document.year or "")
    yield "DA", document.date
    yield "JF" if is_book else "T2", document.journal
    yield "T2" if is_book else "T3", document.series
    yield "VL", document.volume
    yield "IS", document.issue
    yield "SP", first
    yield "EP", last
    yield "ET", document.edition
    yield "PB", document.publisher
    yield "CY", document.place
    yield from (("SN", number) for number in (*document.issn, *document.isbn))


def _list_identifiers(document: Document) -> Iterator[tuple[str, str]]:
    accession, database, pmid = document.accession, document.database, document.pmid
    yield "DO", document.doi
    if pmid and not accession and (not database or ris_ids.names_pubmed(database.lower())):
        yield "AN", pmid
        yield "DB", database or "PubMed"
    else:
        yield "AN", accession
        yield "DB", database
        if pmid and not ris_ids.is_pubmed_accession(document):
            yield "U1", f"{pmid}[pmid]"
    yield "C2", document.pmcid
    implied = ris_ids.name_accessions(accession, database=database, pmid=pmid)
    for identifier in document.other_ids:
        if identifier not in implied:
            yield "U2", identifier


# If a tag is written for two of RIS's, it is read as the second.
_ENW_WRITTEN = {
    "TY": "0", "ID": "F", "TI": "T", "AU": "A", "PY": "D", "T2": "J", "AB": "X", "U1": "1",
    "AN": "M", "DB": "~", "C2": "2", "U2": "1", "KW": "K", "M3": "9", "LA": "G", "N1": "Z",
    "A2": "E", "DA": "8", "T3": "S", "VL": "V", "IS": "N", "SP": "P", "ET": "7", "PB": "I",
    "CY": "C", "SN": "@", "UR": "U", "A3": "Y", "A4": "?", "AD": "+", "C3": "3", "C4": "4",
    "C5": "#", "C6": "$", "C7": "]", "CA": "^", "CN": "L", "DP": "W", "L1": ">", "NV": "6",
    "OP": "(", "RI": "*", "RN": "<", "RP": ")", "SE": "&", "ST": "!", "TA": "H", "TT": "Q",
    "Y2": "[", "DO": "R", "JF": "J",
}  # fmt: skip
_ENW_TAGS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ!#$&()*+,./:;<=>?@[]^~_"
_ENW = TagDialect(
    tag_line=re.compile(rf"%([{re.escape(_ENW_TAGS)}])(?=\s|\Z)\s*+(.*)", re.DOTALL),
    opening="TY",
    once=frozenset({"TY"}),
    # A journal has a tag of its own, and so has a book or a meeting that a paper is in.
    names={tag: name for name, tag in _ENW_WRITTEN.items()} | {"B": "T2"},
    unnamed="enw:",
)
_KINDS_BY_ENW = {name.lower(): kind for kind, name in ENDNOTE_TYPES.items()}


def read_enw(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in EndNote's tagged format (Refer).

    Google Scholar and many journals offer it as `.enw`.
    """
    found = False
    for record in read_tagged_records(source.lines(), _ENW, source=source):
        found = found or "TY" in record
        yield try_record(record.line, _read_enw_record, record)
    if not found:
        raise source.fail(
            "no EndNote record in it", advice="each begins with a line like '%0 Journal Article'"
        )


def _read_enw_record(record: TaggedRecord) -> Record:
    if "TY" not in record:
        raise BadRecordError("a record without its first line, '%0 ...'", advice="export it again")
    if kind := _KINDS_BY_ENW.get(record.first("TY").lower()):
        entries = [(tag, kind if tag == "TY" else value) for tag, value in record.items()]
        record = TaggedRecord(record.line, entries)
    return make_record(parse_record(record), record.line, record.values("N1"))


def write_enw(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents in EndNote's tagged format, with each value on one line."""
    for entry in annotated:
        kind = entry.document.kind or USUAL
        lines = [f"%0 {one_line(ENDNOTE_TYPES.get(kind, kind))}"]
        for tag, value in _list_enw_fields(entry):
            if text := one_line(value):
                lines.append(f"%{tag} {text}")
        stream.write("\n".join([*lines, "", ""]).encode())


def _list_enw_fields(entry: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    """Yield what RIS would say, in the tags of this format."""
    is_in_journal = entry.document.kind in ("", USUAL, "EJOUR", "MGZN", "NEWS")
    for name, value in list_fields(entry):
        if name == "T2" and not is_in_journal:
            yield "B", value
        elif name == "SP" and value and entry.document.pages.startswith(value):
            yield "P", entry.document.pages
        elif name in _ENW_WRITTEN and name != "TY":
            yield _ENW_WRITTEN[name], value
        elif name.startswith("enw:") and name.removeprefix("enw:") in _ENW_TAGS:
            yield name.removeprefix("enw:"), value


CENTRAL = "Cochrane Central Register of Controlled Trials"
REVIEWS = "Cochrane Database of Systematic Reviews"
_COCHRANE = TagDialect(
    tag_line=re.compile(r"([A-Z][A-Z0-9]{1,4}):\s*+(.*)", re.DOTALL),
    opening="TY",
    once=frozenset({"TY"}),
    names={
        "TY": "TY", "ID": "AN", "AU": "AU", "TI": "TI", "SO": "T2", "YR": "PY", "VL": "VL",
        "NO": "IS", "PG": "SP", "DOI": "DO", "AB": "AB", "PT": "M3", "KY": "KW", "PM": "C3",
        "XR": "C4", "US": "UR", "DB": "DB", "LA": "LA", "PB": "PB", "SN": "SN", "CC": "C1",
    },
    unnamed="cochrane:",
    is_strict=True,
    if_empty=("no record of the Cochrane Library in it",
          "each begins with a line like 'Record #1 of 5'"),
)  # fmt: skip


def read_cochrane(source: Source) -> Iterator[ReadItem]:
    """Yield the records of the Cochrane Library's (CENTRAL's) labelled text.

    Each begins with a line "Record #1 of 5"; lines such as "AU: Adeyemi T" follow.
    """
    return read_tagged(source, _COCHRANE, parse_record, lines=_mark_cochrane_records(source))


def _mark_cochrane_records(source: Source) -> Iterator[Line]:
    """Yield the lines, with a record's type and database added where it begins."""
    for number, text in source.lines():
        if text.startswith("Record #"):
            yield Line(number, "TY: JOUR")
            continue
        if text.startswith("ID: "):
            yield Line(number, f"DB: {CENTRAL if text.startswith('ID: CN-') else REVIEWS}")
        yield Line(number, text)
