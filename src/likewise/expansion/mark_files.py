"""Marks out of files: tables and JSON with a column of labels, or records with labels in notes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.documents import Document, read_records
from likewise.documents.formats.cells import is_nothing
from likewise.documents.formats.columns import name_key, places
from likewise.documents.sources import Said, Source
from likewise.expansion.mark_words import COLUMNS, NotALabel, labels_in, labels_in_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from likewise.errors import Problem, ReadError
    from likewise.expansion.marks import Label

NOTES = "notes"
_WORDS = "write relevant, irrelevant or maybe (or yes, no, ?)"


class FileMark(NamedTuple):
    """What a file says of a document."""

    document: Document
    label: Label
    line: int | None


class MarkFile(NamedTuple):
    """The marks of a file."""

    column: str
    """Where its labels stand: the name of a column, or "notes"."""
    marks: list[FileMark]
    unmarked: int
    """How many of its records have no label."""


class _Row(NamedTuple):
    document: Document
    line: int | None
    said: Said


def read_marks(
    path: str | Path,
    *,
    column: str = "",
    on_problem: Callable[[Problem], None] | None = None,
) -> MarkFile:
    """Return the marks of a file of any format that has a place for labels.

    Args:
        path: The file.
        column: The column that holds the labels, if it is none of those that we know.
        on_problem: Called for each record, and each label, that can't be read; without it the
            first one raises.
    """
    source = Source(path, on_problem=on_problem)
    rows = [
        _Row(record, source.line, source.said)
        for record in read_records(source)
        if isinstance(record, Document)
    ]
    source.line = None
    chosen = _chosen(rows, column, source=source)
    marks: list[FileMark] = []
    for row in rows:
        marks += _marks_of(row, chosen, source=source)
    return MarkFile(chosen, marks, len(rows) - len(marks))


def _chosen(rows: Sequence[_Row], column: str, *, source: Source) -> str:
    """Return the name of the column that holds the labels."""
    names = list(dict.fromkeys(name for row in rows for name in row.said.names))
    known = {name_key(name): name for name in reversed(names)}
    if column:
        name = column if column in names else known.get(name_key(column))
        if name is None:
            raise source.fail(f"no column {column!r} in it", advice=f"it has {_listed(names)}")
        return name
    for key in COLUMNS:
        if key in known:
            return known[key]
    if any(_has_noted(row) for row in rows):
        return NOTES
    raise _no_labels(names, source=source)


def _marks_of(row: _Row, column: str, *, source: Source) -> Iterator[FileMark]:
    try:
        labels = _labels(row.said, column)
    except NotALabel as error:
        source.problem(f"{error} in {column!r} is no label", line=row.line, advice=_WORDS)
        return
    if len(labels) > 1:
        found = f"{column!r} says {' and '.join(labels)}"
        source.problem(found, line=row.line, advice="it was marked maybe")
        yield FileMark(row.document, "maybe", row.line)
    elif labels:
        yield FileMark(row.document, labels[0], row.line)


def _labels(said: Said, column: str) -> list[Label]:
    if _note_places((column,)):
        return labels_in_notes(_notes(said)) or []
    return labels_in(_value(said, said.names.index(column))) if column in said.names else []


def _has_noted(row: _Row) -> bool:
    try:
        return labels_in_notes(_notes(row.said)) is not None
    except NotALabel:
        return True


def _notes(said: Said) -> str:
    """Return what a record's notes say, a note a line."""
    values = [_value(said, place) for place in _note_places(tuple(said.names))]
    lines = [line for value in values for line in (value if isinstance(value, list) else [value])]
    return "\n".join(str(line) for line in lines if not is_nothing(line))


# All rows of a table have the same names, and JSON objects few different ones.
@lru_cache(maxsize=256)
def _note_places(names: tuple[str, ...]) -> tuple[int, ...]:
    return places(names).get("notes", ())


def _value(said: Said, place: int) -> Any:
    return said.values[place] if place < len(said.values) else None


def _no_labels(names: Sequence[str], *, source: Source) -> ReadError:
    return source.fail(
        f"no column of labels in it; it has {_listed(names)}",
        advice="name one with --column, or mark all of the file with --relevant FILE",
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:20] if name)
    return f"{shown} and more" if len(names) > 20 else shown or "none"
