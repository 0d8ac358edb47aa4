"""What replays teach about stopping: makes `src/likewise/learn/stopping/calibration.json`.

From the replays of reviews and pseudo-reviews, two things are fitted:

- how high a conviction must be (`learn/stopping/reading.py`) for each recall and confidence, by
  conformal risk control over reviews,
- the weights of what is left (`learn/stopping/posterior.py`), by a negative binomial regression.

Pseudo-reviews are easier than those that people screened, so all of them together count only as
much as all real reviews. Everything is fitted once to all reviews, and once without each real
review, and without each tenth of the pseudo-reviews, to judge advice on reviews that it was not
fitted to.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln

from likewise import __version__
from likewise.bench.screening.results import ScreenResult
from likewise.learn.stopping import ExpectedByScores, Screening
from likewise.learn.stopping.posterior import (
    read_score_signs_left,
    read_shape_signs,
    read_signs_left,
)
from likewise.learn.stopping.reading import (
    ASKED,
    Calibration,
    CalibrationFile,
    LeftWeights,
    Level,
    measure_conviction,
)

Numbers = np.ndarray

RECALLS = (0.8, 0.9, 0.95, 0.99)
CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99)
AFTER = 0.5
"""After everything is found, estimates count less and less the longer reading goes on."""
LEFT_PENALTY = 0.05
COUNTS_AS = 20.0
"""How many independent numbers the rounds of a replay count as."""
PARTS = 10
"""The number of parts that pseudo-reviews are put into; each is left out once."""


class ReplayFigures(NamedTuple):
    """What a replay tells, each time that it is asked."""

    review: str
    kind: str
    misleading: dict[float, float]
    """The highest conviction before each recall is reached."""
    left: Numbers
    """How many are left, ..."""
    left_signs: Numbers
    """... and the signs of that, by the order alone ..."""
    score_signs: Numbers | None
    """... and by scores too, if they are known."""
    shape_signs: Numbers


def write_calibration(results: Sequence[ScreenResult], path: Path, *, pseudo: str) -> None:
    """Fit all that replays teach, and write it; `pseudo` is the kind of the pseudo-reviews."""
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        asked = list(processes.map(ask_replay, results, chunksize=2))
        parts = list_left_out(asked, pseudo=pseudo)
        fit = partial(fit_calibration, asked, pseudo=pseudo)
        fits = list(processes.map(fit, [(), *parts]))
    made = {
        "by": f"make bench-screen, likewise {__version__}",
        "replays": len(asked),
        "reviews": {
            kind: len({one.review for one in asked if one.kind == kind})
            for kind in sorted({one.kind for one in asked})
        },
    }
    kept = CalibrationFile(made=made, whole=fits[0], parts=tuple(fits[1:]))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=0) + b"\n")


def list_left_out(asked: Iterable[ReplayFigures], *, pseudo: str) -> list[tuple[str, ...]]:
    """Return which reviews are left out together: each real one, and tenths of the others."""
    real = sorted({one.review for one in asked if one.kind != pseudo})
    others = sorted({one.review for one in asked if one.kind == pseudo})
    return [*((name,) for name in real), *(tuple(others[part::PARTS]) for part in range(PARTS))]


def ask_replay(result: ScreenResult) -> ReplayFigures:
    """Ask a replay at each hundredth, as advice does, and at each round."""
    labels, size, total = result.labels, result.records, result.on_topic
    step = max(1, size // ASKED)
    looked = [Screening(labels=labels[:end], size=size) for end in range(step, size, step)]
    rounds = [
        Screening(labels=labels[: at.looked_at], size=size,
               scored=ExpectedByScores(*at.scored) if at.scored else None)
        for at in result.rounds if at.looked_at and at.found
    ] or [one for one in looked if one.found]  # fmt: skip
    has_scores = bool(result.rounds)
    rounds = [one for one in rounds if one.scored or not has_scores]
    return ReplayFigures(
        review=result.review,
        kind=result.kind,
        misleading={
            recall: max(
                (
                    measure_conviction(one, recall=recall)
                    for one in looked
                    if one.found < recall * total - 1e-9
                ),
                default=-np.inf,
            )
            for recall in RECALLS
        },
        left=np.array([total - one.found for one in rounds]),
        left_signs=np.array([read_signs_left(one) for one in rounds]),
        score_signs=np.array([read_score_signs_left(one) for one in rounds])
        if has_scores
        else None,
        shape_signs=np.array([read_shape_signs(one) for one in rounds]),
    )


def fit_calibration(
    asked: Sequence[ReplayFigures], without: Collection[str], *, pseudo: str
) -> Calibration:
    """Fit everything to the replays of all reviews but some."""
    kept = [one for one in asked if one.review not in without]
    scored = [(one, one.score_signs) for one in kept if one.score_signs is not None]
    weights = weigh_reviews(kept, pseudo=pseudo)
    newcomer = max(weights[name] for name in weights)
    return Calibration(
        reviews=tuple(without),
        levels=tuple(_fit_level(kept, recall, weights, newcomer=newcomer) for recall in RECALLS),
        left=fit_left(kept, [one.left_signs for one in kept], weights),
        left_by_scores=fit_left(
            [one for one, _ in scored], [signs for _, signs in scored], weights
        ),
    )


def weigh_reviews(asked: Sequence[ReplayFigures], *, pseudo: str) -> dict[str, float]:
    """Return how much each review counts: all real ones as much as all pseudo-reviews."""
    kinds = {one.review: one.kind for one in asked}
    others = sum(kind == pseudo for kind in kinds.values())
    real = others / max(1, len(kinds) - others) if others else 1.0
    return {name: 1.0 if kind == pseudo else real for name, kind in kinds.items()}


def _fit_level(
    asked: Sequence[ReplayFigures], recall: float, weights: dict[str, float], *, newcomer: float
) -> Level:
    """Return how high a conviction must be for a recall, by conformal risk control.

    A review counts the same however many replays it has; one more review is assumed misled.
    """
    replays = Counter(one.review for one in asked)
    pairs = sorted(
        ((one.misleading[recall], weights[one.review] / replays[one.review]) for one in asked),
        reverse=True,
    )
    # Just above the value at a place, those before it mislead.
    misled = np.append(0.0, np.cumsum([weight for _, weight in pairs]))[:-1]
    risks = (misled + newcomer) / (sum(weights.values()) + newcomer)
    confidences, needed = [], []
    for confidence in CONFIDENCES:
        allowed = np.flatnonzero((risks <= 1 - confidence + 1e-12) & _is_finite(pairs))
        if len(allowed):
            confidences.append(confidence)
            needed.append(round(pairs[allowed[-1]][0] + 1e-3, 3))
    return Level(recall, tuple(confidences), tuple(needed))


def _is_finite(pairs: Sequence[tuple[float, float]]) -> Numbers:
    return np.isfinite([value for value, _ in pairs])


def fit_left(
    asked: Sequence[ReplayFigures], signs: Sequence[Numbers], counts: dict[str, float]
) -> LeftWeights:
    """Return the weights of mean and shape of a negative binomial regression."""
    rows, shapes = np.concatenate(signs), np.concatenate([one.shape_signs for one in asked])
    left = np.concatenate([one.left for one in asked]).astype(np.float64)
    replays = Counter(one.review for one in asked)
    weights = np.concatenate(
        [_weigh_rounds(one.left) * counts[one.review] / replays[one.review] for one in asked]
    )
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    centre[0], spread[0] = 0.0, 1.0
    scaled, columns = (rows - centre) / spread, rows.shape[1]

    def loss(both: Numbers) -> tuple[float, Numbers]:
        mean = np.exp(np.clip(scaled @ both[:columns], -8, 9))
        shape = np.exp(np.clip(shapes @ both[columns:], -3, 6))
        told = gammaln(left + shape) - gammaln(shape) - gammaln(left + 1)
        told += shape * np.log(shape / (shape + mean)) + left * np.log(mean / (shape + mean))
        by_mean = (left / mean - (left + shape) / (shape + mean)) * mean
        by_shape = digamma(left + shape) - digamma(shape) + np.log(shape / (shape + mean))
        by_shape = (by_shape + 1 - (shape + left) / (shape + mean)) * shape
        slope = np.concatenate([scaled.T @ (weights * by_mean), shapes.T @ (weights * by_shape)])
        return (
            float(-(weights @ told) + LEFT_PENALTY / 2 * both @ both),
            LEFT_PENALTY * both - slope,
        )

    start = np.zeros(columns + shapes.shape[1])
    start[0] = 1.0
    both = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    mean = both[:columns] / spread
    mean[0] -= mean[1:] @ centre[1:]
    return LeftWeights(_round_values(mean), _round_values(both[columns:]))


def _weigh_rounds(left: Numbers) -> Numbers:
    """Return how much each round of a replay counts."""
    done = int((left == 0).argmax()) if (left == 0).any() else len(left) - 1
    weights = np.ones(len(left))
    weights[done + 1 :] = np.exp(-np.arange(1, len(left) - done) / (5 + AFTER * done))
    shares: Numbers = weights / weights.sum()
    return COUNTS_AS * shares


def _round_values(values: Numbers) -> tuple[float, ...]:
    return tuple(float(f"{value:.5g}") for value in values)
