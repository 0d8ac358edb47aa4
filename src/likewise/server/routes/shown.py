"""Documents as HTTP shows them, and papers as HTTP gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.documents import Document
from likewise.documents.identity import with_id
from likewise.expansion.report_rows import links
from likewise.server.models.documents import Link, Shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.server.models.documents import Paper

LOST = "(no longer in the library)"


def shown(document: Document) -> Shown:
    """Return a document as a reader needs it.

    >>> shown(Document(id="7", pmid="7", title="On cats")).links[0].address
    'https://pubmed.ncbi.nlm.nih.gov/7/'
    """
    return Shown(
        id=document.id,
        title=document.title,
        abstract=document.abstract,
        year=document.year,
        authors=list(document.authors),
        journal=document.journal,
        doi=document.doi,
        pmid=document.pmid,
        pmcid=document.pmcid,
        links=[Link(name=link.name, address=link.address) for link in links(document)],
    )


def lost(identifier: str) -> Document:
    """Return what stands for a document that the library does not hold any more."""
    return Document(id=identifier, title=LOST)


def papers_given(papers: Iterable[Paper]) -> list[Document]:
    """Return papers as documents; those that say nothing at all are left out."""
    documents = [
        Document(
            id=paper.id.strip(),
            title=paper.title,
            abstract=paper.abstract,
            year=paper.year,
            authors=tuple(paper.authors),
            journal=paper.journal,
            doi=paper.doi,
            pmid=paper.pmid,
            pmcid=paper.pmcid,
        )
        for paper in papers
    ]
    return [with_id(document) for document in documents if document.id or document.says_something]
