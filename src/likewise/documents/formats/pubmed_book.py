"""A book or a chapter of PubMed XML, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.documents.document import Document
from likewise.documents.formats.pubmed_article import (
    abstract,
    authors,
    children,
    identifiers,
    keywords,
    language,
    publication_types,
    title,
    year_in,
)
from likewise.documents.formats.xml_records import text_of
from likewise.documents.identity import clean_pmid

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def book(record: Element) -> tuple[Document, Element | None]:
    """Return a PubmedBookArticle as a document, and the element of its PMID.

    A chapter has the book's title for its journal; a whole book has it for its title.
    """
    text = record.find("BookDocument")
    parts = children(text)
    whole = children(parts.get("Book"))
    ids = identifiers(parts.get("ArticleIdList"), ())
    number = parts.get("PMID")
    pmid = clean_pmid(text_of(number) or ids.pubmed)
    chapter, name = title(parts), text_of(whole.get("BookTitle"))
    document = Document(
        id=pmid,
        title=chapter or name,
        abstract=abstract(parts.get("Abstract")),
        year=year_in(whole.get("PubDate")) or year_in(parts.get("ContributionDate")),
        authors=authors(parts.get("AuthorList")) or authors(whole.get("AuthorList")),
        journal=name if chapter else "",
        doi=ids.doi,
        pmid=pmid,
        pmcid=ids.pmcid,
        other_ids=ids.other,
        keywords=keywords(text),
        publication_types=publication_types(
            () if text is None else text.iterchildren("PublicationType")
        ),
        language=language(parts.get("Language")),
    )
    return document, number
