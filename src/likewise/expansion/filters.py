"""What filters of lists ask of a document, and what they look at to tell.

How a filter is written is in `filter_lines.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from likewise.documents import Document
from likewise.documents.document import find_warning
from likewise.expansion.sessions.reasons import make_key

_YEARS = re.compile(r"(\d{4})?(?:\.\.|-)(\d{4})?")
STATES = ("new", "retracted")
"""Found by a look and not marked yet; retracted, doubted, or a notice of it."""
ANY = "*"
"""What stands for any tag, any reason, any note."""


class FilteredText(NamedTuple):
    """What filters look at of a document; all texts in lower case.

    What reviewers said of it is added at each look: it changes, and not everybody may see it.
    """

    text: str
    """Title, abstract, authors, journal and year."""
    title: str = ""
    authors: str = ""
    journal: str = ""
    year: int | None = None
    types: str = ""
    """Publication types, a line each."""
    source: str = ""
    tags: frozenset[str] = frozenset()
    reason: str = ""
    notes: str = ""
    states: frozenset[str] = frozenset()
    """What it is, of `STATES`."""

    @classmethod
    def of(cls, document: Document) -> Self:
        r"""Return what filters look at of a document.

        >>> FilteredText.of(Document(title="On Cats", year=1999, authors=("Li, X", "Wu, Y"))).text
        'on cats\n\nli, x\nwu, y\n\n1999'
        """
        title, journal = document.title.casefold(), document.journal.casefold()
        authors = "\n".join(document.authors).casefold()
        year = "" if document.year is None else str(document.year)
        return cls(
            text=f"{title}\n{document.abstract.casefold()}\n{authors}\n{journal}\n{year}",
            title=title,
            authors=authors,
            journal=journal,
            year=document.year,
            types="\n".join(document.publication_types).casefold(),
            source=document.source.casefold(),
            states=frozenset({"retracted"} if find_warning(document) else ()),
        )

    def add_state(self, state: str) -> Self:
        """Return the same with a state more."""
        return self._replace(states=self.states | {state})

    def add_remarks(self, tags: Collection[str], reason: str, notes: str = "") -> Self:
        """Return the same with the tags of the document, why it was excluded, and its notes."""
        if not tags and not reason and not notes:
            return self
        return self._replace(
            tags=frozenset(map(make_key, tags)), reason=make_key(reason), notes=make_key(notes)
        )


Check = Callable[[FilteredText], bool]
"""Tells whether a document is kept."""


class FilterField(NamedTuple):
    """A field that a filter may name."""

    make: Callable[[str], Check | None]
    """Makes a check of what stands behind the colon, in lower case; None if that says nothing."""
    example: str
    is_sought: bool = False
    """Whether what stands behind the colon is in title or abstract, so that searches find it."""


def make_years_check(value: str) -> Check | None:
    """Return a check of years: 2010, 2010.., ..2015 or 2010..2015; None for anything else."""
    if re.fullmatch(r"\d{4}", value):
        return lambda one: one.year == int(value)
    ends = _YEARS.fullmatch(value)
    if not ends or not any(ends.groups()):
        return None
    first, last = int(ends[1] or 0), int(ends[2] or 9999)
    return None if first > last else lambda one: one.year is not None and first <= one.year <= last


def _make_part_check(name: str) -> Callable[[str], Check | None]:
    """Return what makes checks of whether a text field holds something."""

    def make(value: str) -> Check | None:
        return (lambda one: value in getattr(one, name)) if value else None

    return make


def _make_state_check(value: str) -> Check | None:
    return (lambda one: value in one.states) if value in STATES else None


def _make_remark_check(
    find: Callable[[FilteredText], Collection[str]],
) -> Callable[[str], Check | None]:
    """Return what makes checks of whether reviewers wrote something on a document, or anything."""

    def make(value: str) -> Check | None:
        key = make_key(value)
        if key == ANY:
            return lambda one: bool(find(one))
        return (lambda one: key in find(one)) if key else None

    return make


FIELDS: Mapping[str, FilterField] = {
    "year": FilterField(make_years_check, "year:2010..2015"),
    "journal": FilterField(_make_part_check("journal"), "journal:lancet"),
    "type": FilterField(_make_part_check("types"), "type:review"),
    "title": FilterField(_make_part_check("title"), "title:cats", is_sought=True),
    "author": FilterField(_make_part_check("authors"), "author:curie"),
    "source": FilterField(_make_part_check("source"), "source:embase"),
    "tag": FilterField(_make_remark_check(lambda one: one.tags), "tag:RCT"),
    "reason": FilterField(
        _make_remark_check(lambda one: (one.reason,) if one.reason else ()),
        'reason:"wrong population"',
    ),
    "note": FilterField(_make_remark_check(lambda one: one.notes), "note:dose"),
    "is": FilterField(_make_state_check, "is:new or is:retracted"),
}
"""The fields by their names: another one is another line here, and what it looks at in
`FilteredText`."""


@dataclass(frozen=True)
class ListFilter:
    """A filter that was read."""

    check: Check
    words: tuple[str, ...]
    """The words and phrases that are asked for, in lower case, to be shown where they stand."""
    complaints: tuple[str, ...]
    """What was not understood."""
    sought: tuple[str, ...] = ()
    """The same words, and those that a title is to have, for a search."""
    is_plain: bool = True
    """Whether it is nothing but words: no phrase, field, NOT or OR is in it."""

    def keeps(self, one: FilteredText) -> bool:
        """Return whether a document is kept."""
        return self.check(one)

    @property
    def complaint(self) -> str:
        """What was not understood, as one line; "" if all was."""
        return "; ".join(self.complaints)
