"""A ranked pool, arranged to be looked up: by id, by view and by words."""

from __future__ import annotations

import sys
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from likewise.expansion.cuts import cut_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from likewise.expansion.marks import Mark
    from likewise.expansion.saved import SavedExpansion, SavedPlace
    from likewise.server.models.rankings import View


class Row(NamedTuple):
    """A document of a view."""

    id: str
    place: SavedPlace | None
    """None for what is marked and not in the ranking."""


class Ranked:
    """An expansion without its seeds, with the line where it was moved to."""

    def __init__(self, number: int, saved: SavedExpansion, *, learned: int) -> None:
        """Arrange an expansion.

        Args:
            number: The expansion's.
            saved: The expansion.
            learned: The rank below which the learner drew the line.
        """
        self.number = number
        self.saved = saved
        self.learned = learned
        self.cut = cut_of(saved)
        """The rank below which the line lies."""
        self.rows = [Row(place.id, place) for place in saved.ranking if not place.seed]

    @cached_property
    def places(self) -> dict[str, SavedPlace]:
        """Every document of the ranking by its id, seeds too."""
        return {place.id: place for place in self.saved.ranking}

    @cached_property
    def seeds(self) -> frozenset[str]:
        """The ids of the seeds, those outside the library too."""
        text_only = (seed.id for seed in self.saved.seeds.text_only)
        ranked = (place.id for place in self.saved.ranking if place.seed)
        return frozenset([*self.saved.seeds.matched, *text_only, *ranked])

    def is_above(self, place: SavedPlace | None) -> bool:
        """Tell whether a document lies above the line."""
        return place is not None and place.rank <= self.cut

    def viewed(self, view: View, marks: Mapping[str, Mark]) -> list[Row]:
        """Return the documents of a view, best first, those outside the ranking last."""
        if view == "all":
            return self.rows
        if view == "unmarked":
            return [row for row in self.rows if row.id not in marks]
        if view == "listed":
            above = [
                row
                for row in self.rows
                if self.is_above(row.place) or _label(marks, row.id) == "relevant"
            ]
            return [*above, *self._outside(marks, ("relevant",))]
        labels = ("relevant", "irrelevant", "maybe") if view == "marked" else (view,)
        marked = [row for row in self.rows if _label(marks, row.id) in labels]
        return [*marked, *self._outside(marks, labels)]

    def rows_of(self, ids: Sequence[str]) -> list[Row]:
        """Return the rows of these documents, in the order asked."""
        return [Row(identifier, self.places.get(identifier)) for identifier in ids]

    def count_above(self, rows: Sequence[Row]) -> int:
        """Return how many rows of a view lie above the line: they come first."""
        return bisect_right(rows, self.cut, key=_rank)

    def _outside(self, marks: Mapping[str, Mark], labels: Collection[str]) -> list[Row]:
        """Return what is marked so and in no ranking."""
        return [
            Row(identifier, None)
            for identifier, mark in marks.items()
            if mark.label in labels
            and identifier not in self.places
            and identifier not in self.seeds
        ]


def _label(marks: Mapping[str, Mark], identifier: str) -> str | None:
    mark = marks.get(identifier)
    return mark.label if mark else None


def _rank(row: Row) -> int:
    return row.place.rank if row.place else sys.maxsize
