"""A PubMed record laid out as PubMed's own files are, read without a parser.

Nearly all records are. Their elements are found by their tags; an element that is not as plain
as most are is parsed alone, and one that comes over and over is parsed once. Whatever else is
unusual is left to `pubmed_article.article`, which says what is right. What a document does not
need (references, affiliations, dates, chemicals) is passed over, so that a mistake in there goes
unnoticed.
"""

from __future__ import annotations

import re

from lxml import etree

from likewise.documents.document import Document
from likewise.documents.formats import pubmed_elements as elements
from likewise.documents.formats.pubmed_headings import headings
from likewise.documents.formats.pubmed_text import UnusualError, after

# The parser refuses a text that is longer, so such a record is left to it.
_LONGEST = 10_000_000

_HIDING = re.compile(rb"<[!?]")
_PMID = re.compile(
    rb"""<PubmedArticle>\s*<MedlineCitation(?: \w+="[^"<>&]*")*>\s*"""
    rb"""<PMID Version="1">([1-9][0-9]{0,8})</PMID>"""
)
# What is taken from an article, in the order in which it comes.
_TAKEN = tuple(
    (f"<{name}".encode(), f"</{name}>".encode())
    for name in (
        *("Journal", "ArticleTitle", "Abstract", "AuthorList", "Language"),
        "PublicationTypeList",
    )
)
_MISPLACED = re.compile(rb"<(?:Journal|ArticleTitle|Abstract|AuthorList|PublicationTypeList)\b")


def read_plain_article(xml: bytes) -> Document | None:
    """Return a PubmedArticle in its first version as a document, or None if it is unusual."""
    if len(xml) > _LONGEST:
        return None
    try:
        return _document(xml)
    except (UnusualError, UnicodeDecodeError, etree.XMLSyntaxError):
        return None


def _document(xml: bytes) -> Document:
    number = _PMID.match(xml)
    if not number:
        raise UnusualError
    begin = after(xml, b"<Article ", number.end())
    end = after(xml, b"</Article>", begin)
    cited = after(xml, b"</MedlineCitation>", end)
    listed = xml.find(b"<ArticleIdList>", cited)
    ids_end = after(xml, b"</ArticleIdList>", listed)
    # Identifiers after the references, or among them, are not the record's own.
    if listed < 0 or xml.find(b"<ReferenceList", cited, listed) >= 0 or _hides_tags(xml, ids_end):
        raise UnusualError
    (journal, title, abstract, authors, language, types), others = _take_elements(xml[begin:end])
    name, year = elements.journal_and_year(journal)
    ids = elements.identifiers(xml[listed:ids_end], others)
    about = xml[number.end() : begin] + xml[end:cited]
    pmid = number[1].decode()
    return Document(
        id=pmid,
        title=elements.title(title),
        abstract=elements.abstract(abstract),
        year=year,
        authors=elements.authors(authors),
        journal=name,
        doi=ids.doi,
        pmid=pmid,
        pmcid=ids.pmcid,
        other_ids=ids.other,
        mesh=headings(about),
        keywords=elements.keywords(about),
        publication_types=elements.publication_types(types),
        language=elements.language(language),
    )


def _hides_tags(xml: bytes, end: int) -> bool:
    """Tell whether there are comments, CDATA or instructions, the tags in which would mislead."""
    # Looking for one byte is much quicker than looking for two, so that comes first.
    suspicious = xml.find(b"!", 0, end) >= 0 or xml.find(b"?", 0, end) >= 0
    return suspicious and bool(_HIDING.search(xml, 0, end))


def _take_elements(article: bytes) -> tuple[list[bytes], bytes]:
    """Return the elements that are wanted, b"" for one that is missing, and all the others."""
    taken, others, position = [], [], 0
    for opening, closing in _TAKEN:
        begin = article.find(opening, position)
        if begin < 0:
            taken.append(b"")
            others.append(b"")
            continue
        others.append(article[position:begin])
        position = after(article, closing, begin)
        taken.append(article[begin:position])
    rest = b"".join((*others, article[position:]))
    # More languages may follow the first one, and nothing else may come twice.
    if _MISPLACED.search(rest) or b"".join(others[:-1]).find(b"<Language") >= 0:
        raise UnusualError
    return taken, rest
