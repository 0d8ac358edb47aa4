"""EndNote XML, as EndNote exports it: usually one line, with a style around every value.

What no document has a field for is kept under the path of its element, as in
"endnote:titles/short-title", and written back to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from lxml.etree import Element, SubElement, _Element, tostring

from likewise.documents.citations import ENDNOTE_TYPES, clean_date, find_serials, list_remarks
from likewise.documents.document import AnnotatedDocument, Document, format_notes
from likewise.documents.formats.xml_records import (
    Fragment,
    cut_fragments,
    find_text,
    parse_record,
    strip_illegal,
    text_of,
)
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_pmid_in_link,
)
from likewise.documents.sources import Complaint, ReadItem, Record, Source, make_record, try_record

APP = "likewise"
# EndNote wants a type with a number in every record; this one says nothing.
NO_TYPE = ENDNOTE_TYPES["GEN"]
_NUMBERS = {
    "JOUR": 17, "BOOK": 6, "CHAP": 5, "CPAPER": 47, "CONF": 10, "THES": 32, "RPRT": 27,
    "EDBOOK": 28, "EJOUR": 43, "EBOOK": 44, "ELEC": 12, "MGZN": 19, "NEWS": 23, "PAT": 25,
    "UNPB": 34, "MANSCPT": 36, "GOVDOC": 46, "DATA": 59, "COMP": 9, "SER": 57, "STAND": 58,
    "PAMP": 24, "GEN": 13,
}  # fmt: skip
_KINDS = {ENDNOTE_TYPES[kind]: kind for kind in _NUMBERS}
_BOOKS = ("BOOK", "CHAP", "EDBOOK", "EBOOK", "THES", "RPRT")
_SIMPLE = {
    "pages": "pages", "volume": "volume", "number": "issue", "edition": "edition",
    "publisher": "publisher", "pub-location": "place",
}  # fmt: skip
# What EndNote's own bookkeeping needs.
_OWN_ELEMENTS = ("database", "source-app", "rec-number", "foreign-keys", "ref-type")
_PREFIX = "endnote:"
_PATH = re.compile(r"[a-z][a-z0-9-]*+(?:/[a-z][a-z0-9-]*+){0,3}+")
_LINK = "https://pubmed.ncbi.nlm.nih.gov/"
_PUBMED = re.compile(r"pubmed|medline|\bnlm\b|\bpmid\b", re.IGNORECASE)


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of an EndNote export.

    EndNote's record numbers start from 1 in every library, so they are not ids. In files that we
    wrote ourselves, the label is the id.
    """
    for fragment in cut_fragments(source, ("record",)):
        if isinstance(fragment, Complaint):
            yield fragment
            continue
        yield try_record(fragment.line, _read_record, fragment)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as EndNote exports them.

    MeSH headings and further identifiers have no place in this format.
    """
    stream.write(b'<?xml version="1.0" encoding="UTF-8" ?><xml><records>')
    for number, entry in enumerate(annotated, 1):
        stream.write(tostring(_make_record(entry, number), encoding="utf-8"))
    stream.write(b"</records></xml>\n")


def _read_record(fragment: Fragment) -> Record:
    record = parse_record(fragment.xml)
    noted = record.find("notes")
    notes = "" if noted is None else "".join(map(str, noted.itertext()))
    return make_record(_parse_record(record, notes), fragment.line, notes)


def _parse_record(record: _Element, notes: str) -> Document:
    fields = _RecordFields(record)
    named = [find_text(record, f"remote-database-{part}") for part in ("name", "provider")]
    database = " ".join(filter(None, named))
    accession = find_text(record, "accession-num")
    pmid = _find_pmid(record, accession, database=database, is_ours=fields.is_ours)
    pmcid = find_text(record, "custom2")
    doi = clean_doi(find_text(record, "electronic-resource-num"))
    fields.pass_over("notes", "electronic-resource-num" if doi else "", *_OWN_ELEMENTS)
    if fields.is_ours:
        fields.pass_over("label", "urls/web-urls/url", "work-type")
    if is_pmcid := "PMC" in pmcid.upper():
        fields.pass_over("custom2")
    return Document(
        id=find_text(record, "label") if fields.is_ours else "",
        title=fields.take("titles/title"),
        abstract=fields.take("abstract"),
        authors=fields.take_people("contributors/authors/author"),
        journal=fields.take("periodical/full-title", "titles/secondary-title", "titles/alt-title"),
        doi=doi,
        pmid=pmid,
        pmcid=clean_pmcid(pmcid) if is_pmcid else "",
        other_ids=_list_other_ids(accession, database) if accession and not pmid else (),
        keywords=fields.take_all("keywords/keyword"),
        publication_types=_read_publication_types(record, fields),
        language=fields.take("language"),
        remarks=list_remarks(notes.splitlines()),
        **_read_citation(record, fields),
        extra=fields.list_left(),
    )


def _read_citation(record: _Element, fields: _RecordFields) -> dict[str, Any]:
    kind = _KINDS.get(fields.type, "")
    year = clean_year(find_text(record, "dates/year"))
    if year and find_text(record, "dates/year") == str(year):
        fields.pass_over("dates/year")
    date = find_text(record, "dates/pub-dates/date")
    fields.pass_over("dates/pub-dates/date")
    others = "isbn" if kind in _BOOKS else "issn"
    numbers = find_serials(fields.take_all("isbn"), others=others)
    database = fields.take("remote-database-name", "remote-database-provider")
    accession = fields.take("accession-num")
    # If we had nothing but a PMID to write there, there is nothing to read.
    if fields.is_ours and not _find_texts(record, "urls/web-urls/url") and database == "PubMed":
        database = accession = ""
    return {
        "kind": kind,
        "year": year or clean_year(date),
        "date": clean_date(date, year=year),
        "issn": numbers.issn,
        "isbn": numbers.isbn,
        "series": fields.take("titles/tertiary-title"),
        "editors": fields.take_people("contributors/secondary-authors/author"),
        **{name: fields.take(tag) for tag, name in _SIMPLE.items()},
        "urls": fields.take_all("urls/related-urls/url", "urls/web-urls/url"),
        "database": database,
        "accession": accession,
    }


class _RecordFields:
    """The elements of a record that hold a text, and which of them a document has taken."""

    def __init__(self, record: _Element) -> None:
        app, kind = record.find("source-app"), record.find("ref-type")
        self.is_ours = app is not None and app.get("name") == APP
        self.type = "" if kind is None else kind.get("name", "")
        self._left: dict[str, list[str]] = {}
        _collect_texts(record, "", self._left)

    def take(self, *paths: str) -> str:
        """Return the first of these texts, and take all that say the same."""
        found = next((self._left[path][0] for path in paths if path in self._left), "")
        for path in paths:
            if self._left.get(path) == [found]:
                del self._left[path]
        return found

    def take_all(self, *paths: str) -> tuple[str, ...]:
        """Return all texts of these elements, each once."""
        return tuple(dict.fromkeys(text for path in paths for text in self._left.pop(path, ())))

    def take_people(self, path: str) -> tuple[str, ...]:
        return tuple(name for text in self._left.pop(path, ()) if (name := text.rstrip(" ,")))

    def pass_over(self, *paths: str) -> None:
        """Mark as taken what is read elsewhere."""
        for path in paths:
            self._left.pop(path, None)

    def list_left(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (f"{_PREFIX}{path}", text)
            for path, texts in self._left.items()
            if path.partition("/")[0] not in _OWN_ELEMENTS
            for text in texts
        )


def _collect_texts(element: _Element, path: str, texts: dict[str, list[str]]) -> None:
    """Collect the texts of the innermost elements, by the paths that lead to them."""
    inner = [child for child in element if child.tag != "style"]
    if path and (not inner or path.count("/") >= _DEEPEST):
        if text := text_of(element):
            texts.setdefault(path, []).append(text)
        return
    for child in inner:
        _collect_texts(child, f"{path}/{child.tag}" if path else str(child.tag), texts)


_DEEPEST = 3


def _find_pmid(record: _Element, accession: str, *, database: str, is_ours: bool) -> str:
    """Return the PMID, if something says that the accession number is one."""
    linked = next(filter(None, map(find_pmid_in_link, _find_texts(record, "urls//url"))), "")
    number = clean_pmid(accession)
    if not number or (is_ours and linked):
        return linked
    # EndNote keeps PubMed's numbers beside PMCIDs, and often forgets the database.
    from_pubmed = not database and "PMC" in find_text(record, "custom2").upper()
    said = number == linked or from_pubmed or _PUBMED.search(f"{database} {accession}")
    return number if said else ""


def _list_other_ids(accession: str, database: str) -> tuple[str, ...]:
    """Return another database's number, as "wos:0001" or "embase:12"."""
    scheme, colon, number = accession.partition(":")
    if colon and scheme.isalnum():
        return (f"{scheme.lower()}:{number}",)
    name = re.sub(r"[^a-z0-9]+", "-", database.lower()).strip("-")
    return (f"{name or 'accession'}:{accession}",)


def _read_publication_types(record: _Element, fields: _RecordFields) -> tuple[str, ...]:
    parts = (part.strip() for part in find_text(record, "work-type").split(";"))
    is_telling = fields.type not in ("", NO_TYPE) and not fields.is_ours
    return tuple(filter(None, parts)) or ((fields.type,) if is_telling else ())


def _find_texts(record: _Element, path: str) -> list[str]:
    return [text for element in record.iterfind(path) if (text := text_of(element))]


def _make_record(entry: AnnotatedDocument, number: int) -> _Element:
    document = entry.document
    record = Element("record")
    SubElement(record, "source-app", name=APP, version="1.0").text = APP
    SubElement(record, "rec-number").text = str(number)
    kind = document.kind or ("JOUR" if document.journal else "GEN")
    kind = kind if kind in _NUMBERS else "GEN"
    SubElement(record, "ref-type", name=ENDNOTE_TYPES[kind]).text = str(_NUMBERS[kind])
    contributors = SubElement(record, "contributors")
    _add_people(contributors, "authors", document.authors)
    _add_people(contributors, "secondary-authors", document.editors)
    titles = SubElement(record, "titles")
    _add(titles, "title", document.title)
    _add(titles, "secondary-title", document.journal)
    _add(titles, "tertiary-title", document.series)
    keywords = SubElement(record, "keywords")
    for keyword in document.keywords:
        _add(keywords, "keyword", keyword)
    dates = SubElement(record, "dates")
    _add(dates, "year", str(document.year or ""))
    _add(SubElement(dates, "pub-dates"), "date", document.date)
    for tag, text in _list_texts_to_write(entry):
        _add(record, tag, text)
    urls = SubElement(record, "urls")
    related = SubElement(urls, "related-urls")
    for url in document.urls:
        _add(related, "url", url)
    if document.pmid and (document.accession or document.database):
        # The number of another database takes the place of the PMID.
        _add(SubElement(urls, "web-urls"), "url", f"{_LINK}{document.pmid}/")
    for tag, text in document.extra:
        if tag.startswith(_PREFIX) and _PATH.fullmatch(tag, len(_PREFIX)):
            _add_at(record, tag.removeprefix(_PREFIX), text)
    return record


def _list_texts_to_write(entry: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    document = entry.document
    is_pubmed = bool(document.pmid) and not (document.accession or document.database)
    for tag, name in _SIMPLE.items():
        yield tag, getattr(document, name)
    yield "isbn", "\n".join((*document.issn, *document.isbn))
    yield "label", document.id
    yield "abstract", document.abstract
    yield "notes", "\n".join((*document.remarks, *format_notes(entry.notes)))
    yield "electronic-resource-num", document.doi
    yield "accession-num", document.pmid if is_pubmed else document.accession
    yield "remote-database-name", "PubMed" if is_pubmed else document.database
    yield "custom2", document.pmcid
    yield "work-type", "; ".join(document.publication_types)
    yield "language", document.language


def _add_people(contributors: _Element, tag: str, names: Iterable[str]) -> None:
    people = SubElement(contributors, tag)
    for name in names:
        # A comma at its end keeps EndNote from taking a group's name apart.
        _add(people, "author", name if "," in name else f"{name},")


def _add_at(record: _Element, path: str, text: str) -> None:
    """Add an element at the end of a path whose first parts may already be there."""
    *parents, tag = path.split("/")
    place = record
    for parent in parents:
        found = place.find(parent)
        place = SubElement(place, parent) if found is None else found
    _add(place, tag, text)


def _add(parent: _Element, tag: str, text: str) -> None:
    if text:
        style = SubElement(
            SubElement(parent, tag), "style", face="normal", font="default", size="100%"
        )
        style.text = strip_illegal(text)
