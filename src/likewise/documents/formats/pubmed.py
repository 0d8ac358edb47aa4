"""PubMed XML: the yearly baseline, the daily update files, and what the E-utilities send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from lxml import etree
from lxml.etree import _Element as Element

from likewise.documents.document import Deletion, Document, Record
from likewise.documents.formats.pubmed_article import read_article, read_book
from likewise.documents.formats.pubmed_plain import read_plain_article
from likewise.documents.formats.pubmed_write import write
from likewise.documents.formats.xml_records import (
    Fragment,
    cut_fragments,
    parse,
    report_malformed,
    text_of,
)
from likewise.documents.identity import clean_pmid
from likewise.documents.releases import VERSION, parse_version
from likewise.documents.sources import Source

__all__ = ["read", "write"]

TAGS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")


def read(source: Source) -> Iterator[Record]:
    """Yield papers, chapters and notices of deletion.

    Of several versions of a paper, none is yielded after a higher one: who lets the last
    one win has the highest.
    """
    versions = _Versions()
    for fragment in cut_fragments(source, TAGS):
        source.line = fragment.line
        plain = read_plain_article(fragment.xml) if fragment.tag == "PubmedArticle" else None
        if plain is None:
            yield from _parse_fragment(source, fragment, versions)
        elif not versions.is_superseded(plain.pmid, "1"):
            yield plain


def _parse_fragment(source: Source, fragment: Fragment, versions: _Versions) -> Iterator[Record]:
    """Yield what a fragment holds that takes a parser to read."""
    try:
        record = parse(fragment.xml)
    except etree.XMLSyntaxError as error:
        report_malformed(source, fragment, error)
        return
    if fragment.tag.startswith("Delete"):
        yield from _deletions(source, record, versions)
        return
    document, pmid = read_article(record) if fragment.tag == "PubmedArticle" else read_book(record)
    if not document.is_identifiable:
        source.problem(
            "the record has no title, no abstract and no identifier", advice="it was left out"
        )
    elif pmid is None:
        yield document
    elif not versions.is_superseded(text_of(pmid), pmid.get("Version", "1")):
        yield _with_version(document, parse_version(pmid.get("Version", "1")))


def _with_version(document: Document, version: int) -> Document:
    """Note a version above the first, so that no lower one of another file takes its place."""
    if version == 1:
        return document
    others = (*document.other_ids, f"{VERSION}{version}")
    return msgspec.structs.replace(document, other_ids=others)


def _deletions(source: Source, notice: Element, versions: _Versions) -> Iterable[Deletion]:
    for element in notice.iterchildren("PMID"):
        pmid = clean_pmid(text_of(element))
        if not pmid:
            source.problem(
                f"a notice of deletion names no PMID ({text_of(element)!r})",
                advice="it was left out",
            )
        elif not versions.is_superseded(text_of(element), element.get("Version", "1")):
            yield Deletion(pmid, parse_version(element.get("Version", "1")))


class _Versions:
    """Remembers the few PMIDs that have come in a version above the first."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def is_superseded(self, number: str, version: str) -> bool:
        """Tell whether a higher version of the same PMID was seen, and remember this one."""
        if version == "1" and not self._highest:
            return False
        edition = parse_version(version)
        if edition < self._highest.get(number, 1):
            return True
        if edition > 1:
            self._highest[number] = edition
        return False
