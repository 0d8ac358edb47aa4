"""Signs: numbers of seeds, pool and scores that tell topics, and kinds of seeds, apart.

Held-out seeds stand where the *seeds* stand, and people's seeds are seldom a fair sample of their
topic. What gives that away is how alike the seeds are to one another against how alike the first
documents of the ranking are to them, how scores fall off, and what words the seeds have in common.
Numbers are logarithms where ratios matter. What can't be told is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.learn.curves import log_ranks
from likewise.learn.estimators import scale, shares, surprise
from likewise.learn.folds import share_above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likewise.learn.folds import Scores
    from likewise.learn.material import Material

    Numbers = NDArray[np.float64]
    Signs = dict[str, float]

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
RANKS = (1, 3, 10, 30, 100, 300, 1000, 3000)
DEPTHS = (20, 100, 400, 1600)
"""How many of the first documents are compared with the seeds."""
BACKGROUND = 200
"""How many documents of the lower half are."""
ENGINE_DEPTHS = (30, 100, 300)
TERMS = (1, 3, 10, 30)
_LEAST = 1e-3
"""What likeness is taken to be at least."""


def score_signs(scores: Scores) -> Signs:
    """Return what the scores of held-out seeds and of a ranking tell by themselves."""
    places = log_ranks(share_above(scores.seeds, scores.pool), size=len(scores.pool))
    mean, deviation = scale(scores.pool)
    seeds, ranked = ((part - mean) / deviation for part in (scores.seeds, np.sort(scores.pool)))
    signs = {"seeds": float(np.log(len(places))), "size": float(np.log(len(ranked)))}
    for share in QUANTILES:
        signs[f"place {share}"] = float(np.quantile(places, share))
        signs[f"seed score {share}"] = float(np.quantile(seeds, share))
    for rank in RANKS:
        signs[f"score {rank}"] = float(ranked[::-1][min(rank, len(ranked)) - 1])
    signs["spread of places"] = float(places.std())
    signs["skewness"] = float((ranked**3).mean())
    return signs


def material_signs(material: Material, scores: Scores, *, given: int | None = None) -> Signs:
    """Return what texts tell beside it.

    Args:
        material: What was scored; its first rows are the seeds.
        scores: Of all of it, out of fold.
        given: How many of the first rows are seeds, if others among them were marked since.
    """
    count = material.seeds if given is None else given
    order = _order(scores, after=count)
    signs = {"outside": material.outside}
    signs.update(_likeness(material.words.tfidf, order, count=count))
    signs.update(_terms(material.words.evidence, count, size=len(material.words.terms)))
    if material.retrieval.pool.std() > 0:
        engine = _order(material.retrieval, after=count)
        for depth in ENGINE_DEPTHS:
            signs[f"engine {depth}"] = len(np.intersect1d(order[:depth], engine[:depth])) / depth
    return signs


def _order(scores: Scores, *, after: int) -> NDArray[np.int64]:
    """Return the order of all rows after the seeds, which have the first so many."""
    others = np.concatenate([scores.seeds[after:], scores.negatives, scores.pool])
    known = np.where(np.isnan(others), scores.pool.min(), others)
    return np.argsort(-known, kind="stable")


def _likeness(tfidf: Any, order: NDArray[np.int64], *, count: int) -> Iterator[tuple[str, float]]:
    """Yield how alike seeds are, beside how alike the first documents are to them."""
    if count < 2 or not len(order):
        return
    seeds, others = tfidf[:count], tfidf[count:]
    among = _alike(seeds, seeds)[~np.eye(count, dtype=bool)].reshape(count, count - 1)
    mean, nearest = among.mean(), among.max(axis=1).mean()
    yield "alike", _log(mean)
    yield "nearest alike", _log(nearest)
    yield "least alike", _log(among.mean(axis=1).min()) - _log(mean)
    yield "spread of likeness", _log(np.quantile(among, 0.75)) - _log(np.quantile(among, 0.25))
    first: dict[int, float] = {}
    for depth in DEPTHS:
        to_seeds = _alike(others[order[:depth]], seeds)
        first[depth] = _log(to_seeds.mean())
        yield f"alike {depth}", _log(mean) - first[depth]
        yield f"nearest {depth}", _log(nearest) - _log(to_seeds.max(axis=1).mean())
    top = others[order[: DEPTHS[1]]]
    of_top = _alike(top, top)[~np.eye(top.shape[0], dtype=bool)]
    if len(of_top):
        yield "alike among the first", _log(of_top.mean()) - first[DEPTHS[1]]
    lower = order[np.linspace(len(order) // 2, len(order) - 1, BACKGROUND).astype(np.int64)]
    to_seeds = _alike(others[lower], seeds)
    yield "alike below", _log(mean) - _log(to_seeds.mean())
    yield "nearest below", _log(nearest) - _log(to_seeds.max(axis=1).mean())


def _terms(evidence: Any, count: int, *, size: int) -> Iterator[tuple[str, float]]:
    """Yield how surprising the most telling terms of the seeds are, and how common."""
    present = evidence[:, 2 * size :]
    here, there = shares(present[:count]), shares(present[count:])
    there = np.clip(there, 1 / (present.shape[0] + 1), None)
    worth = np.where(here > there, surprise(here, there), 0)
    best = np.argsort(-worth, kind="stable")[: TERMS[-1]]
    if not len(best):
        return
    for place in TERMS:
        if place <= len(best):
            yield f"term {place}", _log(worth[best[place - 1]])
    yield "terms in seeds", float(here[best[: TERMS[2]]].mean())
    yield "terms in others", float(np.log(there[best[: TERMS[2]]]).mean())


def _alike(rows: Any, others: Any) -> Numbers:
    return np.asarray((rows @ others.T).toarray(), dtype=np.float64)


def _log(value: float) -> float:
    return float(np.log(max(value, 0.0) + _LEAST))
