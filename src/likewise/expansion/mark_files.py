"""Marks from files: tables and JSON with a column of labels, or records with labels in notes.

ASReview writes 1, 0 or nothing into a column, and ASReview_relevant, ASReview_irrelevant or
ASReview_not_seen into the notes of a RIS file. Rayyan writes what each reviewer said into the
notes: RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Maybe"}. Covidence notes the reason for each
exclusion. likewise writes "mark: relevant".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from likewise.documents import Complaint, Document, Record, read_documents
from likewise.documents.formats.cells import is_nothing, name_key, name_kind, read_number
from likewise.documents.formats.tables import find_places
from likewise.documents.sources import Source, report_problem
from likewise.errors import Problem
from likewise.expansion.marks import LABELS, Label

NOTES = "notes"
_LABEL_ADVICE = "write relevant, irrelevant or maybe (or yes, no, ?)"

COLUMNS = (
    *("asreviewlabel", "mark", "included", "labelincluded", "finalincluded", "includedlabel"),
    *("includedfinal", "includedflag", "include", "label", "rayyaninclusion"),
    *("finaldecision", "screeningdecision", "status"),
)
"""The columns that may hold labels, as `name_key` spells their names; the first one found counts.

A file that likewise wrote and ASReview then screened has a column of each; ASReview's is newer.
"""
_WORDS: dict[Label, str] = {
    "relevant": "relevant include included yes y true 1",
    "irrelevant": "irrelevant notrelevant exclude excluded no n false 0",
    "maybe": "maybe unsure uncertain unclear ?",
}
_UNSAID = frozenset(["{}", "-", "-1", "-1.0", "undecided", "unscreened", "unseen", "notseen"])
_MEANINGS = {word: label for label, words in _WORDS.items() for word in words.split()}
# A match may begin in many places, and the search from each must not run to the end of the text. So
# there are no braces within braces, and the patterns never backtrack.
_RAYYAN = re.compile(r"RAYYAN-INCLUSION:?+\s*+(\{[^{}]*+\}|\w*+)")
_REVIEWER = re.compile(r'=>\s*+"*+([^",}]*+)')
_ASREVIEW = re.compile(r"\bASReview_(relevant|irrelevant|not_seen)\b")
_COVIDENCE_REASON = re.compile(r"\bExclusion reason:\s*+(\w[^;|\n]*+)", re.IGNORECASE)
_RAYYAN_REASON = re.compile(r"RAYYAN-EXCLUSION-REASONS:([^|\n]*+)")
_REASON_COLUMNS = ("reason", "exclusionreason", "exclusionreasons", "reasonforexclusion")


@dataclass(frozen=True)
class FileMark:
    """What a file says about a document."""

    document: Document
    label: Label
    line: int | None
    reason: str = ""
    """Why it is irrelevant."""
    tags: tuple[str, ...] = ()
    note: str = ""


class MarkFile(NamedTuple):
    """The marks of a file."""

    column: str
    """Where its labels are: the name of a column, or "notes"."""
    marks: list[FileMark]
    unmarked: int
    """How many of its records have no label."""


def read_marks(
    path: str | Path,
    *,
    column: str = "",
    on_problem: Callable[[Problem], None] | None = None,
) -> MarkFile:
    """Return the marks of a file of any format that has a place for labels.

    Args:
        path: The file.
        column: The column that holds the labels, if it has none of the known names.
        on_problem: Called for each record, and each label, that can't be read; without it the
            first one raises.
    """
    source = Source(path)
    records = list(read_documents(source, on_problem=on_problem))
    chosen = _choose_column(records, column, source=source)
    marks: list[FileMark] = []
    for record in records:
        for item in _read_mark(record, chosen):
            if isinstance(item, Complaint):
                report_problem(source.problem(item), on_problem)
            else:
                marks.append(_add_details(item, record))
    return MarkFile(chosen, marks, len(records) - len(marks))


def find_decisions(
    records: Sequence[Record],
    *,
    source: Source,
    on_problem: Callable[[Problem], None] | None = None,
) -> MarkFile | None:
    """Return the marks that the records of a file hold; None if the file decides nothing.

    A column is ignored if it is named like one of labels but mostly holds something else. Messages
    name the source; `on_problem` is called for each label that can't be read.
    """
    column = _find_column(_list_names(records), records)
    if column is None:
        return None
    items = [item for record in records for item in _read_mark(record, column)]
    marks = [item for item in items if isinstance(item, FileMark)]
    complaints = [item for item in items if isinstance(item, Complaint)]
    if len(marks) <= len(complaints) / 2:
        return None
    for complaint in complaints:
        report_problem(source.problem(complaint), on_problem)
    return MarkFile(column, marks, len(records) - len(marks))


def _list_names(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record.names))


def _choose_column(records: Sequence[Record], column: str, *, source: Source) -> str:
    """Return the name of the column that holds the labels."""
    names = _list_names(records)
    known = {name_key(name): name for name in reversed(names)}
    shown = ", ".join(repr(name[:40]) for name in names[:20] if name)
    columns = f"{shown} and more" if len(names) > 20 else shown or "none"
    if column:
        name = column if column in names else known.get(name_key(column))
        if name is None:
            raise source.fail(f"no column {column!r} in it", advice=f"it has {columns}")
        return name
    if found := _find_column(names, records):
        return found
    raise source.fail(
        f"no column of labels in it; it has {columns}",
        advice="name one with --column, or mark all of the file with --relevant FILE",
    )


def _find_column(names: Sequence[str], records: Sequence[Record]) -> str | None:
    known = {name_key(name): name for name in reversed(names)}
    if found := next((known[key] for key in COLUMNS if key in known), None):
        return found
    return NOTES if any(map(_has_noted, records)) else None


def _read_mark(record: Record, column: str) -> Iterator[FileMark | Complaint]:
    """Yield the mark on a record, if there is one, and what is wrong with it."""
    try:
        labels = _read_labels(record, column)
    except NotALabelError as error:
        yield Complaint(f"{error} in {column!r} is not a label", record.line, _LABEL_ADVICE)
        return
    if len(labels) > 1:
        found = f"{column!r} says {' and '.join(labels)}"
        yield Complaint(found, record.line, "it was marked maybe")
        yield FileMark(record.document, "maybe", record.line)
    elif labels:
        yield FileMark(record.document, labels[0], record.line)


def _add_details(mark: FileMark, record: Record) -> FileMark:
    """Return a mark with the reason, tags and note of its record."""
    notes = _read_notes(record)
    match = _RAYYAN_REASON.search(notes) or _COVIDENCE_REASON.search(notes)
    reason = _find_text(record, *_REASON_COLUMNS) or _find_noted(notes, "reason")[0]
    reason = reason or (match[1] if match else "")
    tags = _find_text(record, "tags") or ";".join(_find_noted(notes, "tags"))
    return replace(
        mark,
        reason=" ".join(reason.replace(";", ",").split()) if mark.label == "irrelevant" else "",
        tags=tuple(tag for part in tags.split(";") if (tag := " ".join(part.split()))),
        note=_find_text(record, "reviewnote") or _find_review_note(notes),
    )


def _find_text(record: Record, *keys: str) -> str:
    """Return the first text in a column of one of these names."""
    keyed = {name_key(name): place for place, name in enumerate(record.names)}
    values = (_get_value(record, keyed[key]) for key in keys if key in keyed)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def _find_noted(notes: str, name: str) -> list[str]:
    """Return the first note with this name, and the parts after it up to the next named note."""
    for line in notes.split("\n"):
        found = [""]
        for part in line.split(";"):
            key, colon, value = part.strip().partition(":")
            if colon and key == name:
                found = [value.strip()]
            elif found[0] and colon and key.isidentifier() and key.islower():
                break
            elif found[0]:
                found.append(part.strip())
        if found[0]:
            return found
    return [""]


def _find_review_note(notes: str) -> str:
    """Return a person's note on a document, which runs to the end of its line."""
    for line in notes.split("\n"):
        before, name, note = line.partition("review_note:")
        if name and (not before.strip() or before.rstrip().endswith(";")):
            return note.strip()
    return ""


def _read_labels(record: Record, column: str) -> list[Label]:
    if _find_note_places((column,)):
        return parse_notes(_read_notes(record)) or []
    if column not in record.names:
        return []
    return parse_labels(_get_value(record, record.names.index(column)))


def _has_noted(record: Record) -> bool:
    try:
        return parse_notes(_read_notes(record)) is not None
    except NotALabelError:
        return True


def _read_notes(record: Record) -> str:
    """Return a record's notes, one per line."""
    values = [_get_value(record, place) for place in _find_note_places(tuple(record.names))]
    lines = [line for value in values for line in (value if isinstance(value, list) else [value])]
    return "\n".join(str(line) for line in lines if not is_nothing(line))


# All rows of a table have the same names, and JSON objects few different ones.
@lru_cache(maxsize=256)
def _find_note_places(names: tuple[str, ...]) -> tuple[int, ...]:
    return find_places(names).get("notes", ())


def _get_value(record: Record, place: int) -> Any:
    return record.values[place] if place < len(record.values) else None


class NotALabelError(ValueError):
    """A value that is not a known label; the message shows it."""


def parse_label(value: Any) -> Label | None:
    """Return the label that a value stands for; None if it says nothing.

    >>> parse_label("Included"), parse_label(0), parse_label(" "), parse_label("not seen")
    ('relevant', 'irrelevant', None, None)
    """
    if is_nothing(value):
        return None
    text = _format_value(value)
    word = "".join(text.casefold().replace("_", " ").split())
    if word in _UNSAID or not word:
        return None
    if word not in _MEANINGS:
        raise NotALabelError(repr(text[:40]))
    return _MEANINGS[word]


def parse_labels(value: Any) -> list[Label]:
    """Return the labels in a cell of a label column; several if reviewers differ.

    >>> parse_labels('{"Ann"=>"Included", "Bob"=>"Included"}'), parse_labels("no"), parse_labels("")
    (['relevant'], ['irrelevant'], [])
    """
    reviewers = _REVIEWER.findall(value) if isinstance(value, str) else []
    return _parse_distinct(reviewers or [value])


def parse_notes(notes: str) -> list[Label] | None:
    """Return the labels in notes; None if no known program has noted any.

    If several have, the first of these counts: Rayyan, ASReview, likewise, Covidence.

    >>> parse_notes('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Excluded"} | LABELS')
    ['relevant', 'irrelevant']
    >>> parse_notes("ASReview_not_seen"), parse_notes("On cats")
    ([], None)
    """
    if rayyan := _RAYYAN.findall(notes):
        return _parse_distinct(label for said in rayyan for label in parse_labels(said))
    for found in (_ASREVIEW.findall(notes), list(_list_marks(notes))):
        if found:
            return _parse_distinct(found)
    return ["irrelevant"] if _COVIDENCE_REASON.search(notes) else None


def _list_marks(notes: str) -> Iterator[str]:
    """Yield what follows "mark:" at the beginning of a note."""
    for line in notes.split("\n"):
        for note in line.split(";"):
            if note.lstrip().startswith("mark:"):
                yield note.lstrip().removeprefix("mark:")


def _parse_distinct(values: Iterable[Any]) -> list[Label]:
    found = {parse_label(value) for value in values}
    return [label for label in LABELS if label in found]


def _format_value(value: Any) -> str:
    try:
        return str(value) if isinstance(value, bool) else read_number(value)
    except TypeError:
        return name_kind(value)
