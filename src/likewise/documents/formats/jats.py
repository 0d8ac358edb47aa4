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
    find_all,
    find_text,
    parse,
    parse_record,
    text_of,
)
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    list_references,
)
from likewise.documents.sources import Complaint, ReadItem, Record, Source, make_record, try_record
from likewise.errors import ReadError

# Publishers' names for kinds of articles, and RIS's types for them; for all others it is JOUR.
_KINDS = {
    "abstract": "ABST",
    "dissertation": "THES",
    "preprint": "UNPB",
    "proceedings": "CONF",
}
_OWN_IDS = ("pmid", "doi", "pmc", "pmcid", "pmc-aid", "pmc-aiid", "pmcaid", "pmcaiid")
_HREF = "{http://www.w3.org/1999/xlink}href"
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


def _read_front(fragment: Fragment) -> Record:
    front = parse_record(fragment.xml)
    document = _parse_front(front, _read_attributes(fragment.before))
    return make_record(document, fragment.line)


def _read_attributes(tag: bytes) -> dict[str, str]:
    """Return the attributes of the tag before a front, if it is the article's."""
    if not re.match(rb"<article\b", tag):
        return {}
    found = _ATTRIBUTE.findall(tag)
    return {name.decode(): (one or other).decode("utf-8", "replace") for name, one, other in found}


def _parse_front(front: _Element, about: dict[str, str]) -> Document:
    article, journal = front.find("article-meta"), front.find("journal-meta")
    ids = {e.get("pub-id-type", ""): text_of(e) for e in find_all(article, "article-id")}
    kind = about.get("article-type", "")
    return Document(
        title=_read_title(article),
        abstract=_read_abstract(article),
        authors=_read_people(article, "author") or _read_people(article, ""),
        editors=_read_people(article, "editor"),
        journal=find_text(journal, "journal-title-group/journal-title", "journal-title",
                          "journal-id"),
        doi=clean_doi(ids.get("doi", "")),
        pmid=clean_pmid(ids.get("pmid", "")),
        pmcid=clean_pmcid(ids.get("pmc", "") or ids.get("pmcid", "")),
        other_ids=tuple(f"{k}:{value}" for k, value in ids.items()
                        if k and value and k not in _OWN_IDS),
        keywords=_find_texts(article, "kwd-group//kwd"),
        publication_types=(kind,) if kind else (),
        language=about.get("xml:lang", ""),
        kind=_KINDS.get(kind, "JOUR"),
        **_read_citation(article, journal),
        extra=tuple(("jats:subject", text)
                    for text in _find_texts(article, "article-categories[1]//subject")),
    )  # fmt: skip


def _read_citation(article: _Element | None, journal: _Element | None) -> dict[str, Any]:
    first, last = (find_text(article, tag) for tag in ("fpage", "lpage"))
    links = (e.get(_HREF, "") or text_of(e) for e in find_all(article, "self-uri"))
    return {
        **_read_date(article),
        "volume": find_text(article, "volume"),
        "issue": find_text(article, "issue"),
        "pages": find_text(article, "page-range")
        or join_pages(first, last)
        or find_text(article, "elocation-id"),
        "issn": _find_texts(journal, "issn"),
        "isbn": _find_texts(article, "isbn"),
        "publisher": find_text(journal, "publisher/publisher-name"),
        "place": find_text(journal, "publisher/publisher-loc"),
        "urls": tuple(filter(None, links)),
    }


def _read_title(article: _Element | None) -> str:
    title = find_text(article, "title-group/article-title")
    subtitle = find_text(article, "title-group/subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _read_abstract(article: _Element | None) -> str:
    """Return the abstract proper, each section after its title, as one paragraph."""
    abstracts = list(find_all(article, "abstract"))
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
    found: list[str] = []
    for group in find_all(article, "contrib-group"):
        usual = {"editors": "editor", "authors": "author"}.get(group.get("content-type", ""), "")
        people = (e for e in find_all(group, "contrib") if (e.get("contrib-type") or usual) == kind)
        found += filter(None, map(_read_person, people))
    return tuple(found)


def _read_person(person: _Element) -> str:
    name = person.find("name")
    if name is None:
        name = person.find("name-alternatives/name")
    if name is None:
        return find_text(person, "collab", "string-name", "anonymous")
    family, given, suffix = (find_text(name, tag) for tag in ("surname", "given-names", "suffix"))
    return ", ".join(filter(None, (family, " ".join(filter(None, (given, suffix))))))


def _read_date(article: _Element | None) -> dict[str, Any]:
    """Return the year, and the date if it is more than that, of the most telling date."""
    dates: dict[str, _Element] = {}
    for element in find_all(article, "pub-date"):
        kind = element.get("pub-type") or element.get("date-type") or ""
        dates.setdefault(kind, element)
    ordered = [dates[kind] for kind in _DATES if kind in dates] or list(dates.values())
    for element in ordered:
        year, *rest = (find_text(element, part) for part in ("year", "month", "day"))
        month = rest[0] or find_text(element, "season")
        if clean_year(year):
            return {"year": clean_year(year), "date": format_date(year, month, rest[1])}
    return {}


def _find_texts(element: _Element | None, path: str) -> tuple[str, ...]:
    """Return the texts of all elements at a path, each once."""
    found = () if element is None else element.iterfind(path)
    return tuple(dict.fromkeys(filter(None, map(text_of, found))))
