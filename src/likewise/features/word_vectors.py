"""Word vectors from the documents at hand: words that occur in the same documents are alike.

They are the main directions of the documents' tf-idf (`lsa.py`), read by word instead of by
document, each scaled by the root of its weight; a word's vector has as many parts as directions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.features.lsa import latent_topics
from likewise.features.sequences import row_counts
from likewise.features.tokens import PADDING, UNKNOWN
from likewise.features.words import tfidf, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from likewise.features.tokens import TokenIds


def word_vectors(
    tokens: TokenIds, *, dimensions: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return a vector for each token id, its parts of deviation 1; 0 for padding and unknown.

    Where documents are too few for so many directions, the parts that are left over are 0.
    """
    topics = latent_topics(tfidf(_counts(tokens)), rng=rng, dimensions=dimensions)
    weights = np.linalg.norm(topics.vectors * topics.lengths[:, None], axis=0)
    vectors = np.zeros((tokens.size, dimensions), dtype=np.float32)
    vectors[:, : len(weights)] = topics.directions.T * np.sqrt(weights)
    vectors[[PADDING, UNKNOWN]] = 0
    return np.asarray(unit_rows(vectors) * np.sqrt(dimensions), dtype=np.float32)


def _counts(tokens: TokenIds) -> sparse.csr_array:
    """Return how often each word occurs in each document."""
    title, abstract = (
        row_counts(field, columns=tokens.size) for field in (tokens.title, tokens.abstract)
    )
    return (title + abstract).tocsr()
