"""PubMed XML: the yearly baseline, the daily update files, and what the E-utilities send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

import msgspec
from lxml.etree import Element, SubElement, _Element, tostring

from likewise.documents.document import AnnotatedDocument, Deletion, Document
from likewise.documents.formats.pubmed_article import read_article, read_book
from likewise.documents.formats.pubmed_plain import read_plain_article
from likewise.documents.formats.xml_records import (
    Fragment,
    cut_fragments,
    parse_record,
    strip_illegal,
    text_of,
)
from likewise.documents.identity import clean_pmid
from likewise.documents.releases import VERSION, parse_version
from likewise.documents.sources import Complaint, ReadItem, Record, Source, make_record, try_record

TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")

_HEAD = b"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" \
"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
"""
_FOOT = b"</PubmedArticleSet>\n"


def read(source: Source) -> Iterator[ReadItem]:
    """Yield papers, chapters and notices of deletion.

    No version of a paper is yielded after a higher one, so that whoever keeps the last one has the
    highest.
    """
    versions = _Versions()
    for fragment in cut_fragments(source, TAGS):
        if isinstance(fragment, Complaint):
            yield fragment
            continue
        plain = read_plain_article(fragment.xml) if fragment.tag == "PubmedArticle" else None
        if plain is None:
            items = try_record(fragment.line, _parse_fragment, fragment, versions)
            yield from [items] if isinstance(items, Complaint) else items
        elif not versions.is_superseded(plain.pmid, "1"):
            yield Record(plain, fragment.line)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as a PubmedArticleSet.

    An identifier of a kind that PubMed does not know is written like the others, under its
    scheme. An id other than the PMID, notes, and what only other citations have (a publisher,
    editors, addresses, remarks) have no place in this format.
    """
    stream.write(_HEAD)
    for document, _ in annotated:
        record = Element("PubmedArticle")
        _add_citation(
            SubElement(record, "MedlineCitation", Status="MEDLINE", Owner="NLM"), document
        )
        _add_publication(SubElement(record, "PubmedData"), document)
        stream.write(tostring(record, encoding="utf-8", pretty_print=True))
    stream.write(_FOOT)


def _parse_fragment(fragment: Fragment, versions: _Versions) -> list[ReadItem]:
    record = parse_record(fragment.xml)
    if fragment.tag.startswith("Delete"):
        return list(_read_deletions(record, versions, line=fragment.line))
    document, pmid = read_article(record) if fragment.tag == "PubmedArticle" else read_book(record)
    item = make_record(document, fragment.line)
    version = "1" if pmid is None else pmid.get("Version", "1")
    if pmid is not None and versions.is_superseded(text_of(pmid), version):
        return []
    if (number := parse_version(version)) > 1:
        # No lower version from another file may take the place of this one.
        others = (*document.other_ids, f"{VERSION}{number}")
        document = msgspec.structs.replace(document, other_ids=others)
        item = Record(document, fragment.line)
    return [item]


def _read_deletions(
    notice: _Element, versions: _Versions, *, line: int
) -> Iterator[Deletion | Complaint]:
    for element in notice.iterchildren("PMID"):
        pmid = clean_pmid(text_of(element))
        if not pmid:
            yield Complaint(f"a notice of deletion names no PMID ({text_of(element)!r})", line)
        elif not versions.is_superseded(text_of(element), element.get("Version", "1")):
            yield Deletion(pmid, parse_version(element.get("Version", "1")))


class _Versions:
    """Remembers the few PMIDs that have come in a version above the first."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def is_superseded(self, number: str, version: str) -> bool:
        """Return whether a higher version of the same PMID was seen, and remember this one."""
        if version == "1" and not self._highest:
            return False
        edition = parse_version(version)
        if edition < self._highest.get(number, 1):
            return True
        if edition > 1:
            self._highest[number] = edition
        return False


def _add_citation(citation: _Element, document: Document) -> None:
    if document.pmid:
        _add(citation, "PMID", document.pmid, Version="1")
    _add_article(SubElement(citation, "Article", PubModel="Print"), document)
    about = SubElement(citation, "MedlineJournalInfo")
    if document.place:
        _add(about, "Country", document.place)
    _add(about, "MedlineTA", document.journal)
    if document.mesh:
        headings = SubElement(citation, "MeshHeadingList")
        for heading in document.mesh:
            _add(
                SubElement(headings, "MeshHeading"),
                "DescriptorName",
                heading.name,
                UI=heading.ui,
                MajorTopicYN="Y" if heading.major else "N",
            )
    if document.keywords:
        keywords = SubElement(citation, "KeywordList", Owner="NOTNLM")
        for keyword in document.keywords:
            _add(keywords, "Keyword", keyword, MajorTopicYN="N")


def _add_article(article: _Element, document: Document) -> None:
    _add_journal(SubElement(article, "Journal"), document)
    _add(article, "ArticleTitle", document.title)
    if document.pages:
        _add(SubElement(article, "Pagination"), "MedlinePgn", document.pages)
    if document.abstract:
        _add(SubElement(article, "Abstract"), "AbstractText", document.abstract)
    if document.authors:
        authors = SubElement(article, "AuthorList", CompleteYN="Y")
        for name in document.authors:
            _add_author(SubElement(authors, "Author", ValidYN="Y"), name)
    _add(article, "Language", document.language or "und")
    if document.publication_types:
        types = SubElement(article, "PublicationTypeList")
        for name in document.publication_types:
            _add(types, "PublicationType", name, UI="")


def _add_journal(journal: _Element, document: Document) -> None:
    for number in document.issn:
        _add(journal, "ISSN", number, IssnType="Print")
    issue = SubElement(journal, "JournalIssue", CitedMedium="Print")
    if document.volume:
        _add(issue, "Volume", document.volume)
    if document.issue:
        _add(issue, "Issue", document.issue)
    date = SubElement(issue, "PubDate")
    parts = document.date.split("/")
    if document.date and not "".join(parts).isdecimal():
        _add(date, "MedlineDate", document.date)
    elif document.year:
        _add(date, "Year", str(document.year))
        for tag, number in zip(("Month", "Day"), parts[1:], strict=False):
            _add(date, tag, number)
    _add(journal, "Title", document.journal)


def _add_author(author: _Element, name: str) -> None:
    family, _, given = name.partition(", ")
    if family and given:
        _add(author, "LastName", family)
        _add(author, "ForeName", given)
    else:
        _add(author, "CollectiveName", name)


def _add_publication(published: _Element, document: Document) -> None:
    _add(published, "PublicationStatus", "ppublish")
    ids = SubElement(published, "ArticleIdList")
    named = (("pubmed", document.pmid), ("doi", document.doi), ("pmc", document.pmcid))
    others = (other.partition(":")[::2] for other in document.other_ids)
    for kind, value in (*named, *others):
        if value:
            _add(ids, "ArticleId", value, IdType=strip_illegal(kind))
    if document.references:
        cited = SubElement(published, "ReferenceList")
        for reference in document.references:
            names = SubElement(SubElement(cited, "Reference"), "ArticleIdList")
            kind = "pubmed" if reference.isdecimal() else "doi"
            _add(names, "ArticleId", reference, IdType=kind)


def _add(parent: _Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = strip_illegal(text)
