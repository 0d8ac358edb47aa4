"""Notes on documents: what a file says beside each of them, such as its rank and its score."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likewise.documents.document import Document

NOTE_NAMES = ("rank", "score", "probability", "decision", "seed", "words", "nearest_seed", "mark")
"""The notes of an expansion."""
KNOWN_NOTES = (*NOTE_NAMES, "marked_at")
"""Those of expansions and sessions, which readers know for what they are."""

Note = bool | int | float | str


class Annotated(NamedTuple):
    """A document and the notes on it, by names that no field of a document has.

    The documents of one file all have notes of the same names.
    """

    document: Document
    notes: Mapping[str, Note] = MappingProxyType({})


def note_text(note: Note) -> str:
    """Return a note as text: true, false, numbers without an exponent.

    >>> note_text(True), note_text(7), note_text(0.000001), note_text("on cats")
    ('true', '7', '0.000001', 'on cats')
    """
    if isinstance(note, bool):
        return str(note).lower()
    if isinstance(note, float):
        return f"{Decimal(repr(float(note))):f}"
    return str(note)


def note_lines(notes: Mapping[str, Note]) -> Iterator[str]:
    """Yield the notes that say something, each as "name: value".

    >>> list(note_lines({"rank": 1, "seed": False, "words": ""}))
    ['rank: 1', 'seed: false']
    """
    for name, note in notes.items():
        if text := note_text(note):
            yield f"{name}: {text}"
