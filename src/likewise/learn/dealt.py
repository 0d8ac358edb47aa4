"""How rows are dealt to models: what is known to be off topic as such, or as one of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.learn.estimators import stacked
from likewise.learn.folds import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.material import Material


def with_negatives(scores: Scores, *, of: Material) -> Scores:
    """Return scores with those of the negatives in their place.

    A method that knows of no negatives either takes them for the first documents of the pool, or
    leaves them out: then their scores are not known.
    """
    if len(scores.negatives) == of.negatives:
        return scores
    pool = len(of.documents) - of.known
    if len(scores.pool) == pool + of.negatives:
        return Scores(scores.seeds, scores.pool[of.negatives :], scores.pool[: of.negatives])
    return scores._replace(negatives=np.full(of.negatives, np.nan))


class Dealt(NamedTuple):
    """The rows of all that are no seeds, by what models are told of them."""

    unlabeled: Any
    unseen: int
    """How many of the last of these are only scored."""
    negative: Any = None
    weights: NDArray[np.float64] | None = None
    """Of the negative rows, if they do not all count the same."""
    before: int = 0
    """How many of the first unlabeled rows are known to be off topic, which is not told ..."""
    after: int = 0
    """... and how many of the last."""

    @classmethod
    def of(cls, rows: Any, material: Material, *, by: str) -> Dealt:
        """Deal the rows of a material as one of the ways asks for."""
        count, unseen = material.negatives, material.unseen
        negative, pool = rows[material.seeds : material.known], rows[material.known :]
        if not count or by == "unlabeled":
            return cls(rows[material.seeds :], unseen, before=count)
        if by == "ignore":
            return cls(stacked([pool, negative]), unseen + count, after=count)
        return cls(pool, unseen, negative, material.negative_weights)

    @property
    def seen(self) -> int:
        """How many of the unlabeled rows models learn from, if they are not held out."""
        return int(self.unlabeled.shape[0]) - self.unseen

    def scores(self, found: Scores) -> Scores:
        """Return scores with those of negatives where they belong."""
        if self.negative is not None:
            return found
        end = len(found.pool) - self.after
        negatives = np.append(found.pool[: self.before], found.pool[end:])
        return Scores(found.seeds, found.pool[self.before : end], negatives)
