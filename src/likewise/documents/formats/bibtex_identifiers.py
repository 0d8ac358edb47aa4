"""The identifiers in a BibTeX entry: fields of their own, preprint fields, links and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.documents.formats.bibtex_names import read_list
from likewise.documents.formats.latex import to_unicode
from likewise.documents.formats.links import (
    doi_in_link,
    pmcid_in_note,
    pmid_in_link,
    pmid_in_note,
)
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid

if TYPE_CHECKING:
    from likewise.documents.formats.bibtex_entries import Entry


def doi_of(entry: Entry) -> str:
    """Return the DOI: of its own field, else of a link."""
    return clean_doi(text_of(entry, "doi")) or doi_in_link(text_of(entry, "url"))


def pmid_of(entry: Entry) -> str:
    """Return the PMID, where something says that a number is one."""
    if _archive(entry) in ("pubmed", "pmid", "medline"):
        return clean_pmid(text_of(entry, "eprint"))
    return (
        clean_pmid(text_of(entry, "pmid", "pubmed_id"))
        or pmid_in_link(text_of(entry, "url"))
        or pmid_in_note(notes_of(entry))
    )


def pmcid_of(entry: Entry) -> str:
    """Return the PMCID: of its own field, else of a note."""
    return clean_pmcid(text_of(entry, "pmcid", "pmc")) or pmcid_in_note(notes_of(entry))


def other_ids_of(entry: Entry) -> tuple[str, ...]:
    """Return what we wrote ourselves, and the number of a preprint."""
    found = list(read_list(entry.fields.get("other-ids", "")))
    number = text_of(entry, "eprint")
    if number and _archive(entry) == "arxiv":
        found.append(f"arxiv:{number.lower().removeprefix('arxiv:')}")
    return tuple(dict.fromkeys(found))


def text_of(entry: Entry, *names: str) -> str:
    """Return the first of these fields that says something, as plain text on one line."""
    texts = (one_line(to_unicode(entry.fields.get(name, ""))) for name in names)
    return next(filter(None, texts), "")


def _archive(entry: Entry) -> str:
    return text_of(entry, "eprinttype", "archiveprefix").lower()


def notes_of(entry: Entry) -> str:
    """Return what is noted on an entry, a note a line."""
    return "\n".join(text_of(entry, name) for name in ("note", "annote"))
