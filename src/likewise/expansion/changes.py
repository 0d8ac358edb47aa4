"""Changes: what a later expansion says otherwise than an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.expansion.saved import SavedExpansion, SavedPlace

MOST = 5


class Move(NamedTuple):
    """The ranks of a document in two expansions; None where it was not in the pool."""

    id: str
    before: int | None
    after: int | None


class Changes(NamedTuple):
    """What a later expansion says otherwise, of documents that it had no mark of."""

    decided: tuple[Move, ...]
    """Documents newly decided to be on topic, best first."""
    dropped: tuple[Move, ...]
    """Documents no longer decided to be on topic, in the order they had."""
    risen: tuple[Move, ...]
    """Those whose rank was divided by the most: from 100 to 10 is as far as from 1,000 to 100."""
    fallen: tuple[Move, ...]
    """Those whose rank was multiplied by the most."""
    relevant: tuple[float, float]
    """How many were estimated on topic in the candidates before, and are now."""


def changes_between(before: SavedExpansion, after: SavedExpansion, *, most: int = MOST) -> Changes:
    """Compare two expansions; of the risen and of the fallen, name so many at most.

    Seeds are left out, and so are documents with a mark: of these, the person knows.
    """
    known = {place.id for saved in (before, after) for place in saved.ranking if place.seed}
    known |= {place.id for place in after.ranking if place.mark}
    old, new = _places(before, known=known), _places(after, known=known)
    ranked = [name for name in new if name in old and old[name].rank and new[name].rank]
    ratios = {name: new[name].rank / old[name].rank for name in ranked}
    ordered = sorted(ratios, key=lambda name: (ratios[name], new[name].rank))
    decided = [name for name in new if new[name].decision and not _is_decided(name, old)]
    dropped = [name for name in old if old[name].decision and not _is_decided(name, new)]
    risen = [name for name in ordered[:most] if ratios[name] < 1]
    fallen = [name for name in ordered[::-1][:most] if ratios[name] > 1]
    decided_, dropped_, risen_, fallen_ = (
        tuple(_move(name, old, new) for name in names)
        for names in (decided, dropped, risen, fallen)
    )
    was, now = (saved.estimates.relevant.value or 0.0 for saved in (before, after))
    return Changes(decided_, dropped_, risen_, fallen_, relevant=(was, now))


def _places(saved: SavedExpansion, *, known: set[str]) -> dict[str, SavedPlace]:
    return {place.id: place for place in saved.ranking if place.id not in known}


def _move(
    identifier: str, before: Mapping[str, SavedPlace], after: Mapping[str, SavedPlace]
) -> Move:
    old, new = before.get(identifier), after.get(identifier)
    return Move(identifier, old.rank if old else None, new.rank if new else None)


def _is_decided(identifier: str, places: Mapping[str, SavedPlace]) -> bool:
    return identifier in places and places[identifier].decision
