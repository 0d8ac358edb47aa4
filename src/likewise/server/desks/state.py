"""A session as it was at one moment: its marks, and its ranked pool, arranged to be looked up."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from likewise.expansion.cuts import find_cut
from likewise.expansion.marks import Label, Mark
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.records import ExpansionHead, SessionVersion
from likewise.learn.stopping.target import Target

View = Literal["all", "listed", "unmarked", "marked", "relevant", "irrelevant", "maybe"]
"""Which documents of a ranking to show."""


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """What a session held when it was read."""

    version: SessionVersion
    name: str
    heads: list[ExpansionHead]
    """The expansions, the first one first."""
    marks: dict[str, Mark]
    """The mark of each document that has a label, in the order given."""
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
    def labels(self) -> dict[str, Label]:
        """The label of each document that has one."""
        return {name: mark.label for name, mark in self.marks.items() if mark.label}

    def count(self, label: Label) -> int:
        """Return how many documents have a label."""
        return sum(of == label for of in self.labels.values())


class RankedRow(NamedTuple):
    """A document of a view, with its place in the ranking."""

    id: str
    place: Place | None
    """None for what is marked and not in the ranking."""


class RankedPool:
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
        self.cut = find_cut(saved)
        """The rank below which the line lies."""
        self.rows = [RankedRow(place.id, place) for place in saved.ranking if not place.seed]

    @cached_property
    def places(self) -> dict[str, Place]:
        """Every document of the ranking by its id, seeds too."""
        return {place.id: place for place in self.saved.ranking}

    @cached_property
    def seeds(self) -> frozenset[str]:
        """The ids of the seeds, those outside the library too."""
        text_only = (seed.id for seed in self.saved.seeds.text_only)
        ranked = (place.id for place in self.saved.ranking if place.seed)
        return frozenset([*self.saved.seeds.matched, *text_only, *ranked])

    def is_above(self, place: Place | None) -> bool:
        """Tell whether a document lies above the line."""
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
        """Return the rows of these documents, in the order asked."""
        return [RankedRow(identifier, self.places.get(identifier)) for identifier in ids]

    def count_above(self, rows: Sequence[RankedRow]) -> int:
        """Return how many rows of a view lie above the line: they come first."""
        return bisect_right(rows, self.cut, key=_get_rank)

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


def _get_rank(row: RankedRow) -> int:
    return row.place.rank if row.place else sys.maxsize
