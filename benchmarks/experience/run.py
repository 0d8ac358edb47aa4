"""What other topics teach: fits the coefficients of `learn/experience.py`.

Tasks are made of MeSH conjunctions, none with a main descriptor of `benchmarks/topics.txt`: of one
to three descriptors, 100 to 3,200 documents (as many topics of each size), 8 to 64 seeds, pools of
1,500 to 18,000. The last lines are the coefficients, and what each estimator of the prior is off;
for "experience" these are the errors on topics that were left out of the fit.
"""

from __future__ import annotations

import itertools
import multiprocessing
import random
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from benchmarks.labelled import (
    CHECK_TAGS,
    drawn_seeds,
    labelled_rows,
    library_of,
    mesh_collection,
    need_data,
)
from benchmarks.labelled import TOPICS as MEASURED_ON

from likewise.bench.measures.rankings import f1_at, ranking
from likewise.expansion.flow import Flow
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.learn.experience import place_of
from likewise.learn.priors import CONFIDENCE, PRIORS
from likewise.library.embedded import EmbeddedLibrary

SIZES = (100, 200, 400, 800, 1600, 3200)
"""Between any two of these, so many topics are chosen:"""
TOPICS = 16
LEAST_RELEVANT = 50
"""Tasks with fewer relevant documents in the pool are left out."""
DRAWS = 2
HELD_BACK = {name for topic in MEASURED_ON for name in topic.split(" + ")} - CHECK_TAGS


@dataclass(frozen=True)
class Task:
    """Seeds of a topic, and how large a pool is retrieved for them."""

    topic: str
    members: tuple[str, ...]
    seeds: int
    pool: int
    draw: int


@dataclass(frozen=True)
class Outcome:
    """Where held-out seeds stand, and the truth."""

    topic: str
    place: float
    relevant: int
    best_length: int
    """Of the list with the best F1."""
    estimates: dict[str, float]
    """How many documents of the pool each estimator of the prior takes for relevant."""


def main() -> None:
    """Score all tasks, fit, and print."""
    need_data()
    topics = mesh_collection(chosen_topics())
    with library_of(topics.documents) as library:
        tasks = list(made_tasks(topics.topics))
        with multiprocessing.Pool(2) as workers:
            outcomes = []
            jobs = ((str(library.path), task) for task in tasks)
            for outcome in workers.imap(outcome_of, jobs):
                outcomes.append(outcome)
                print(f"\r{len(outcomes)} of {len(tasks)} tasks", end="", file=sys.stderr)
    report(outcomes)


def chosen_topics() -> list[str]:
    """Choose conjunctions of all sizes alike, no main descriptor twice in a size."""
    rows = labelled_rows("mesh.jsonl.gz")
    counts = Counter(name for row in rows for name in row["mesh"])
    frequent = {name for name, count in counts.items() if count >= SIZES[0]} - HELD_BACK
    members: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        names = sorted(frequent.intersection(row["mesh"]))
        for length in (1, 2, 3):
            members.update(itertools.combinations(names, length))
    chosen: list[str] = []
    for least, most in itertools.pairwise(SIZES):
        fit = [names for names in sorted(members) if least <= members[names] < most]
        random.Random(2).shuffle(fit)
        used: set[str] = set()
        here = len(chosen)
        for names in fit:
            main_names = set(names) - CHECK_TAGS
            if main_names and not main_names & used and len(chosen) - here < TOPICS:
                used |= main_names
                chosen.append(" + ".join(names))
    return chosen


def made_tasks(topics: dict[str, list[str]]) -> list[Task]:
    """Draw numbers of seeds and sizes of pool for each topic."""
    tasks = []
    for topic, members in topics.items():
        for draw in range(DRAWS):
            rng = random.Random(f"{topic} {draw}")
            seeds = round(2 ** rng.uniform(3, 6))
            pool = round(1500 * 12 ** rng.uniform(0, 1))
            tasks.append(Task(topic, tuple(members), min(seeds, len(members) // 3), pool, draw))
    return tasks


def outcome_of(job: tuple[str, Task]) -> Outcome:
    """Score a task as an expansion would, and compare with the truth."""
    path, task = job
    drawn = drawn_seeds(task.members, topic=task.topic, count=task.seeds, draw=task.draw)
    with EmbeddedLibrary(path) as library:
        flow = Flow(library, settings=ExpandSettings(pool=task.pool, rounds=1))
        learned = flow.learn(resolve_seeds(library, library.get(drawn)))
    scores, size = learned.judgement.scores, len(learned.candidates.pool)
    relevant = np.isin(learned.candidates.pool, task.members)
    # The best of a smooth curve, not of its noise.
    smooth = np.convolve(f1_at(ranking(scores.pool, relevant)), np.ones(15) / 15, mode="same")
    return Outcome(
        topic=task.topic,
        place=place_of(learned.judgement.seed_places, size=size),
        relevant=int(relevant.sum()),
        best_length=int(smooth.argmax()) + 1,
        estimates={name: estimate(scores) * size for name, estimate in PRIORS.items()},
    )


def report(outcomes: list[Outcome]) -> None:
    """Print the fit and what is left."""
    outcomes = [outcome for outcome in outcomes if outcome.relevant >= LEAST_RELEVANT]
    rows = np.array([[1, outcome.place] for outcome in outcomes])
    topics = np.array([outcome.topic for outcome in outcomes])
    relevant, length = (
        np.log([getattr(outcome, name) for outcome in outcomes])
        for name in ("relevant", "best_length")
    )
    left_out = np.empty(len(outcomes))
    for topic in set(topics):
        rest = topics != topic
        left_out[~rest] = rows[~rest] @ fit(rows[rest], relevant[rest])
    errors = {"experience": left_out - relevant}
    for name in list(PRIORS)[1:]:
        errors[name] = np.log([outcome.estimates[name] for outcome in outcomes]) - relevant
    spread = np.quantile(np.abs(errors["experience"]), 0.8) / CONFIDENCE
    for name, target in (("RELEVANT", relevant), ("LENGTH", length)):
        constant, slope = fit(rows, target)
        print(f"{name} = ({constant:.2f}, {slope:.2f})")
    print(f"SPREAD = {spread:.2f}")
    print(f"\n{len(outcomes)} tasks of {len(set(topics))} topics; errors of ln relevant\n")
    print("| estimator      | mean error | mean absolute error |\n|---|---:|---:|")
    for name, error in errors.items():
        print(f"| {name:14} | {error.mean():+10.2f} | {np.abs(error).mean():19.2f} |")


def fit(rows: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Fit by least squares."""
    return np.linalg.lstsq(rows, target, rcond=None)[0]


if __name__ == "__main__":
    main()
