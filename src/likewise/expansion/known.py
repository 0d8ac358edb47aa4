"""What is known before the long work: the seeds, and what was marked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.expansion.seeds import check_enough
from likewise.learn.propensity import inverse_propensity
from likewise.learn.stopping.looked import Looked
from likewise.learn.stopping.posterior import scored_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.expansion.marks import Marks
    from likewise.expansion.seeds import Seeds
    from likewise.learn.folds import Scores
    from likewise.library.protocol import Library


class Known(NamedTuple):
    """What is known to be on topic, and what is known not to be."""

    seeds: Seeds
    """With what was marked relevant."""
    negatives: tuple[Document, ...] = ()
    weights: NDArray[np.float64] | None = None
    """How much each of these counts."""
    read: tuple[bool, ...] = ()
    """Of each document that was read and judged, in order: whether it is on topic."""

    def looked(self, scores: Scores) -> Looked:
        """Return what was read, with what scores, out of fold, expect of the rest by it."""
        given = len(self.seeds.given)
        found, off = scores.seeds[given:], scores.negatives
        marked = np.concatenate([found, off])
        known = np.where(np.isnan(marked), scores.pool.min(), marked)
        return Looked(
            labels=np.array(self.read, dtype=bool),
            size=len(self.read) + len(scores.pool),
            seeds=given,
            brought=len(found) - sum(self.read),
            scored=scored_by(np.arange(len(marked)) < len(found), known, scores.pool),
        )


def known_by_marks(library: Library, seeds: Seeds, marks: Marks) -> Known:
    """Return what seeds and marks say together: of a seed that is marked, the mark counts.

    Documents that the library does not hold any more are left out, but for seeds, whose text is
    known. Raises SeedsError where fewer than three different texts on topic are left.
    """
    if not marks:
        return Known(seeds)
    denied = {*marks.irrelevant, *marks.maybe}
    ids = {document.id for document in seeds.documents}
    given = {document.id: document for document in seeds.documents}
    held = library.get([name for name in (*marks.relevant, *marks.irrelevant) if name not in ids])
    documents = given | {document.id: document for document in held}
    kept = replace(
        seeds,
        matched=tuple(seed for seed in seeds.matched if seed.id not in denied),
        text_only=tuple(seed for seed in seeds.text_only if seed.id not in denied),
        marked=tuple(
            documents[name] for name in marks.relevant if name in documents and name not in ids
        ),
    )
    check_enough(kept)
    names = [name for name in marks.irrelevant if name in documents]
    ranks = np.array([marks.ranks.get(name, np.nan) for name in names], dtype=np.float64)
    weights = inverse_propensity(ranks) if names else None
    relevant, irrelevant = {document.id for document in kept.marked}, set(names)
    read = tuple(name in relevant for name in marks.read if name in relevant or name in irrelevant)
    return Known(kept, tuple(documents[name] for name in names), weights, read)
