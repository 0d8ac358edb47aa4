"""The shelf: the expansions of a session, with the lines through them and their explanations.

The latest is asked for again and again, so it is kept in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from types import ModuleType

from likewise.errors import SessionError
from likewise.expansion.records import Explanations, Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions import tables
from likewise.expansion.sessions.records import read_clock
from likewise.expansion.sessions.store import Store
from likewise.expansion.sessions.tables import pack


class ExpansionShelf:
    """The expansions of a session's file."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._learned: tuple[int, SavedExpansion] | None = None
        self._places: tuple[int, dict[str, Place]] | None = None
        self._moved: tuple[int, SavedExpansion] | None = None
        self._explained: tuple[int, Explanations | None] | None = None

    def forget(self) -> None:
        """Forget what was read or added, since a failed transaction may have undone some of it."""
        self._learned = self._places = self._moved = self._explained = None

    def add(
        self,
        saved: SavedExpansion,
        *,
        mark: int | None,
        library: str,
        explanations: Explanations | None,
    ) -> int:
        """Add an expansion and return its number."""
        pool = [place.decision for place in saved.ranking if not place.seed]
        content = pack(saved)
        with self._store.writing() as connection:
            known = tables.find_last_number(connection, "marks") if mark is None else mark
            row = (read_clock(), known, library, len(pool), sum(pool), content)
            number = tables.insert_next(connection, "expansions", *row)
            if explanations:
                tables.insert_rows(connection, "explanations", (number, pack(explanations)))
        self._learned = number, saved
        return number

    def read_learned(
        self, connection: sqlite3.Connection, number: int | None = None
    ) -> SavedExpansion | None:
        """Return an expansion, or the latest, as it was learned."""
        latest = tables.find_last_number(connection, "expansions")
        if number is not None and number != latest:
            return tables.read_expansion(connection, number, path=self._store.path)
        if self._learned is None or self._learned[0] != latest:
            saved = tables.read_expansion(connection, latest, path=self._store.path)
            self._learned = None if saved is None else (latest, saved)
        return self._learned and self._learned[1]

    def read_with_line(
        self, connection: sqlite3.Connection, number: int | None = None
    ) -> SavedExpansion | None:
        """Return an expansion, or the latest, with its line where it is now."""
        saved = self.read_learned(connection, number)
        number = tables.find_last_number(connection, "expansions") if number is None else number
        line = tables.find_threshold(connection, number)
        if saved is None or line is None or line.decided is None:
            return saved
        if self._moved is None or self._moved[0] != line.number:
            self._moved = line.number, _load_cuts().move_cut(saved, line.decided)
        return self._moved[1]

    def index_places(self, connection: sqlite3.Connection) -> Mapping[str, Place]:
        """Return the places of the latest expansion by id; none if there is none."""
        saved = self.read_learned(connection)
        if saved is None:
            return {}
        number = tables.find_last_number(connection, "expansions")
        if self._places is None or self._places[0] != number:
            self._places = number, {place.id: place for place in saved.ranking}
        return self._places[1]

    def read_explanations(
        self, connection: sqlite3.Connection, number: int | None = None
    ) -> Explanations | None:
        """Return the explanations of an expansion, or of the latest; None if they were not kept."""
        number = tables.find_last_number(connection, "expansions") if number is None else number
        if self._explained is None or self._explained[0] != number:
            self._explained = number, tables.read_explanations(connection, number)
        return self._explained[1]

    def move_line(self, decided: int | None) -> None:
        """Move the line through the latest expansion, unless it is there already."""
        with self._store.writing() as connection:
            saved = self.read_learned(connection)
            if saved is None:
                raise SessionError(f"{self._store.path}: nothing was expanded yet")
            number = tables.find_last_number(connection, "expansions")
            if decided is not None:
                decided = min(max(decided, 0), _load_cuts().find_last_rank(saved))
            before = tables.find_threshold(connection, number)
            if decided != (before.decided if before else None):
                above = None if decided is None else _count_above(saved, decided)
                row = (read_clock(), number, decided, above)
                tables.insert_next(connection, "thresholds", *row)


def find_cut(saved: SavedExpansion | None) -> int:
    """Return the rank below which the line of an expansion lies; 0 if there is none."""
    return _load_cuts().find_cut(saved) if saved else 0


def _count_above(saved: SavedExpansion, decided: int) -> int:
    """Return how many documents lie above a line."""
    ranking = _load_cuts().move_cut(saved, decided).ranking
    return sum(place.decision for place in ranking if not place.seed)


def _load_cuts() -> ModuleType:
    """Import `cuts` only when it is needed: it loads numpy, which marking does without."""
    from likewise.expansion import cuts

    return cuts
