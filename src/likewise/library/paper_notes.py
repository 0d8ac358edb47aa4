"""What a library notes of papers that several records make, and what people ruled about them.

Merging two records loses which of them said what. So the records of such a paper are kept as they
were read: people can check what was merged, and take it apart again. And a record that is read
again is known to be in its paper already, so that reading a file twice changes nothing.

A ruling says which paper a record belongs to, whatever its identifiers and its title say: it is
what remains of a person's split or join. Records are named in it by what identifies them to people
(`name_record`), so that it holds for another export of the same records too, and by the identifiers
that no record of another paper has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol, runtime_checkable

import msgspec

from likewise.documents import Document
from likewise.documents.identity import normalise_title
from likewise.errors import LibraryError
from likewise.library.editions import is_dated
from likewise.library.protocol import Library


class TakenRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record as it was read into a library."""

    document: Document
    place: str = ""
    """Its file and line, as a message names them; "" where that was not noted."""
    matched: str = ""
    """What it had in common with the paper it was merged with: pmid, doi, pmcid, title, id, or
    ruling where a person said so; "" for the first record of a paper."""


class PaperNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """The records that make a paper, in the order in which they came."""

    records: tuple[TakenRecord, ...] = ()

    def holds(self, document: Document) -> bool:
        """Tell whether a record is among them, just as it is."""
        return any(record.document == document for record in self.records)

    def find_edition(self, document: Document) -> Document | None:
        """Return the record of PubMed's among them that a record is another edition of."""
        origin = _find_origin(document)
        taken = (each.document for each in self.records if _find_origin(each.document) == origin)
        return next(taken, None) if is_dated(document) else None

    def append(self, taken: TakenRecord) -> PaperNote:
        """Return the note with a record more."""
        return PaperNote((*self.records, taken))

    def put(self, taken: TakenRecord) -> PaperNote:
        """Return the note with a record, in the place of an earlier edition of it if there is one.

        That is one of the same file under the same id, or PubMed's.
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
    """What a library can do besides, if it keeps notes of papers; all engines of ours do."""

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return the notes of papers by id: of these, as far as there are any, or of all."""
        ...

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""
        ...

    def read_rulings(self) -> dict[str, str]:
        """Return the id of the paper that each ruling gives a record to, by the record's name.

        That id is "" where a ruling no longer holds.
        """
        ...

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest on a record holds."""
        ...


def require_notebook(library: Library) -> PaperNotebook:
    """Return a library as one that keeps notes of papers, or refuse one that doesn't."""
    if isinstance(library, PaperNotebook):
        return library
    raise LibraryError(f"libraries of {library.engine} keep no notes of duplicates")


class PaperTrail:
    """The notes of a library while records are taken in; they are written after its commits.

    A process that is killed in between leaves papers whose last records are not noted. The next
    run reads their file again, and notes them then.
    """

    def __init__(self, library: Library) -> None:
        self._notebook = library if isinstance(library, PaperNotebook) else None
        self.rulings = self._notebook.read_rulings() if self._notebook else {}
        self._pending: dict[str, PaperNote | None] = {}

    def read(self, ids: Iterable[str]) -> dict[str, PaperNote]:
        """Return what is noted of papers, by id."""
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
        """Write what has changed; to be called after the papers were committed."""
        if self._notebook and self._pending:
            self._notebook.note_papers(self._pending)
        self._pending = {}


def name_record(document: Document) -> str:
    """Return what a ruling calls a record: a digest of what identifies it to people.

    Records that differ in nothing but their texts have one name.
    """
    own = {"", document.pmid, document.doi, document.pmcid}
    is_supplied = document.id not in own and not document.id.startswith("made-")
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
    found = ((kind, getattr(document, kind)) for kind in ("pmid", "doi", "pmcid"))
    return [f"{kind}:{value}" for kind, value in found if value]


def find_ruling(document: Document, rulings: Mapping[str, str]) -> str | None:
    """Return the id of the paper that a person gave a record to; None if nobody did.

    A ruling on its name goes before one on an identifier, which holds for edited records too.
    """
    if not rulings:
        return None
    for name in (name_record(document), *list_identifiers(document)):
        if paper := rulings.get(name):
            return paper
    return None
