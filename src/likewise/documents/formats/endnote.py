"""EndNote XML, as EndNote exports it: usually one line, with a style around every value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from lxml.etree import Element, SubElement, XMLSyntaxError, _Element, tostring

from likewise.documents.document import AnnotatedDocument, Document, format_notes
from likewise.documents.formats.xml_records import (
    cut_fragments,
    describe_malformed,
    parse,
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
from likewise.documents.sources import Complaint, ReadItem, Source, make_item

APP = "likewise"
# EndNote wants a type with a number in every record; this one says nothing.
NO_TYPE = "Generic"

_TYPES = {NO_TYPE: "13", "Journal Article": "17"}
_PUBMED = re.compile(r"pubmed|medline|\bnlm\b|\bpmid\b", re.IGNORECASE)


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of an EndNote export.

    EndNote's record numbers start from 1 in every library, so they are no ids. In what we wrote
    ourselves the label is the id.
    """
    for fragment in cut_fragments(source, ("record",)):
        if isinstance(fragment, Complaint):
            yield fragment
            continue
        try:
            record = parse(fragment.xml)
        except XMLSyntaxError as error:
            yield describe_malformed(fragment, error)
            continue
        notes = "".join(_list_texts(record.find("notes")))
        yield make_item(_parse_record(record), fragment.line, notes)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as EndNote exports them.

    MeSH headings and further identifiers have no place in this format.
    """
    stream.write(b'<?xml version="1.0" encoding="UTF-8" ?><xml><records>')
    for number, entry in enumerate(annotated, 1):
        stream.write(tostring(_make_record(entry, number), encoding="utf-8"))
    stream.write(b"</records></xml>\n")


def _parse_record(record: _Element) -> Document:
    named = (_find_text(record, f"remote-database-{part}") for part in ("name", "provider"))
    database = " ".join(filter(None, named))
    accession = _find_text(record, "accession-num")
    pmid = _find_pmid(record, accession, database=database)
    pmcid = _find_text(record, "custom2")
    return Document(
        id=_find_text(record, "label") if _is_ours(record) else "",
        title=_find_text(record, "titles/title"),
        abstract=_find_text(record, "abstract"),
        year=clean_year(
            _find_text(record, "dates/year") or _find_text(record, "dates/pub-dates/date")
        ),
        authors=tuple(a.rstrip(" ,") for a in _find_texts(record, "contributors/authors/author")),
        journal=_find_text(
            record, "periodical/full-title", "titles/secondary-title", "titles/alt-title"
        ),
        doi=clean_doi(_find_text(record, "electronic-resource-num")),
        pmid=pmid,
        pmcid=clean_pmcid(pmcid) if "PMC" in pmcid.upper() else "",
        other_ids=_list_other_ids(accession, database) if accession and not pmid else (),
        keywords=tuple(dict.fromkeys(_find_texts(record, "keywords/keyword"))),
        publication_types=_read_publication_types(record),
        language=_find_text(record, "language"),
    )


def _list_texts(element: _Element | None) -> Iterator[str]:
    return iter(()) if element is None else map(str, element.itertext())


def _is_ours(record: _Element) -> bool:
    app = record.find("source-app")
    return app is not None and app.get("name") == APP


def _find_pmid(record: _Element, accession: str, *, database: str) -> str:
    """Return the PMID, where something says that the accession number is one."""
    linked = next(filter(None, map(find_pmid_in_link, _find_texts(record, "urls//url"))), "")
    if not accession:
        return linked
    # EndNote keeps PubMed's numbers beside PMCIDs, and often forgets the database.
    from_pubmed = not database and "PMC" in _find_text(record, "custom2").upper()
    number = clean_pmid(accession)
    said = number == linked or from_pubmed or _PUBMED.search(f"{database} {accession}")
    return number if said else ""


def _list_other_ids(accession: str, database: str) -> tuple[str, ...]:
    """Return another database's number, as "wos:0001" or "embase:12"."""
    scheme, colon, number = accession.partition(":")
    if colon and scheme.isalnum():
        return (f"{scheme.lower()}:{number}",)
    name = re.sub(r"[^a-z0-9]+", "-", database.lower()).strip("-")
    return (f"{name or 'accession'}:{accession}",)


def _read_publication_types(record: _Element) -> tuple[str, ...]:
    said = [part.strip() for part in _find_text(record, "work-type").split(";")]
    found = tuple(filter(None, said))
    kind = record.find("ref-type")
    name = "" if kind is None else kind.get("name", "")
    return found or ((name,) if name not in ("", NO_TYPE) and not _is_ours(record) else ())


def _find_text(record: _Element, *paths: str) -> str:
    """Return the text of the first of these elements that has any."""
    return next((text for path in paths if (text := text_of(record.find(path)))), "")


def _find_texts(record: _Element, path: str) -> list[str]:
    return [text for element in record.iterfind(path) if (text := text_of(element))]


def _make_record(entry: AnnotatedDocument, number: int) -> _Element:
    document = entry.document
    record = Element("record")
    SubElement(record, "source-app", name=APP, version="1.0").text = APP
    SubElement(record, "rec-number").text = str(number)
    kind = "Journal Article" if document.journal else NO_TYPE
    SubElement(record, "ref-type", name=kind).text = _TYPES[kind]
    authors = SubElement(SubElement(record, "contributors"), "authors")
    for author in document.authors:
        # A comma at its end keeps EndNote from taking a group's name apart.
        _add(authors, "author", author if "," in author else f"{author},")
    titles = SubElement(record, "titles")
    _add(titles, "title", document.title)
    _add(titles, "secondary-title", document.journal)
    keywords = SubElement(record, "keywords")
    for keyword in document.keywords:
        _add(keywords, "keyword", keyword)
    _add(SubElement(record, "dates"), "year", str(document.year or ""))
    _add(record, "label", document.id)
    _add(record, "abstract", document.abstract)
    _add(record, "notes", "\n".join(format_notes(entry.notes)))
    _add(record, "electronic-resource-num", document.doi)
    _add(record, "accession-num", document.pmid)
    _add(record, "remote-database-name", "PubMed" if document.pmid else "")
    _add(record, "custom2", document.pmcid)
    _add(record, "work-type", "; ".join(document.publication_types))
    _add(record, "language", document.language)
    return record


def _add(parent: _Element, tag: str, text: str) -> None:
    if text:
        style = SubElement(
            SubElement(parent, tag), "style", face="normal", font="default", size="100%"
        )
        style.text = strip_illegal(text)
