"""PubMed XML: the yearly baseline, the daily update files, and what the E-utilities send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from likewise.documents.document import Deletion
from likewise.documents.formats.pubmed_article import article
from likewise.documents.formats.pubmed_book import book
from likewise.documents.formats.pubmed_light import lighten
from likewise.documents.formats.pubmed_write import write
from likewise.documents.formats.xml_records import fragments, malformed, parse, text_of
from likewise.documents.identity import clean_pmid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element as Element

    from likewise.documents.document import Document, Record
    from likewise.documents.formats.xml_records import Fragment
    from likewise.documents.sources import Source

__all__ = ["read", "write"]

TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")


def read(source: Source) -> Iterator[Record]:
    """Yield papers, chapters and notices of deletion.

    Of several versions of a paper, none is yielded after a higher one: who lets the last
    one win has the highest.
    """
    versions = _Versions()
    for fragment in fragments(source, TAGS):
        source.line = fragment.line
        try:
            if fragment.tag.startswith("Delete"):
                yield from _deletions(source, parse(fragment.xml), versions)
                continue
            document, pmid = _document(fragment)
        except etree.XMLSyntaxError as error:
            malformed(source, fragment, error)
            continue
        if not document.says_something:
            source.problem("this record has no identifier, no title and no abstract")
        elif not versions.superseded(pmid):
            yield document


def _document(fragment: Fragment) -> tuple[Document, Element | None]:
    """Return a fragment's document, and the element that holds its PMID."""
    if fragment.tag == "PubmedBookArticle":
        return book(parse(fragment.xml))
    light = lighten(fragment.xml)
    if light:
        document, pmid = article(parse(light.xml), light.known)
        if document.year:
            return document, pmid
    return article(parse(fragment.xml))


def _deletions(source: Source, notice: Element, versions: _Versions) -> Iterable[Deletion]:
    for element in notice.iterchildren("PMID"):
        pmid = clean_pmid(text_of(element))
        if not pmid:
            source.problem(f"a notice of deletion names no PMID ({text_of(element)!r})")
        elif not versions.superseded(element):
            yield Deletion(pmid)


class _Versions:
    """Remembers the few PMIDs that have come in a version above the first."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def superseded(self, pmid: Element | None) -> bool:
        """Tell whether a higher version of the same PMID was seen, and remember this one."""
        if pmid is None:
            return False
        named = pmid.get("Version", "1")
        if named == "1" and not self._highest:
            return False
        number, version = text_of(pmid), int(named) if named.isdecimal() else 1
        if version < self._highest.get(number, 1):
            return True
        if version > 1:
            self._highest[number] = version
        return False
