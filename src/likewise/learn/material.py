"""The material that a method scores, how its rows are dealt to models, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.features import AnalyzeAll
from likewise.features.encoders import Encoder
from likewise.features.words import WordFeatures
from likewise.learn.explanations import TermModel, TermSum
from likewise.learn.folds import Learner, Scores, measure_scale
from likewise.learn.rows import Numbers, stack_rows

POWER = 0.5
"""How far marks are weighed: 0 counts all alike, 1 applies inverse propensity in full."""
MOST = 4.0
"""How many times as much as the least one a mark may count."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """What methods score from: seeds, negatives and pool, row by row, and views of these rows."""

    seeds: int
    """How many of the first rows are known to be on topic: seeds, and what was marked relevant."""
    documents: Sequence[Document]
    views: Mapping[str, View]
    """Every source of evidence by its name (`views.py`); words and the engine are always there."""
    analyze_all: AnalyzeAll
    """How the library makes terms of texts."""
    outside: float = 0.0
    """The share of the library's documents that are outside the pool."""
    encoder: Encoder | None = None
    """A pretrained encoder, if one is used."""
    negatives: int = 0
    """How many of the rows after the seeds are known to be off topic; the rest is the pool."""
    found: int = 0
    """How many of the seeds were not given at first, but marked relevant later."""
    negative_weights: Numbers | None = None
    """How much each negative counts, on average 1: less where many were marked."""
    unseen: int = 0
    """How many of the last rows are to be scored by models that learn from none of them."""

    @property
    def words(self) -> WordFeatures:
        """The words of the documents."""
        return cast("WordFeatures", self.views["words"].evidence)

    @property
    def retrieval(self) -> Scores:
        """What the engine's own ranking says of the seeds, each held out, and of the pool."""
        return cast("Scores", self.views["engine"].evidence)

    @property
    def vectors(self) -> NDArray[np.float32] | None:
        """The vectors of the encoder, if there is one and the method learns from vectors."""
        return self.views["vectors"].evidence if "vectors" in self.views else None

    @property
    def seen_pool(self) -> slice:
        """The places in the pool of the documents that may be learned from."""
        return slice(0, len(self.documents) - self.known - self.unseen)

    @property
    def known(self) -> int:
        """How many of the first rows are known to be on or off topic."""
        return self.seeds + self.negatives

    def with_views(self, *views: View) -> Material:
        """Return the material with further views; they replace views of the same names."""
        return replace(self, views={**self.views, **{view.name: view for view in views}})


@dataclass(frozen=True)
class LinearPlan:
    """How the linear method is to learn from the views of a material."""

    material: Material
    way: Callable[[int], ViewWeights]
    """How much views count, given how many negatives there are (one at least)."""
    regressions: float
    """How much regressions on the pool count."""
    strengths: tuple[float, float]
    """How freely regressions may fit: first those of terms, then those of topics and vectors."""
    library: float
    """How much the engine's contrast with the library counts, beside that with the pool."""
    rng: np.random.Generator
    citations: float = 1.0
    """How much links with the seeds count, times what they are worth by held-out seeds."""

    @property
    def has_negatives(self) -> bool:
        """Whether anything is learned from negatives."""
        return bool(self.weigh(self.material.negatives).negatives)

    @property
    def negative_counts(self) -> Numbers:
        """How much each row counts as a negative."""
        material, counts = self.material, np.ones(len(self.material.documents))
        if material.negative_weights is not None:
            counts[material.seeds : material.known] = material.negative_weights
        return counts

    def weigh(self, count: int) -> ViewWeights:
        """Return how much views count beside this many negatives."""
        return self.way(count) if count else ViewWeights(1.0, 0.5, 0.0)


class ViewWeights(NamedTuple):
    """How much views count."""

    divergence: float
    pool: float
    """For each regression of seeds against the pool."""
    negatives: float
    """For machines of seeds against negatives."""


Explain = Callable[[Any], Iterable[TermSum]]
"""Turns a learned estimator into the sums over words that it consists of, if any."""


@dataclass(frozen=True)
class LearnedPart:
    """What the linear method learns from a view: the estimator, its rows, and its weight."""

    estimator: Learner
    rows: Any
    weight: Callable[[int], float]
    """Given how many negatives there are."""
    explain: Explain = lambda _: ()
    of_negatives: bool = False
    """Whether it learns from negatives rather than from the pool."""


class ScoredPart(NamedTuple):
    """What a view adds to the linear method without learning: scores."""

    scores: Scores
    weight: float
    """Beside divergence, which counts 1."""
    sums: Sequence[TermSum] = ()
    """The sums over words that the scores consist of."""


@dataclass(frozen=True, eq=False)
class View:
    """A named source of evidence about documents.

    A subclass says in `list_learned` or in `list_scored` what it adds to the linear method, how
    much that counts, and in which words it explains a score. If its evidence is not an array, its
    `of(rows)` picks rows. It is registered in `VIEWS` of `views.py`.
    """

    name: ClassVar[str]
    evidence: Any
    """The evidence, one row for each document."""

    def list_learned(self, plan: LinearPlan) -> list[LearnedPart]:  # noqa: ARG002  # some have none
        """Return what the linear method learns from it."""
        return []

    def list_scored(self, plan: LinearPlan) -> list[ScoredPart]:  # noqa: ARG002
        """Return scores that the linear method takes as they are."""
        return []

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the same view of these rows, in this order."""
        evidence = self.evidence
        if evidence is not None:
            evidence = evidence.of(rows) if hasattr(evidence, "of") else evidence[rows]
        return replace(self, evidence=evidence)


class Scored(NamedTuple):
    """What a method says of the seeds, held out, and of the pool."""

    scores: Scores
    model: TermModel | None
    """The terms that moved documents up and down, if the method knows."""
    warnings: tuple[str, ...] = ()
    """What to know before trusting the scores, such as "training stopped early: ..."."""


class OnStep(Protocol):
    """A callback that is told how far a method is."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """Take the number of steps done, the number of all steps, and a few words on progress."""
        ...


def place_negatives(scores: Scores, *, of: Material) -> Scores:
    """Return the scores with those of the negatives taken out of the pool's.

    A method that does not know negatives either takes them for the first documents of the pool, or
    leaves them out, so that their scores are not known.
    """
    if len(scores.negatives) == of.negatives:
        return scores
    pool = len(of.documents) - of.known
    if len(scores.pool) == pool + of.negatives:
        return Scores(scores.seeds, scores.pool[of.negatives :], scores.pool[: of.negatives])
    return scores._replace(negatives=np.full(of.negatives, np.nan))


@dataclass(frozen=True)
class DealtRows:
    """The rows of all documents but the seeds, grouped by what models are told of them."""

    unlabeled: Any
    unseen: int
    """How many of the last unlabeled rows are only scored."""
    negative: Any = None
    weights: Numbers | None = None
    """The weights of the negative rows, if they do not all count the same."""
    before: int = 0
    """How many of the first unlabeled rows are negatives, though models are not told so ..."""
    after: int = 0
    """... and how many of the last."""

    @classmethod
    def of(cls, rows: Any, material: Material, *, by: str) -> DealtRows:
        """Group the rows of a material as a way of learning from negatives asks for."""
        count, unseen = material.negatives, material.unseen
        negative, pool = rows[material.seeds : material.known], rows[material.known :]
        if not count or by == "unlabeled":
            return cls(rows[material.seeds :], unseen, before=count)
        if by == "ignore":
            return cls(stack_rows([pool, negative]), unseen + count, after=count)
        return cls(pool, unseen, negative, material.negative_weights)

    @property
    def seen(self) -> int:
        """How many of the unlabeled rows models learn from, unless they are held out."""
        return int(self.unlabeled.shape[0]) - self.unseen

    def scores(self, found: Scores) -> Scores:
        """Return the scores with those of the negatives where they belong."""
        if self.negative is not None:
            return found
        end = len(found.pool) - self.after
        negatives = np.append(found.pool[: self.before], found.pool[end:])
        return Scores(found.seeds, found.pool[self.before : end], negatives)


def weigh_by_propensity(ranks: Numbers) -> Numbers:
    """Return how much each mark counts by inverse propensity, on average 1.

    People look at the top of a list. Of n marks in a stretch of the ranking that holds m documents,
    each stands for m / n of them. Stretches double in length (1, 2-3, 4-7, ...), and a mark counts

        (m / n) ^ POWER, at most MOST times as much as the one that counts least

    A mark outside the ranking, whose rank is NaN, counts as much as the mean of the others.

    >>> weigh_by_propensity(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 1.0, 1.0]
    >>> weigh_by_propensity(np.array([2.0, 3.0, 9.0])).round(2).tolist()
    [0.62, 0.62, 1.76]
    """
    is_known = ~np.isnan(ranks)
    if not is_known.any():
        return np.ones(len(ranks))
    stretch = np.floor(np.log2(np.maximum(ranks[is_known], 1))).astype(np.int64)
    counted = np.bincount(stretch)
    stands_for = (2.0**stretch / counted[stretch]) ** POWER
    stands_for = np.minimum(stands_for, MOST * stands_for.min())
    weights = np.full(len(ranks), stands_for.mean())
    weights[is_known] = stands_for
    return np.asarray(weights / weights.mean())


def fuse_scores(parts: Sequence[Scored], *, weights: Sequence[float] | None = None) -> Scored:
    """Average the scores of several methods; the first that knows its terms explains them."""
    counted = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    on_one_scale = []
    for scores, *_ in parts:
        mean, deviation = measure_scale(scores.pool)
        on_one_scale.append([(kind - mean) / deviation for kind in scores])
    fused = (_average_known(np.array(kind), counted) for kind in zip(*on_one_scale, strict=True))
    model = next((part.model for part in parts if part.model), None)
    warnings = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Scored(Scores(*fused), model, tuple(warnings))


def _average_known(scores: Numbers, weights: Numbers) -> Numbers:
    """Return the weighted mean of what is known in each column; NaN if nothing is.

    >>> _average_known(np.array([[1.0, np.nan], [3.0, 5.0]]), np.array([3.0, 1.0])).tolist()
    [1.5, 5.0]
    """
    counted = np.where(np.isnan(scores), 0, weights[:, None])
    total = counted.sum(axis=0)
    summed = (counted * np.nan_to_num(scores)).sum(axis=0)
    return np.where(total > 0, summed / np.where(total > 0, total, 1), np.nan)
