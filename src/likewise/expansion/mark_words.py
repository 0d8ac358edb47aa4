"""The words that people and programs mark with, in cells of their own and inside notes.

ASReview writes 1, 0 or nothing into a column, and ASReview_relevant, ASReview_irrelevant or
ASReview_not_seen into the notes of a RIS file. Rayyan writes what each reviewer said into the
notes: RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Maybe"}. We write "mark: relevant".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from likewise.documents.formats.cells import is_nothing, kind, one_number
from likewise.expansion.marks import LABELS, Label

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = (
    *("asreviewlabel", "mark", "included", "labelincluded", "finalincluded", "includedlabel"),
    *("includedfinal", "includedflag", "include", "label", "rayyaninclusion"),
)
"""The columns that hold labels, as `name_key` leaves their names; the first that is there counts.

What was screened in ASReview after we wrote it has a column of ours and, newer, one of theirs.
"""

_WORDS: dict[Label, str] = {
    "relevant": "relevant include included yes y true 1",
    "irrelevant": "irrelevant notrelevant exclude excluded no n false 0",
    "maybe": "maybe unsure uncertain unclear ?",
}
_UNSAID = frozenset(["{}", "-", "-1", "-1.0", "undecided", "unscreened", "unseen", "notseen"])
_MEANINGS = {word: label for label, words in _WORDS.items() for word in words.split()}

_RAYYAN = re.compile(r"RAYYAN-INCLUSION:?\s*(\{[^}]*\}|\w*)")
_REVIEWER = re.compile(r'=>\s*"*([^",}]*)')
_ASREVIEW = re.compile(r"\bASReview_(relevant|irrelevant|not_seen)\b")
_OURS = re.compile(r"(?:\A|[\n;])\s*mark:([^\n;]*)")


class NotALabel(ValueError):  # noqa: N818  # it reads as what it says
    """A value that no label is known by; the message shows it."""


def label_of(value: Any) -> Label | None:
    """Return the label that a value stands for; None if it says nothing.

    >>> label_of("Included"), label_of(0), label_of(" "), label_of("not seen")
    ('relevant', 'irrelevant', None, None)
    """
    if is_nothing(value):
        return None
    word = re.sub(r"[\s_]+", "", _text(value).casefold())
    if word in _UNSAID or not word:
        return None
    if word not in _MEANINGS:
        raise NotALabel(repr(_text(value)[:40]))
    return _MEANINGS[word]


def labels_in(value: Any) -> list[Label]:
    """Return the labels in a cell of a label column; several if reviewers differ.

    >>> labels_in('{"Ann"=>"Included", "Bob"=>"Included"}'), labels_in("no"), labels_in("")
    (['relevant'], ['irrelevant'], [])
    """
    reviewers = _REVIEWER.findall(value) if isinstance(value, str) else []
    return _distinct(reviewers or [value])


def labels_in_notes(notes: str) -> list[Label] | None:
    """Return the labels in notes; None if no program that we know has noted any.

    Where several have, the later steps of a screening count: Rayyan, ASReview, then ourselves.

    >>> labels_in_notes('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Excluded"} | LABELS')
    ['relevant', 'irrelevant']
    >>> labels_in_notes("ASReview_not_seen"), labels_in_notes("On cats")
    ([], None)
    """
    if rayyan := _RAYYAN.findall(notes):
        return _distinct(label for said in rayyan for label in labels_in(said))
    for found in (_ASREVIEW.findall(notes), _OURS.findall(notes)):
        if found:
            return _distinct(found)
    return None


def _distinct(values: Iterable[Any]) -> list[Label]:
    found = {label_of(value) for value in values}
    return [label for label in LABELS if label in found]


def _text(value: Any) -> str:
    try:
        return str(value) if isinstance(value, bool) else one_number(value)
    except TypeError:
        return kind(value)
