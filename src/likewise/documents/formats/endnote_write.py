"""The writer of EndNote XML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from lxml.etree import Element, SubElement, _Element, tostring

from likewise.documents.document import AnnotatedDocument, format_notes
from likewise.documents.formats.xml_records import strip_illegal

APP = "likewise"
# EndNote wants a type with a number in every record; this one says nothing.
NO_TYPE = "Generic"

_TYPES = {NO_TYPE: "13", "Journal Article": "17"}


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as EndNote exports them.

    MeSH headings and further identifiers have no place in this format.
    """
    stream.write(b'<?xml version="1.0" encoding="UTF-8" ?><xml><records>')
    for number, entry in enumerate(annotated, 1):
        stream.write(tostring(_record(entry, number), encoding="utf-8"))
    stream.write(b"</records></xml>\n")


def _record(entry: AnnotatedDocument, number: int) -> _Element:
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
