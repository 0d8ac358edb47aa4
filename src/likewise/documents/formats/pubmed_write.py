"""The writer of PubMed XML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from lxml.etree import Element, SubElement, _Element, tostring

from likewise.documents.document import AnnotatedDocument, Document
from likewise.documents.formats.xml_records import strip_illegal

_HEAD = b"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" \
"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
"""
_FOOT = b"</PubmedArticleSet>\n"


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as a PubmedArticleSet.

    An identifier of a kind that PubMed does not know is written like the others, under its
    scheme. An id other than the PMID, and notes, have no place in this format.
    """
    stream.write(_HEAD)
    for document, _ in annotated:
        record = Element("PubmedArticle")
        _citation(SubElement(record, "MedlineCitation", Status="MEDLINE", Owner="NLM"), document)
        _add_publication(SubElement(record, "PubmedData"), document)
        stream.write(tostring(record, encoding="utf-8", pretty_print=True))
    stream.write(_FOOT)


def _citation(citation: _Element, document: Document) -> None:
    if document.pmid:
        _add(citation, "PMID", document.pmid, Version="1")
    _article(SubElement(citation, "Article", PubModel="Print"), document)
    _add(SubElement(citation, "MedlineJournalInfo"), "MedlineTA", document.journal)
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


def _article(article: _Element, document: Document) -> None:
    journal = SubElement(article, "Journal")
    date = SubElement(SubElement(journal, "JournalIssue", CitedMedium="Print"), "PubDate")
    if document.year:
        _add(date, "Year", str(document.year))
    _add(journal, "Title", document.journal)
    _add(article, "ArticleTitle", document.title)
    if document.abstract:
        _add(SubElement(article, "Abstract"), "AbstractText", document.abstract)
    if document.authors:
        authors = SubElement(article, "AuthorList", CompleteYN="Y")
        for name in document.authors:
            _author(SubElement(authors, "Author", ValidYN="Y"), name)
    _add(article, "Language", document.language or "und")
    if document.publication_types:
        types = SubElement(article, "PublicationTypeList")
        for name in document.publication_types:
            _add(types, "PublicationType", name, UI="")


def _author(author: _Element, name: str) -> None:
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


def _add(parent: _Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = strip_illegal(text)
