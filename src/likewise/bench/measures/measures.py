"""Measures: what an answer is worth, once the truth is looked at.

All are taken over the documents of the answer: the test part of an inductive task, the whole pool
of a transductive one. The seeds of a test part were not retrieved, so that they are no part of what
is said of shares and probabilities. Equal scores rank by chance, alike for all methods on a task.
What can't be measured (how documents on topic rank, if none is there;
probabilities that a method does not give) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.bench import make_generator, measures
from likewise.bench.methods.view import MethodAnswer
from likewise.bench.tasks.task import Task, TaskMetadata, Truth
from likewise.errors import NotFiniteError, SettingsError

Named = Iterator[tuple[str, float | None]]


class Measure(NamedTuple):
    """What is known of a measure."""

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
    "nDCG@100": Measure("the same of the first 100"),
    "RPrec": Measure("precision of the first R, R being how many are on topic"),
    "P@10": Measure("precision of the first 10"),
    "P@100": Measure("precision of the first 100"),
    "R@100": Measure("recall of the first 100"),
    "R@1000": Measure("recall of the first 1,000"),
    "AUC": Measure("the share of pairs, one on and one off topic, in the right order"),
    "WSS@95": Measure("work saved over sampling at a recall of 95 %"),
    "last relevant": Measure("the share of the list read until the last on topic", "lower"),
    "calibration error": Measure("distance of probability and truth over ten bins", "lower"),
    "Brier": Measure("mean squared distance of probability and truth", "lower"),
    "interval covered": Measure("whether the prior's 80 % interval holds the true share", ""),
    "prior error": Measure("ln(estimated / true) of the prior", "nearer 0", "log"),
    "outside covered": Measure("whether the 80 % interval of what the pool lacks holds it", ""),
    "on topic": Measure("the share of the measured documents that is on topic", ""),
    "seconds": Measure("how long the method took", "lower", "seconds"),
    "megabytes": Measure("the most memory its process held", "lower", "megabytes"),
}
"""Every measure by name, as `--measure` takes it; the last two are of the run."""


def measure_answer(answer: MethodAnswer, truth: Truth, task: Task) -> dict[str, float]:
    """Return what an answer to a task is worth, by the names of `MEASURES`."""
    metadata = task.metadata
    scores = np.asarray(answer.scores, dtype=np.float64)
    if not len(answer.ids):
        return {}
    if np.isnan(scores).any():
        raise NotFiniteError(
            f"{int(np.isnan(scores).sum())} of {len(scores)} scores are no numbers; "
            "nothing can be ranked by them"
        )
    relevant = np.array([identifier in truth.relevant for identifier in answer.ids], dtype=bool)
    seeds = {entry.id for entry in task.entries if entry.is_test_seed}
    retrieved = np.array([identifier not in seeds for identifier in answer.ids], dtype=bool)
    measured = [
        *_measure_decision(answer, relevant, metadata),
        *_measure_ranking(scores, relevant, metadata),
        *_measure_beliefs(answer, float(relevant[retrieved].mean()), metadata),
        *_measure_probabilities(answer, relevant, retrieved=retrieved),
    ]
    return {name: value for name, value in measured if value is not None}


def check_measure(name: str) -> None:
    """Raise if there is no measure of this name."""
    if name not in MEASURES:
        raise SettingsError(f"there is no measure {name!r}; choose one of: {', '.join(MEASURES)}")


def _measure_decision(
    answer: MethodAnswer, relevant: NDArray[np.bool_], metadata: TaskMetadata
) -> Named:
    if answer.decided is None:
        return
    counted = measures.count_decisions(np.asarray(answer.decided, dtype=bool), relevant)
    recall = measures.recall(counted)
    yield "F1", measures.f1(counted)
    yield "precision", measures.precision(counted)
    yield "recall", recall
    yield "accuracy", measures.accuracy(counted)
    yield "BER", measures.ber(counted)
    yield "decided", float(counted.decided)
    # What is decided of a test part stands for what would be decided of the whole pool.
    yield "library recall", None if recall is None else recall * metadata.recall


def _measure_ranking(
    scores: NDArray[np.float64], relevant: NDArray[np.bool_], metadata: TaskMetadata
) -> Named:
    if not relevant.any():
        return
    ranked = measures.rank_truth(
        scores, relevant, rng=make_generator(0, metadata.fingerprint, "ties")
    )
    top_k = measures.top_k_f1(ranked, least=metadata.seeds)
    yield "best F1 (oracle)", measures.best_f1(ranked)
    yield "top-k F1", top_k and top_k.mean
    yield "top-k F1 deviation", top_k and top_k.deviation
    yield from measures.measure_ranking(ranked).items()
    yield "AUC", measures.area_under_curve(scores, relevant)
    yield "WSS@95", measures.work_saved(ranked)
    yield "last relevant", measures.last_relevant(ranked)


def _measure_beliefs(answer: MethodAnswer, share: float, metadata: TaskMetadata) -> Named:
    yield "on topic", share
    if answer.prior is not None:
        yield "interval covered", measures.covers(answer.prior, share)
        yield "prior error", measures.prior_error(answer.prior.value, share)
    if answer.outside is not None:
        yield "outside covered", measures.covers(answer.outside, 1 - metadata.recall)


def _measure_probabilities(
    answer: MethodAnswer, relevant: NDArray[np.bool_], *, retrieved: NDArray[np.bool_]
) -> Named:
    if answer.probabilities is not None:
        said, true = answer.probabilities[retrieved], relevant[retrieved]
        yield "calibration error", measures.calibration_error(said, true)
        yield "Brier", measures.brier(said, true)
