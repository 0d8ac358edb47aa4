"""What a method is given to score from, how its rows are dealt to models, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.features.encoders import Encoder
from likewise.features.lsa import Topics
from likewise.features.pairs import WordPairs
from likewise.features.tokens import AnalyzeAll
from likewise.features.words import WordFeatures
from likewise.learn.explanations import TermModel
from likewise.learn.folds import Scores, measure_scale
from likewise.learn.rows import stack_rows
from likewise.library.protocol import Term

POWER = 0.5
MOST = 4.0


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


def place_negatives(scores: Scores, *, of: Material) -> Scores:
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


class DealtRows(NamedTuple):
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
    def of(cls, rows: Any, material: Material, *, by: str) -> DealtRows:
        """Deal the rows of a material as one of the ways asks for."""
        count, unseen = material.negatives, material.unseen
        negative, pool = rows[material.seeds : material.known], rows[material.known :]
        if not count or by == "unlabeled":
            return cls(rows[material.seeds :], unseen, before=count)
        if by == "ignore":
            return cls(stack_rows([pool, negative]), unseen + count, after=count)
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


def weigh_by_propensity(
    ranks: NDArray[np.float64], *, power: float = POWER, most: float = MOST
) -> NDArray[np.float64]:
    """Return how much each mark counts, on average 1.

    >>> inverse_propensity(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 1.0, 1.0]
    >>> inverse_propensity(np.array([2.0, 3.0, 9.0])).round(2).tolist()
    [0.62, 0.62, 1.76]

    Args:
        ranks: From 1; NaN where there was none.
        power: How far to go: 0 counts all alike, 1 as the formula of inverse propensity has it.
        most: How much more than the least one may count.
    """
    is_known = ~np.isnan(ranks)
    if not is_known.any():
        return np.ones(len(ranks))
    stretch = np.floor(np.log2(np.maximum(ranks[is_known], 1))).astype(np.int64)
    counted = np.bincount(stretch)
    stands_for = (2.0**stretch / counted[stretch]) ** power
    stands_for = np.minimum(stands_for, most * stands_for.min())
    weights = np.full(len(ranks), stands_for.mean())
    weights[is_known] = stands_for
    return np.asarray(weights / weights.mean())


def fuse_scores(parts: Sequence[Scored], *, weights: Sequence[float] | None = None) -> Scored:
    """Average what several methods say; the first that knows terms explains it."""
    counted = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    on_one_scale = [_scale_scores(part.scores) for part in parts]
    scores = Scores(
        *(_average_known(np.array(kind), counted) for kind in zip(*on_one_scale, strict=True))
    )
    model = next((part.model for part in parts if part.model), None)
    warnings = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Scored(scores, model, tuple(warnings))


def _scale_scores(scores: Scores) -> Scores:
    mean, deviation = measure_scale(scores.pool)
    return Scores(*((part - mean) / deviation for part in scores))


def _average_known(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted mean of each column without what is not known; NaN where nothing is.

    >>> _mean_of_known(np.array([[1.0, np.nan], [3.0, 5.0]]), np.array([3.0, 1.0])).tolist()
    [1.5, 5.0]
    """
    counted = np.where(np.isnan(scores), 0, weights[:, None])
    total = counted.sum(axis=0)
    summed = (counted * np.nan_to_num(scores)).sum(axis=0)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)
