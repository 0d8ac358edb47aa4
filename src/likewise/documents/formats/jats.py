"""JATS XML, in which PubMed Central and many publishers keep articles: front and references.

An article's front says what it is about, and its end what it cites. The body between them is
skipped, tag by tag, so that a long one takes no memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from lxml.etree import XMLSyntaxError, _Element

from likewise.documents.citations import format_date, join_pages
from likewise.documents.document import Document
from likewise.documents.formats.xml_records import (
    Fragment,
    cut_fragments,
    describe_malformed,
    parse,
    text_of,
)
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    list_references,
)
from likewise.documents.sources import SAYS_NOTHING, Complaint, ReadItem, Record, Source, try_record
from likewise.errors import ReadError

# Publishers' names for kinds of articles, and RIS's types for them; for all others it is JOUR.
_KINDS = {
    "book-review": "JOUR",
    "abstract": "ABST",
    "dissertation": "THES",
    "preprint": "UNPB",
    "proceedings": "CONF",
}
_OWN_IDS = ("pmid", "doi", "pmc", "pmcid", "pmc-aid", "pmc-aiid", "pmcaid", "pmcaiid")
_ATTRIBUTE = re.compile(rb"""\s([\w:-]++)\s*+=\s*+(?:"([^"<>]*+)"|'([^'<>]*+)')""")
# The dates of an article, the most telling first.
_DATES = ("ppub", "collection", "epub", "pub", "epub-ppub", "preprint")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield an article for each front in the file, with the references that follow it."""
    article: ReadItem | None = None
    cited: list[str] = []
    try:
        for fragment in cut_fragments(source, ("front",), besides=("ref",)):
            if isinstance(fragment, Complaint):
                yield fragment
            elif fragment.tag == "ref":
                cited.append(_read_reference(fragment))
            else:
                yield from _finish(article, cited)
                article, cited = try_record(fragment.line, _read_front, fragment), []
    except ReadError:
        # If a file is cut off, its last article is still there.
        yield from _finish(article, cited)
        raise
    yield from _finish(article, cited)


def _finish(article: ReadItem | None, cited: list[str]) -> Iterator[ReadItem]:
    """Yield an article, if there is one, with what it cites."""
    if isinstance(article, Record) and (references := list_references(cited)):
        document = msgspec.structs.replace(article.document, references=references)
        article = msgspec.structs.replace(article, document=document)
    if article is not None:
        yield article


def _read_reference(fragment: Fragment) -> str:
    """Return the PMID of a cited paper, or else its DOI, or "" if neither is given."""
    try:
        ids = parse(fragment.xml).iter("pub-id")
    except XMLSyntaxError:
        return ""
    named = {each.get("pub-id-type", ""): text_of(each) for each in ids}
    return clean_pmid(named.get("pmid", "")) or clean_doi(named.get("doi", ""))


def _read_front(fragment: Fragment) -> Record | Complaint:
    try:
        front = parse(fragment.xml)
    except XMLSyntaxError as error:
        return describe_malformed(fragment, error)
    document = _parse_front(front, _read_attributes(fragment.before))
    if document.is_identifiable:
        return Record(document, fragment.line)
    return Complaint(SAYS_NOTHING, fragment.line)


def _read_attributes(tag: bytes) -> dict[str, str]:
    """Return the attributes of the tag before a front, if it is the article's."""
    if not re.match(rb"<article\b", tag):
        return {}
    found = _ATTRIBUTE.findall(tag)
    return {name.decode(): (one or other).decode("utf-8", "replace") for name, one, other in found}


def _parse_front(front: _Element, about: dict[str, str]) -> Document:
    article, journal = front.find("article-meta"), front.find("journal-meta")
    ids = {e.get("pub-id-type", ""): text_of(e) for e in _iterate(article, "article-id")}
    kind = about.get("article-type", "")
    return Document(
        title=_read_title(article),
        abstract=_read_abstract(article),
        authors=_read_people(article, "author") or _read_people(article, ""),
        editors=_read_people(article, "editor"),
        journal=_find_text(journal, "journal-title-group/journal-title", "journal-title",
                           "journal-id"),
        doi=clean_doi(ids.get("doi", "")),
        pmid=clean_pmid(ids.get("pmid", "")),
        pmcid=clean_pmcid(ids.get("pmc", "") or ids.get("pmcid", "")),
        other_ids=tuple(f"{k}:{value}" for k, value in ids.items()
                        if k and value and k not in _OWN_IDS),
        keywords=tuple(dict.fromkeys(filter(None, (
            text_of(word) for group in _iterate(article, "kwd-group") for word in group.iter("kwd")
        )))),
        publication_types=(kind,) if kind else (),
        language=about.get("xml:lang", ""),
        kind=_KINDS.get(kind, "JOUR"),
        **_read_citation(article, journal),
        extra=tuple(("jats:subject", text) for text in _find_texts(article, "article-categories",
                                                                  "subject")),
    )  # fmt: skip


def _read_citation(article: _Element | None, journal: _Element | None) -> dict[str, Any]:
    first, last = (_find_text(article, tag) for tag in ("fpage", "lpage"))
    return {
        **_read_date(article),
        "volume": _find_text(article, "volume"),
        "issue": _find_text(article, "issue"),
        "pages": _find_text(article, "page-range")
        or join_pages(first, last)
        or _find_text(article, "elocation-id"),
        "issn": _find_texts(journal, "", "issn"),
        "isbn": _find_texts(article, "", "isbn"),
        "publisher": _find_text(journal, "publisher/publisher-name"),
        "place": _find_text(journal, "publisher/publisher-loc"),
        "urls": tuple(filter(None, (_find_link(e) for e in _iterate(article, "self-uri")))),
    }


def _read_title(article: _Element | None) -> str:
    title = _find_text(article, "title-group/article-title")
    subtitle = _find_text(article, "title-group/subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _read_abstract(article: _Element | None) -> str:
    """Return the abstract proper, each section after its title, as one paragraph."""
    abstracts = list(_iterate(article, "abstract"))
    # Summaries for lay people, teasers and pictures have a type; the abstract proper has none.
    proper = [found for found in abstracts if not found.get("abstract-type")] or abstracts[:1]
    return " ".join(filter(None, map(_read_sections, proper[:1])))


def _read_sections(element: _Element) -> str:
    parts = []
    for part in element:
        if part.tag == "sec":
            title = text_of(part.find("title")).rstrip(" :.")
            said = " ".join(filter(None, (text_of(e) for e in part if e.tag != "title")))
            parts.append(f"{title}: {said}" if title and said else said or title)
        elif part.tag not in ("title", "label"):
            parts.append(text_of(part))
    return " ".join(filter(None, parts))


def _read_people(article: _Element | None, kind: str) -> tuple[str, ...]:
    """Return contributors of a kind; the kind "" is for those without a role."""
    found = (
        _read_person(person)
        for group in _iterate(article, "contrib-group")
        for person in group.iterchildren("contrib")
        if (person.get("contrib-type") or _guess_kind(group)) == kind
    )
    return tuple(filter(None, found))


def _guess_kind(group: _Element) -> str:
    return {"editors": "editor", "authors": "author"}.get(group.get("content-type", ""), "")


def _read_person(person: _Element) -> str:
    name = person.find("name")
    if name is None:
        name = person.find("name-alternatives/name")
    if name is None:
        return _find_text(person, "collab", "string-name", "anonymous")
    family, given, suffix = (_find_text(name, tag) for tag in ("surname", "given-names", "suffix"))
    return ", ".join(filter(None, (family, " ".join(filter(None, (given, suffix))))))


def _read_date(article: _Element | None) -> dict[str, Any]:
    """Return the year, and the date if it is more than that, of the most telling date."""
    dates: dict[str, _Element] = {}
    for element in _iterate(article, "pub-date"):
        kind = element.get("pub-type") or element.get("date-type") or ""
        dates.setdefault(kind, element)
    ordered = [dates[kind] for kind in _DATES if kind in dates] or list(dates.values())
    for element in ordered:
        year, *rest = (_find_text(element, part) for part in ("year", "month", "day"))
        month = rest[0] or _find_text(element, "season")
        if clean_year(year):
            return {"year": clean_year(year), "date": format_date(year, month, rest[1])}
    return {}


def _find_link(element: _Element) -> str:
    return element.get("{http://www.w3.org/1999/xlink}href", "") or text_of(element)


def _iterate(element: _Element | None, tag: str) -> Iterator[_Element]:
    return iter(()) if element is None else element.iterchildren(tag)


def _find_text(element: _Element | None, *paths: str) -> str:
    """Return the text of the first of these elements that has any."""
    if element is None:
        return ""
    return next((text for path in paths if (text := text_of(element.find(path)))), "")


def _find_texts(element: _Element | None, under: str, tag: str) -> tuple[str, ...]:
    """Return the texts of all elements of a tag, directly below or further down."""
    place = element.find(under) if under and element is not None else element
    if place is None:
        return ()
    found = map(text_of, place.iter(tag) if under else place.iterchildren(tag))
    return tuple(dict.fromkeys(filter(None, found)))
