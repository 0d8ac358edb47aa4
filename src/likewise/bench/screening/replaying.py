"""Replays: a review is screened again, round by round, in the order of a method.

It starts from seeds alone. A round learns from what is known so far, ranks the records that were
not looked at, and looks at the likeliest; whether they are on topic is what people decided. The
order is kept, and so is the evidence of each round, so that stopping rules and estimates can be
tried later without learning again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from likewise.bench.methods.view import CountedTerms
from likewise.bench.screening.reviews import ReplayStart, Review
from likewise.documents import Document
from likewise.features.pairs import make_word_pairs, read_word_sequences
from likewise.features.words import find_latent_topics, make_word_features
from likewise.learn.experience import (
    Experience,
    past_experience,
    read_material_signs,
    read_score_signs,
)
from likewise.learn.folds import Scores
from likewise.learn.material import Material
from likewise.learn.spelling import Fusion, Method
from likewise.learn.stopping.left import Standing
from likewise.learn.views import EngineView, PairView, TopicView, ViewSources, make_views


class Look(NamedTuple):
    """A record that was looked at."""

    row: int
    is_on_topic: bool


@dataclass
class ReplayState:
    """What is known in a replay so far: seeds, and records that were looked at."""

    seeds: tuple[int, ...]
    looked: list[Look] = field(default_factory=list)
    rounds: list[Evidence] = field(default_factory=list)
    """What was known at each round."""

    @property
    def relevant(self) -> list[int]:
        """The rows that are known to be on topic."""
        return [*self.seeds, *(one.row for one in self.looked if one.is_on_topic)]

    @property
    def irrelevant(self) -> list[int]:
        """The rows that are known to be off topic."""
        return [one.row for one in self.looked if not one.is_on_topic]

    @property
    def found(self) -> int:
        """How many records on topic were found, seeds aside."""
        return sum(one.is_on_topic for one in self.looked)


class Evidence(msgspec.Struct, frozen=True):
    """What was known when a round had learned, before it looked at anything."""

    looked_at: int
    found: int
    usual: tuple[float, float, float]
    """How many are left, judging by other topics, with the ends of an 80 % interval."""
    scored: tuple[float, float, float, float] | None
    """How many on topic the scores predict (`learn/stopping/__init__.py`)."""
    reached: int
    """How many seeds would rank above all records not looked at, if each were held out."""


class RankedRest(NamedTuple):
    """The records that were not looked at, the likeliest first."""

    rows: NDArray[np.int64]
    evidence: Evidence


def choose_batch(records: int, *, rounds: int = 100) -> int:
    """Return how many records to look at in a round, so that there are about `rounds` rounds.

    >>> choose_batch(2290), choose_batch(60)
    (22, 1)
    """
    return max(1, records // rounds)


def count_enough(recall: float, *, on_topic: int) -> int:
    """Return how many records on topic make up a recall.

    >>> count_enough(0.5, on_topic=35), count_enough(0.07, on_topic=100)
    (18, 7)
    """
    # Products of shares may be off in their last digits.
    return math.ceil(recall * on_topic - 1e-9)


def replay_review(  # noqa: PLR0913  # a review, what is known of it, and how it is replayed
    review: Review,
    records: ReviewRecords,
    start: ReplayStart,
    *,
    method: Method | Fusion,
    batch: int,
    until: float | None = None,
    rng: np.random.Generator,
    on_round: Callable[[ReplayState], None] | None = None,
) -> ReplayState:
    """Replay a review from a start until a recall is reached, or nothing is left to look at."""
    known = ReplayState(tuple(records.rows[identifier] for identifier in start.seeds))
    # What was learned from this very review must not be used.
    experience = past_experience().without(review.name)
    enough = math.inf
    if until is not None:
        enough = count_enough(until, on_topic=len(review.on_topic) - len(known.seeds))
    while len(known.seeds) + len(known.looked) < len(records):
        rest = rank_rest(records, known, method=method, rng=rng, experience=experience)
        known.rounds.append(rest.evidence)
        if known.found >= enough:
            break
        for row in rest.rows[:batch].tolist():
            known.looked.append(Look(row, records.documents[row].id in review.on_topic))
        if on_round:
            on_round(known)
    return known


def rank_rest(
    records: ReviewRecords,
    known: ReplayState,
    *,
    method: Method | Fusion,
    rng: np.random.Generator,
    experience: Experience | None = None,
) -> RankedRest:
    """Learn from what is known, and rank the records that were not looked at."""
    relevant, irrelevant, seeds = known.relevant, known.irrelevant, len(known.seeds)
    pool = np.setdiff1d(np.arange(len(records)), [*relevant, *irrelevant])
    material = records.make_material(relevant, irrelevant, pool.tolist(), found=known.found)
    scores = method.score(material, rng=rng).scores
    negatives = np.where(np.isnan(scores.negatives), scores.pool.min(), scores.negatives)
    order = np.argsort(-scores.pool, kind="stable")
    standing = Standing(
        seeds=scores.seeds[:seeds],
        looked_at=np.concatenate([scores.seeds[seeds:], negatives]),
        labels=np.arange(len(known.looked)) < known.found,
        rest=scores.pool[order],
    )
    signs = read_score_signs(standing.make_ranking().whole) | read_material_signs(
        material, scores, given=seeds
    )
    usual = standing.estimate_usual_left(signs, experience=experience or past_experience())
    evidence = Evidence(
        len(known.looked),
        known.found,
        usual=(usual.value, usual.low, usual.high),
        scored=standing.expect_by_scores(),
        reached=int((scores.seeds[:seeds] >= scores.pool.max()).sum()),
    )
    return RankedRest(pool[order], evidence)


class ReviewRecords:
    """The records of a review as rows of features, made once for all rounds."""

    def __init__(self, documents: Sequence[Document]) -> None:
        """Make the features of all records."""
        self.documents = tuple(documents)
        self.rows = {document.id: row for row, document in enumerate(self.documents)}
        words = make_word_features(CountedTerms().counts(self.documents))
        sources = ViewSources(self.documents, words, retrieval=Scores(np.empty(0), np.empty(0)))
        made = (
            TopicView(find_latent_topics(words.tfidf, rng=np.random.default_rng(0))),
            PairView(make_word_pairs(read_word_sequences(self.documents))),
        )
        self.views = make_views(sources) | {view.name: view for view in made}
        # The ranking that stands in for an engine's depends on what is known in a round.
        del self.views["engine"]

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self.documents)

    def make_material(
        self,
        relevant: Sequence[int],
        irrelevant: Sequence[int],
        pool: Sequence[int],
        *,
        found: int = 0,
    ) -> Material:
        """Return what methods learn from: rows on topic, rows off topic, then the pool.

        The last `found` of the rows on topic are not seeds.
        """
        order = np.array([*relevant, *irrelevant, *pool], dtype=np.int64)
        views = {name: view.take(order) for name, view in self.views.items()}
        tfidf = views["words"].evidence.tfidf
        likeness = _rate_likeness(tfidf, len(relevant), len(irrelevant))
        return Material(
            seeds=len(relevant),
            negatives=len(irrelevant),
            found=found,
            documents=[self.documents[row] for row in order],
            views=views | {"engine": EngineView(likeness)},
            analyze_all=CountedTerms.analyze_all,
        )


def _rate_likeness(tfidf: sparse.csr_array, relevant: int, irrelevant: int) -> Scores:
    """Return how similar each row is to the relevant ones, in place of an engine's scores.

    Each relevant row is compared with the other relevant rows.
    """
    total = np.asarray(tfidf[:relevant].sum(axis=0)).ravel()
    likeness = np.asarray(tfidf @ total, dtype=np.float64)
    squares = np.asarray(tfidf[:relevant].power(2).sum(axis=1), dtype=np.float64).ravel()
    held_out = (likeness[:relevant] - squares) / max(1, relevant - 1)
    others = likeness[relevant:] / relevant
    return Scores(held_out, others[irrelevant:], others[:irrelevant])
