"""How many are left after reading: one distribution from three sources.

- how finds declined with reading (`stopping/__init__.py`), and how long ago the last find was,
- scores: the labels of what was read turn scores that did not learn from them into probabilities,
  and those of the rest sum to the number that scores predict,
- other reviews, whose replays tell how far to trust each of these.

The number left is taken to be negative binomial. The logarithm of its mean is a weighted sum of
such signs, with weights that were fitted to replays (`reading.py`), and so is that of its shape.
Before much is read, these know little and the curves of other topics say more
(`learn/judgement.py`), so the two are mixed by how much was read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

from likewise.learn.estimates import Interval
from likewise.learn.precision import LikelyCount
from likewise.learn.rows import Numbers
from likewise.learn.stopping import RATES, ExpectedByScores, Screening, expect_ahead
from likewise.learn.stopping.reading import Calibration, find_calibration

HALF = 10
"""After reading this many, what was read and the curves of other topics count the same."""
SURE = 1e-4
"""Numbers are cut off where the probability of exceeding them falls below this."""
_STEPS = 40
_FIRM = np.diag([1e-3, 1e-2])
"""How strongly the fit of probabilities is drawn to `_USUAL`."""
_USUAL = np.array([0.0, 1.0])
"""The level and slope that it is drawn to: log odds of 0, rising by 1 per deviation of scores."""


def update_left(
    looked: Screening, usual: Interval, *, calibration: Calibration | None = None
) -> Interval:
    """Return how many are left, judging by what was read and by the curves of other topics.

    The more was read, the more that counts. Another calibration on replays can take the place of
    that which comes with the package.
    """
    if not looked.count or not looked.rest:
        return usual
    counts = estimate_likely_left(looked, calibration=calibration)
    read = _make_interval(counts, found=looked.found, most=looked.rest)
    weight = looked.count / (looked.count + HALF)
    mixed = (
        np.expm1((1 - weight) * np.log1p(before) + weight * np.log1p(after))
        for before, after in zip(usual, read, strict=True)
    )
    return Interval(*map(float, mixed))


def estimate_likely_left(
    looked: Screening, *, calibration: Calibration | None = None
) -> LikelyCount:
    """Return how likely each number of documents left is, from what was read alone."""
    known = calibration or find_calibration()
    weights = known.left_by_scores if looked.scored else known.left
    signs = read_score_signs_left(looked) if looked.scored else read_signs_left(looked)
    mean = np.exp(np.clip(signs @ weights.mean, -8, 9))
    shape = np.exp(np.clip(read_shape_signs(looked) @ weights.shape, -3, 6))
    return LikelyCount(np.array([mean]), np.ones(1), misfit=float(shape**-0.5))


def read_signs_left(looked: Screening) -> Numbers:
    """Return the signs of how many are left, as logarithms, from the order of reading alone."""
    last = int(looked.places[-1]) if looked.found else 0
    # The share on topic among the last half and the last quarter.
    spans = [max(1, looked.count // part) for part in (2, 4)]
    lately = [(float(looked.labels[-span:].sum()) + 0.5) / (span + 1) for span in spans]
    return np.array(
        [
            1.0,
            np.log1p(looked.found),
            np.log(looked.rest),
            np.log(looked.rest / looked.size),
            *(np.log(expect_ahead(looked, rate=rate) + 0.3) for rate in RATES),
            np.log(looked.rest / (looked.count - last + 1) + 0.1),
            *(np.log(rate * looked.rest + 0.1) for rate in lately),
        ]
    )


def read_score_signs_left(looked: Screening) -> Numbers:
    """Return the signs if scores are known too; the latest finds then say nothing new."""
    assert looked.scored is not None, "asked only if there are scores"  # noqa: S101
    return np.append(read_signs_left(looked)[:-2], np.log(looked.scored.rest + 0.2))


def read_shape_signs(looked: Screening) -> Numbers:
    """Return the signs that the spread of the number depends on."""
    return np.array([1.0, np.log1p(looked.found), np.log(looked.rest / looked.size)])


def expect_by_scores(
    labels: NDArray[np.bool_], scores: Numbers, rest: Numbers
) -> ExpectedByScores | None:
    """Return how many on topic the scores predict; None if all or none of those read are.

    The scores of what was read, which has labels, and of the rest are those of models that learned
    from none of them.
    """
    if not labels.any() or labels.all() or not len(rest):
        return None
    centre, spread = scores.mean(), scores.std() + 1e-9
    rows = np.column_stack([np.ones(len(scores)), (scores - centre) / spread])
    on = int(labels.sum())
    fitted = np.array([np.log((on + 0.5) / (len(labels) - on + 0.5)), 1.0])
    for _ in range(_STEPS):
        likely = expit(rows @ fitted)
        slope = rows.T @ (labels - likely) - _FIRM @ (fitted - _USUAL)
        bend = (rows.T * (likely * (1 - likely))) @ rows + _FIRM
        step = np.clip(np.linalg.solve(bend, slope), -2, 2)
        fitted = fitted + step
        if np.abs(step).max() < 1e-6:
            break
    level, rise = fitted[0], max(fitted[1], 0.0)
    read, unread = (expit(level + rise * (part - centre) / spread) for part in (scores, rest))
    sums = (float(part.sum()) for part in (read, unread))
    return ExpectedByScores(*sums, *(float((part * (1 - part)).sum()) for part in (read, unread)))


def _make_interval(counts: LikelyCount, *, found: int, most: int) -> Interval:
    """Return the number with the least expected error relative to the topic, and an 80 % interval.

    The error is relative because the same error matters more in a small topic. The mean, and even
    the median, would be drawn towards the largest topics that look the same.
    """
    top = min(most, counts.quantile(1 - SURE))
    numbers, mean, shape = np.arange(top + 1), float(counts.means[0]), counts.misfit**-2
    ways = gammaln(numbers + shape) - gammaln(shape) - gammaln(numbers + 1)
    odds = shape * np.log(shape / (shape + mean)) + numbers * np.log(mean / (shape + mean))
    reached = np.cumsum(np.exp(ways + odds) / (found + numbers + 1))
    value = int(np.searchsorted(reached, reached[-1] / 2))
    low, high = (min(most, counts.quantile(share)) for share in (0.1, 0.9))
    return Interval(value, min(low, value), max(high, value))
