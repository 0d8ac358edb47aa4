"""The prior: what share of the pool is on topic, estimated from seeds and pool alone.

With r(t) the share of documents on topic that score at least t and q(t) that of the pool, q / r
is never below the prior, and equals it where everything above t is on topic. *Best bin* (Garg et
al., 2021) and *smallest ratio* take its minimum; *Elkan-Noto* (2008) derives the prior from the
odds of being a seed. On real topics not even the top of the list is all on topic, so all of these
overestimate. *Experience* goes by how much of the pool was on topic for other topics whose scores
looked alike (`judgement.py`).

Other estimators take the pool for a mixture F = p H + (1 - p) G of what is on topic, H, of which
the seeds are a sample, and the rest, G. *KM2* asks how much of H can be taken out of F before the
rest is no longer a mixture of documents. *TIcE* looks for the stretch of scores with the largest
share of seeds. *DEDPUL* estimates the ratio of the densities of seeds and pool, and finds the prior
that agrees with it. The first two were published for the features of documents; here they get a
single feature, the score.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from likewise.extras import PRIOR_GROUP, load_offer
from likewise.learn.estimates import Interval
from likewise.learn.folds import Scores, measure_scale, share_above
from likewise.learn.judgement import judge
from likewise.learn.precision import fit_recall_curve, list_cuts
from likewise.learn.regression import fit_logistic
from likewise.learn.rows import Numbers

Estimate = Callable[[Scores], float]

SPREAD = 0.74
"""How far off the logarithm of an estimate is on other topics, as a standard deviation."""
LEAST_RECALL = 0.3
"""The smallest ratio is sought only among cuts that keep at least this share of the seeds."""
DRAWS = 100
# The interval leaves out a tenth on either side.
CONFIDENCE = 1.2816
MOST_POINTS = 200
"""How many points stand for all scores, at most; each of those at the top is a single score."""
WIDTHS = 10 ** np.linspace(-1, 1, 5)
"""The widths that KM2 tries for its kernel, as multiples of the median distance."""
SLOPE_PART = 0.2
"""How far KM2's slope has risen at the prior, between its values for priors of 0 and of 1."""
NEAR, LARGEST = 0.002, 10.0
"""How far beyond 1 KM2 measures its first slope, and the greatest 1 / (1 - p) that it tries."""
FOLDS, TURNS, MOST_SPLITS, SMOOTHING, LEAST_TOTAL = 5, 2, 500, 5, 10
"""TIcE's folds, turns and most splits, its smoothing of shares, and the least size of a part."""
STEP, LARGEST_GAP = 0.001, 0.05
"""For DEDPUL, if no prior agrees: the step between those tried, and how far off they may be."""


def best_bin(scores: Scores, *, confidence: float = 0.1) -> float:
    """Take q / r at the threshold where its upper bound, for samples of this size, is lowest.

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
    """Derive the prior from the odds of being a seed and not a pool document, given the score."""
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
    """Take the usual prior of topics whose scores look like these."""
    return judge(scores).prior.value


class Points(NamedTuple):
    """A few points that stand for all scores, each for a share of the pool and of the seeds."""

    scores: Numbers
    """Measured from the pool's median, in units of its interquartile range."""
    pool: Numbers
    seeds: Numbers


def km2(scores: Scores) -> float:
    """Find how much of the seeds' distribution can be taken out of the pool's.

    With f and h the means of pool and seeds under a kernel's map, and C all mixtures of documents,

        d(a) = min over w in C of |a f + (1 - a) h - w|

    is 0 up to a = 1 / (1 - p) and rises beyond it, in the end with slope |f - h|. The estimate uses
    the a at which the slope is a fifth of the way from its first to its last value (Ramaswamy,
    Scott and Tewari, 2016). The kernel is Gaussian, with the width that makes |f - h| largest.
    """
    points = condense_scores(scores)
    distance = np.abs(points.scores[:, None] - points.scores[None, :])
    least = 1e-9 * distance.max()
    middle = np.median(distance[distance > least]) if distance.any() else 1.0
    kernels = [np.exp(-((distance / (width * middle)) ** 2) / 2) for width in WIDTHS]
    difference = points.pool - points.seeds
    lengths = [float(difference @ kernel @ difference) for kernel in kernels]
    best, final = kernels[int(np.argmax(lengths))], np.sqrt(max(lengths))
    if final < 1e-6:
        return 1.0
    hull = _Hull(best)
    first = hull.slope(points.pool + NEAR * difference, difference)
    aim = (1 - SLOPE_PART) * first + SLOPE_PART * final
    low, high = 1.0, LARGEST
    while high - low > 1e-3:
        middle = (low + high) / 2
        is_steep = hull.slope(points.seeds + middle * difference, difference) >= aim
        low, high = (low, middle) if is_steep else (middle, high)
    return _clip_prior(1 - 2 / (low + high), of=scores)


class _Hull:
    """All mixtures of points, as a kernel maps them."""

    def __init__(self, kernel: Numbers) -> None:
        values, vectors = np.linalg.eigh(kernel)
        is_large = values > 1e-10 * values[-1]
        self._map = np.sqrt(values[is_large])[:, None] * vectors[:, is_large].T

    def slope(self, weights: Numbers, direction: Numbers) -> float:
        """Return how fast the distance of weighted points from the hull grows in a direction."""
        beyond = self._map @ weights - self._map @ self._nearest(weights)
        distance = np.linalg.norm(beyond)
        return float(beyond @ (self._map @ direction) / distance) if distance > 1e-9 else 0.0

    def _nearest(self, weights: Numbers) -> Numbers:
        from scipy.optimize import nnls

        # The last row says that the weights of a mixture sum to 1.
        heavy = 100.0
        rows = np.vstack([self._map, np.full(self._map.shape[1], heavy)])
        found, _ = nnls(rows, np.append(self._map @ weights, heavy), maxiter=50 * len(weights))
        return np.asarray(found / found.sum())


def tice(scores: Scores) -> float:
    """Find the stretch of scores with the largest share of seeds (Bekker and Davis, 2018).

    Let c be the share of documents on topic that are seeds. But for chance, no part of all
    documents has a larger share of seeds. Parts are sought in one fold of the documents, and the
    others give the greatest lower bound of c; c is the mean of these over the folds. With n seeds
    and m documents in the pool, the prior is then n (1 - c) / (c m). The bounds allow for chance
    with c = 1/2 first, and then with the c that this gave.
    """
    values = np.concatenate([scores.seeds, scores.pool])
    is_seed = np.arange(len(values)) < len(scores.seeds)
    fold = np.random.default_rng(0).permutation(len(values)) % FOLDS
    least, frequency = is_seed.mean(), 0.5
    for _ in range(TURNS):
        found = [
            _find_greatest_bound(
                _SortedScores.of(values, is_seed, fold == number),
                _SortedScores.of(values, is_seed, fold != number),
                frequency=frequency,
            )
            for number in range(FOLDS)
        ]
        frequency = float(np.clip(np.mean(found), least, 1.0))
    prior = len(scores.seeds) * (1 - frequency) / (frequency * len(scores.pool))
    return _clip_prior(prior, of=scores)


def frequency_bound(labelled: int, total: int, *, delta: float, frequency: float) -> float:
    """Return a likely lower bound, from one part, of c: the share of those on topic that are seeds.

        labelled / total - sqrt(c (1 - c) (1 - delta) / (delta total))

    >>> frequency_bound(8, 16, delta=0.2, frequency=0.5)
    0.25
    """
    chance = frequency * (1 - frequency) * (1 - delta) / (delta * total)
    return float(labelled / total - np.sqrt(chance))


class _SortedScores(NamedTuple):
    """Sorted scores, and how many seeds come before each place."""

    scores: Numbers
    seeds: NDArray[np.int64]

    @classmethod
    def of(
        cls, scores: Numbers, is_seed: NDArray[np.bool_], chosen: NDArray[np.bool_]
    ) -> _SortedScores:
        order = np.argsort(scores[chosen], kind="stable")
        return cls(scores[chosen][order], np.append(0, np.cumsum(is_seed[chosen][order])))

    def between(self, low: float, high: float) -> tuple[int, int]:
        """Return how many documents, and how many seeds, score at least low and less than high."""
        first, last = np.searchsorted(self.scores, [low, high])
        return int(last - first), int(self.seeds[last] - self.seeds[first])

    def quartiles(self, low: float, high: float) -> Numbers:
        first, last = np.searchsorted(self.scores, [low, high])
        return np.unique(np.quantile(self.scores[first:last], [0.25, 0.5, 0.75], method="higher"))


def _find_greatest_bound(tree: _SortedScores, rest: _SortedScores, *, frequency: float) -> float:
    """Return the greatest bound by `rest` of parts that are cut at quartiles of `tree`."""
    delta = max(0.025, 1 / (1 + 0.004 * len(rest.scores)))
    waiting, best = [(0.0, -np.inf, np.inf)], -np.inf
    for _ in range(MOST_SPLITS):
        if not waiting:
            break
        _, low, high = heappop(waiting)
        total, labelled = rest.between(low, high)
        if total >= LEAST_TOTAL:
            bound = frequency_bound(labelled, total, delta=delta, frequency=frequency)
            best = max(best, bound)
        if tree.between(low, high)[0] < 2:
            continue
        for cut in tree.quartiles(low, high):
            for part in ((low, cut), (cut, high)):
                inside, seeds = tree.between(*part)
                if inside and part != (low, high):
                    heappush(waiting, (-seeds / (inside + SMOOTHING), *part))
    return best


def dedpul(scores: Scores) -> float:
    """Find the prior that agrees with the densities of seeds and pool (Ivanov, 2020).

    With r the ratio of the density of seeds to that of the pool, made to rise with the score, a
    document is on topic with probability min(p r, 1). p is the largest value that equals the mean
    of these over the pool. If estimated densities allow none, p is where the mean falls away from
    it most suddenly. Densities are estimated with Gaussian kernels of Silverman's width.
    """
    from scipy.optimize import isotonic_regression

    points = condense_scores(scores)
    of_seeds = _estimate_density(points, points.seeds, count=len(scores.seeds))
    of_pool = _estimate_density(points, points.pool, count=len(scores.pool))
    rising = isotonic_regression(of_seeds / of_pool, weights=np.maximum(points.pool, 1e-9)).x
    return _clip_prior(agreeing_prior(rising, points.pool), of=scores)


def agreeing_prior(ratio: Numbers, weights: Numbers) -> float:
    """Return the p that equals the mean of min(p r, 1), or else the p at which the two part.

    >>> round(agreeing_prior(np.array([0.5, 2.0]), np.array([0.5, 0.5])), 4)
    0.6667
    """
    from scipy.optimize import brentq

    def gap(prior: float) -> float:
        return float(prior - weights @ np.minimum(prior * ratio, 1))

    if gap(1) < 1e-9:
        return 1.0
    if gap(STEP) < 0:
        return float(brentq(gap, STEP, 1))
    tried = np.arange(STEP, 1, STEP)
    gaps = tried - np.minimum(tried[:, None] * ratio, 1) @ weights
    bends = np.where(gaps[1:-1] < LARGEST_GAP, np.diff(gaps, n=2), -np.inf)
    return float(tried[1 + bends.argmax()])


def _estimate_density(points: Points, weights: Numbers, *, count: int) -> Numbers:
    mean = weights @ points.scores
    deviation = np.sqrt(weights @ (points.scores - mean) ** 2)
    low, high = np.interp([0.25, 0.75], np.cumsum(weights), points.scores)
    spreads = [spread for spread in (deviation, (high - low) / 1.34) if spread > 1e-9]
    width = 0.9 * min(spreads, default=1.0) * count**-0.2
    distance = (points.scores[:, None] - points.scores[None, :]) / width
    heights = np.exp(-(distance**2) / 2) @ weights / (width * np.sqrt(2 * np.pi))
    return np.asarray(np.maximum(heights, 1e-12))


def condense_scores(scores: Scores) -> Points:
    """Return a few points that stand for all scores, closer together near the top.

    >>> from likewise.learn.folds import Scores
    >>> points = condense_scores(Scores(np.array([4.0]), np.array([4.0, 3.0, 3.0, 1.0])))
    >>> points.pool.tolist(), points.seeds.tolist()
    ([0.25, 0.5, 0.25], [0.0, 0.0, 1.0])
    """
    low, middle, high = np.quantile(scores.pool, [0.25, 0.5, 0.75])
    values = np.concatenate([scores.seeds, scores.pool])
    # A spread that is tiny beside the range of all scores is rounding, and would overflow.
    least = 1e-9 * np.ptp(values)
    unit = next((s for s in (high - low, scores.pool.std()) if s > least), 1.0)
    values = (values - middle) / unit
    ordered = np.sort(np.unique(values))[::-1]
    first = np.append(0, list_cuts(len(ordered), most=MOST_POINTS)[:-1])
    # A group begins at its lowest score, and its median stands for all of it.
    lowest = ordered[np.append(first[1:], len(ordered)) - 1][::-1]
    group = np.searchsorted(lowest, values, side="right") - 1
    middles = [np.median(part) for part in np.split(ordered, first[1:])][::-1]
    of_seeds, of_pool = np.split(group, [len(scores.seeds)])
    shares = (np.bincount(part, minlength=len(lowest)) / len(part) for part in (of_pool, of_seeds))
    return Points(np.array(middles), *shares)


def _clip_prior(prior: float, *, of: Scores) -> float:
    """Return a prior that is at least one document of the pool, and at most all of it."""
    return float(np.clip(prior, 1 / len(of.pool), 1.0))


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
    """Return the estimator of this name; the estimates of a plug-in are checked."""
    if name in PRIORS:
        return PRIORS[name]
    found, offer = load_offer(name, group=PRIOR_GROUP, kind="prior", others=PRIORS)

    def estimate(scores: Scores) -> float:
        with offer.blame():
            value = float(found(scores))
        if not 0 <= value <= 1:
            raise offer.error(f"estimates {value}, which is not a number from 0 to 1")
        return value

    return estimate


def prior_with_interval(
    scores: Scores, *, rng: np.random.Generator, estimate: Estimate = estimate_by_experience
) -> Interval:
    """Estimate the prior, and how far off it may be.

    The interval combines how much the estimate varies with the seeds and the pool (a bootstrap over
    both) and how far off the estimator is on other topics (`SPREAD`). Experience has its own.
    """
    if estimate is estimate_by_experience:
        return judge(scores).prior
    value = estimate(scores)
    drawn = [
        estimate(Scores(rng.choice(scores.seeds, len(scores.seeds)),
                        rng.choice(scores.pool, len(scores.pool))))
        for _ in range(DRAWS)
    ]  # fmt: skip
    spread = CONFIDENCE * np.hypot(np.std(np.log(drawn)), SPREAD)
    return Interval(value, float(value * np.exp(-spread)), float(min(1.0, value * np.exp(spread))))
