"""A PubMed record in the layout of PubMed's own files, read without a parser.

Nearly all records have this layout. Their elements are found by their tags and read from their
bytes. An element that is less plain than most is parsed alone, and one that comes over and over is
parsed once. Anything else that is unusual is left to `pubmed_article.read_article`, which defines
what is right. What a document does not need (affiliations, dates, chemicals) is skipped, so a
mistake in there goes unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import msgspec
from lxml import etree

from likewise.documents.document import Document, MeshHeading
from likewise.documents.formats import pubmed_article
from likewise.documents.formats.xml_records import (
    UnusualError,
    find_end,
    parse,
    read_plain_text,
    read_plain_texts,
)
from likewise.documents.identity import clean_reference, list_references

# The parser refuses a text that is longer, so such a record is left to it.
_LONGEST = 10_000_000
_LONGEST_KEPT = 4_000  # of what is cached: otherwise memory could grow with the file

_HIDING = re.compile(rb"<[!?]")
_PMID = re.compile(
    rb"""<PubmedArticle>\s*+<MedlineCitation(?: \w++="[^"<>&]*+")*+>\s*+"""
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
        return _read_document(xml)
    except (UnusualError, UnicodeDecodeError, etree.XMLSyntaxError):
        return None


def _read_document(xml: bytes) -> Document:
    number = _PMID.match(xml)
    if not number:
        raise UnusualError
    begin = find_end(xml, b"<Article ", number.end())
    end = find_end(xml, b"</Article>", begin)
    cited = find_end(xml, b"</MedlineCitation>", end)
    listed = xml.find(b"<ArticleIdList>", cited)
    ids_end = find_end(xml, b"</ArticleIdList>", listed)
    # Identifiers after the references, or among them, are not the record's own.
    if listed < 0 or xml.find(b"<ReferenceList", cited, listed) >= 0 or _hides_tags(xml, ids_end):
        raise UnusualError
    (journal, title, abstract, authors, language, types), others = _take_elements(xml[begin:end])
    appeared = _read_issue(journal)
    ids = _read_identifiers(xml[listed:ids_end], others)
    about = xml[number.end() : begin] + xml[end:cited]
    pmid = number[1].decode()
    return Document(
        id=pmid,
        title=_read_title(title),
        abstract=_read_abstract(abstract),
        year=appeared.year,
        authors=_read_authors(authors),
        journal=appeared.journal.name,
        doi=ids.doi,
        pmid=pmid,
        pmcid=ids.pmcid,
        other_ids=ids.other,
        mesh=_read_headings(about),
        keywords=_read_keywords(about),
        publication_types=_read_publication_types(types),
        language=_read_language(language),
        volume=appeared.volume,
        issue=appeared.issue,
        pages=_read_pages(others),
        issn=appeared.journal.issn,
        place=_find_place(about),
        date=appeared.date,
        extra=_read_pointers(about),
        references=_read_references(xml, ids_end),
    )


def _hides_tags(xml: bytes, end: int) -> bool:
    """Return whether there are comments, CDATA or instructions: tags in them would mislead."""
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
        position = find_end(article, closing, begin)
        taken.append(article[begin:position])
    rest = b"".join((*others, article[position:]))
    journal, *_, language, types = taken
    if len(journal) + len(language) + len(types) > _LONGEST_KEPT:
        raise UnusualError
    # More languages may follow the first one, and nothing else may come twice.
    if _MISPLACED.search(rest) or b"".join(others[:-1]).find(b"<Language") >= 0:
        raise UnusualError
    return taken, rest


_CITED_PMID = re.compile(
    rb"""<ArticleIdList>\s*+<ArticleId IdType="pubmed">([1-9][0-9]{0,8}+)</ArticleId>"""
    rb"""\s*+</ArticleIdList>"""
)
_LONGEST_PMID = 9
_PLAIN_DOI = re.compile(rb"10\.[0-9]{4,9}+/[A-Za-z0-9._-]*[A-Za-z0-9]")
_CITED_ID = re.compile(rb"""<ArticleId(?:List>| IdType="(\w++)">([^<]*+)</ArticleId>)""")


def _read_references(xml: bytes, begin: int) -> tuple[str, ...]:
    """Return what a paper cites; its lists come after its own identifiers."""
    begin = xml.find(b"<ReferenceList", begin)
    told = xml.count(b"<ArticleId", begin) if begin >= 0 else 0
    if not told:
        return ()
    if _HIDING.search(xml, begin):
        raise UnusualError
    # In most lists, all references with an identifier have just one, the PMID.
    pmids = _CITED_PMID.findall(xml, begin)
    if 2 * len(pmids) == told:
        return list_references(b" ".join(pmids).decode().split(" "))
    found = _CITED_ID.findall(xml, begin)
    if len(found) != told:
        raise UnusualError
    return list_references(map(_clean_cited, _choose_cited(found)))


def _choose_cited(found: list[tuple[bytes, bytes]]) -> list[bytes]:
    """Return the PMID of each cited paper, or else its DOI; an entry without a kind begins one."""
    chosen = [b""]
    for kind, value in found:
        if not kind:
            chosen.append(b"")
        elif kind == b"pubmed":
            if not value.isdigit() or value[:1] == b"0" or len(value) > _LONGEST_PMID:
                raise UnusualError
            chosen[-1] = value
        elif kind == b"doi" and not chosen[-1]:
            chosen[-1] = value
    return chosen


def _clean_cited(value: bytes) -> str:
    if value.isdigit() or _PLAIN_DOI.fullmatch(value):
        return value.decode().lower()
    return clean_reference(read_plain_text(value)) if value else ""


_IDENTIFIER = r"([!-;=?-~]*+(?: [!-;=?-~]++)*+)"
_ARTICLE_ID = re.compile(rf"""<ArticleId IdType="(\w+)">{_IDENTIFIER}</ArticleId>""", re.ASCII)
_LOCATION = re.compile(
    rf"""<ELocationID EIdType="(\w+)" ValidYN="([YN])">{_IDENTIFIER}</ELocationID>""", re.ASCII
)
_SECTION = re.compile(rb'\s*<AbstractText(?: Label="([^"<>&]{,99})")?(?: NlmCategory="[A-Z]*")?>')
_AFTER_SECTIONS = re.compile(
    rb"""\s*+(?:<CopyrightInformation>[^<>&]*+(?:&(?:amp|lt|gt);[^<>&]*+)*+"""
    rb"""</CopyrightInformation>\s*)?</Abstract>"""
)
# People and groups in the usual form, with nothing that only a parser understands; all others
# match without a name.
_AUTHOR = re.compile(
    rb"""<Author\b(?: ValidYN="Y"(?: EqualContrib="[YN]")?>\s*"""
    rb"""(?:<LastName>([^<>&\s][^<>&]*)(?<!\s)</LastName>\s*"""
    rb"""<ForeName>([^<>&\s][^<>&]*)(?<!\s)</ForeName>\s*"""
    rb"""(?:<Initials>[^<>&]*</Initials>\s*)?(?:<Suffix>([^<>&]*)</Suffix>\s*)?"""
    rb"""|<CollectiveName>([^<>&]*)</CollectiveName>\s*)"""
    rb"""<(?:/Author>|Identifier |AffiliationInfo>)|)"""
)
_VOLUME = re.compile(
    rb"""[^<>]*+>\s*+(?:<Volume>([^<>&]*+)</Volume>\s*+)?(?:<Issue>([^<>&]*+)</Issue>\s*+)?"""
)
_PAGES = re.compile(
    rb"""<Pagination>\s*+(?:<StartPage>[^<>&]*+</StartPage>\s*+)?"""
    rb"""(?:<EndPage>[^<>&]*+</EndPage>\s*+)?"""
    rb"""<MedlinePgn>([!-%'-;=?-~]++(?: [!-%'-;=?-~]++)*+)</MedlinePgn>\s*+</Pagination>"""
)
_POINTER = re.compile(rb"""RefType\s*+=\s*+["'](?!Cites|Comment)""")
_NAMELESS = (b"", b"", b"", b"")
_KEYWORD = re.compile(rb"""<Keyword MajorTopicYN="[YN]">([^<]*)</Keyword>""")


class _Issue(NamedTuple):
    """Where and when a paper appeared."""

    journal: pubmed_article.Journal
    volume: str
    issue: str
    year: int
    date: str


# Papers of one issue mostly come together.
@lru_cache(maxsize=1 << 12)
def _read_issue(element: bytes) -> _Issue:
    """Return a journal and what is known about its issue."""
    before, _, rest = element.partition(b"<JournalIssue ")
    issue, _, behind = rest.partition(b"</JournalIssue>")
    begin = issue.find(b"<PubDate>")
    if begin < 0:
        raise UnusualError
    end = find_end(issue, b"</PubDate>", begin)
    year, date = _read_date(issue[begin:end])
    if not year or issue[end:].strip():
        raise UnusualError
    return _Issue(_read_journal(before + behind), *_read_volume(issue[:begin]), year, date)


@lru_cache(maxsize=1 << 12)
def _read_date(element: bytes) -> tuple[int | None, str]:
    date = parse(element)
    return pubmed_article.find_year(date), pubmed_article.read_date(date)


@lru_cache(maxsize=1 << 14)
def _read_journal(element: bytes) -> pubmed_article.Journal:
    return pubmed_article.read_journal(parse(element))


def _read_volume(head: bytes) -> tuple[str, str]:
    """Return the volume and the issue, which come before the date."""
    found = _VOLUME.fullmatch(head)
    if not found:
        raise UnusualError
    return read_plain_text(found[1] or b""), read_plain_text(found[2] or b"")


def _read_pages(others: bytes) -> str:
    """Return the pages, which are among other elements of an article."""
    begin = others.find(b"<Pagination")
    if begin < 0:
        return ""
    found = _PAGES.match(others, begin)
    if found:
        return found[1].decode()
    element = others[begin : find_end(others, b"</Pagination>", begin)]
    return pubmed_article.read_pages(parse(element))


def _find_place(about: bytes) -> str:
    begin = about.find(b"<MedlineJournalInfo>")
    if begin < 0:
        return ""
    told = about[begin : begin + _LONGEST_KEPT]
    return _read_place(told[: find_end(told, b"</MedlineJournalInfo>", 0)])


@lru_cache(maxsize=1 << 14)
def _read_place(element: bytes) -> str:
    return pubmed_article.read_place(parse(element))


def _read_identifiers(listed: bytes, others: bytes) -> pubmed_article.Identifiers:
    """Return the identifiers in a list, and those of the locations among other elements."""
    ids, locations = listed.decode(), others.decode()
    named = _ARTICLE_ID.findall(ids)
    located = _LOCATION.findall(locations)
    all_named = ids.count("<") == 2 * len(named) + 2
    if not all_named or len(located) != locations.count("<ELocationID"):
        raise UnusualError
    named += [(kind, value) for kind, valid, value in located if valid == "Y"]
    if "&" in ids or "&" in locations:
        named = [(kind, read_plain_text(value.encode())) for kind, value in named]
    return pubmed_article.sort_identifiers(named)


def _read_title(element: bytes) -> str:
    """Return the title; raise UnusualError if there is none."""
    if not element.startswith(b"<ArticleTitle>"):
        raise UnusualError
    said = read_plain_text(element[len(b"<ArticleTitle>") : -len(b"</ArticleTitle>")])
    if not said or "Not Available" in said:
        raise UnusualError
    return said


def _read_abstract(element: bytes) -> str:
    """Return all sections of an abstract, each after its label, as one paragraph."""
    if not element:
        return ""
    sections, position = [], len(b"<Abstract>")
    while section := _SECTION.match(element, position):
        position = find_end(element, b"</AbstractText>", section.end())
        said = read_plain_text(element[section.end() : position - len(b"</AbstractText>")])
        sections.append(_format_label(section[1]) + said if said and section[1] else said)
    if not _AFTER_SECTIONS.fullmatch(element, position):
        return pubmed_article.read_abstract(parse(element))
    return " ".join(filter(None, sections))


@lru_cache(maxsize=1 << 12)
def _format_label(raw: bytes) -> str:
    return pubmed_article.format_label(read_plain_text(raw))


def _read_authors(element: bytes) -> tuple[str, ...]:
    """Return people as "Family, Given" or "Family, Given Suffix", and groups by their names."""
    if not element:
        return ()
    people = _AUTHOR.findall(element)
    if _NAMELESS not in people and len(people) == element.count(b"</Author>"):
        names = [
            group or family + b", " + given + b" " + suffix
            for family, given, suffix, group in people
        ]
        if (texts := read_plain_texts(names)) is not None:
            return tuple(texts)
    return pubmed_article.read_authors(parse(element))


@lru_cache(maxsize=1 << 12)
def _read_publication_types(element: bytes) -> tuple[str, ...]:
    return pubmed_article.read_publication_types(parse(element)) if element else ()


def _read_pointers(about: bytes) -> tuple[tuple[str, str], ...]:
    """Return the pointers to notices among the elements that follow a record's article."""
    begin = about.find(b"<CommentsCorrectionsList")
    if begin < 0:
        return ()
    element = about[begin : find_end(about, b"</CommentsCorrectionsList>", begin)]
    # Most lists hold references and comments alone.
    return pubmed_article.read_pointers(parse(element)) if _POINTER.search(element) else ()


@lru_cache(maxsize=1 << 10)
def _read_language(element: bytes) -> str:
    if not element:
        raise UnusualError
    return pubmed_article.read_language(parse(element))


def _read_keywords(about: bytes) -> tuple[str, ...]:
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
        return pubmed_article.read_keywords(parse(b"<MedlineCitation>%b</MedlineCitation>" % lists))
    words = read_plain_texts(found) or map(read_plain_text, found)
    return tuple(dict.fromkeys(filter(None, words)))


Value = TypeVar("Value")

_MOST_REMEMBERED = 1 << 16
_DESCRIPTOR = re.compile(
    r"""\s*<MeshHeading>\s*<DescriptorName UI="(\w*)" MajorTopicYN="([YN])">"""
    r"""([!-%'-;=?-~]++(?: [!-%'-;=?-~]++)*+)</DescriptorName>"""
)


def _read_headings(about: bytes) -> tuple[MeshHeading, ...]:
    """Return the headings among the elements that follow a record's article."""
    begin = about.find(b"<MeshHeadingList")
    if begin < 0:
        return ()
    end = about.find(b"</MeshHeadingList>", begin)
    listed = about[begin + len(b"<MeshHeadingList>") : end].decode()
    *found, last = listed.split("</MeshHeading>")
    if end < 0 or last.strip():
        raise UnusualError
    parts = [heading.partition("</DescriptorName>") for heading in found]
    return tuple([_known[name + closed][_major[others]] for name, closed, others in parts])


class _Remembering(dict[str, Value], Generic[Value]):
    """Caches what was made of some XML; looking it up takes half as long as with `lru_cache`."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        self._make = make

    def __missing__(self, xml: str) -> Value:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        if len(xml) > _LONGEST_KEPT:
            raise UnusualError
        self[xml] = made = self._make(xml)
        return made


def _parse_descriptor(descriptor: str) -> tuple[MeshHeading, MeshHeading]:
    """Return a heading as it is, and as it is with a qualifier that is a major topic."""
    plain = _DESCRIPTOR.fullmatch(descriptor)
    if plain:
        heading = MeshHeading(plain[3], plain[1], major=plain[2] == "Y")
    else:
        heading = pubmed_article.read_mesh_heading(
            parse(f"{descriptor.lstrip()}</MeshHeading>".encode())
        )
    return heading, msgspec.structs.replace(heading, major=True)


def _has_major(qualifiers: str) -> bool:
    return pubmed_article.is_major(parse(f"<MeshHeading>{qualifiers}</MeshHeading>".encode()))


_known = _Remembering(_parse_descriptor)
_major = _Remembering(_has_major)
