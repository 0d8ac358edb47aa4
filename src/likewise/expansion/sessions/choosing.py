"""What to look at next: the likeliest, the least certain, what tells most, a random sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.cuts import cut_of, pool_of
from likewise.expansion.sessions.looking import looking_of

if TYPE_CHECKING:
    from likewise.expansion.marks import Strategy
    from likewise.expansion.saved import SavedPlace
    from likewise.expansion.sessions.looking import Looking
    from likewise.expansion.sessions.session import Session

SPREAD = 5.0
"""Ranks that tell how long the list should be lie between the cut divided and multiplied by it."""


def choose(
    session: Session, count: int, strategy: Strategy, *, rng: np.random.Generator
) -> list[SavedPlace]:
    """Return so many documents to look at next; none that is marked.

    Args:
        session: The session; an audit is written into it.
        count: How many, at most.
        strategy: `likely`, the best ones; `uncertain`, those nearest to where the decision falls;
            `calibrate`, ranks spread around the cut and far below it, which tell how large the
            topic is; `audit`, a random sample of all that was not looked at. An audit that was not
            finished is continued before another is drawn.
        rng: Draws the audit.
    """
    looking = looking_of(session)
    if strategy == "audit":
        return _audited(session, looking, count, rng=rng)
    if strategy == "calibrate":
        return _spread(looking, count)
    return (looking.rest if strategy == "likely" else _least_certain(looking))[:count]


def _audited(
    session: Session, looking: Looking, count: int, *, rng: np.random.Generator
) -> list[SavedPlace]:
    places = {place.id: place for place in looking.rest}
    drawn = looking.unfinished
    if not drawn and places:
        population = list(places)
        rows = rng.choice(len(population), size=min(count, len(population)), replace=False)
        drawn = [population[row] for row in rows]
        session.add_audit(drawn, population=population)
    return [places[identifier] for identifier in drawn[:count]]


def _spread(looking: Looking, count: int) -> list[SavedPlace]:
    """Return documents at ranks that lie evenly over the logarithm, and were not looked at."""
    rest = list(looking.rest)
    cut, last = max(cut_of(looking.saved), 1), max((place.rank for place in rest), default=1)
    ranks = np.geomspace(max(1.0, cut / SPREAD), min(last, SPREAD * cut), count)
    chosen: list[SavedPlace] = []
    for rank in ranks.tolist():
        if rest:
            nearest = min(rest, key=lambda place: abs(place.rank - rank))
            rest.remove(nearest)
            chosen.append(nearest)
    return sorted(chosen, key=lambda place: place.rank)


def _least_certain(looking: Looking) -> list[SavedPlace]:
    """Return what was not looked at, those nearest to the margin of the decision first."""
    # What was marked by then lies where its mark says, however likely it is.
    places = pool_of(looking.saved.ranking).open
    decided = [_probability(place) for place in places if place.decision]
    others = [_probability(place) for place in places if not place.decision]
    margin = (min(decided, default=1.0) + max(others, default=0.0)) / 2
    # Many may be equally likely: of these, the ones on both sides of the cut come first.
    cut = cut_of(looking.saved) + 0.5
    return sorted(
        looking.rest,
        key=lambda place: (abs(_probability(place) - margin), abs(place.rank - cut), place.rank),
    )


def _probability(place: SavedPlace) -> float:
    return place.probability or 0.0
