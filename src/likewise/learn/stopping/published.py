"""The published stopping rules themselves, each with its formula; `rules.py` names them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, logsumexp, pdtr

from likewise.learn.stopping.audits import log_hypergeometric
from likewise.learn.stopping.looked import Rate, Screening, expect_ahead
from likewise.learn.stopping.target import Target

KNEE_SLOPE = 6.0
KNEE_FOUND = 150
TERMS = 60
"""How many terms of a tail are summed up."""


def callaghan(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when the documents since some start would hardly be so poor if the target was missed.

    With N documents in all, of which n were looked at and r found, and r_i found after the first i:
    if the target was missed, at least

        K_i = floor(r / recall - r_i) + 1

    of the N - i others were on topic at start i. Taken as drawn at random, the n - i since then
    would show no more than r - r_i of them with a hypergeometric probability, p_i. Stop when the
    smallest p_i is below 1 - confidence. It is conservative since the best come first, but it
    looks at many starts. Only starts just after a find can have the smallest.
    """
    left = Target(recall).count_allowed(looked.found)
    return chance_of_reading(looked, left=left + 1) < math.log(1 - confidence)


def chance_of_reading(looked: Screening, *, left: int, starts: int | None = None) -> float:
    """Return the smallest ln p_i of what was found, if so many are left.

    Args:
        looked: What was looked at.
        left: How many are left.
        starts: At how many starts it is looked, evenly among finds; by default at all.
    """
    finds = np.arange(looked.found + 1)
    if starts:
        finds = np.unique(np.linspace(0, looked.found, starts).round().astype(np.int64))
    since, starting = looked.found - finds, np.concatenate([[0], looked.places])[finds]
    sample, population, of = looked.count - starting, looked.size - starting, since + left
    # What is no fewer than chance would find speaks against nothing.
    is_poor = (sample > 0) & (since * population < sample * of)
    since, sample, population, of = (one[is_poor] for one in (since, sample, population, of))
    # Below the expected number chances fall so fast that the first ones are the sum of all.
    numbers = since - np.arange(TERMS)[:, None]
    logs = log_hypergeometric(numbers, sample=sample, population=population, of=of)
    return float(logsumexp(logs, axis=0).min(initial=0.0)) if len(since) else 0.0


def poisson(looked: Screening, *, rate: Rate, recall: float, confidence: float) -> bool:
    """Stop when hardly so many are still to come, by how finding declined.

    With r found and c to come by a declining rate (`declining.py`), stop when

        r >= recall (r + the quantile of the Poisson distribution of mean c at the confidence)
    """
    if not looked.found:
        return False
    ahead = expect_ahead(looked, rate=rate)
    return bool(pdtr(Target(recall).count_allowed(looked.found), ahead) >= confidence)


def quant(looked: Screening, *, recall: float, deviations: float) -> bool:
    """Stop when the recall that scores expect is reached, even if it is some deviations lower.

    Where scores expect A on topic among what was read and B among the rest, with variances a and b,
    the recall A / (A + B) has to first order the variance

        (B^2 a + A^2 b) / (A + B)^4
    """
    if not looked.scored:
        return False
    read, rest, variance, rest_variance = looked.scored
    total = read + rest
    spread = (rest**2 * variance + read**2 * rest_variance) ** 0.5 / total**2
    return bool(read / total - deviations * spread >= recall)


def chao(looked: Screening, *, recall: float, least: int) -> bool:
    """Stop when the recall is reached by a lower bound of how many are left.

    With a chance p of each document on topic to be found in a stretch of reading, and n and m found
    in two stretches of the same length, one after the other, Chao's use of the Cauchy-Schwarz
    inequality (1987) gives for what is left after the second, whatever the chances,

        left >= m^2 / (n - m)

    The stretches are the second and the last third of what was looked at, and of fewer than `least`
    documents nothing is said. Bron et al. (2024) count
    instead in how many of several rankings a document is found; this is for one ranking.
    """
    third = looked.count // 3
    if not third or not looked.found or looked.count < least:
        return False
    last = int(looked.labels[-third:].sum())
    before = int(looked.labels[-2 * third : -third].sum())
    if last >= before:
        return before == 0
    return last**2 / (before - last) <= Target(recall).count_allowed(looked.found)


def knee(looked: Screening, *, least: int) -> bool:
    """Stop when the curve of what was found bends sharply.

    The knee is the place i after which the curve is farthest above the line from its start to its
    end at n. With r found, r_i of them up to the knee, the slopes before and after have the ratio

        (r_i / i) / ((1 + r - r_i) / (n - i))

    Stop when it is at least 156 - min(r, 150), but not before `least` were looked at.
    """
    if looked.count < least or not looked.found:
        return False
    return _slope_ratio(looked) >= KNEE_FOUND + KNEE_SLOPE - min(looked.found, KNEE_FOUND)


def budget(looked: Screening, *, slope: float, most: float) -> bool:
    """Stop when the curve bends and a random search would have cost as much.

    That is, the ratio of slopes at the knee is at least `slope` and at least 10 N / r were looked
    at, which is what finding ten by chance would take; or the share `most` of all was.
    """
    if looked.count >= most * looked.size:
        return True
    if not looked.found or looked.count < 10 * looked.size / looked.found:
        return False
    return _slope_ratio(looked) >= slope


def share(looked: Screening, *, share: float) -> bool:
    """Stop when so large a share of all documents was looked at."""
    return looked.count >= share * looked.size


def consecutive(looked: Screening, *, count: int, share: float) -> bool:
    """Stop when so many in a row were off topic: a count, or a share of all if that is more."""
    last = int(looked.places[-1]) if looked.found else 0
    return looked.count - last >= max(count, share * looked.size)


def quantile(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when enough of a control set were reached.

    Of n documents on topic, drawn at random and kept aside, let the j-th be reached. It stands
    beyond the wanted recall with probability

        P(Binomial(n, recall) < j)

    Stop at the first j for which this is at least the confidence; with fewer than 59 documents no
    j shows 0.95 with confidence 0.95. Seeds are such a set only if they were drawn at random.
    """
    control = looked.control
    if not control or not control.reached:
        return False
    return bool(bdtr(control.reached - 1, control.size, recall) >= confidence)


def _slope_ratio(looked: Screening) -> float:
    """Return how much steeper the curve of what was found is before its knee than after."""
    places, found = looked.places, np.arange(1, looked.found + 1)
    # The curve is farthest above the line just when something was found.
    best = int(np.argmax(found / looked.found - places / looked.count))
    knee_at, up_to = int(places[best]), best + 1
    after = (1 + looked.found - up_to) / max(looked.count - knee_at, 1)
    return up_to / knee_at / after
