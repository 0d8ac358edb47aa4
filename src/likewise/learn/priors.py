"""The prior: what share of the pool is on topic, estimated from seeds and pool alone.

With r(t) the share of documents on topic that score at least t and q(t) that of the pool, q / r
is never below the prior, and equals it where everything above t is on topic. *Best bin* (Garg et
al., 2021) and *smallest ratio* take its minimum; *Elkan-Noto* (2008) takes it from the odds of
being a seed; `mixtures.py` has further ones. On real topics not even the top of the list is all on
topic: all of these say too much.
*Experience* asks how much of the pool was on topic where scores looked alike (`judgement.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from likewise.extras import PRIOR_GROUP, load_offer
from likewise.learn.estimators import measure_scale
from likewise.learn.folds import Scores, share_above
from likewise.learn.intervals import Interval
from likewise.learn.mixtures import dedpul, km2, tice
from likewise.learn.precision import fit_recall_curve, list_cuts
from likewise.learn.regression import fit_logistic

Estimate = Callable[[Scores], float]
Prior = Interval

SPREAD = 0.74
"""How far off the logarithm of such an estimate is on other topics, as a deviation."""
LEAST_RECALL = 0.3
"""The smallest ratio is looked for where at least this share of the seeds is kept."""
DRAWS = 100
# The outer tenths are cut off on both sides.
CONFIDENCE = 1.2816


def best_bin(scores: Scores, *, confidence: float = 0.1) -> float:
    """Take the ratio where its upper bound, for seeds and pool of this size, is lowest.

    Thresholds are the scores of seeds: between two of them r is the same, and q only grows.
    """
    thresholds = np.unique(scores.seeds)
    recall, kept = (
        1 - np.searchsorted(np.sort(values), thresholds) / len(values) for values in scores[:2]
    )
    sizes = np.array([len(scores.seeds), len(scores.pool)])
    slack = np.sqrt(np.log(4 / confidence) / 2 / sizes).sum()
    best = ((kept + slack) / recall).argmin()
    # A prior of 0 would say that nothing is left to find.
    return float(max(kept[best] / recall[best], 1 / len(scores.pool)))


def elkan_noto(scores: Scores) -> float:
    """Take it from the odds of being a seed rather than a pool document, given the score."""
    values = np.concatenate([scores.seeds, scores.pool])
    mean, deviation = measure_scale(values)
    scaled = ((values - mean) / deviation)[:, None]
    targets = np.repeat([1.0, 0.0], [len(scores.seeds), len(scores.pool)])
    plane = fit_logistic(scaled, targets, weights=np.ones(len(values)), strength=100.0)
    values = plane(scaled)
    labelled = expit(values[: len(scores.seeds)]).mean()
    # Odds beyond these mean no more, and would overflow.
    odds = np.exp(np.clip(values[len(scores.seeds) :], -100, 100))
    return float(np.minimum(odds * (1 - labelled) / labelled, 1).mean())


def smallest_ratio(scores: Scores) -> float:
    """Take the minimum of q / r along the smooth recall curve."""
    size = len(scores.pool)
    curve = fit_recall_curve(share_above(scores.seeds, scores.pool), size=size)
    kept = list_cuts(size) / size
    recall = curve.recall(kept)
    is_enough = recall >= LEAST_RECALL
    return float(min(1.0, (kept[is_enough] / recall[is_enough]).min()))


def estimate_by_experience(scores: Scores) -> float:
    """Take what is usual where scores look like this."""
    return _judge_prior(scores).value


def _judge_prior(scores: Scores) -> Interval:
    # The judgement gives its prior as one of these.
    from likewise.learn.judgement import judge

    return judge(scores).prior


PRIORS: dict[str, Estimate] = {
    "experience": estimate_by_experience,
    "smallest-ratio": smallest_ratio,
    "best-bin": best_bin,
    "elkan-noto": elkan_noto,
    "km2": km2,
    "tice": tice,
    "dedpul": dedpul,
}
"""Every estimator by name; the first is the default."""


def prior_named(name: str) -> Estimate:
    """Return the estimator of a name; what one of a plug-in estimates is checked."""
    if name in PRIORS:
        return PRIORS[name]
    found, offer = load_offer(name, group=PRIOR_GROUP, kind="prior", others=PRIORS)

    def estimate(scores: Scores) -> float:
        with offer.blame():
            value = float(found(scores))
        if not 0 <= value <= 1:
            raise offer.error(f"estimates {value}, and not a number from 0 to 1")
        return value

    return estimate


def prior_with_interval(
    scores: Scores, *, rng: np.random.Generator, estimate: Estimate = estimate_by_experience
) -> Interval:
    """Estimate the prior, and how far off it may be.

    The interval has two parts: what other seeds and another pool would have given (a bootstrap over
    both), and what the estimator is off on other topics (`SPREAD`). Experience has its own.
    """
    if estimate is estimate_by_experience:
        return _judge_prior(scores)
    value = estimate(scores)
    drawn = [
        estimate(Scores(rng.choice(scores.seeds, len(scores.seeds)),
                        rng.choice(scores.pool, len(scores.pool))))
        for _ in range(DRAWS)
    ]  # fmt: skip
    spread = CONFIDENCE * np.hypot(np.std(np.log(drawn)), SPREAD)
    return Interval(value, float(value * np.exp(-spread)), float(min(1.0, value * np.exp(spread))))
