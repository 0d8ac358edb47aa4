"""The shelf: where an arriving record belongs among the papers that it may be the same as.

A newer edition of a paper's own record (from the same file, or PubMed's) revises the paper; any
other record is merged with it (the richer one's fields win). Either way the paper keeps its id. An
older edition of PubMed's record, read later, only fills gaps. A record whose id already names
*another* paper (two exports that both count from 1) is kept too, under an id made for it.
A person's ruling takes precedence over all of this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal

import msgspec

from likewise.documents import Document
from likewise.documents.identity import (
    fill,
    identity_keys,
    is_same_paper,
    put_in_order,
    revise,
)
from likewise.documents.releases import Editions, find_dated_source, is_dated, release_of
from likewise.library.keys import list_id_keys, list_keys
from likewise.library.paper_notes import (
    PaperNote,
    TakenRecord,
    explain_match,
    find_ruling,
    give_made_id,
    give_ruled_id,
    is_same_by_id_and_text,
    keep_identifiers,
    make_id,
    merge_records,
    rank_match,
    restore_id,
    says_the_same,
)

Outcome = Literal["added", "revised", "merged", "unchanged"]
"""What becomes of a record."""


@dataclass
class IntakeCounts:
    """What became of the records."""

    added: int = 0
    revised: int = 0
    merged: int = 0
    unchanged: int = 0
    deleted: int = 0
    renamed: int = 0
    """How many of the added records had an id that named another paper."""

    @property
    def taken(self) -> int:
        """How many records there were."""
        return self.added + self.revised + self.merged + self.unchanged

    def count(self, kind: Outcome, number: int = 1) -> None:
        """Count a record; -1 takes it out of the count again."""
        setattr(self, kind, getattr(self, kind) + number)

    def add(self, other: IntakeCounts) -> None:
        """Count what became of other records too."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(frozen=True)
class Duplicate:
    """A record that was found to be of a paper that was there already."""

    kept: Document
    """The paper as it was before."""
    other: Document
    """The record as it was read."""
    matched: str
    """What they have in common: pmid, doi, pmcid, title or id; or ruling if a person said so."""
    place: str = ""
    """The file and the line of the record."""


@dataclass(frozen=True)
class Placement:
    """Where a record went."""

    paper: str
    """The id of the paper that it is in."""
    outcome: Outcome
    namesake: Document | None = None
    """The paper that already had the record's id, so that the record was given another."""
    duplicate: Duplicate | None = None


@dataclass(frozen=True)
class Arrival:
    """An arriving record, with the keys that it is kept under, computed once."""

    document: Document
    keys: list[str]
    sought: list[str]
    """The keys to search by for papers that it may be the same as."""
    ruled: str | None = None
    """The id of the paper that a person assigned it to."""
    place: str = ""
    """Its file and line."""

    @classmethod
    def of(
        cls, document: Document, *, rulings: Mapping[str, str] | None = None, place: str = ""
    ) -> Arrival:
        """Compute the keys of a record."""
        document = put_in_order(document)
        # This is most of the work of taking a record in: its title is normalised.
        identity = identity_keys(document)
        keys = [*list_id_keys(document), *identity]
        # It may have come before and been given another id.
        sought = [*keys, f"id:{make_id(document, identity)}"]
        ruled = find_ruling(document, rulings or {})
        if ruled is not None:
            sought.append(f"id:{ruled}")
        return cls(document, keys, sought, ruled, place)


class Shelf:
    """The papers that a block of arriving records may be the same as."""

    def __init__(
        self,
        documents: Iterable[Document],
        *,
        editions: Editions | None = None,
        notes: Mapping[str, PaperNote] | None = None,
        ruled: Collection[str] = (),
    ) -> None:
        """Put papers on the shelf.

        Args:
            documents: The papers.
            editions: Tells which of two editions is the later one.
            notes: The notes of the papers that are made of several records, by id.
            ruled: The ids of papers that a person assigned records to.
        """
        self._editions = editions or Editions()
        self._ruled = ruled
        self.changed: dict[str, Document] = {}
        self.removed: list[str] = []
        self.keys: dict[str, list[str]] = {}
        self.noted: dict[str, PaperNote | None] = {}
        """The notes that have changed; None for a paper that is not there any more."""
        self._notes = dict(notes or {})
        self._papers: dict[str, Document] = {}
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for document in documents:
            self._place(document, list_keys(document))

    def put(
        self, arrival: Arrival, *, counts: IntakeCounts, given: Collection[str] = ()
    ) -> Placement:
        """Put a record where it belongs.

        Args:
            arrival: The record.
            counts: Counts that are updated with what becomes of it.
            given: The ids of papers that earlier records of the same file were put into.
        """
        document, namesake = arrival.document, self._papers.get(arrival.document.id)
        is_renamed = False
        # A ruling on an identifier may be about another paper that has the same one.
        if holder := self._find_holder(arrival):
            same = [holder]
            document = document if namesake in (None, holder) else give_made_id(document)
        elif arrival.ruled is not None:
            same = [paper] if (paper := self._papers.get(arrival.ruled)) else []
            document = give_ruled_id(document, arrival.ruled, is_taken=namesake is not None)
        else:
            same = self._find_same(document, arrival.sought)
            if namesake and namesake not in same:
                # That id is another paper's, and must stay so.
                document = give_made_id(document)
                twin = self._papers.get(document.id)
                same = same or ([twin] if twin else [])
                is_renamed = not same
        if same:
            placement = self._unite(arrival, document, same, given=given)
        else:
            is_as_read = document is arrival.document
            self._change(document, arrival.keys if is_as_read else list_keys(document))
            placement = Placement(document.id, "added", namesake if is_renamed else None)
            if arrival.ruled is not None:
                taken = TakenRecord(arrival.document, arrival.place)
                self._notes[document.id] = self.noted[document.id] = PaperNote((taken,))
        counts.count(placement.outcome)
        counts.renamed += is_renamed
        return placement

    def _unite(
        self,
        arrival: Arrival,
        document: Document,
        same: list[Document],
        *,
        given: Collection[str],
    ) -> Placement:
        known = same[0]
        is_edition = self._is_edition(known, document, given)
        is_ruled = arrival.ruled == known.id
        matched = "ruling" if is_ruled else explain_match(known, document)
        duplicate = Duplicate(known, arrival.document, matched, arrival.place)
        unchanged = Placement(known.id, "unchanged", duplicate=None if is_edition else duplicate)
        is_outdated = self._is_outdated(known, arrival.document)
        # A superseded edition must not fill gaps in a paper that a person has joined or split.
        if self._holds(known, arrival.document) or (is_outdated and known.id in self._ruled):
            return unchanged
        result, outcome = self._combine(
            known, document, is_edition=is_edition, is_outdated=is_outdated
        )
        if is_ruled:
            result = keep_identifiers(result, known, document)
        others = []
        for other in same[1:]:
            # The record has shown two papers to be one, unless something else tells them apart.
            if is_same_paper(result, other) and not {known.id, other.id}.issubset(self._ruled):
                result, outcome = merge_records(result, other), "merged"
                others.append(other)
        keys = list_keys(result)
        is_twice = known.id in given
        self._note_records(
            known,
            arrival,
            others,
            matched=matched,
            is_noted=not is_outdated and (not is_edition or known.id in self._notes),
            is_twice_in_file=is_twice,
        )
        for other in others:
            self._remove(other)
        if says_the_same(result, known):
            return unchanged
        self._change(result, keys)
        return replace(unchanged, outcome=outcome)

    def _holds(self, paper: Document, document: Document) -> bool:
        """Return whether a paper already contains this very record, alone or among others."""
        note = self._notes.get(paper.id)
        return note.holds(document) if note else restore_id(put_in_order(paper)) == document

    def _is_edition(self, known: Document, document: Document, given: Collection[str]) -> bool:
        """Return whether a record is an edition of the paper's own, from its file or PubMed's."""
        if is_dated(known) and is_dated(document) and known.pmid == document.pmid:
            return True
        # If a paper is in one file twice, neither record is an edition of the other.
        is_own = known.id == document.id and known.source == document.source
        return is_own and known.id not in given

    def _is_outdated(self, paper: Document, document: Document) -> bool:
        """Return whether this edition of PubMed's record, or a later one, is in a paper already."""
        note = self._notes.get(paper.id)
        if note is None:
            return paper.pmid == document.pmid and self._editions.is_older(document, paper)
        taken = note.find_edition(document)
        if taken is None:
            return False
        # PubMed's files never change: the paper has this record, and maybe more from an older one.
        is_there = taken.source == document.source and release_of(taken.source) is not None
        is_newer = self._editions.is_older(taken, document)
        return self._editions.is_older(document, taken) or (is_there and not is_newer)

    def _combine(
        self, known: Document, document: Document, *, is_edition: bool, is_outdated: bool
    ) -> tuple[Document, Outcome]:
        if is_outdated:
            return fill(known, document), "revised"
        is_from_pubmed = known.id == document.id and document.source.startswith("pubmed:")
        if is_edition or is_from_pubmed:
            # An export from PubMed does not say which edition it is, so the known one is kept.
            source = find_dated_source(document, known)
            return msgspec.structs.replace(revise(known, document), source=source), "revised"
        return merge_records(known, document), "merged"

    def _note_records(
        self,
        known: Document,
        arrival: Arrival,
        others: Iterable[Document],
        *,
        matched: str,
        is_noted: bool,
        is_twice_in_file: bool,
    ) -> None:
        """Note which records make a paper, once there are several."""
        note = self._notes.get(known.id)
        taken = TakenRecord(arrival.document, arrival.place, matched)
        first = PaperNote((TakenRecord(restore_id(known)),))
        changed = note
        if is_noted:
            before = note or first
            changed = before.append(taken) if is_twice_in_file else before.put(taken)
        for other in others:
            changed = changed or first.append(taken)
            alone = PaperNote((TakenRecord(restore_id(other)),))
            for record in self._notes.get(other.id, alone).records:
                by = record.matched or explain_match(other, arrival.document)
                changed = changed.append(msgspec.structs.replace(record, matched=by))
        if changed is not None and changed != note:
            self._notes[known.id] = self.noted[known.id] = changed

    def _find_holder(self, arrival: Arrival) -> Document | None:
        """Return the paper that holds a record or, if a person ruled on it, a later edition of it.

        They matched when the record was put there; other records may have changed the paper since.
        """
        papers = self._list_candidates(arrival.sought)
        holders = [paper for paper in papers if self._holds(paper, arrival.document)]
        later = (
            paper
            for paper in papers
            if (arrival.ruled is not None or paper.id in self._ruled)
            and self._is_outdated(paper, arrival.document)
        )
        return holders[0] if holders else next(later, None)

    def _list_candidates(self, keys: Iterable[str]) -> list[Document]:
        candidates = {found for key in keys for found in self._by_key.get(key, ())}
        return [self._papers[identifier] for identifier in sorted(candidates)]

    def _find_same(self, document: Document, keys: list[str]) -> list[Document]:
        """Return the papers that a record is the same as, the surest match first."""
        papers = self._list_candidates(keys)
        same = [
            paper
            for paper in papers
            if is_same_paper(paper, document) or is_same_by_id_and_text(paper, document)
        ]
        # A paper with the record's identifiers comes before one that only has its title.
        return sorted(same, key=lambda paper: rank_match(paper, document))

    def _remove(self, document: Document) -> None:
        self.removed.append(document.id)
        self.changed.pop(document.id, None)
        self._notes.pop(document.id, None)
        self.noted[document.id] = None
        del self._papers[document.id]
        for identifiers in self._by_key.values():
            if document.id in identifiers:
                identifiers.remove(document.id)

    def _change(self, document: Document, keys: list[str]) -> None:
        self.changed[document.id] = document
        self._place(document, keys)

    def _place(self, document: Document, keys: list[str]) -> None:
        self._papers[document.id] = document
        self.keys[document.id] = keys
        for key in keys:
            if document.id not in self._by_key[key]:
                self._by_key[key].append(document.id)
