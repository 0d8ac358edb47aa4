"""The elements of a PubMed record that a document is made of, read from their bytes.

Each is read without a parser if it is as plain as most are, and parsed alone if not; one that
comes over and over is parsed once. What is right is what `pubmed_article` makes of it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from likewise.documents.formats import pubmed_article
from likewise.documents.formats.pubmed_text import UnusualError, after, plain_text, plain_texts
from likewise.documents.formats.xml_records import parse

_IDENTIFIER = r"([!-;=?-~]*(?: [!-;=?-~]+)*)"
_ARTICLE_ID = re.compile(rf"""<ArticleId IdType="(\w+)">{_IDENTIFIER}</ArticleId>""", re.ASCII)
_LOCATION = re.compile(
    rf"""<ELocationID EIdType="(\w+)" ValidYN="([YN])">{_IDENTIFIER}</ELocationID>""", re.ASCII
)
_SECTION = re.compile(rb"""\s*<AbstractText(?: Label="([^"<>&]*)")?(?: NlmCategory="[A-Z]*")?>""")
_AFTER_SECTIONS = re.compile(
    rb"""\s*(?:<CopyrightInformation>[^<>&]*(?:&(?:amp|lt|gt);[^<>&]*)*"""
    rb"""</CopyrightInformation>\s*)?</Abstract>"""
)
# People and groups as most are, with nothing that only a parser understands; any others are
# found without a name.
_AUTHOR = re.compile(
    rb"""<Author\b(?: ValidYN="Y"(?: EqualContrib="[YN]")?>\s*"""
    rb"""(?:<LastName>([^<>&\s][^<>&]*)(?<!\s)</LastName>\s*"""
    rb"""<ForeName>([^<>&\s][^<>&]*)(?<!\s)</ForeName>\s*"""
    rb"""(?:<Initials>[^<>&]*</Initials>\s*)?(?:<Suffix>([^<>&]*)</Suffix>\s*)?"""
    rb"""|<CollectiveName>([^<>&]*)</CollectiveName>\s*)"""
    rb"""<(?:/Author>|Identifier |AffiliationInfo>)|)"""
)
_NAMELESS = (b"", b"", b"", b"")
_KEYWORD = re.compile(rb"""<Keyword MajorTopicYN="[YN]">([^<]*)</Keyword>""")


def journal_and_year(element: bytes) -> tuple[str, int]:
    """Return a journal's name and the year of the issue."""
    before, _, rest = element.partition(b"<JournalIssue ")
    issue, _, behind = rest.partition(b"</JournalIssue>")
    begin = issue.find(b"<PubDate>")
    year = _year(issue[begin : after(issue, b"</PubDate>", begin)]) if begin >= 0 else None
    if not year:
        raise UnusualError
    return _journal(before + behind), year


@lru_cache(maxsize=1 << 12)
def _year(element: bytes) -> int | None:
    return pubmed_article.year_in(parse(element))


@lru_cache(maxsize=1 << 14)
def _journal(element: bytes) -> str:
    return pubmed_article.journal(parse(element))


def identifiers(listed: bytes, others: bytes) -> pubmed_article.Identifiers:
    """Return the identifiers in a list, and those of the locations among other elements."""
    ids, locations = listed.decode(), others.decode()
    named = _ARTICLE_ID.findall(ids)
    located = _LOCATION.findall(locations)
    all_named = ids.count("<") == 2 * len(named) + 2
    if not all_named or len(located) != locations.count("<ELocationID"):
        raise UnusualError
    named += [(kind, value) for kind, valid, value in located if valid == "Y"]
    if "&" in ids or "&" in locations:
        named = [(kind, plain_text(value.encode())) for kind, value in named]
    return pubmed_article.sort_identifiers(named)


def title(element: bytes) -> str:
    """Return the title, if it is one."""
    if not element.startswith(b"<ArticleTitle>"):
        raise UnusualError
    said = plain_text(element[len(b"<ArticleTitle>") : -len(b"</ArticleTitle>")])
    if not said or "Not Available" in said:
        raise UnusualError
    return said


def abstract(element: bytes) -> str:
    """Return all sections of an abstract, each after its label, as one paragraph."""
    if not element:
        return ""
    sections, position = [], len(b"<Abstract>")
    while section := _SECTION.match(element, position):
        position = after(element, b"</AbstractText>", section.end())
        said = plain_text(element[section.end() : position - len(b"</AbstractText>")])
        sections.append(_label(section[1]) + said if said and section[1] else said)
    if not _AFTER_SECTIONS.fullmatch(element, position):
        return pubmed_article.abstract(parse(element))
    return " ".join(filter(None, sections))


@lru_cache(maxsize=1 << 12)
def _label(raw: bytes) -> str:
    return pubmed_article.label(plain_text(raw))


def authors(element: bytes) -> tuple[str, ...]:
    """Return people as "Family, Given" or "Family, Given Suffix", and groups by their names."""
    if not element:
        return ()
    people = _AUTHOR.findall(element)
    names = None
    if _NAMELESS not in people and len(people) == element.count(b"</Author>"):
        names = plain_texts(
            [
                group or family + b", " + given + b" " + suffix
                for family, given, suffix, group in people
            ]
        )
    return pubmed_article.authors(parse(element)) if names is None else tuple(names)


@lru_cache(maxsize=1 << 12)
def publication_types(element: bytes) -> tuple[str, ...]:
    """Return the publication types."""
    return pubmed_article.publication_types(parse(element)) if element else ()


@lru_cache(maxsize=1 << 10)
def language(element: bytes) -> str:
    """Return the first language's code."""
    if not element:
        raise UnusualError
    return pubmed_article.language(parse(element))


def keywords(about: bytes) -> tuple[str, ...]:
    """Return the keywords in the lists among the elements that follow a record's article."""
    begin = about.find(b"<KeywordList")
    if begin < 0:
        return ()
    end = about.rfind(b"</KeywordList")
    if end < begin:
        raise UnusualError
    lists = about[begin:end] + b"</KeywordList>"
    found = _KEYWORD.findall(lists)
    if lists.count(b"<") != 2 * (len(found) + lists.count(b"<KeywordList")):
        return pubmed_article.keywords(parse(b"<MedlineCitation>%b</MedlineCitation>" % lists))
    words = plain_texts(found) or map(plain_text, found)
    return tuple(dict.fromkeys(filter(None, words)))
