"""Rounds: what was learned becomes a query, and what it finds joins the pool.

The learned probabilities say in what share of the topic's documents each term is likely to occur:
in all documents decided to be on topic, each counted by its probability, and in the seeds, each
counted as `SEED_WEIGHT` documents. Such shares make a query just as the seeds' own do
(`library/more_like.py`), and it brings in documents that the seeds' words alone missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.library.more_like import terms_by_divergence
from likewise.library.query import FIELDS, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.features.words import WordFeatures
    from likewise.library.more_like import MoreLike
    from likewise.library.protocol import Library

SEED_WEIGHT = 5.0
LEAST_SHARE = 0.01
LEAST_ADDED = 0.01
"""Rounds stop when fewer new documents are likely than this share of what is decided."""


def learned_query(
    words: WordFeatures,
    probabilities: NDArray[np.float64],
    *,
    seeds: int,
    library: Library,
    settings: MoreLike,
) -> Query:
    """Return the query of what the topic's documents are likely to say.

    Args:
        words: The features of the seeds, of what is off topic, and of the pool.
        probabilities: Of the pool's documents that count; 0 for the others.
        seeds: How many of the rows are seeds.
        library: Where to look.
        settings: How many terms to take, and how to weigh them.
    """
    off = words.evidence.shape[0] - seeds - len(probabilities)
    counted = np.concatenate([np.full(seeds, SEED_WEIGHT), np.zeros(off), probabilities])
    size = len(words.terms)
    presence = words.evidence[:, : 2 * size]
    presence = (presence > 0).astype(np.float64)
    likely = (presence.T @ counted / counted.sum()).reshape(len(FIELDS), size)
    shares = {
        field: {words.terms[term]: float(row[term]) for term in np.flatnonzero(row > LEAST_SHARE)}
        for field, row in zip(FIELDS, likely, strict=True)
    }
    return Query(terms_by_divergence(library, shares, settings=settings))
