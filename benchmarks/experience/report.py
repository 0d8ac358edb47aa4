"""How far experience is right on topics that were left out of it, by kinds of seeds."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

import numpy as np
from benchmarks.seed_kinds import KINDS

from likewise.bench.measures import best_f1, f1_at
from likewise.learn.experience import Experience
from likewise.learn.judgement import UNLIKELY
from likewise.learn.precision import Along, Curves, RankLabels

BINS = 10


class TaskFigures(NamedTuple):
    """What an estimate was worth."""

    kind: str
    share: float
    """F1 of the cut, of the best that any cut gives."""
    holds: bool
    """Whether the interval holds the true number."""
    error: float
    """Of the logarithm of the number."""
    recall: float
    expected_recall: float
    precision: float
    expected_precision: float
    expected: np.ndarray
    """How many documents of each tenth of probability are expected on topic, ..."""
    true: np.ndarray
    """... how many are, ..."""
    sizes: np.ndarray
    """... and how many there are."""


def measure_task(kind: str, truth: np.ndarray, along: Along, *, end: int) -> TaskFigures:
    """Compare what is expected along a ranking with the truth."""
    value, low, high = along.number
    probabilities, number = along.probabilities, int(truth.sum())
    on = np.add.reduceat(truth, np.append(0, along.ends[:-1]))
    tenths = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    by_tenth = [np.bincount(tenths, w, BINS) for w in (probabilities * along.rest, on, along.rest)]
    listed = np.searchsorted(along.ends, end)
    reached = float((probabilities * along.rest)[: listed + 1].sum())
    return TaskFigures(
        kind,
        float(f1_at(truth)[end - 1] / best_f1(truth)),
        low <= number <= high,
        float(np.log(value / number)),
        truth[:end].sum() / number,
        reached / value,
        truth[:end].mean(),
        reached / end,
        *by_tenth,
    )


def measure_left_out(
    truth: np.ndarray, signs: dict[str, float], experience: Experience, *, kind: str, marks: int = 0
) -> TaskFigures:
    """Judge a task by the experience of others, after so many marks around the cut."""
    ranks = np.arange(1, len(truth) + 1.0)
    readings = [one for one in experience.tempered.readings(signs) if one.weight >= UNLIKELY]
    along = Along.of(Curves.of(readings), ranks, size=len(truth))
    if marks:
        # As in an expansion, labels choose among whole curves.
        readings = [one for one in experience.readings(signs) if one.weight >= UNLIKELY]
        cut = along.best_end()
        asked = np.geomspace(max(1, cut / 5), min(len(truth), 5 * cut), marks).round()
        labels = RankLabels(asked, truth[asked.astype(int) - 1])
        along = along.of(
            Curves.of([r.learn_labels(labels) for r in readings]), ranks, size=len(truth)
        )
    return measure_task(kind, truth, along, end=along.best_end())


def print_table(rows: Iterable[TaskFigures], *, title: str) -> None:
    """Print means by kind."""
    rows = list(rows)
    print(f"\n## {title}\n")
    print(
        "| seeds | tasks | F1 / best | interval holds | error of ln number, mean and absolute "
        "| recall | expected | precision | expected | calibration error | 0.8 likely or more "
        "| of these on topic |"
    )
    print("|---|" + "---:|" * 11)
    for kind in KINDS:
        if some := [row for row in rows if row.kind == kind]:
            print(f"| {kind} | {len(some)} | " + " | ".join(format_cells(some)) + " |")


def format_cells(rows: list[TaskFigures]) -> list[str]:
    """Return the figures of a kind."""
    expected, true, sizes = (sum(getattr(row, name) for row in rows)
                             for name in ("expected", "true", "sizes"))  # fmt: skip
    high, on = sizes[8:].sum(), true[8:].sum()
    return [
        f"{fmean(row.share for row in rows):.3f}",
        f"{fmean(row.holds for row in rows):.0%}",
        f"{fmean(r.error for r in rows):+.2f} {fmean(abs(r.error) for r in rows):.2f}",
        *(f"{fmean(getattr(row, name) for row in rows):.2f}"
          for name in ("recall", "expected_recall", "precision", "expected_precision")),
        f"{np.abs(expected - true).sum() / sizes.sum():.3f}",
        f"{high:.0f}",
        f"{on / high:.2f}" if high else "-",
    ]  # fmt: skip
