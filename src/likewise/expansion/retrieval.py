"""Retrieval: the pool for the seeds, where held-out seeds stand in it, and what to look for next.

How often the other seeds retrieve a left-out one tells how much of the topic lies outside the pool.
If a library is no larger than the pool, all its documents are candidates, and those that share no
term with the seeds come last. A query that is not relaxed leaves out those with too few terms.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from likewise.documents import Document
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.features.words import WordFeatures
from likewise.learn.estimates import Interval
from likewise.learn.folds import Scores, deal_folds, score_at
from likewise.library.more_like import (
    MoreLike,
    Pool,
    SeedTerms,
    find_pool,
    select_by_divergence,
    weigh_by_idf,
)
from likewise.library.protocol import FIELDS, GatheredLibrary, Hits, Library, Query, Term
from likewise.library.where import Where
from likewise.machine import run_steps

SEED_FOLDS = 10
MANY, FEWER_FOLDS = 100, 5
"""With more than `MANY` seeds and marked documents, fewer folds leave enough to search by."""

SEED_WEIGHT = 5.0
LEAST_SHARE = 0.01
LEAST_ADDED = 0.01
"""Rounds stop when likely new documents are fewer than this share of those decided."""


@dataclass(frozen=True)
class Retrieval:
    """The pool, and where the seeds would stand in it."""

    hits: Hits
    above: NDArray[np.float64]
    """The share of the pool above each seed when it is held out; NaN if it is not retrieved."""
    is_matched: NDArray[np.bool_]
    """Whether each seed was given and is in the library, within the limits: it can be retrieved."""
    terms: tuple[Term, ...] = ()
    """The terms of the query, each weighted by what one occurrence of it adds to the score."""
    outside_share: float = 0.0
    """The share of the library's documents that were not retrieved."""
    off: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """The scores of documents known to be off topic, which are no part of the pool."""

    def of(self, pool: Collection[str], *, off: Sequence[str]) -> Retrieval:
        """Return this limited to a pool, with scores of documents known to be off topic.

        Those of them that were not retrieved score lowest.
        """
        found = dict(zip(self.hits.ids, self.hits.scores, strict=True))
        lowest, joined = min(found.values(), default=0.0), set(pool)
        kept = {name: score for name, score in found.items() if name in joined}
        scores = np.array([found.get(name, lowest) for name in off], dtype=np.float64)
        return replace(self, hits=Hits(list(kept), list(kept.values())), off=scores)

    @property
    def scores(self) -> Scores:
        """The engine's scores of the pool and the seeds; NaN for a seed that is not retrieved."""
        pool = np.array(self.hits.scores)
        return Scores(score_at(self.above, pool), pool, self.off)

    @property
    def is_inside(self) -> NDArray[np.bool_]:
        """Whether each seed would be in the pool, as far as that can be told."""
        return ~self.is_matched | ~np.isnan(self.above)

    @property
    def outside(self) -> Interval | None:
        """The share of the topic that is not retrieved, as far as held-out seeds tell."""
        total = int(self.is_matched.sum())
        return estimate_share(int((~self.is_inside).sum()), total) if total else None


class PoolSearch:
    """Finds the pool for the seeds, and the place of each seed when others search for it.

    The searches without some seeds go on in other threads while the pool's documents are read, so
    it must be closed.
    """

    def __init__(
        self, library: Library, seeds: Seeds, *, settings: ExpandSettings, rng: np.random.Generator
    ) -> None:
        self._library, self._seeds, self._settings = library, seeds, settings
        self._where = Where.parse(settings.where)
        self._size = library.count(self._where)
        takes_all = self._size <= settings.pool and settings.more_like.relax
        self._every_id = library.list_ids(self._where) if takes_all else []
        self._terms = SeedTerms(library, seeds.documents, settings=settings.more_like)
        number = len(seeds.documents)
        self._dealt = deal_folds(number, FEWER_FOLDS if number > MANY else SEED_FOLDS, rng=rng)
        # A search leaves out the seeds that it searches with, as the pool leaves out all of them.
        asked = [list(range(number))]
        asked += [
            np.flatnonzero(self._dealt != fold).tolist() for fold in range(self._dealt.max() + 1)
        ]
        self._searches = run_steps([partial(self._look_for, rows) for rows in asked])

    def find_pool(self) -> Hits:
        """Return the documents that all seeds find; the other searches begin."""
        self._found = next(self._searches)
        return self._found.hits

    def place_seeds(self) -> Retrieval:
        """Wait for the other searches; return the pool with the places of held-out seeds."""
        seeds, everyone = self._seeds, self._seeds.documents
        hits = self._found.hits
        above = self._find_places([document.id for document in everyone])
        above[_find_unreached(self._library, everyone)] = np.nan
        # Seeds outside the limits can't be retrieved, so they tell nothing.
        allowed = [self._where.matches(document) for document in everyone]
        is_allowed = np.array(allowed, dtype=np.bool_)
        is_matched = (np.arange(len(everyone)) < len(seeds.matched)) & is_allowed
        held = len(hits) + int(is_matched.sum()) + int(is_allowed[len(seeds.given) :].sum())
        return Retrieval(
            hits,
            above,
            is_matched,
            terms=weigh_by_idf(self._library, self._found.query.terms),
            outside_share=max(0.0, 1 - held / max(self._size, 1)),
        )

    def close(self) -> None:
        """Drop the searches that have not begun."""
        self._searches.close()

    def _look_for(self, rows: Sequence[int]) -> Pool:
        exclude = {self._seeds.documents[row].id for row in rows}
        found = find_pool(
            self._library,
            self._terms.pick_best(rows),
            limit=self._settings.pool,
            exclude=exclude,
            settings=self._settings.more_like,
            where=self._where,
        )
        return found._replace(hits=_append_others(found.hits, self._every_id, exclude=exclude))

    def _find_places(self, ids: Sequence[str]) -> NDArray[np.float64]:
        """Return the share of the others' pool above each seed; NaN if they do not find it."""
        above = np.full(len(ids), np.nan)
        for fold, without in enumerate(self._searches):
            held_out = {ids[row]: row for row in np.flatnonzero(self._dealt == fold).tolist()}
            for identifier, share in _find_shares_above(without.hits.ids, held_out).items():
                above[held_out[identifier]] = share
        return above


def retrieve(
    library: Library, seeds: Seeds, *, settings: ExpandSettings, rng: np.random.Generator
) -> Retrieval:
    """Find the pool for the seeds, and the place of each seed when others search for it."""
    with closing(PoolSearch(library, seeds, settings=settings, rng=rng)) as search:
        search.find_pool()
        return search.place_seeds()


def _find_unreached(library: Library, documents: Sequence[Document]) -> list[int]:
    """Return the rows of seeds that are in the library only because they are seeds.

    A library gathered for them holds them all, even those that the others would not have brought.
    """
    reach = library.read_reach() if isinstance(library, GatheredLibrary) else {}
    return [row for row, document in enumerate(documents) if not reach.get(document.id, True)]


def _append_others(hits: Hits, every_id: Sequence[str], *, exclude: Collection[str]) -> Hits:
    """Return the hits, if any, followed by all other documents, which score 0."""
    known = {*hits.ids, *exclude}
    others = [identifier for identifier in every_id if identifier not in known] if hits.ids else []
    return Hits([*hits.ids, *others], [*hits.scores, *(0.0 for _ in others)])


def _find_shares_above(ids: Sequence[str], held_out: Collection[str]) -> dict[str, float]:
    """Return the share of the pool above each held-out seed that was found."""
    above, passed = {}, 0
    for identifier in ids:
        # Seeds that are held out together are no part of the pool.
        if identifier in held_out:
            above[identifier] = passed
        else:
            passed += 1
    return {identifier: place / max(passed, 1) for identifier, place in above.items()}


def estimate_share(count: int, total: int) -> Interval:
    """Return a share and its 80 % interval (Jeffreys').

    >>> [round(value, 2) for value in estimate_share(1, 20)]
    [0.05, 0.01, 0.15]
    """
    a, b = count + 0.5, total - count + 0.5
    low = float(betaincinv(a, b, 0.1)) if count else 0.0
    high = float(betaincinv(a, b, 0.9)) if count < total else 1.0
    return Interval(count / total, low, high)


def learn_query(
    words: WordFeatures,
    probabilities: NDArray[np.float64],
    *,
    seeds: int,
    library: Library,
    settings: MoreLike,
) -> Query:
    """Return a query for a further round, from what the topic's documents are likely to say.

    The learned probabilities say in what share of the topic's documents each term is likely to
    occur: in all documents decided to be on topic, each counted by its probability, and in the
    seeds, each counted as `SEED_WEIGHT` documents. Such shares make a query just as the seeds' own
    do (`library/more_like.py`), and it brings in documents that the seeds' words alone missed.

    Args:
        words: The features of the seeds, of what is off topic, and of the pool.
        probabilities: Of the pool's documents that count; 0 for the others.
        seeds: How many of the rows are seeds.
        library: Where to look.
        settings: How many terms to take, and how to weigh them.
    """
    off = words.evidence.shape[0] - seeds - len(probabilities)
    counted = np.concatenate([np.full(seeds, SEED_WEIGHT), np.zeros(off), probabilities])
    size, rows = len(words.terms), np.flatnonzero(counted)
    presence = (words.evidence[rows][:, : 2 * size] > 0).astype(np.float64)
    likely = (presence.T @ counted[rows] / counted.sum()).reshape(len(FIELDS), size)
    shares = {
        field: {words.terms[term]: float(row[term]) for term in np.flatnonzero(row > LEAST_SHARE)}
        for field, row in zip(FIELDS, likely, strict=True)
    }
    return Query(select_by_divergence(library, shares, settings=settings))
