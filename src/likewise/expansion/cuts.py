"""The cut: the line through a ranking, above which documents are decided to be on topic.

A person may move it. What is marked lies on the side that the mark says, wherever the line is. So
with f documents marked relevant, and p_1, p_2, ... the probabilities of those that are open, which
are neither marked relevant nor irrelevant, the list of a line with k open documents above it has

    the expected precision (f + p_1 + ... + p_k) / (f + k)
    and the expected recall (f + p_1 + ... + p_k) / (f + sum of all p)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace

from likewise.expansion.expansion import Estimates, Interval
from likewise.expansion.saved import PROBABILITY_DIGITS, stable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from likewise.expansion.expansion import Ranked
    from likewise.expansion.marks import Label
    from likewise.expansion.saved import SavedExpansion, SavedPlace
    from likewise.learn.judgement import Judgement

Place = TypeVar("Place", "Ranked", "SavedPlace")


class Pool(NamedTuple, Generic[Place]):
    """A ranking without its seeds, as a line sees it."""

    found: int
    """How many documents are marked relevant."""
    open: list[Place]
    """Those that the line decides about: neither marked relevant nor irrelevant."""


class Worth(NamedTuple):
    """What to expect of lists."""

    precision: NDArray[np.float64]
    """Of the documents of a list, the share that is on topic."""
    recall: NDArray[np.float64]
    """Of the documents in the pool that are on topic, the share that is in a list."""


class Expected(NamedTuple):
    """What to expect of what is decided."""

    precision: float
    recall: float


def pool_of(places: Sequence[Place], labels: Mapping[str, Label] | None = None) -> Pool[Place]:
    """Return a ranking as a line sees it.

    Args:
        places: The ranking.
        labels: What was said of documents by now; if not given, what was when they were ranked.
    """
    found, rest = 0, []
    for place in places:
        label = place.mark if labels is None else labels.get(place.id)
        if place.seed or label == "irrelevant":
            continue
        if label == "relevant":
            found += 1
        else:
            rest.append(place)
    return Pool(found, rest)


def cut_of(saved: SavedExpansion) -> int:
    """Return the rank below which the line lies; 0 if it lies above all."""
    return max((place.rank for place in pool_of(saved.ranking).open if place.decision), default=0)


def last_rank(saved: SavedExpansion) -> int:
    """Return the lowest rank below which a line can lie."""
    return max((place.rank for place in pool_of(saved.ranking).open), default=0)


def with_cut(saved: SavedExpansion, rank: int) -> SavedExpansion:
    """Return an expansion with the line below the document of this rank; 0 for above all."""
    ranking = tuple([_decided(place, rank) for place in saved.ranking])
    scores = [place.score for place in pool_of(ranking).open if place.decision]
    lowest = min((score for score in scores if score is not None), default=None)
    expected = expected_of(ranking)
    estimates = replace(
        saved.estimates,
        precision=stable(expected.precision, PROBABILITY_DIGITS),
        recall=stable(expected.recall, PROBABILITY_DIGITS),
    )
    return replace(saved, ranking=ranking, threshold=lowest, estimates=estimates)


def expected_of(places: Sequence[Place], labels: Mapping[str, Label] | None = None) -> Expected:
    """Return what to expect of what is decided; `labels` as in `pool_of`."""
    pool = pool_of(places, labels)
    decided = [place.probability or 0.0 for place in pool.open if place.decision]
    total = pool.found + math.fsum(place.probability or 0.0 for place in pool.open)
    reached = pool.found + math.fsum(decided)
    worth = worth_of(reached, documents=pool.found + len(decided), total=total)
    return Expected(float(worth.precision), float(worth.recall))


def worth_of(reached: ArrayLike, *, documents: ArrayLike, total: float) -> Worth:
    """Return what to expect of lists; 0 where there is nothing to have a share of.

    Args:
        reached: How many of each list are expected to be on topic.
        documents: How many documents each list has.
        total: How many in the pool are expected to be on topic.
    """
    part, whole = np.asarray(reached, dtype=np.float64), np.asarray(documents)
    precision = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return Worth(precision, part / total if total > 0 else np.zeros_like(part))


def _decided(place: SavedPlace, rank: int) -> SavedPlace:
    # Seeds, and what is marked, lie where they do wherever the line is.
    if place.seed or place.mark in ("relevant", "irrelevant"):
        return place
    decision = place.rank <= rank
    return place if place.decision == decision else replace(place, decision=decision)


def estimates_of(
    judgement: Judgement, ranking: Sequence[Ranked], *, outside: Interval | None
) -> Estimates:
    """Estimate what is on topic: what was marked so surely is, what else is with a probability."""
    pool, expected = pool_of(ranking), expected_of(ranking)
    return Estimates(
        relevant=Interval(*(pool.found + bound * len(pool.open) for bound in judgement.prior)),
        precision=expected.precision,
        recall=expected.recall,
        outside=outside,
    )
