"""PubMed's tagged format, which MEDLINE and Ovid use too.

Tags are four columns wide and values are wrapped, with six spaces before continuation lines.
Records are separated by blank lines, or just follow one another.

The format has no place for a supplied id, so one that is not the PMID, DOI or PMCID is written to
OID ("other id") as "likewise: id". MeSH headings keep their names and whether they are major. Notes
are written to GN ("general note"), one a line; addresses and the database to UR, DB and AN, which
are Ovid's. What has no field, such as the qualifiers of a heading, is kept under its tag
("nbib:MH") and written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import msgspec

from likewise.documents.citations import clean_date, find_serials, list_remarks, spell_date
from likewise.documents.document import AnnotatedDocument, Document, MeshHeading, format_notes
from likewise.documents.formats.tagged import TagDialect, TaggedRecord, one_line, read_tagged
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year
from likewise.documents.sources import Line, ReadItem, Source

_DIALECT = TagDialect(
    tag_line=re.compile(r"(?=.{4}-(?:\s|\Z))([A-Z][A-Z0-9]{1,3}+) *+-\s*+(.*)", re.DOTALL),
    opening="PMID",
    once=frozenset({"PMID", "UI", "OWN", "STAT", "TI"}),
    notes="GN",
    if_empty=("no PubMed record in it", "each begins with a line 'PMID- 1234'"),
)
# A tag that may be written back; those of headings are written with the headings.
_EXTRA = re.compile(r"nbib:(?!(?:MH|PMID|TI)\Z)[A-Z][A-Z0-9]{1,3}")
_WIDTH = 82
_OWN_ID = "likewise: "

_OVID_HEADING = re.compile(r"\s*+<\s*+\d++\s*+>\s*+")
# A line that numbers a record is short.
_HEADING = 80
_SCHEME = re.compile(r"[\w.-]++")
_INITIALS = re.compile(r"[A-Z]{1,4}")
_SUFFIX = re.compile(r"Jr|Sr|\d(?:nd|rd|th)")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file in PubMed's tagged format."""
    return read_tagged(source, _DIALECT, parse_record, lines=_read_lines(source))


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as PubMed does."""
    for document, notes in annotated:
        # The PMID's line is written even if it is empty, since the format is known by it.
        lines = [f"PMID- {document.pmid}"]
        values = [*_list_fields(document), *(("GN", note) for note in format_notes(notes))]
        for tag, value in values:
            if text := one_line(value):
                lines += _wrap(tag, text)
        stream.write("\n".join([*lines, "", ""]).encode())


def _read_lines(source: Source) -> Iterator[Line]:
    for line in source.lines():
        text = line.text
        is_heading = "<" in text and len(text) < _HEADING and _OVID_HEADING.fullmatch(text)
        yield Line(line.number, "") if is_heading else line


def parse_record(record: TaggedRecord) -> Document:
    """Return the document in a record."""
    title = record.first("TI")
    if not title or title.lower().strip("[].") == "not available":
        title = record.first("TT", "BTI")
    ids = (_split_article_id(one_line(value)) for value in record.values("AID", "LID"))
    articles = [(scheme, value) for scheme, value in ids if scheme]
    document = Document(
        id=_find_own_id(record),
        title=title,
        abstract=record.first("AB"),
        authors=_read_people(record, "FAU", "AU", "CN"),
        editors=_read_people(record, "FED", "ED"),
        journal=record.first(*_JOURNALS) or _find_book(record, title),
        doi=_find_doi(record, articles),
        pmid=clean_pmid(record.first("PMID", "UI")),
        pmcid=clean_pmcid(record.first("PMC")),
        other_ids=tuple(dict.fromkeys(f"{kind}:{it}" for kind, it in articles if kind != "doi")),
        mesh=_read_headings(record.values("MH")),
        keywords=tuple(
            word for value in record.values("OT", "KW") if (word := one_line(value).lstrip("*"))
        ),
        publication_types=tuple(kind for value in record.values("PT") if (kind := one_line(value))),
        # Lines are wrapped here, so a note of ours may continue on the next.
        remarks=list_remarks(map(one_line, record.values("GN"))),
        **_read_citation(record),
    )
    extra = tuple(_list_extra(record, document))
    return msgspec.structs.replace(document, extra=extra) if extra else document


_JOURNALS = ("JT", "JN", "TA", "JA")
_SIMPLE = {
    "language": ("LA", "LG"), "volume": ("VI", "VO"), "issue": ("IP",), "pages": ("PG",),
    "series": ("CTI",), "edition": ("EN",), "publisher": ("PB",), "place": ("PL", "CP"),
    "database": ("DB",), "accession": ("AN",),
}  # fmt: skip


def _read_citation(record: TaggedRecord) -> dict[str, Any]:
    """Return the fields that tell where and when it was published, and where it was found."""
    told = record.first("DP", "YR", "DEP")
    year = clean_year(told)
    serials = find_serials(record.values("IS", "ISBN"))
    return {
        "year": year,
        "date": clean_date(told, year),
        "kind": ("CHAP" if record.first("TI") else "BOOK") if record.first("BTI") else "",
        "issn": serials.issn,
        "isbn": serials.isbn,
        "urls": tuple(dict.fromkeys(filter(None, map(one_line, record.values("UR"))))),
        **{name: record.first(*tags) for name, tags in _SIMPLE.items()},
    }


# Every value of these tags is in a field; short names are made from the full ones.
_WHOLE = frozenset(
    {"PMID", "TI", "AB", "FAU", "AU", "CN", "FED", "ED", "OT", "KW", "PT", "GN", "UR", "PMC"}
)
_FIELDS = {
    **{tag: (name,) for name, tags in _SIMPLE.items() for tag in tags},
    **dict.fromkeys(_JOURNALS, ("journal",)),
    "TT": ("title",), "BTI": ("title", "journal"), "UI": ("pmid",),
    "YR": ("year",),
}  # fmt: skip
_CHECKED = frozenset({"DP", "MH", "IS", "ISBN", "AID", "LID", "DO", "OID"})


def _list_extra(record: TaggedRecord, document: Document) -> Iterator[tuple[str, str]]:
    """Yield what no field holds, under the names of its tags."""
    for tag, value in record.items():
        if tag in _WHOLE or not (text := one_line(value)):
            continue
        if not _is_held(tag, text, document):
            yield tag if ":" in tag else f"nbib:{tag}", text


def _is_held(tag: str, text: str, document: Document) -> bool:
    """Return whether a field holds what a value says."""
    if tag in _FIELDS:
        return any(text == str(getattr(document, name)) for name in _FIELDS[tag])
    if tag not in _CHECKED:
        return False
    if tag == "DP":
        return clean_year(text) == document.year
    if tag == "MH":
        return "/" not in text
    if tag in ("IS", "ISBN"):
        return any(find_serials([text]))
    if tag in ("AID", "LID"):
        scheme, value = _split_article_id(text)
        is_doi = scheme == "doi" and clean_doi(value) == document.doi
        return is_doi or f"{scheme}:{value}" in document.other_ids
    if tag == "DO":
        return clean_doi(text) == document.doi != ""
    return tag == "OID" and text.startswith(_OWN_ID.strip())


def _find_own_id(record: TaggedRecord) -> str:
    ids = (one_line(value) for value in record.values("OID"))
    return next((it.removeprefix(_OWN_ID) for it in ids if it.startswith(_OWN_ID)), "")


def _read_people(record: TaggedRecord, full: str, short: str, *groups: str) -> tuple[str, ...]:
    """Return people, by their full names if these are given, and groups, in the file's order."""
    person = full if full in record else short
    names = (one_line(value) for value in record.values(person, *groups))
    return tuple(_put_family_first(name) if person == short else name for name in names if name)


def _put_family_first(name: str) -> str:
    """Return a short name such as "Smith JA Jr" with a comma after the family."""
    family, _, initials = name.rpartition(" ")
    suffix = ""
    if _SUFFIX.fullmatch(initials):
        suffix = f" {initials}"
        family, _, initials = family.rpartition(" ")
    is_short = family and "," not in family and _INITIALS.fullmatch(initials)
    return f"{family}, {initials}{suffix}" if is_short else name


def _find_book(record: TaggedRecord, title: str) -> str:
    book = record.first("BTI")
    return book if book != title else ""


def _split_article_id(text: str) -> tuple[str, str]:
    """Return the scheme and the value of an identifier such as "S1 [pii]"; the scheme may be ""."""
    value, bracket, scheme = text.rpartition("[")
    is_named = bracket and scheme.endswith("]") and _SCHEME.fullmatch(scheme[:-1])
    return (scheme[:-1], value.rstrip()) if is_named and value.strip() else ("", text)


def _find_doi(record: TaggedRecord, articles: list[tuple[str, str]]) -> str:
    dois = (clean_doi(value) for kind, value in articles if kind == "doi")
    return next(filter(None, dois), "") or clean_doi(record.first("DO", "SO"))


def _read_headings(values: Sequence[str]) -> tuple[MeshHeading, ...]:
    """Return the descriptors; one is major if it or any of its qualifiers has an asterisk."""
    major: dict[str, bool] = {}
    for value in map(one_line, values):
        name = _name_descriptor(value)
        if name:
            major[name] = major.get(name, False) or value.startswith("*") or "/*" in value
    return tuple(MeshHeading(name=name, major=major[name]) for name in major)


def _list_fields(document: Document) -> Iterator[tuple[str, str]]:
    is_dated = clean_year(document.date) == document.year
    yield "DP", spell_date(document.date) if is_dated else str(document.year or "")
    is_book, is_chapter = document.kind == "BOOK", document.kind == "CHAP"
    yield "TI", "" if is_book else document.title
    yield "BTI", document.title if is_book else document.journal if is_chapter else ""
    yield "JT", "" if is_chapter else document.journal
    yield "AB", document.abstract
    for author in document.authors:
        if "," in author:
            yield "FAU", author
            yield "AU", _shorten_name(author)
        else:
            yield "CN", author
    yield from (("FED", editor) for editor in document.editors)
    for name, tags in _SIMPLE.items():
        yield tags[0], getattr(document, name)
    yield from (("PT", kind) for kind in document.publication_types)
    yield from (("IS", number) for number in document.issn)
    yield from (("ISBN", number) for number in document.isbn)
    yield from _list_headings(document)
    yield "PMC", document.pmcid
    yield from (("OT", keyword) for keyword in document.keywords)
    if document.doi:
        yield "AID", f"{document.doi} [doi]"
    for scheme, _, value in (identifier.partition(":") for identifier in document.other_ids):
        yield "AID", f"{value} [{scheme}]"
    if document.id not in (document.pmid, document.doi, document.pmcid):
        yield "OID", _OWN_ID + document.id
    yield from (("UR", url) for url in document.urls)
    yield from (("GN", remark) for remark in document.remarks)
    for name, value in document.extra:
        if _EXTRA.fullmatch(name):
            yield name.removeprefix("nbib:"), value


def _list_headings(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the headings, with their qualifiers if these are known."""
    qualified: dict[str, list[str]] = {}
    for name, value in document.extra:
        if name == "nbib:MH":
            qualified.setdefault(_name_descriptor(value), []).append(value)
    for heading in document.mesh:
        bare = f"*{heading.name}" if heading.major else heading.name
        for text in qualified.get(heading.name, [bare]):
            yield "MH", text


def _name_descriptor(value: str) -> str:
    return value.partition("/")[0].lstrip("*").strip()


def _shorten_name(author: str) -> str:
    family, _, given = author.partition(",")
    initials = "".join(part[0].upper() for part in re.split(r"\W++", given) if part)
    return f"{family} {initials}"


def _wrap(tag: str, text: str) -> Iterator[str]:
    """Yield the lines of a value, broken at spaces only, so that long words may stick out."""
    indent = f"{tag:<4}- "
    while len(text) > _WIDTH:
        cut = text.rfind(" ", 0, _WIDTH + 1)
        if cut < 0 and (cut := text.find(" ", _WIDTH)) < 0:
            break
        yield indent + text[:cut]
        indent, text = " " * 6, text[cut + 1 :]
    yield indent + text


_OVID_NUMBER = re.compile(r"<\s*+\d++\s*+>\s*+")
_OVID_DATABASE = "Database: "
_OVID_RECORD = "record"
_MEDLINE = re.compile(r"medline|pubmed", re.IGNORECASE)
_OVID_TAGS = {
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
# Each line of these is a value; all lines of any other tag are one text.
_OVID_LINES = frozenset({"AU", "FAU", "MH", "OT", "PT", "IS", "ISBN", "UR"})
_OVID_NAMES = frozenset({"AU", "FAU"})
_OVID = TagDialect(
    tag_line=re.compile(r"([^\t]++)\t(.*)", re.DOTALL),
    opening=_OVID_RECORD,
    once=frozenset({_OVID_RECORD}),
    is_strict=True,
    if_empty=("no record of Ovid's in it", "each begins with a line like '<1>'"),
)


def read_ovid(source: Source) -> Iterator[ReadItem]:
    """Yield the records of Ovid's labelled text: a label on a line, its values indented below it.

    Records are numbered ("<1>"); the database and the search may come before the first. It says
    what the tagged format says, with words for tags. What has no tag is kept under its label, such
    as "ovid:Institution".
    """
    return read_tagged(source, _OVID, _parse_ovid_record, lines=_put_labels_first(source))


def _parse_ovid_record(record: TaggedRecord) -> Document:
    document = parse_record(record)
    changed: dict[str, Any] = {
        name: value
        for name, value in _parse_ovid_source(record.first("SO")).items()
        if not getattr(document, name)
    }
    changed["extra"] = tuple(pair for pair in document.extra if pair[0] != f"nbib:{_OVID_RECORD}")
    if document.database and not _MEDLINE.search(document.database):
        # Another database's number is no PMID.
        changed["pmid"] = document.pmid if record.first("PMID") else ""
        changed["accession"] = document.accession or record.first("UI")
    return msgspec.structs.replace(document, **changed)


def _parse_ovid_source(text: str) -> dict[str, str]:
    """Return what a source such as "J Cats. 12(3):31-7, 2018." says; {} if it is not like this."""
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
        if _OVID_NUMBER.fullmatch(text):
            is_open, tag = True, ""
            yield Line(number, f"{_OVID_RECORD}\t{text}")
            yield Line(number, f"DB\t{database}")
        elif not is_open:
            database = database or text.partition(_OVID_DATABASE)[2].strip()
        elif text[:1].isspace() and text.strip() and tag:
            begins = is_next or tag in _OVID_LINES
            # Names may also be on one line, with semicolons between and a full stop at the end.
            parts = text.rstrip(" .").split(";") if tag in _OVID_NAMES and ";" in text else [text]
            for part in filter(str.strip, parts):
                yield Line(number, f"{tag}\t{part.strip()}" if begins else part.replace("\t", " "))
            is_next = False
        elif label := text.strip():
            tag, is_next = _OVID_TAGS.get(label.lower()) or f"ovid:{label}", True
