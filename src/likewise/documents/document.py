"""The document: a title, an abstract and what is known about them, and the notes on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

import msgspec


# No field can lead back to its own document, so the garbage collector need not look at them.
class MeshHeading(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A MeSH descriptor that an indexer gave to a document."""

    name: str
    ui: str = ""
    major: bool = False


class Document(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    r"""A paper as search and learning see it, with what its readers need to recognise it.

    >>> Document(id="1", title="On cats", abstract="They purr.").text
    'On cats\nThey purr.'
    """

    id: str = ""
    """The id it was supplied with, else its PMID, DOI or PMCID, else one made of title and year."""
    title: str = ""
    abstract: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()
    """Each as "Family, Given", or a group's name."""
    journal: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    other_ids: tuple[str, ...] = ()
    """Further identifiers, each as "scheme:value"."""
    mesh: tuple[MeshHeading, ...] = ()
    keywords: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    language: str = ""
    kind: str = ""
    """The type of work, in RIS's words: JOUR, BOOK, CHAP, CPAPER, THES, RPRT, GEN and so on."""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    """First and last as "12-19", an article number, or whatever stands there."""
    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    series: str = ""
    edition: str = ""
    editors: tuple[str, ...] = ()
    """Each as an author."""
    publisher: str = ""
    place: str = ""
    """Where the publisher is."""
    date: str = ""
    """The date of publication as precisely as it is known, if more than a year: "2021/03/15"."""
    urls: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What people or databases noted about it."""
    database: str = ""
    """The database that it was exported from, such as "Embase"."""
    accession: str = ""
    """Its number in that database."""
    references: tuple[str, ...] = ()
    """What it cites: the PMID of each paper, or its DOI where no PMID is told."""
    extra: tuple[tuple[str, str], ...] = ()
    """What no field has room for: pairs of a tag, with its format ("ris:C1"), and its value."""
    source: str = ""
    """Where it was read: the format and the file's name, such as "ris:refs.ris"."""

    @property
    def text(self) -> str:
        """What search and learning see: the title and the abstract."""
        return f"{self.title}\n{self.abstract}" if self.abstract else self.title

    @property
    def is_identifiable(self) -> bool:
        """Whether there is a title, an abstract or an identifier to know it by."""
        known_by = (self.title, self.abstract, self.pmid, self.doi, self.pmcid, self.other_ids)
        return any(known_by)


class Deletion(msgspec.Struct, frozen=True, tag="deletion"):
    """A notice that a record is withdrawn, as PubMed's update files carry them."""

    pmid: str
    version: int = 1


NOTE_NAMES = (
    *("rank", "score", "probability", "decision", "seed", "words", "nearest_seed"),
    *("notice", "mark"),
)
"""The notes of an expansion."""
LEADING_NOTES = ("rank", "probability", "decision", "mark", "reason", "tags", "review_note")
"""The notes of a session that matter most to its readers, and so come first in tables."""
KNOWN_NOTES = (*NOTE_NAMES, "citations", *LEADING_NOTES[4:], "marked_at", "marked_by")
"""The notes of expansions and sessions, which our readers recognise."""
Note = bool | int | float | str


class AnnotatedDocument(NamedTuple):
    """A document and the notes on it, by names that no field of a document has.

    The documents of one file all have notes of the same names.
    """

    document: Document
    notes: Mapping[str, Note] = MappingProxyType({})


def order_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns of a table; in one of a session, those that matter most come first.

    >>> order_columns(["id", "title", "rank", "score", "reason"])
    ['rank', 'reason', 'id', 'title', 'score']
    >>> order_columns(["id", "title", "rank"])
    ['id', 'title', 'rank']
    """
    leading = [name for name in LEADING_NOTES if name in columns] if "reason" in columns else []
    return [*leading, *(name for name in columns if name not in leading)]


def format_note(note: Note) -> str:
    """Return a note as text: true, false, numbers without an exponent.

    >>> [format_note(note) for note in (True, 7, 0.000001, "on cats")]
    ['true', '7', '0.000001', 'on cats']
    """
    if isinstance(note, bool):
        return str(note).lower()
    if isinstance(note, float):
        return f"{Decimal(repr(float(note))):f}"
    return str(note)


def format_notes(notes: Mapping[str, Note]) -> Iterator[str]:
    """Yield the notes that say something, each as "name: value".

    >>> list(format_notes({"rank": 1, "seed": False, "words": ""}))
    ['rank: 1', 'seed: false']
    """
    for name, note in notes.items():
        if text := format_note(note):
            yield f"{name}: {text}"
