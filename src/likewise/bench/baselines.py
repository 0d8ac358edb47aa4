"""Baselines that are no methods of the product: what any method should be above, and below.

*All positive* takes the whole pool for on topic. *Random pool* learns from documents that were not
retrieved, but drawn. The *upper bound* learns from the truth about the pool, which only its caller
can give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from likewise.errors import SettingsError
from likewise.learn.estimators import stacked
from likewise.learn.folds import folds
from likewise.library.query import Hits, Query

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from likewise.library.protocol import Library

FOLDS = 4


class Scorer(Protocol):
    """Anything that has learned to score rows."""

    def decision_function(self, rows: Any, /) -> NDArray[np.float64]:
        """Return a score for each row, the higher the likelier it is on topic."""
        ...


def all_positive(pool: Sequence[str]) -> NDArray[np.bool_]:
    """Decide that every document of a pool is on topic."""
    return np.ones(len(pool), dtype=bool)


def random_pool(library: Library, ids: Sequence[str], *, rng: np.random.Generator) -> Library:
    """Return a library whose searches find documents at random, whatever is asked for.

    An expansion of it has a drawn pool instead of a retrieved one; all else is as before.

    Args:
        library: Where the documents are.
        ids: Those that may be drawn; libraries do not list theirs.
        rng: Draws them, for each search anew.
    """
    return cast("Library", _DrawnFrom(library, ids, rng))


def upper_bound(
    learn: Callable[[Any, Any], Scorer],
    rows: Any,
    *,
    truth: NDArray[np.bool_],
    rng: np.random.Generator,
    seeds: Any = None,
) -> NDArray[np.float64]:
    """Return the scores of a pool by models that learned from the truth about the rest of it.

    Args:
        learn: Learns from rows on topic and rows off topic, as in
            `lambda on, off: PULogistic().learn(on, off)`, afresh each time.
        rows: The rows of the pool.
        truth: Which of them are on topic.
        rng: Deals the rows into folds, those on and those off topic alike.
        seeds: Rows on topic that are no part of the pool; every model learns from them too.
    """
    if min(truth.sum(), (~truth).sum()) < 2:
        raise SettingsError(
            f"{truth.sum()} of {len(truth)} documents are on topic; "
            "an upper bound needs at least 2 on and 2 off topic"
        )
    fold = np.empty(len(truth), dtype=int)
    for side in (truth, ~truth):
        fold[side] = folds(int(side.sum()), FOLDS, rng=rng)
    scores = np.empty(len(truth))
    for number in range(fold.max() + 1):
        held_out = fold == number
        on, off = rows[truth & ~held_out], rows[~truth & ~held_out]
        model = learn(on if seeds is None else stacked([seeds, on]), off)
        scores[held_out] = model.decision_function(rows[held_out])
    return scores


class _DrawnFrom:
    """A library, but for what its searches find."""

    def __init__(self, library: Library, ids: Sequence[str], rng: np.random.Generator) -> None:
        self._library = library
        self._ids = ids
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:  # noqa: ARG002
        """Draw documents, as many as were asked for and there are."""
        excluded = set(exclude)
        left = [identifier for identifier in self._ids if identifier not in excluded]
        drawn = self._rng.permutation(len(left))[:limit]
        return Hits(
            [left[place] for place in drawn], (1 - np.arange(len(drawn)) / len(left)).tolist()
        )
