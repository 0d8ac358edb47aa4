"""What a library notes about papers made of several records, and people's rulings on them.

Merging two records loses which of them said what. So the records of such a paper are kept as they
were read: people can check what was merged, and take it apart again. A record that is read again is
recognised as part of its paper, so that reading a file twice changes nothing.

A ruling says which paper a record belongs to, whatever its identifiers and title say; a person's
splits and joins are kept as rulings. A ruling names a record by what identifies it to people
(`name_record`), so that it also holds for another export of the same record, and by those of its
identifiers that no record of another paper has.

If a record comes with an id that another paper has, a new id is made for it. The old one is kept
among its other ids as `supplied:`, so that the record is recognised again. An id that is given up
in a merge is kept there as `id:`, and the paper is still found under it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from likewise.documents import Document
from likewise.documents.identity import (
    MIN_TITLE_LETTERS,
    ensure_id,
    identity_keys,
    is_same_paper,
    merge,
    normalise_title,
    put_in_order,
)
from likewise.documents.releases import find_dated_source, is_dated
from likewise.errors import LibraryError
from likewise.library.protocol import Library

# "No abstract available" is no evidence of being the same paper.
MIN_ABSTRACT = 100
KINDS = ("pmid", "doi", "pmcid")
_SUPPLIED = "supplied:"
_MADE = "made-"


class TakenRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record as it was read into a library."""

    document: Document
    place: str = ""
    """Its file and line, as messages name them; "" if they were not noted."""
    matched: str = ""
    """What it had in common with the paper it was merged with: pmid, doi, pmcid, title, id, or
    ruling if a person said so; "" for the first record of a paper."""


class PaperNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """The records that make a paper, in the order in which they came."""

    records: tuple[TakenRecord, ...] = ()

    def holds(self, document: Document) -> bool:
        """Return whether this very record is among them."""
        return any(record.document == document for record in self.records)

    def find_edition(self, document: Document) -> Document | None:
        """Return the record among them, if any, that a record of PubMed's is another edition of."""
        origin = _find_origin(document)
        taken = (each.document for each in self.records if _find_origin(each.document) == origin)
        return next(taken, None) if is_dated(document) else None

    def append(self, taken: TakenRecord) -> PaperNote:
        """Return the note with one more record."""
        return PaperNote((*self.records, taken))

    def put(self, taken: TakenRecord) -> PaperNote:
        """Return the note with one more record, which replaces an earlier edition of itself.

        An earlier edition has the same id, and is from the same file or also PubMed's.
        """
        origins = [_find_origin(each.document) for each in self.records]
        if (new := _find_origin(taken.document)) not in origins:
            return self.append(taken)
        place = origins.index(new)
        edition = msgspec.structs.replace(taken, matched=self.records[place].matched)
        return PaperNote((*self.records[:place], edition, *self.records[place + 1 :]))


def _find_origin(document: Document) -> tuple[str, str]:
    return ("" if is_dated(document) else document.source, document.id)


@runtime_checkable
class PaperNotebook(Protocol):
    """What a library that keeps notes of papers can do; all built-in engines do."""

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name.

        That id is "" if a ruling no longer holds.
        """

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest ruling on a record holds."""


def require_notebook(library: Library) -> PaperNotebook:
    """Return the library if it keeps notes of papers; raise LibraryError if it does not."""
    if isinstance(library, PaperNotebook):
        return library
    raise LibraryError(
        f"{library.engine} keeps no notes of duplicates, so papers can't be split or joined here"
    )


class PaperTrail:
    """A library's notes while it takes records in; they are written after its commits.

    A process that is killed in between leaves papers whose last records are not noted. The next
    run reads their file again, and notes them then.
    """

    def __init__(self, library: Library) -> None:
        self._notebook = library if isinstance(library, PaperNotebook) else None
        self.rulings = self._notebook.read_rulings() if self._notebook else {}
        self._pending: dict[str, PaperNote | None] = {}

    def read(self, ids: Iterable[str]) -> dict[str, PaperNote]:
        """Return the notes of papers, by id."""
        wanted = set(ids)
        saved = wanted - self._pending.keys()
        found = self._notebook.read_papers(saved) if self._notebook and saved else {}
        pending = {name: note for name in wanted if (note := self._pending.get(name))}
        return found | pending

    def change(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Change notes; nothing is written until `save`."""
        if self._notebook:
            self._pending |= notes

    def save(self) -> None:
        """Write what has changed; call it after the papers were committed."""
        if self._notebook and self._pending:
            self._notebook.note_papers(self._pending)
        self._pending = {}


def name_record(document: Document) -> str:
    """Return the name of a record in rulings: a digest of what identifies it to people.

    That is its identifiers, year, title, journal, first author, and an id that a file gave it.
    """
    own = {"", document.pmid, document.doi, document.pmcid}
    is_supplied = document.id not in own and not document.id.startswith(_MADE)
    family = document.authors[0].partition(",")[0] if document.authors else ""
    said = (
        *(document.pmid, document.doi, document.pmcid, str(document.year or "")),
        *map(normalise_title, (document.title, document.journal, family)),
        document.id if is_supplied else "",
    )
    return hashlib.blake2b("\n".join(said).encode(), digest_size=16).hexdigest()


def list_identifiers(document: Document) -> list[str]:
    """Return the identifiers of a record, each with its kind.

    >>> list_identifiers(Document(id="x", pmid="7", doi="10.1/a"))
    ['pmid:7', 'doi:10.1/a']
    """
    found = ((kind, getattr(document, kind)) for kind in KINDS)
    return [f"{kind}:{value}" for kind, value in found if value]


def find_ruling(document: Document, rulings: Mapping[str, str]) -> str | None:
    """Return the id of the paper that a person assigned a record to; None if nobody did.

    A ruling on its name takes precedence over one on an identifier, which also holds for edited
    records.
    """
    if not rulings:
        return None
    for name in (name_record(document), *list_identifiers(document)):
        if paper := rulings.get(name):
            return paper
    return None


def keep_identifiers(paper: Document, *records: Document) -> Document:
    """Return a paper that is found under all identifiers of its records.

    Records that a person has joined may have different PMIDs, but a document has only one.
    """
    own = list_identifiers(paper)
    further = {name for record in records for name in list_identifiers(record)} - set(own)
    others = [name for name in paper.other_ids if name not in own]
    return put_in_order(msgspec.structs.replace(paper, other_ids=(*others, *further)))


def says_the_same(result: Document, known: Document) -> bool:
    """Return whether a paper is unchanged, apart from the order of its lists and its source file.

    The file does count if it tells which edition of PubMed's record this is.
    """
    source = result.source if is_dated(result) else known.source
    return put_in_order(known) == put_in_order(msgspec.structs.replace(result, source=source))


def explain_match(paper: Document, document: Document) -> str:
    """Return what two records of a paper have in common: pmid, doi, pmcid, title or id.

    >>> explain_match(Document(id="1", pmid="7", doi="10.1/a"), Document(id="2", doi="10.1/a"))
    'doi'
    """
    for kind in KINDS:
        if getattr(paper, kind) and getattr(paper, kind) == getattr(document, kind):
            return kind
    return "title" if is_same_paper(paper, document) else "id"


def rank_match(paper: Document, document: Document) -> tuple[bool, int, str]:
    """Return a sort key for papers that a record may be the same as: the likeliest come first."""
    order = (*KINDS, "title", "id")
    return paper.id != document.id, order.index(explain_match(paper, document)), paper.id


def merge_records(known: Document, other: Document) -> Document:
    """Make one record of two of the same paper, under the id of the first."""
    merged = merge(known, other)
    if merged.id != merged.pmid:
        # This is a person's own record: its next edition will come from the same file.
        return merged
    return msgspec.structs.replace(merged, source=find_dated_source(merged, known, other))


def is_same_by_id_and_text(paper: Document, document: Document) -> bool:
    """Return whether records that share no kind of identifier are one paper, by id and text."""
    if paper.id != document.id:
        return False
    if any(getattr(paper, kind) and getattr(document, kind) for kind in KINDS):
        return False
    if paper.text == document.text:
        return True
    title, abstract = normalise_title(paper.title), paper.abstract
    same_title = title == normalise_title(document.title) and len(title) >= MIN_TITLE_LETTERS
    return same_title or (abstract == document.abstract and len(abstract) >= MIN_ABSTRACT)


def give_ruled_id(document: Document, identifier: str, *, is_taken: bool) -> Document:
    """Return a record under the id of the paper that a person assigned it to."""
    if document.id == identifier:
        return document
    # The paper is found under the record's own id too, unless that is another paper's.
    alias = f"{_SUPPLIED if is_taken else 'id:'}{document.id}"
    others = (*document.other_ids, alias)
    return put_in_order(msgspec.structs.replace(document, id=identifier, other_ids=others))


def give_made_id(document: Document) -> Document:
    """Return a record under an id that is made for it, since its own is another paper's."""
    others = (*document.other_ids, f"{_SUPPLIED}{document.id}")
    made = make_id(document, identity_keys(document))
    return put_in_order(msgspec.structs.replace(document, id=made, other_ids=others))


def restore_id(document: Document) -> Document:
    """Return the record that a paper was made of, with the id that it came with."""
    supplied = [other for other in document.other_ids if other.startswith(_SUPPLIED)]
    if len(supplied) != 1 or not document.id.startswith(_MADE):
        return document
    others = tuple(other for other in document.other_ids if other not in supplied)
    return msgspec.structs.replace(
        document, id=supplied[0].removeprefix(_SUPPLIED), other_ids=others
    )


def make_id(document: Document, identity: Sequence[str]) -> str:
    """Return an id for a record whose own is taken, made of the first of its identity keys."""
    # Not the PMID itself or the like: that may be the id of another paper.
    if identity:
        return _MADE + hashlib.blake2b(identity[0].encode(), digest_size=8).hexdigest()
    return ensure_id(msgspec.structs.replace(document, id="")).id
