"""EndNote XML, as EndNote exports it: usually one line, with a style around every value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree
from lxml.etree import _Element as Element

from likewise.documents.document import Document
from likewise.documents.formats.endnote_write import APP, NO_TYPE, write
from likewise.documents.formats.xml_records import cut_fragments, parse, report_malformed, text_of
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_pmid_in_link,
)
from likewise.documents.sources import LEFT_OUT, NOTES, SAYS_NOTHING, NamedValues, Source

__all__ = ["read", "write"]

_PUBMED = re.compile(r"pubmed|medline|\bnlm\b|\bpmid\b", re.IGNORECASE)


def read(source: Source) -> Iterator[Document]:
    """Yield the records of an EndNote export.

    EndNote's record numbers start from 1 in every library, so they are no ids. In what we wrote
    ourselves the label is the id.
    """
    for fragment in cut_fragments(source, ("record",)):
        source.line = fragment.line
        try:
            record = parse(fragment.xml)
            document = _document(record)
        except etree.XMLSyntaxError as error:
            report_malformed(source, fragment, error)
            continue
        source.said = NamedValues(NOTES, ["".join(_texts(record.find("notes")))])
        if document.is_identifiable:
            yield document
        else:
            source.problem(SAYS_NOTHING, advice=LEFT_OUT)


def _document(record: Element) -> Document:
    named = (_one(record, f"remote-database-{part}") for part in ("name", "provider"))
    database = " ".join(filter(None, named))
    accession = _one(record, "accession-num")
    pmid = _pmid(record, accession, database=database)
    pmcid = _one(record, "custom2")
    return Document(
        id=_one(record, "label") if _is_ours(record) else "",
        title=_one(record, "titles/title"),
        abstract=_one(record, "abstract"),
        year=clean_year(_one(record, "dates/year") or _one(record, "dates/pub-dates/date")),
        authors=tuple(a.rstrip(" ,") for a in _all(record, "contributors/authors/author")),
        journal=_one(record, "periodical/full-title", "titles/secondary-title", "titles/alt-title"),
        doi=clean_doi(_one(record, "electronic-resource-num")),
        pmid=pmid,
        pmcid=clean_pmcid(pmcid) if "PMC" in pmcid.upper() else "",
        other_ids=_other_ids(accession, database) if accession and not pmid else (),
        keywords=tuple(dict.fromkeys(_all(record, "keywords/keyword"))),
        publication_types=_publication_types(record),
        language=_one(record, "language"),
    )


def _texts(element: Element | None) -> Iterator[str]:
    return iter(()) if element is None else map(str, element.itertext())


def _is_ours(record: Element) -> bool:
    app = record.find("source-app")
    return app is not None and app.get("name") == APP


def _pmid(record: Element, accession: str, *, database: str) -> str:
    """Return the PMID, where something says that the accession number is one."""
    linked = next(filter(None, map(find_pmid_in_link, _all(record, "urls//url"))), "")
    if not accession:
        return linked
    # EndNote keeps PubMed's numbers beside PMCIDs, and often forgets the database.
    from_pubmed = not database and "PMC" in _one(record, "custom2").upper()
    number = clean_pmid(accession)
    said = number == linked or from_pubmed or _PUBMED.search(f"{database} {accession}")
    return number if said else ""


def _other_ids(accession: str, database: str) -> tuple[str, ...]:
    """Return another database's number, as "wos:0001" or "embase:12"."""
    scheme, colon, number = accession.partition(":")
    if colon and scheme.isalnum():
        return (f"{scheme.lower()}:{number}",)
    name = re.sub(r"[^a-z0-9]+", "-", database.lower()).strip("-")
    return (f"{name or 'accession'}:{accession}",)


def _publication_types(record: Element) -> tuple[str, ...]:
    said = [part.strip() for part in _one(record, "work-type").split(";")]
    found = tuple(filter(None, said))
    kind = record.find("ref-type")
    name = "" if kind is None else kind.get("name", "")
    return found or ((name,) if name not in ("", NO_TYPE) and not _is_ours(record) else ())


def _one(record: Element, *paths: str) -> str:
    """Return the text of the first of these elements that has any."""
    return next((text for path in paths if (text := text_of(record.find(path)))), "")


def _all(record: Element, path: str) -> list[str]:
    return [text for element in record.iterfind(path) if (text := text_of(element))]
