"""How long a round takes: learning from marks and putting a pool of real abstracts in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from benchmarks.labelled import make_document, read_rows

from likewise.bench.screening.replaying import Look, ReplayState, ReviewRecords, rank_rest
from likewise.learn.regression import fit_logistic
from likewise.learn.spelling import parse_method

TOPIC = ("Animals", "Liver", "Rats")
SIZES = (5_000, 20_000)
SEEDS, MARKED = 10, 200
"""How many are known at first, and how many marks there are by now."""
REPEATED = 3


def time_rounds(method: str = "linear") -> Iterator[str]:
    """Yield the lines of a table: seconds per round, the median of several."""
    rows = read_rows("mesh.jsonl.gz")
    rows.sort(key=lambda row: not set(TOPIC).issubset(row["mesh"]))
    on_topic = sum(set(TOPIC).issubset(row["mesh"]) for row in rows)
    yield "| records | seconds a round | one fit of the plain regression | ratio |"
    yield "|---:|---:|---:|---:|"
    for size in SIZES:
        # All that is on topic, and others drawn at random.
        others = np.random.default_rng(0).permutation(np.arange(on_topic, len(rows)))
        chosen = [*range(on_topic), *others[: size - on_topic].tolist()]
        records = ReviewRecords([make_document(rows[row]) for row in chosen])
        known = _make_known(on_topic)
        round_takes = _measure_seconds(lambda: _run_round(records, known, method))  # noqa: B023
        fit_takes = _measure_seconds(lambda: _fit_plain(records, known))  # noqa: B023
        ratio = round_takes / fit_takes
        yield f"| {size:,} | {round_takes:.2f} | {fit_takes:.3f} | {ratio:.1f} |"


def _make_known(on_topic: int) -> ReplayState:
    """Return seeds and marks, half of these on topic."""
    half = MARKED // 2
    marked = [Look(SEEDS + place, is_on_topic=True) for place in range(half)]
    marked += [Look(on_topic + place, is_on_topic=False) for place in range(half)]
    return ReplayState(tuple(range(SEEDS)), marked)


def _run_round(records: ReviewRecords, known: ReplayState, method: str) -> None:
    rank_rest(records, known, method=parse_method(method), rng=np.random.default_rng(0))


def _fit_plain(records: ReviewRecords, known: ReplayState) -> None:
    targets = np.zeros(len(records))
    targets[known.relevant] = 1.0
    weights = np.where(targets > 0, 1 / targets.sum(), 1 / (targets == 0).sum())
    fit_logistic(
        records.views["words"].evidence.tfidf,
        targets,
        weights=weights * len(targets) / 2,
        strength=1.0,
    )


def _measure_seconds(work: Callable[[], Any]) -> float:
    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return median(once() for _ in range(REPEATED))
