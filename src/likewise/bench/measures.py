"""Measures of decisions, rankings and probabilities, given the truth, and their significance.

TP, FP, FN and TN count the documents that were decided, rightly or wrongly, to be on topic
(positive) or off it (negative):

    precision = TP / (TP + FP)            0 if nothing is decided
    recall    = TP / (TP + FN)
    F1        = 2 TP / (2 TP + FP + FN)
    accuracy  = (TP + TN) / N
    BER       = (FP / (FP + TN) + FN / (FN + TP)) / 2

A ranking is given as `ranked`, which says for each place of a list, best first, whether the
document there is on topic. N is the length of the list, and R the number of documents on topic in
it, at least one. Well-known measures come from `ir_measures`.

The draws of a topic are not independent, so they are averaged first; bootstraps resample topics.
Only results on the same tasks are paired.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from likewise.bench import group_by
from likewise.errors import RunError, SettingsError
from likewise.extras import require
from likewise.learn.estimates import Interval

Ranked = NDArray[np.bool_]
KNOWN = ("AP", "nDCG", "nDCG@100", "RPrec", "P@10", "P@100", "R@100", "R@1000")
"""The measures that `ir_measures` computes, as it spells them."""
RECALL = 0.95
"""The recall at which saved work is measured."""
DEEPEST = 5000
"""The largest k of the paper's top-k baseline."""
BINS = 10


class Measure(NamedTuple):
    """What a measure means, which of its values are better, and its unit."""

    description: str
    better: Literal["higher", "lower", "nearer 0", ""] = "higher"
    """"" if no value is better than another."""
    unit: Literal["share", "count", "log", "seconds", "megabytes"] = "share"


MEASURES: dict[str, Measure] = {
    "F1": Measure("harmonic mean of precision and recall, of what is decided to be on topic"),
    "precision": Measure("of what is decided, the share on topic"),
    "recall": Measure("of what is on topic, the share decided"),
    "accuracy": Measure("the share decided rightly"),
    "BER": Measure("mean of the shares decided wrongly on and off topic", "lower"),
    "decided": Measure("how many documents are decided to be on topic", "", "count"),
    "library recall": Measure("recall of the decision over the whole library without the seeds"),
    "best F1 (oracle)": Measure("F1 at the best cut, which only the truth could choose"),
    "top-k F1": Measure("mean F1 of taking the first k, k from |LP| to 5,000"),
    "top-k F1 deviation": Measure("deviation of that F1 over k", ""),
    "AP": Measure("average precision"),
    "nDCG": Measure("normalised discounted cumulative gain"),
    "nDCG@100": Measure("the same for the first 100"),
    "RPrec": Measure("precision of the first R, R being how many are on topic"),
    "P@10": Measure("precision of the first 10"),
    "P@100": Measure("precision of the first 100"),
    "R@100": Measure("recall of the first 100"),
    "R@1000": Measure("recall of the first 1,000"),
    "AUC": Measure("the share of pairs, one on and one off topic, in the right order"),
    "WSS@95": Measure("work saved over sampling at a recall of 95 %"),
    "last relevant": Measure("the share of the list read to find all that is on topic", "lower"),
    "calibration error": Measure("distance of probability and truth over ten bins", "lower"),
    "Brier": Measure("mean squared distance of probability and truth", "lower"),
    "interval covered": Measure("whether the prior's 80 % interval holds the true share", ""),
    "prior error": Measure("ln(estimated / true) of the prior", "nearer 0", "log"),
    "outside covered": Measure("whether the 80 % interval of what the pool lacks holds it", ""),
    "on topic": Measure("the share of the measured documents that is on topic", ""),
    "seconds": Measure("how long the method took", "lower", "seconds"),
    "megabytes": Measure("the most memory its process held", "lower", "megabytes"),
}
"""Every measure by name, as `--measure` takes it; the last two are about the run."""


def check_measure(name: str) -> None:
    """Raise if there is no measure of this name."""
    if name not in MEASURES:
        raise SettingsError(f"there is no measure {name!r}; choose one of: {', '.join(MEASURES)}")


class DecisionCounts(NamedTuple):
    """How many documents were decided to be on or off topic, rightly and wrongly."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def positive(self) -> int:
        """Documents on topic."""
        return self.true_positive + self.false_negative

    @property
    def negative(self) -> int:
        """Documents off topic."""
        return self.false_positive + self.true_negative

    @property
    def decided(self) -> int:
        """Documents decided to be on topic."""
        return self.true_positive + self.false_positive


def count_decisions(decided: NDArray[np.bool_], relevant: NDArray[np.bool_]) -> DecisionCounts:
    """Count the documents that were decided rightly and wrongly."""
    return DecisionCounts(
        true_positive=int((decided & relevant).sum()),
        false_positive=int((decided & ~relevant).sum()),
        false_negative=int((~decided & relevant).sum()),
        true_negative=int((~decided & ~relevant).sum()),
    )


def precision(counted: DecisionCounts) -> float:
    """Return TP / (TP + FP), or 0 if nothing is decided.

    >>> precision(DecisionCounts(3, 1, 2, 4))
    0.75
    """
    return counted.true_positive / counted.decided if counted.decided else 0.0


def recall(counted: DecisionCounts) -> float | None:
    """Return TP / (TP + FN), or None if nothing is on topic.

    >>> recall(DecisionCounts(3, 1, 2, 4))
    0.6
    """
    return counted.true_positive / counted.positive if counted.positive else None


def f1(counted: DecisionCounts) -> float | None:
    """Return 2 TP / (2 TP + FP + FN), or None if nothing is on topic.

    >>> f1(DecisionCounts(3, 1, 2, 4))
    0.6666666666666666
    """
    if not counted.positive:
        return None
    return 2 * counted.true_positive / (counted.decided + counted.positive)


def accuracy(counted: DecisionCounts) -> float:
    """Return (TP + TN) / N.

    >>> accuracy(DecisionCounts(3, 1, 2, 4))
    0.7
    """
    return (counted.true_positive + counted.true_negative) / sum(counted)


def ber(counted: DecisionCounts) -> float | None:
    """Return (FP / (FP + TN) + FN / (FN + TP)) / 2, or None if all or none are on topic.

    >>> ber(DecisionCounts(3, 1, 2, 4))
    0.30000000000000004
    """
    if not counted.positive or not counted.negative:
        return None
    wrong = counted.false_positive / counted.negative, counted.false_negative / counted.positive
    return sum(wrong) / 2


class TopK(NamedTuple):
    """The F1 of taking the first k, over many k."""

    mean: float
    deviation: float


def rank_truth(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    *,
    rng: np.random.Generator | None = None,
) -> Ranked:
    """Return whether each document is on topic, in the order of their scores.

    Args:
        scores: A score for each document.
        relevant: Whether each document is on topic.
        rng: Shuffles documents with equal scores; without it, they keep their order.

    >>> rank_truth(np.array([1.0, 3.0, 2.0]), np.array([True, False, False]))
    array([False, False,  True])
    """
    order = rng.permutation(len(scores)) if rng else np.arange(len(scores))
    return np.asarray(relevant[order[np.argsort(-scores[order], kind="stable")]])


def measure_ranking(ranked: Ranked) -> dict[str, float]:
    """Return the measures of a ranking that `ir_measures` computes, by name.

    A document's score is its place counted from the end, so there are no ties.
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
    """Return the F1 of the best cut: max over k of 2 TP(k) / (k + R)."""
    return float(f1_at(ranked).max())


def top_k_f1(ranked: Ranked, *, least: int) -> TopK | None:
    """Return the mean and deviation of the F1 of taking the first k, for k from `least` to 5,000.

    In a shorter list, k stops at its end; None if the list has fewer than `least` documents.
    """
    values = f1_at(ranked)[max(least, 1) - 1 : DEEPEST]
    return TopK(float(values.mean()), float(values.std())) if len(values) else None


def work_saved(ranked: Ranked) -> float:
    """Return the work saved over sampling at a recall of 95 %, WSS@95.

    At the first cut that reaches the recall it is (TN + FN) / N - (1 - 0.95): the share of the
    list that need not be read, less what would be saved by reading a random part of it.
    """
    # A product such as 0.95 * 20 may come out slightly above the whole number that it equals.
    needed = np.ceil(RECALL * ranked.sum() - 1e-9)
    read = int(np.searchsorted(np.cumsum(ranked), needed)) + 1
    return float((len(ranked) - read) / len(ranked) - (1 - RECALL))


def last_relevant(ranked: Ranked) -> float:
    """Return the share of the list that is read until the last document on topic is found."""
    return float((np.flatnonzero(ranked)[-1] + 1) / len(ranked))


def area_under_curve(scores: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float | None:
    """Return the share of pairs, one on topic and one off, that are in order; ties count half.

    With S the sum of the ranks (from the lowest score, ties sharing their mean) of the R documents
    on topic, it is (S - R (R + 1) / 2) / (R (N - R)); None if all or none are on topic.
    """
    on, off = int(relevant.sum()), int((~relevant).sum())
    if not on or not off:
        return None
    return float((rankdata(scores)[relevant].sum() - on * (on + 1) / 2) / (on * off))


def calibration_error(probabilities: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten bins of equal width.

    It is the sum over bins b of (N_b / N) |mean probability in b - share on topic in b|.
    """
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    off = np.bincount(bins, weights=probabilities - relevant, minlength=BINS)
    return float(np.abs(off).sum() / len(relevant))


def brier(probabilities: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """Return the mean of (probability - truth)², with a truth of 1 on topic and 0 off it."""
    return float(((probabilities - relevant) ** 2).mean())


def covers(interval: Interval, share: float) -> float:
    """Return 1 if a share is within an interval, its ends included, and 0 if not."""
    return float(interval.low <= share <= interval.high)


def prior_error(estimated: float, true: float) -> float | None:
    """Return ln(estimated / true), or None if one of them is 0.

    >>> prior_error(0.2, 0.1)
    0.6931471805599453
    """
    return math.log(estimated / true) if estimated > 0 and true > 0 else None


RESAMPLES = 10_000
CONFIDENCE = 0.95


class TaskKey(NamedTuple):
    """What identifies a task, so that results on it can be paired."""

    seeds: int
    topic: str
    draw: int
    fingerprint: str


class Mean(NamedTuple):
    """A mean over topics with its 95 % interval."""

    value: float
    low: float | None = None
    high: float | None = None
    """Both are None if there is only one topic."""


@dataclass(frozen=True)
class Comparison:
    """How two methods differ on the tasks that both have."""

    difference: Mean
    p: float
    """The p-value of Wilcoxon's signed-rank test over topics."""
    topics: int
    tasks: int


def average_over_topics(measured: Mapping[TaskKey, float], *, rng: np.random.Generator) -> Mean:
    """Return the mean over topics with its bootstrap interval."""
    return bootstrap_mean(list(average_topics(measured).values()), rng=rng)


def average_topics(measured: Mapping[TaskKey, float]) -> dict[str, float]:
    """Return the mean of each topic over its draws."""
    draws = group_by(measured, lambda task: task.topic)
    return {topic: fmean(measured[task] for task in draws[topic]) for topic in sorted(draws)}


def compare_methods(
    first: Mapping[TaskKey, float],
    second: Mapping[TaskKey, float],
    *,
    rng: np.random.Generator,
) -> Comparison:
    """Return how far the first method's values exceed the second's on their common tasks."""
    both = sorted(first.keys() & second.keys())
    if not both:
        raise RunError(
            "the two have no task in common, so there is nothing to compare; "
            "run both on the same folder of tasks"
        )
    differences = list(average_topics({task: first[task] - second[task] for task in both}).values())
    difference = bootstrap_mean(differences, rng=rng)
    return Comparison(difference, compute_wilcoxon_p(differences), len(differences), len(both))


def bootstrap_mean(values: Sequence[float], *, rng: np.random.Generator) -> Mean:
    """Return the mean of values and the middle 95 % of the means of samples drawn from them.

    >>> bootstrap_mean([0.5, 0.5, 0.5], rng=np.random.default_rng(0))
    Mean(value=0.5, low=0.5, high=0.5)
    """
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    if len(sample) < 2:
        return Mean(mean)
    drawn = sample[rng.integers(len(sample), size=(RESAMPLES, len(sample)))].mean(axis=1)
    outer = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [outer, 1 - outer])
    return Mean(mean, float(low), float(high))


def compute_wilcoxon_p(differences: Sequence[float]) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test; differences of 0 are left out.

    >>> compute_wilcoxon_p([0.1, 0.2, 0.3])
    0.25
    """
    # Averages of equal values may differ in their last bits; such differences must not be ranked.
    rounded = np.round(differences, 12)
    if not rounded.any():
        return 1.0
    return float(wilcoxon(rounded[rounded != 0]).pvalue)


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple comparisons by Holm's method.

    The i-th smallest of m is multiplied by m - i + 1, and none falls below a smaller one.

    >>> correct_by_holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    sizes = len(order) - np.arange(len(order))
    stepped = np.minimum(np.maximum.accumulate(np.asarray(p_values)[order] * sizes), 1.0)
    corrected = np.empty(len(order))
    corrected[order] = stepped
    return [float(value) for value in corrected]
