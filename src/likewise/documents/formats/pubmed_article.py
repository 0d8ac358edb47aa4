"""A journal article, a book or a chapter of PubMed XML, as a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lxml.etree import _Element as Element

from likewise.documents.citations import clean_date, format_date, join_pages
from likewise.documents.document import POINTER_TAGS, Document, MeshHeading, format_pointer
from likewise.documents.formats.xml_records import find_all, text_of
from likewise.documents.identity import (
    cache_short,
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_reference,
    clean_year,
    list_references,
)

# What NLM's staff write if there is no title, no label, or no language to tell.
_NO_TITLE = {"[Not Available].", "[Not Available]", "Not Available."}
_NO_LABEL = {"UNLABELLED", "UNASSIGNED"}
_NO_LANGUAGE = "und"


def read_article(record: Element) -> tuple[Document, Element | None]:
    """Return a PubmedArticle as a document, and the element of its PMID."""
    parts = index_children(record)
    citation = parts.get("MedlineCitation")
    about = index_children(citation)
    paper = index_children(about.get("Article"))
    published = index_children(parts.get("PubmedData"))
    journal = read_journal(paper.get("Journal"))
    issue = index_children(index_children(paper.get("Journal")).get("JournalIssue"))
    ids = read_identifiers(
        published.get("ArticleIdList"),
        find_all(about.get("Article"), "ELocationID") if "ELocationID" in paper else (),
    )
    number = about.get("PMID")
    pmid = clean_pmid(text_of(number) or ids.pubmed)
    document = Document(
        id=pmid,
        title=read_title(paper),
        abstract=read_abstract(paper.get("Abstract")),
        year=find_year(issue.get("PubDate"))
        or _find_first_year(paper.get("ArticleDate"), published.get("History")),
        authors=read_authors(paper.get("AuthorList")),
        journal=journal.name,
        doi=ids.doi,
        pmid=pmid,
        pmcid=ids.pmcid,
        other_ids=ids.other,
        mesh=read_mesh_headings(about.get("MeshHeadingList")),
        keywords=read_keywords(citation) if "KeywordList" in about else (),
        publication_types=read_publication_types(paper.get("PublicationTypeList")),
        language=read_language(paper.get("Language")),
        volume=text_of(issue.get("Volume")),
        issue=text_of(issue.get("Issue")),
        pages=read_pages(paper.get("Pagination")),
        issn=journal.issn,
        place=read_place(about.get("MedlineJournalInfo")),
        date=read_date(issue.get("PubDate")),
        extra=read_pointers(about.get("CommentsCorrectionsList")),
        references=read_references(find_all(parts.get("PubmedData"), "ReferenceList")),
    )
    return document, number


def index_children(element: Element | None) -> dict[str, Element]:
    """Return the first child of each tag."""
    return {} if element is None else {child.tag: child for child in reversed(element)}


class Journal(NamedTuple):
    """A journal's title, or its abbreviation if it has none, and its numbers."""

    name: str
    issn: tuple[str, ...]


def read_journal(element: Element | None) -> Journal:
    """Return a journal's title and numbers."""
    names = index_children(element)
    name = _share_string(text_of(names.get("Title")) or text_of(names.get("ISOAbbreviation")))
    numbers = dict.fromkeys(map(text_of, find_all(element, "ISSN")))
    return Journal(name, tuple(filter(None, numbers)))


def read_pages(element: Element | None) -> str:
    """Return the pages, as PubMed's text formats write them too."""
    parts = index_children(element)
    first, last = (text_of(parts.get(tag)) for tag in ("StartPage", "EndPage"))
    return text_of(parts.get("MedlinePgn")) or join_pages(first, last)


def read_place(element: Element | None) -> str:
    """Return the country in which a journal is published."""
    return _share_string(text_of(index_children(element).get("Country")))


def read_date(element: Element | None) -> str:
    """Return a date if it is more than a year: "2021/03/15", "2021 Winter" or its own words."""
    parts = index_children(element)
    if words := text_of(parts.get("MedlineDate")):
        return clean_date(words)
    year, month, day, season = (
        text_of(parts.get(tag)) for tag in ("Year", "Month", "Day", "Season")
    )
    return format_date(year, month or season, day)


def read_title(parts: Mapping[str, Element]) -> str:
    """Return the title, or the one in the paper's own language if it was not translated."""
    said = text_of(parts.get("ArticleTitle"))
    if not said or said in _NO_TITLE:
        return text_of(parts.get("VernacularTitle"))
    return said


def read_abstract(element: Element | None) -> str:
    """Return all sections of an abstract, each after its label, as one paragraph.

    One paragraph is also what PubMed's own text formats make of them, so the same paper
    has the same text whichever way it came.
    """
    return " ".join(filter(None, map(_read_section, find_all(element, "AbstractText"))))


def _read_section(element: Element) -> str:
    said = text_of(element)
    return format_label(element.get("Label", "")) + said if said else ""


def format_label(name: str) -> str:
    """Return the text that goes before a section with this label."""
    said = " ".join(name.split()).rstrip(" :")
    return f"{said}: " if said and said not in _NO_LABEL else ""


def read_authors(element: Element | None) -> tuple[str, ...]:
    """Return people as "Family, Given" or "Family, Given Suffix", and groups by their names."""
    if element is None:
        return ()
    # An author marked as not valid is a misspelling whose correction is in the list too.
    people = [_read_author(author) for author in element if author.get("ValidYN") != "N"]
    return tuple(filter(None, people))


def _read_author(element: Element) -> str:
    parts = {part.tag: part for part in element}
    family = text_of(parts.get("LastName"))
    if not family:
        return text_of(parts.get("CollectiveName"))
    given = text_of(parts.get("ForeName")) or text_of(parts.get("Initials"))
    if "Suffix" in parts:
        given = f"{given} {text_of(parts['Suffix'])}".strip()
    return f"{family}, {given}" if given else family


def read_mesh_headings(element: Element | None) -> tuple[MeshHeading, ...]:
    """Return the headings in a list."""
    return tuple(map(read_mesh_heading, find_all(element, "MeshHeading")))


def read_mesh_heading(element: Element) -> MeshHeading:
    """Return a heading; it is a major one if the descriptor or any qualifier is."""
    descriptor = index_children(element).get("DescriptorName")
    return MeshHeading(
        name=text_of(descriptor),
        ui="" if descriptor is None else descriptor.get("UI", ""),
        major=is_major(element),
    )


def is_major(heading: Element) -> bool:
    """Return whether any part of a heading is marked as a major topic."""
    return any(part.get("MajorTopicYN") == "Y" for part in heading)


def read_keywords(element: Element | None) -> tuple[str, ...]:
    """Return the keywords of all lists, whoever made them, each once."""
    lists = find_all(element, "KeywordList")
    found = (text_of(keyword) for owned in lists for keyword in owned.iterchildren("Keyword"))
    return tuple(dict.fromkeys(filter(None, found)))


def read_publication_types(elements: Iterable[Element] | None) -> tuple[str, ...]:
    """Return the publication types."""
    kinds = () if elements is None else elements
    return tuple(filter(None, [_share_string(text_of(kind)) for kind in kinds]))


def read_pointers(elements: Iterable[Element] | None) -> tuple[tuple[str, str], ...]:
    """Return the pointers to notices about a paper, or from a notice to its papers."""
    found = []
    for pointer in () if elements is None else elements:
        if tag := POINTER_TAGS.get(pointer.get("RefType", "")):
            parts = index_children(pointer)
            where = format_pointer(text_of(parts.get("RefSource")), text_of(parts.get("PMID")))
            found += [(f"nbib:{tag}", where)] if where else []
    return tuple(found)


def read_language(element: Element | None) -> str:
    """Return the language's code, or "" if it was not determined."""
    code = text_of(element)
    return "" if code == _NO_LANGUAGE else _share_string(code)


class Identifiers(NamedTuple):
    """The identifiers of a record, by kind."""

    doi: str
    pubmed: str
    pmcid: str
    other: tuple[str, ...]


def read_identifiers(listed: Iterable[Element] | None, locations: Iterable[Element]) -> Identifiers:
    """Return a record's own identifiers by kind, without those marked as not valid."""
    named = [] if listed is None else [(e.get("IdType"), text_of(e)) for e in listed]
    named += [(e.get("EIdType"), text_of(e)) for e in locations if e.get("ValidYN") != "N"]
    return sort_identifiers(named)


def sort_identifiers(named: Iterable[tuple[str | None, str]]) -> Identifiers:
    """Return identifiers by kind, given each with the name of its kind."""
    doi = pubmed = pmcid = ""
    other: dict[str, None] = {}
    for kind, value in named:
        if kind == "pubmed":
            pubmed = value
        elif kind == "doi":
            doi = doi or clean_doi(value)
        elif kind == "pmc":
            pmcid = pmcid or clean_pmcid(value)
        elif value:
            other[f"{kind}:{value}"] = None
    return Identifiers(doi, pubmed, pmcid, tuple(other))


def read_references(lists: Iterable[Element]) -> tuple[str, ...]:
    """Return what a paper cites, from all of its lists and those inside them."""
    cited = (reference for found in lists for reference in found.iter("Reference"))
    listed = (index_children(reference).get("ArticleIdList") for reference in cited)
    return list_references(_choose_reference(ids) for ids in listed if ids is not None)


def _choose_reference(ids: Element) -> str:
    """Return the PMID among the identifiers of a cited paper, or else its DOI, or ""."""
    named = {e.get("IdType"): text_of(e) for e in ids}
    return clean_reference(named.get("pubmed", "")) or clean_reference(named.get("doi", ""))


def find_year(date: Element | None) -> int | None:
    """Return the year of a date, given as such or in words ("1998 Dec-1999 Jan")."""
    for part in () if date is None else date:
        if part.tag in ("Year", "MedlineDate") and (year := clean_year(text_of(part))):
            return year
    return None


def _find_first_year(online: Element | None, history: Element | None) -> int | None:
    """Return the year of the electronic article, else the first one in the history."""
    dates = [online, *(() if history is None else history)]
    return next(filter(None, map(find_year, dates)), None)


@cache_short(1 << 14)
def _share_string(text: str) -> str:
    """Return the same string for the same text: thousands of papers share a journal."""
    return text


def read_book(record: Element) -> tuple[Document, Element | None]:
    """Return a PubmedBookArticle as a document, and the element of its PMID.

    A chapter has the book's title as its journal; a whole book has it as its title.
    """
    text = record.find("BookDocument")
    parts = index_children(text)
    whole = index_children(parts.get("Book"))
    publisher = index_children(whole.get("Publisher"))
    # A list that does not say what it is has the authors.
    lists = {found.get("Type", "authors"): found
             for found in find_all(parts.get("Book"), "AuthorList")}  # fmt: skip
    ids = read_identifiers(parts.get("ArticleIdList"), ())
    number = parts.get("PMID")
    pmid = clean_pmid(text_of(number) or ids.pubmed)
    chapter, name = read_title(parts), text_of(whole.get("BookTitle"))
    document = Document(
        id=pmid,
        title=chapter or name,
        abstract=read_abstract(parts.get("Abstract")),
        year=find_year(whole.get("PubDate")) or find_year(parts.get("ContributionDate")),
        authors=read_authors(parts.get("AuthorList")) or read_authors(lists.get("authors")),
        journal=name if chapter else "",
        doi=ids.doi,
        pmid=pmid,
        pmcid=ids.pmcid,
        other_ids=ids.other,
        keywords=read_keywords(text),
        publication_types=read_publication_types(
            () if text is None else text.iterchildren("PublicationType")
        ),
        language=read_language(parts.get("Language")),
        kind="CHAP" if chapter else "BOOK",
        volume=text_of(whole.get("Volume")),
        pages=read_pages(parts.get("Pagination")),
        isbn=tuple(filter(None, map(text_of, find_all(parts.get("Book"), "Isbn")))),
        series=text_of(whole.get("CollectionTitle")),
        edition=text_of(whole.get("Edition")),
        editors=read_authors(lists.get("editors")),
        publisher=text_of(publisher.get("PublisherName")),
        place=text_of(publisher.get("PublisherLocation")),
        date=read_date(whole.get("PubDate")),
    )
    return document, number
