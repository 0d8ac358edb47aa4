"""A session as it was at one moment: its marks, and its ranked pool, arranged for lookups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import punctuation, whitespace
from typing import Literal, NamedTuple

from likewise.expansion.cuts import find_cut
from likewise.expansion.marks import DocumentMarks, Mark
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.searching import FilteredText
from likewise.expansion.sessions.records import ExpansionHead, SessionVersion
from likewise.learn.estimates import Target

View = Literal["all", "listed", "unmarked", "marked", "relevant", "irrelevant", "maybe"]
"""Which documents of a ranking to show."""
Sorting = Literal["rank", "year", "title", "source", "type"]
"""How to sort them: best first, latest first, or alphabetically by title, source or first
publication type."""

_NO_LETTERS = f"{punctuation}{whitespace}“”„«»¿¡"


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """What a session held when it was read."""

    version: SessionVersion
    name: str
    heads: list[ExpansionHead]
    """The expansions, the oldest first."""
    opinions: dict[str, DocumentMarks]
    """The marks of each document that has any, in the order given."""
    pool: RankedPool | None
    """The latest expansion."""
    target: Target | None
    """The target that was chosen, if one was."""

    def find_unknown(self, ids: Iterable[str]) -> set[str]:
        """Return the ids that are neither in the ranking nor among the seeds."""
        pool = self.pool
        if pool is None:
            return set(ids)
        return {name for name in ids if name not in pool.places and name not in pool.seeds}

    @cached_property
    def marks(self) -> dict[str, Mark]:
        """The mark that counts for each document that has a label, whoever gave it."""
        return {name: given.decision for name, given in self.opinions.items()}


class RankedRow(NamedTuple):
    """A document of a view, with its place in the ranking."""

    id: str
    place: Place | None
    """None for a marked document that is not in the ranking."""


class RankedPool:
    """An expansion without its seeds, with the line where it lies now."""

    def __init__(self, number: int, saved: SavedExpansion, *, learned: int) -> None:
        """Arrange an expansion.

        Args:
            number: The expansion's number.
            saved: The expansion.
            learned: The rank below which the learner drew the line.
        """
        self.number = number
        self.saved = saved
        self.learned = learned
        self.cut = find_cut(saved)
        """The rank below which the line lies."""
        self.rows = [RankedRow(place.id, place) for place in saved.ranking if not place.seed]

    @cached_property
    def places(self) -> dict[str, Place]:
        """Every document of the ranking by its id, including seeds."""
        return {place.id: place for place in self.saved.ranking}

    @cached_property
    def seeds(self) -> frozenset[str]:
        """The ids of the seeds, including those outside the library."""
        text_only = (seed.id for seed in self.saved.seeds.text_only)
        ranked = (place.id for place in self.saved.ranking if place.seed)
        return frozenset([*self.saved.seeds.matched, *text_only, *ranked])

    def is_above(self, place: Place | None) -> bool:
        """Return whether a document lies above the line."""
        return place is not None and place.rank <= self.cut

    def select_rows(self, view: View, marks: Mapping[str, Mark]) -> list[RankedRow]:
        """Return the documents of a view, best first, those outside the ranking last."""
        if view == "all":
            return self.rows
        if view == "unmarked":
            return [row for row in self.rows if row.id not in marks]
        if view == "listed":
            above = [
                row
                for row in self.rows
                if self.is_above(row.place) or _find_label(marks, row.id) == "relevant"
            ]
            return [*above, *self._find_outside(marks, ("relevant",))]
        labels = ("relevant", "irrelevant", "maybe") if view == "marked" else (view,)
        marked = [row for row in self.rows if _find_label(marks, row.id) in labels]
        return [*marked, *self._find_outside(marks, labels)]

    def find_rows(self, ids: Sequence[str]) -> list[RankedRow]:
        """Return the rows of these documents, in the order given."""
        return [RankedRow(identifier, self.places.get(identifier)) for identifier in ids]

    def count_above(self, rows: Iterable[RankedRow]) -> int:
        """Return how many rows of a view lie above the line."""
        return sum(self.is_above(row.place) for row in rows)

    def _find_outside(self, marks: Mapping[str, Mark], labels: Collection[str]) -> list[RankedRow]:
        """Return the documents with these labels that are not in the ranking."""
        return [
            RankedRow(identifier, None)
            for identifier, mark in marks.items()
            if mark.label in labels
            and identifier not in self.places
            and identifier not in self.seeds
        ]


def _find_label(marks: Mapping[str, Mark], identifier: str) -> str | None:
    mark = marks.get(identifier)
    return mark.label if mark else None


def sort_rows(
    rows: Sequence[RankedRow], sorting: Sorting, *, texts: Mapping[str, FilteredText]
) -> Sequence[RankedRow]:
    """Return rows sorted; equal ones keep their order, and those without a value come last."""
    if sorting == "rank":
        return rows
    return sorted(rows, key=lambda row: _find_key(texts[row.id], sorting))


def _find_key(text: FilteredText, sorting: Sorting) -> tuple[bool, int | str]:
    if sorting == "year":
        return text.year is None, -(text.year or 0)
    if sorting == "title":
        # Quotation marks and brackets before a title don't count.
        letters = text.title.lstrip(_NO_LETTERS)
    else:
        letters = text.source if sorting == "source" else text.types.partition("\n")[0]
    return not letters, letters
