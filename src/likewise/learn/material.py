"""What a method is given to score from, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from likewise.documents import Document
    from likewise.features.encoders import Encoder
    from likewise.features.lsa import Topics
    from likewise.features.pairs import WordPairs
    from likewise.features.terms import AnalyzeAll
    from likewise.features.words import WordFeatures
    from likewise.learn.explanations import TermModel
    from likewise.learn.folds import Scores
    from likewise.library.query import Term


@dataclass(frozen=True, kw_only=True)
class Material:
    """What methods score from: documents and features of the seeds, of negatives, of the pool."""

    seeds: int
    """How many of the first rows are known to be on topic: seeds, and what was marked relevant."""
    documents: Sequence[Document]
    analyze_all: AnalyzeAll
    """How the library makes terms of texts."""
    words: WordFeatures
    retrieval: Scores
    """What the engine's own ranking says of the seeds, each held out, and of the pool."""
    outside: float = 0.0
    """The share of the library's documents that are outside the pool."""
    engine_terms: Sequence[Term] = ()
    """The terms that the engine was asked for, each weighing what one occurrence of it adds."""
    encoder: Encoder | None = None
    """A pretrained encoder, if one is used."""
    vectors: NDArray[np.float32] | None = None
    """Those of the encoder, if there is one and the method learns from vectors."""
    negatives: int = 0
    """How many of the rows after the seeds are known to be off topic; the rest is the pool."""
    found: int = 0
    """How many of the seeds were marked relevant beside the negatives, and not given at first."""
    negative_weights: NDArray[np.float64] | None = None
    """How much each negative counts, on average 1: those from where many were marked, less."""
    topics: Topics | None = None
    """Latent topics, if they were made before: they depend on the documents alone."""
    pairs: WordPairs | None = None
    """Words and pairs of words, if they were made before: those of known rows at least."""
    unseen: int = 0
    """How many of the last rows are to be scored by models that learn from none of them."""

    @property
    def seen_pool(self) -> slice:
        """Where in the pool the documents are that may be learned from."""
        return slice(0, len(self.documents) - self.known - self.unseen)

    @property
    def known(self) -> int:
        """How many of the first rows are known to be on or off topic."""
        return self.seeds + self.negatives


class Scored(NamedTuple):
    """What a method says of the seeds, held out, and of the pool."""

    scores: Scores
    model: TermModel | None
    """The terms that moved documents up and down, if the method knows."""
    warnings: tuple[str, ...] = ()
    """What a person should know before trusting the scores, as "training stopped early: ..."."""


class OnStep(Protocol):
    """Hears how far a method is."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """Take the number of steps done and of all, and a few words on how it goes."""
        ...
