"""The document: a title, an abstract, what is known about them, notes on it, and notices about it.

A notice says that a paper was retracted, doubted or corrected, or is such a notice itself. PubMed
says so by publication types and by pointers between records (`CommentsCorrections` in XML, a tag
such as RIN in its tagged format). Pointers are kept among a document's further tags under the
tagged format's names, so that a paper reads the same whichever way it came. Other databases have
only the publication types, and publishers put "RETRACTED:" before the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from likewise.arguments import check_type


# No field can lead back to its own document, so the garbage collector need not look at them.
class MeshHeading(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A MeSH descriptor that an indexer gave to a document."""

    name: str
    ui: str = ""
    major: bool = False


class Document(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    r"""A paper as search and learning see it, with what its readers need to recognise it.

    >>> from likewise import Document
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
    """First and last as "12-19", an article number, or whatever the record says."""
    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    series: str = ""
    edition: str = ""
    editors: tuple[str, ...] = ()
    """Written like authors."""
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
    """What it cites: the PMID of each paper, or its DOI if there is no PMID."""
    extra: tuple[tuple[str, str], ...] = ()
    """What has no field of its own: pairs of a tag, with its format ("ris:C1"), and its value."""
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

    def __repr__(self) -> str:
        from likewise.documents.notebook import describe_document

        check_document(self)
        return describe_document(self)

    def _repr_html_(self) -> str:
        from likewise.documents.notebook import render_document

        return render_document(self)


_WANTED = {str: "a text", int: "a whole number or None", tuple: "a tuple"}
_KINDS: dict[str, type] = {
    each.name: int if each.name == "year" else type(each.default)
    for each in msgspec.structs.fields(Document)
}
_WITH_YEAR = tuple(_KINDS.values())
_KNOWN_TYPES = {_WITH_YEAR, tuple(type(None) if kind is int else kind for kind in _WITH_YEAR)}


def check_document(document: Document) -> None:
    """Raise ArgumentTypeError unless a value is a document with fields of the right types.

    >>> check_document(Document(title=5))
    Traceback (most recent call last):
    likewise.errors.ArgumentTypeError: title is 5; give a text
    """
    check_type(document, Document, name="a document", wanted="a likewise.Document")
    # Every document that is indexed comes past here, so the usual case must be quick.
    if tuple(map(type, msgspec.structs.astuple(document))) in _KNOWN_TYPES:
        return
    for name, kind in _KINDS.items():
        value = getattr(document, name)
        if not (kind is int and value is None):
            check_type(value, kind, name=name, wanted=_WANTED[kind])


class Deletion(msgspec.Struct, frozen=True, tag="deletion"):
    """A notice in PubMed's update files that a record is withdrawn."""

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


NoticeKind = Literal["retracted", "doubted", "notice", "corrected"]
"""The paper was retracted; its editors are concerned; it is a notice on another; it was corrected.
"""

POINTER_TAGS = {
    "RetractionIn": "RIN", "RetractionOf": "ROF",
    "ExpressionOfConcernIn": "ECI", "ExpressionOfConcernFor": "ECF",
    "RetractedandRepublishedIn": "RRI", "RetractedandRepublishedFrom": "RRF",
    "CorrectedandRepublishedIn": "CRI", "CorrectedandRepublishedFrom": "CRF",
    "RepublishedIn": "RPI", "RepublishedFrom": "RPF",
    "ErratumIn": "EIN", "ErratumFor": "EFR", "UpdateIn": "UIN", "UpdateOf": "UOF",
}  # fmt: skip
"""The pointers of PubMed's XML that are kept, and their names in the tagged format; comments and
references are not kept."""

_BY_TAG: dict[str, NoticeKind] = {
    "RIN": "retracted", "RRI": "retracted", "ECI": "doubted", "ROF": "notice", "ECF": "notice",
    "EIN": "corrected", "CRI": "corrected",
}  # fmt: skip
_BY_TYPE: dict[str, NoticeKind] = {
    "retracted publication": "retracted",
    "retraction of publication": "notice",
    "retraction notice": "notice",
    "expression of concern": "notice",
}
_RETRACTED_TITLE = re.compile(r"(?i)\W{0,4}retracted(?: (?:article|paper|chapter))?\s?[:\]]")
_NOTICE_TITLE = re.compile(r"(?i)\W{0,4}retraction (?:note|notice)(?: to| for)?\s?:")

NOTICE_WORDS: dict[NoticeKind, str] = {
    "retracted": "retracted",
    "doubted": "expression of concern",
    "notice": "notice on another paper",
    "corrected": "corrected",
}
WARNED: tuple[NoticeKind, ...] = ("retracted", "doubted", "notice")
"""What readers are warned of, the worst first; a correction is no reason for a warning."""


class Notice(NamedTuple):
    """A notice about a paper."""

    kind: NoticeKind
    where: str = ""
    """The citation and the PMID of the notice, as far as they are known."""

    def __str__(self) -> str:
        """Return the notice in words.

        >>> str(Notice("retracted", "Lancet. 2010. PMID: 7"))
        'retracted (Lancet. 2010. PMID: 7)'
        """
        return (
            f"{NOTICE_WORDS[self.kind]} ({self.where})" if self.where else NOTICE_WORDS[self.kind]
        )


def find_notices(document: Document) -> list[Notice]:
    """Return the notices about a paper, one of each kind, the worst first.

    >>> find_notices(Document(title="On cats", extra=(("nbib:RIN", "J Cats. 2001. PMID: 7"),)))
    [Notice(kind='retracted', where='J Cats. 2001. PMID: 7')]
    >>> find_notices(Document(title="RETRACTED: On cats"))
    [Notice(kind='retracted', where='')]
    """
    found: dict[NoticeKind, str] = {}
    for tag, where in document.extra:
        kind = _BY_TAG.get(tag.removeprefix("nbib:")) if tag.startswith("nbib:") else None
        if kind and not found.get(kind):
            found[kind] = where
    for name in document.publication_types:
        if kind := _BY_TYPE.get(name.casefold()):
            found.setdefault(kind, "")
    # The pattern is tried on few titles: most papers have no such word.
    if "etract" in document.title or "ETRACT" in document.title:
        if _RETRACTED_TITLE.match(document.title):
            found.setdefault("retracted", "")
        elif _NOTICE_TITLE.match(document.title):
            found.setdefault("notice", "")
    return [Notice(kind, found[kind]) for kind in (*WARNED, "corrected") if kind in found]


def find_warning(document: Document) -> Notice | None:
    """Return the worst notice that readers should be warned of; None for most papers."""
    notices = [notice for notice in find_notices(document) if notice.kind in WARNED]
    return notices[0] if notices else None


def describe_warning(document: Document) -> str:
    """Return a warning for readers, in a few words; "" for most papers."""
    return str(find_warning(document) or "")


def list_warnings(documents: Iterable[Document]) -> dict[str, str]:
    """Return the warnings for readers, by the ids of the papers that they are about."""
    found = {document.id: describe_warning(document) for document in documents}
    return {name: warning for name, warning in found.items() if warning}


def format_pointer(source: str, pmid: str) -> str:
    """Return where a notice is, as PubMed's tagged format writes it.

    >>> format_pointer("Lancet. 2010 Feb 6;375(9713):445", "20137807")
    'Lancet. 2010 Feb 6;375(9713):445. PMID: 20137807'
    """
    stop = "" if not source or source.endswith(".") else "."
    return f"{source}{stop}{' PMID: ' if source else 'PMID: '}{pmid}" if pmid else source
