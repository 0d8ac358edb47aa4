"""Measures of a ranking: where the documents on topic stand, whatever is decided.

`ranked` tells for each place of a list, best first, whether the document there is on topic; N is
the length of the list, and R how many in it are on topic, of which there is at least one. Measures
that are well known come from `ir_measures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import rankdata

from likewise.extras import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ranked = NDArray[np.bool_]

KNOWN = ("AP", "nDCG", "nDCG@100", "RPrec", "P@10", "P@100", "R@100", "R@1000")
"""What `ir_measures` measures, as it spells them."""
RECALL = 0.95
"""Where the work that is saved is measured."""
DEEPEST = 5000
"""The largest k of the paper's top-k baseline."""


class TopK(NamedTuple):
    """The F1 of taking the first k, over many k."""

    mean: float
    deviation: float


def ranking(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    *,
    rng: np.random.Generator | None = None,
) -> Ranked:
    """Return whether each document is on topic, best score first.

    Args:
        scores: Of each document.
        relevant: Whether each is on topic.
        rng: Says which of equal scores comes first, so that they rank by chance; without it, it is
            the first.

    >>> ranking(np.array([1.0, 3.0, 2.0]), np.array([True, False, False]))
    array([False, False,  True])
    """
    order = rng.permutation(len(scores)) if rng else np.arange(len(scores))
    return np.asarray(relevant[order[np.argsort(-scores[order], kind="stable")]])


def known_measures(ranked: Ranked) -> dict[str, float]:
    """Return what `ir_measures` makes of a ranking, by its names.

    Documents are handed over with their places from the end as scores, so that none tie.
    """
    ir_measures = require("ir_measures", for_="Measuring rankings", extra="bench")
    asked = {ir_measures.parse_measure(name): name for name in KNOWN}
    truth = {"topic": {str(place): 1 for place in np.flatnonzero(ranked)}}
    run = {"topic": {str(place): float(len(ranked) - place) for place in range(len(ranked))}}
    found = ir_measures.calc_aggregate(list(asked), truth, run)
    return {name: float(found[measure]) for measure, name in asked.items()}


def f1_at(ranked: Ranked) -> NDArray[np.float64]:
    """Return the F1 of taking the first k, 2 TP(k) / (k + R), for every k from 1."""
    found = np.cumsum(ranked, dtype=np.float64)
    return np.asarray(2 * found / (np.arange(1, len(ranked) + 1) + ranked.sum()))


def best_f1(ranked: Ranked) -> float:
    """Return the F1 of the best of all cuts: max over k of 2 TP(k) / (k + R)."""
    return float(f1_at(ranked).max())


def top_k_f1(ranked: Ranked, *, least: int) -> TopK | None:
    """Return mean and deviation of the F1 of taking the first k, k from `least` to 5,000.

    Lists that are shorter are taken to their end; None if that is before `least`.
    """
    values = f1_at(ranked)[max(least, 1) - 1 : DEEPEST]
    return TopK(float(values.mean()), float(values.std())) if len(values) else None


def work_saved(ranked: Ranked) -> float:
    """Return the work saved over sampling at a recall of 95 %, WSS@95.

    At the first cut that reaches the recall it is (TN + FN) / N - (1 - 0.95): the share of the
    list that need not be read, less what would be saved by reading a random part of it.
    """
    # Products like 0.95 * 20 may come out a little above the whole number that they are.
    needed = np.ceil(RECALL * ranked.sum() - 1e-9)
    read = int(np.searchsorted(np.cumsum(ranked), needed)) + 1
    return float((len(ranked) - read) / len(ranked) - (1 - RECALL))


def last_relevant(ranked: Ranked) -> float:
    """Return the share of the list that is read until the last document on topic is found."""
    return float((np.flatnonzero(ranked)[-1] + 1) / len(ranked))


def area_under_curve(scores: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float | None:
    """Return the share of pairs, one on topic and one off, that are in order; ties count half.

    With S the sum of the ranks (from the lowest score, ties sharing their mean) of the R documents
    on topic, it is (S - R (R + 1) / 2) / (R (N - R)); None where there is but one side.
    """
    on, off = int(relevant.sum()), int((~relevant).sum())
    if not on or not off:
        return None
    return float((rankdata(scores)[relevant].sum() - on * (on + 1) / 2) / (on * off))
