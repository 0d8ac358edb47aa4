"""Invented past tasks, of which the truth is known, and new ones that are like them."""

from functools import cache
from typing import NamedTuple

import numpy as np

from likewise.learn.experience import Experience, ExperienceFile, read_score_signs
from likewise.learn.folds import Scores
from likewise.learn.precision import KNOTS, fit_curve

SIGNS = ("place 0.5", "seed score 0.5", "score 10", "score 30", "score 100", "skewness", "alike")
HIGHER = {"random": 0.0, "search": 0.7, "corner": 1.5}
"""How much better seeds score than the rest of their topic, by kind."""
ALIKE = {"random": 0.0, "search": 1.5, "corner": 3.0}


class PastTask(NamedTuple):
    """Scores of seeds and pool, what texts would tell beside them, and the truth."""

    kind: str
    scores: Scores
    signs: dict[str, float]
    is_on: np.ndarray
    """Of each document of the pool."""


def simulated_task(kind="random", *, rng, size=1000, seeds=20):
    """Make a task whose topic is some share of the pool and stands out more or less."""
    count = round(size * np.exp(rng.uniform(np.log(0.02), np.log(0.3))))
    gap = rng.uniform(1.5, 3.5)
    is_on = np.arange(size) < count
    scores = Scores(rng.normal(gap + HIGHER[kind], 1, seeds), rng.normal(0, 1, size) + gap * is_on)
    return PastTask(kind, scores, {"alike": rng.normal(ALIKE[kind], 1)}, is_on)


@cache
def simulated_experience(*, tasks=120):
    """Return experience of so many such tasks of each kind of seeds."""
    rng = np.random.default_rng(7)
    made = [simulated_task(kind, rng=rng) for kind in HIGHER for _ in range(tasks)]
    return Experience.of(kept_of(made))


def kept_of(tasks):
    """Return what is kept of tasks."""
    told = [read_score_signs(task.scores) | task.signs for task in tasks]
    orders = [np.argsort(-task.scores.pool, kind="stable") for task in tasks]
    return ExperienceFile(
        made={"by": "a test"},
        signs=SIGNS,
        topics=tuple(f"topic {number}" for number in range(len(tasks))),
        kinds=tuple(task.kind for task in tasks),
        weights=tuple(1.0 for _ in tasks),
        values=tuple(tuple(signs[name] for name in SIGNS) for signs in told),
        curves=tuple(
            tuple(fit_curve(task.is_on[order]).tolist())
            for task, order in zip(tasks, orders, strict=True)
        ),
    )


def two_tasks_of_each_kind(*, values=((0.0,), (1.0,)), signs=("a",), curves=(-2.0, 2.0)):
    """Return experience of two tasks of each kind, whose curves are level."""
    kinds = [kind for kind in ("random", "corner", "search") for _ in values]
    return Experience.of(
        ExperienceFile(
            made={},
            signs=signs,
            topics=("first", "second") * 3,
            kinds=tuple(kinds),
            weights=(1.0,) * len(kinds),
            values=tuple(values) * 3,
            curves=tuple((odds,) * len(KNOTS) for odds in curves) * 3,
        )
    )
