"""What reviewers write besides their marks: reasons, tags, notes, criteria, and numbers they give.

All of it is only ever added to the session's file, with its time and with who wrote it. Another
reviewer's tags and notes on a document are hidden as long as their mark is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from likewise.errors import SessionError
from likewise.expansion.marks import DocumentMarks, check_reviewer, gather_marks
from likewise.expansion.sessions import tables
from likewise.expansion.sessions.reasons import (
    GivenNumbers,
    ReasonList,
    check_name,
    is_same_name,
    make_key,
)
from likewise.expansion.sessions.records import DocumentNote, ReviewCriteria, TagChange, read_clock
from likewise.expansion.sessions.store import Store

LONGEST_TEXT = 20_000
"""How long a note, or the criteria, may be, in characters."""

IsVisible = Callable[[str, str], bool]
"""Tells, given a document and who wrote on it, whether that may be seen."""


class RemarkSet(NamedTuple):
    """The tags and notes of a session, as far as somebody may see them."""

    tags: Mapping[str, tuple[str, ...]]
    """The tags of each document that has any, in the order given."""
    notes: Mapping[str, tuple[DocumentNote, ...]]
    """The notes on each document that has any, at most one per reviewer."""

    def describe_notes(self, document: str, *, besides: str | None = None) -> str:
        """Return the notes on a document as one text, each after its writer's name, if it has one.

        Args:
            document: The document's id.
            besides: Whose note to leave out, if anybody's.
        """
        notes = [
            note
            for note in self.notes.get(document, ())
            if besides is None or not is_same_name(note.reviewer, besides)
        ]
        return "\n".join(f"{n.reviewer}: {n.text}" if n.reviewer else n.text for n in notes)

    def find_own_note(self, document: str, reviewer: str) -> str:
        """Return what a reviewer noted on a document; "" if nothing."""
        notes = self.notes.get(document, ())
        return next((n.text for n in notes if is_same_name(n.reviewer, reviewer)), "")


class ReviewNotes:
    """The reasons, tags, notes and criteria of a session's file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def reasons(self) -> ReasonList:
        """Return the list of reasons for exclusion."""
        return self._store.read(tables.read_reasons)

    def add_reason(self, name: str) -> ReasonList:
        """Add a reason to the end of the list, and return the list."""
        return self._change_reasons(lambda listed: listed.add(name))

    def rename_reason(self, name: str, new: str) -> ReasonList:
        """Rename a reason, on the marks that carry it too, and return the list."""
        return self._change_reasons(lambda listed: listed.rename(name, new))

    def remove_reason(self, name: str, *, replacement: str = "") -> ReasonList:
        """Remove a reason and return the list.

        Raises SessionError if current marks carry it, and no replacement is named for them to
        carry.
        """

        def remove(listed: ReasonList) -> ReasonList:
            carried = reasons.count(listed.find(name).name)
            return listed.remove(name, carried=carried, replacement=replacement)

        with self._store.writing() as connection:
            opinions = gather_marks(tables.read_history(connection)).values()
            reasons = [mark.reason for of in opinions for mark in (*of.marks, of.settling) if mark]
            return self._change_reasons(remove)

    def order_reasons(self, names: Sequence[str]) -> ReasonList:
        """Put these reasons first, in this order, and return the list."""
        return self._change_reasons(lambda listed: listed.order(names))

    def tag(
        self,
        ids: Iterable[str],
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        reviewer: str = "",
    ) -> int:
        """Give tags to documents and take tags off them; return the number of changes.

        Two tags that differ only in case and spaces are one, spelled as it was first.
        """
        wanted = {check_name(tag, "tag"): 1 for tag in add}
        wanted |= {check_name(tag, "tag"): 0 for tag in remove}
        reviewer, time = check_reviewer(reviewer), read_clock()
        with self._store.writing() as connection:
            before = tables.select_rows(connection, "tags", TagChange)
            spellings = {make_key(change.tag): change.tag for change in reversed(before)}
            opinions = gather_marks(tables.read_history(connection))
            is_visible = _find_visible(reviewer, opinions)
            # A tag that they can't see is given again: to leave it out would give it away.
            tags = _fold_tags(one for one in before if is_visible(one.document, one.reviewer))
            rows: list[tuple[object, ...]] = []
            for document in dict.fromkeys(ids):
                for tag, is_given in wanted.items():
                    spelled = spellings.setdefault(make_key(tag), tag)
                    if (spelled in tags.get(document, ())) != bool(is_given):
                        number = len(before) + len(rows) + 1
                        rows.append((number, time, document, spelled, is_given, reviewer))
            tables.insert_rows(connection, "tags", *rows)
        return len(rows)

    def note(self, document: str, text: str, *, reviewer: str = "") -> None:
        """Write a reviewer's note on a document, in place of their last; "" takes it back."""
        text, reviewer = _check_text(text, "note"), check_reviewer(reviewer)
        with self._store.writing() as connection:
            before = _fold_notes(tables.select_rows(connection, "notes", DocumentNote))
            if text != RemarkSet({}, before).find_own_note(document, reviewer):
                tables.insert_next(connection, "notes", read_clock(), document, text, reviewer)

    def remarks(self) -> RemarkSet:
        """Return all tags and notes."""
        return self._read_remarks(lambda document, writer: True)  # noqa: ARG005  # as IsVisible

    def remarks_for(self, reviewer: str, documents: Mapping[str, DocumentMarks]) -> RemarkSet:
        """Return the tags and notes that a reviewer may see: their own, and where they see marks.

        Args:
            reviewer: Who looks.
            documents: The current marks, by document.
        """
        return self._read_remarks(_find_visible(reviewer, documents))

    def criteria(self) -> str:
        """Return the inclusion criteria; "" if none were written down."""
        written = self.criteria_history()
        return written[-1].text if written else ""

    def write_criteria(self, text: str) -> None:
        """Write down the inclusion criteria, in place of earlier ones."""
        text = _check_text(text, "text of criteria")
        with self._store.writing() as connection:
            if text != self.criteria():
                tables.insert_next(connection, "criteria", read_clock(), text)

    def criteria_history(self) -> list[ReviewCriteria]:
        """Return every version of the inclusion criteria, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "criteria", ReviewCriteria))

    def read_numbers(self) -> GivenNumbers:
        """Return the numbers of the flow diagram that people gave."""
        return self._store.read(tables.find_given_numbers)

    def give_numbers(self, given: GivenNumbers, *, reviewer: str = "") -> None:
        """Keep numbers of the flow diagram, in place of all that were given before."""
        given.check()
        reviewer = check_reviewer(reviewer)
        with self._store.writing() as connection:
            if given != tables.find_given_numbers(connection):
                tables.add_given_numbers(connection, given, time=read_clock(), reviewer=reviewer)

    def tag_history(self) -> list[TagChange]:
        """Return every tag that was given or taken off, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "tags", TagChange))

    def note_history(self) -> list[DocumentNote]:
        """Return every note that was ever written, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "notes", DocumentNote))

    def _read_remarks(self, is_visible: IsVisible) -> RemarkSet:
        with self._store.reading() as connection:
            changes = tables.select_rows(connection, "tags", TagChange)
            notes = tables.select_rows(connection, "notes", DocumentNote)
        return RemarkSet(
            _fold_tags(one for one in changes if is_visible(one.document, one.reviewer)),
            _fold_notes(one for one in notes if is_visible(one.document, one.reviewer)),
        )

    def _change_reasons(self, change: Callable[[ReasonList], ReasonList]) -> ReasonList:
        with self._store.writing() as connection:
            before = tables.read_reasons(connection)
            changed = change(before)
            if changed.reasons != before.reasons:
                tables.add_reasons(connection, changed, time=read_clock())
        return changed


def _find_visible(reviewer: str, documents: Mapping[str, DocumentMarks]) -> IsVisible:
    """Return a function that tells which remarks a reviewer may see."""

    def is_visible(document: str, writer: str) -> bool:
        given = documents.get(document)
        is_open = given is not None and given.is_open_to(reviewer)
        return is_open or is_same_name(writer, reviewer)

    return is_visible


def _fold_tags(changes: Iterable[TagChange]) -> dict[str, tuple[str, ...]]:
    """Return the tags of each document that has any, after these changes."""
    tags: dict[str, dict[str, None]] = {}
    for change in changes:
        of_document = tags.setdefault(change.document, {})
        if change.is_given:
            of_document.setdefault(change.tag)
        else:
            of_document.pop(change.tag, None)
    return {document: tuple(of_document) for document, of_document in tags.items() if of_document}


def _fold_notes(notes: Iterable[DocumentNote]) -> dict[str, tuple[DocumentNote, ...]]:
    """Return the latest note of each reviewer on each document that has any."""
    latest: dict[str, dict[str, DocumentNote]] = {}
    for note in notes:
        of_document = latest.setdefault(note.document, {})
        of_document.pop(make_key(note.reviewer), None)
        if note.text:
            of_document[make_key(note.reviewer)] = note
    return {document: tuple(found.values()) for document, found in latest.items() if found}


def _check_text(text: str, what: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        raise SessionError(f"a {what} of {len(text):,} characters; at most {LONGEST_TEXT:,} fit")
    return text
