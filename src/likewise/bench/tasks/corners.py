"""Corners: documents of a topic that are alike, as those are that one person knows.

Documents are clustered by k-means in the space of their latent topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.lsa import latent_topics
from likewise.features.terms import TermCounter
from likewise.features.words import word_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.features.terms import AnalyzeAll

CORNERS = 5
FEWEST_IN_CORNER = 20
"""Of fewer documents than that for each, there are fewer corners."""
DIMENSIONS = 50
MOST_CLUSTERED = 5_000
"""Of more documents, so many at random are clustered, and the others come last."""
MOST_TURNS = 50


def by_corner(
    ids: Sequence[str],
    documents: Sequence[Document],
    *,
    analyze_all: AnalyzeAll,
    rng: np.random.Generator,
) -> list[str]:
    """Return documents with those of one corner first, then those of the corners next to it.

    Args:
        ids: The documents in random order, which they keep within a corner.
        documents: What they say.
        analyze_all: The engine's analysis.
        rng: Chooses the corner, each document's being as likely as any other's.
    """
    texts = {document.id: document for document in documents}
    told = [identifier for identifier in ids if identifier in texts][:MOST_CLUSTERED]
    if len(told) < 2 * FEWEST_IN_CORNER:
        return list(ids)
    counter = TermCounter(analyze_all)
    counter.add(texts[identifier] for identifier in told)
    weighted = word_features(counter.counts(told)).weighted
    vectors = latent_topics(weighted, rng=rng, dimensions=DIMENSIONS).vectors.astype(float)
    centres = _k_means(vectors, min(CORNERS, len(told) // FEWEST_IN_CORNER), rng=rng)
    nearest = _distances(vectors, centres).argmin(axis=1)
    chosen = centres[nearest[rng.integers(len(told))]]
    distance = np.linalg.norm(centres - chosen, axis=1)[nearest]
    first = [told[row] for row in np.argsort(distance, kind="stable")]
    return first + [identifier for identifier in ids if identifier not in set(first)]


def _k_means(
    vectors: NDArray[np.float64], count: int, *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the centres of clusters, begun far from one another (k-means++)."""
    centres = vectors[[rng.integers(len(vectors))]]
    while len(centres) < count:
        squares = _distances(vectors, centres).min(axis=1)
        chances = squares / squares.sum() if squares.sum() > 0 else None
        centres = np.vstack([centres, vectors[rng.choice(len(vectors), p=chances)]])
    for _ in range(MOST_TURNS):
        nearest = _distances(vectors, centres).argmin(axis=1)
        # A cluster that lost all its rows stays where it is.
        moved = [
            vectors[nearest == number].mean(axis=0) if (nearest == number).any() else centre
            for number, centre in enumerate(centres)
        ]
        if np.allclose(moved, centres):
            break
        centres = np.array(moved)
    return centres


def _distances(vectors: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return squared distances, a row a vector and a column a centre."""
    squares = (vectors**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * vectors @ centres.T, 0.0))
