"""The ranking: all documents by score, with rank, probability, decision and mark, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from likewise.expansion.candidates import Candidates
from likewise.expansion.citing import MOST_FINDS, describe_links, list_seed_links
from likewise.expansion.cuts import estimate_worth, split_pool
from likewise.expansion.marks import Label, Marks
from likewise.expansion.records import (
    DOWN,
    UP,
    Estimates,
    Explanation,
    ExplanationNumbers,
    Explanations,
    Place,
    Recapture,
    SeedLink,
)
from likewise.learn.citations import SeedLinks, count_seed_links
from likewise.learn.estimates import Interval
from likewise.learn.explanations import TermModel
from likewise.learn.folds import Scores
from likewise.learn.judgement import Judgement
from likewise.learn.thresholds import Keep
from likewise.learn.views import explain_divergence


def rank_candidates(
    candidates: Candidates, judgement: Judgement, scores: Scores, *, keep: Keep, marks: Marks
) -> tuple[Place, ...]:
    """Rank the pool from 1; seeds and marked documents get the rank of their held-out scores."""
    order = np.argsort(-scores.pool, kind="stable")
    probabilities, is_decided = judgement.probabilities(scores.pool), judgement.decide(keep)
    maybe = set(marks.maybe)
    pool = [
        Place(
            id=candidates.pool[row],
            rank=rank,
            score=float(scores.pool[row]),
            probability=float(probabilities[row]),
            decision=bool(is_decided[row]),
            seed=False,
            mark="maybe" if candidates.pool[row] in maybe else None,
        )
        for rank, row in enumerate(order, 1)
    ]
    known = _place_known(candidates, judgement, scores, marks=marks)
    return tuple(sorted([*known, *pool], key=lambda place: (-place.height, not place.seed)))


def _place_known(
    candidates: Candidates, judgement: Judgement, scores: Scores, *, marks: Marks
) -> list[Place]:
    """Return the places of seeds and marked documents, by their held-out scores."""
    ids = [*candidates.seed_ids, *candidates.negative_ids]
    held_out = np.concatenate([scores.seeds, scores.negatives])
    held_out = np.where(np.isnan(held_out), scores.pool.min(), held_out)
    ranks = np.searchsorted(np.sort(-scores.pool), -held_out, side="left") + 1
    probabilities = judgement.probabilities(held_out)
    seeds, relevant = len(candidates.seeds.given), set(marks.relevant)
    return [
        Place(
            id=identifier,
            rank=int(ranks[row]),
            score=float(held_out[row]),
            probability=1.0 if row < seeds else float(probabilities[row]),
            decision=row < len(candidates.seed_ids),
            seed=row < seeds,
            mark=_choose_mark(identifier, relevant, is_on=row < len(candidates.seed_ids)),
        )
        for row, identifier in enumerate(ids)
    ]


def _choose_mark(identifier: str, relevant: set[str], *, is_on: bool) -> Label | None:
    if not is_on:
        return "irrelevant"
    return "relevant" if identifier in relevant else None


def make_estimates(
    judgement: Judgement,
    ranking: Sequence[Place],
    *,
    outside: Interval | None,
    recapture: Recapture | None = None,
) -> Estimates:
    """Estimate what is on topic: marks count as certain, all else by its probability."""
    pool, expected = split_pool(ranking), estimate_worth(ranking)
    return Estimates(
        relevant=Interval(*(pool.found + bound * len(pool.open) for bound in judgement.prior)),
        precision=expected.precision,
        recall=expected.recall,
        outside=outside,
        recapture=recapture,
    )


BLOCK = 10_000
"""How many documents are compared with the seeds at a time."""


class Explainer:
    """Explains the documents of an expansion on demand."""

    def __init__(self, candidates: Candidates, *, model: TermModel | None) -> None:
        self._candidates = candidates
        self._given = model
        self._rows = {identifier: row for row, identifier in enumerate(candidates.ids)}

    def __call__(self, identifier: str) -> Explanation:
        """Return why the document with this id has its score."""
        row = self._rows[identifier]
        terms, values = self._model.sum_terms(row)
        up = self._find_furthest(terms, values)
        down = [(term, -value) for term, value in self._find_furthest(terms, -values)]
        return Explanation(
            tuple(term for term, _ in up),
            tuple(term for term, _ in down),
            self._candidates.seed_ids[self._nearest[row]],
            weights=dict([*up, *down]),
            links=self.links.get(identifier, ""),
        )

    def _find_furthest(
        self, terms: NDArray[np.int64], values: NDArray[np.float64]
    ) -> list[tuple[str, float]]:
        """Return the `UP` terms of the largest values above 0; ties are in alphabetical order."""
        least = np.partition(values, -UP)[-UP] if len(values) > UP else -np.inf
        kept = np.flatnonzero((values > 0) & (values >= least))
        names = [self._model.names[term] for term in terms[kept].tolist()]
        found = zip(names, values[kept].tolist(), strict=True)
        return sorted(found, key=lambda item: (-item[1], item[0]))[:UP]

    def explain_all(self) -> Explanations:
        """Return why every document has its score, with `UP` and `DOWN` terms at most."""
        above, below = self._model.strongest(up=UP, down=DOWN)
        used = np.bincount(np.concatenate([above.terms, below.terms]), minlength=1)
        order = np.argsort(-used, kind="stable")[: np.count_nonzero(used)]
        numbers = np.zeros(len(used), dtype=np.int64)
        numbers[order] = np.arange(len(order))
        seeds, nearest = np.unique(self._nearest, return_inverse=True)
        explained = map(
            ExplanationNumbers,
            self._group_by_document(above.rows, numbers[above.terms]),
            self._group_by_document(below.rows, numbers[below.terms]),
            nearest.tolist(),
        )
        return Explanations(
            terms=tuple([self._model.names[term] for term in order.tolist()]),
            seeds=tuple([self._candidates.seed_ids[seed] for seed in seeds.tolist()]),
            documents=dict(zip(self._rows, explained, strict=True)),
            links=self.links,
        )

    def _group_by_document(
        self, rows: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> list[tuple[int, ...]]:
        listed = numbers.tolist()
        bounds = np.searchsorted(rows, np.arange(len(self._rows) + 1)).tolist()
        return [tuple(listed[first:last]) for first, last in pairwise(bounds)]

    @cached_property
    def links(self) -> dict[str, str]:
        """How documents are linked with the seeds, in words, by id."""
        candidates = self._candidates
        if not self._seed_links:
            return {}
        seeds = [candidates.documents[name] for name in candidates.seed_ids]
        return dict(describe_links(self._seed_links, candidates.ids, seeds=seeds))

    def list_seed_links(self, ranking: Iterable[Place]) -> tuple[SeedLink, ...]:
        """Return the links between a ranking's best finds and the seeds, as many as a map shows."""
        features, links = self._candidates.citations, self._seed_links
        if not features or not links:
            return ()
        found = (place.id for place in ranking if place.decision and not place.seed)
        best = islice((name for name in found if name in self.links), MOST_FINDS)
        rows = {name: self._rows[name] for name in best}
        return tuple(list_seed_links(features, links, rows, seeds=self._candidates.seed_ids))

    @cached_property
    def _seed_links(self) -> SeedLinks | None:
        features = self._candidates.citations
        return (
            count_seed_links(features, seeds=len(self._candidates.seed_ids)) if features else None
        )

    @cached_property
    def _model(self) -> TermModel:
        # If a method's scores are no sums over terms, what the seeds share explains them.
        words, seeds = self._candidates.words, len(self._candidates.seed_ids)
        return self._given or explain_divergence(words, seeds=seeds)

    @cached_property
    def _nearest(self) -> NDArray[np.int64]:
        """The number of the seed that each document is most like, by the cosine of tf-idf."""
        take, seeds = self._candidates.words.take_tfidf, np.arange(len(self._candidates.seed_ids))
        known, nearest = take(seeds).T.tocsc(), []
        for start in range(0, len(self._rows), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(self._rows)))
            likeness = (take(rows) @ known).toarray()
            # A seed is not its own nearest.
            themselves = rows[rows < len(seeds)]
            likeness[themselves - start, themselves] = -1
            nearest.append(likeness.argmax(axis=1))
        return np.concatenate(nearest)
