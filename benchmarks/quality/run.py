"""How well expand finds, decides and estimates: `make bench-quality`.

1. Seeds of every kind: how it decides and estimates, beside BM25 and the best cut (`seeds.py`).
2. MeSH topics (`benchmarks/topics.txt`), pool 10,000, 20 and 50 seeds, three draws: F1 of what is
   decided beside the best that any threshold could give and beside full supervision with the same
   features; the estimated number of relevant documents, its interval, and each prior estimator.
3. Systematic reviews, 10 and 20 seeds, three draws: average precision, and recall at 10 % and 20 %
   of the list, of every method.
4. Rounds, pool 1,000: recall over the whole library at equal list length.
5. Speed: the whole command, compared with plain scikit-learn on as many documents (`speed.py`).

All random seeds are fixed. Arguments choose parts: seeds, mesh, reviews, rounds, speed.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from benchmarks.labelled import (
    TOPICS,
    Collection,
    draw_seeds,
    index_documents,
    make_mesh_collection,
    make_review_collections,
    need_data,
)
from benchmarks.quality.seeds import print_seed_kinds
from benchmarks.quality.speed import print_speed
from benchmarks.running import print_table, run_all

from likewise.bench.measures import (
    best_f1,
    calibration_error,
    count_decisions,
    covers,
    f1,
    measure_ranking,
    precision,
    prior_error,
    rank_truth,
    recall,
)
from likewise.bench.methods.supervision import deal_quarters, learn_truth, make_feature_kinds
from likewise.expansion.candidates import Knowledge
from likewise.expansion.flow import Flow, LearningResult
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.learn.experience import past_experience
from likewise.learn.methods import METHODS
from likewise.learn.priors import PRIORS
from likewise.learn.thresholds import Keep
from likewise.library.embedded import EmbeddedLibrary

DRAWS = 3
QUICK = [name for name, method in METHODS.items() if not method.is_costly]
COMPARED = [*QUICK, "linear(library=0, regressions=1)"]
"""The last is the default as it was before it used the engine's ranking."""
REVIEWS = (("Cohen and others", "reviews.jsonl.gz", 60), ("CLEF", "clef.jsonl.gz", 25))
RULES = ("f1", "expected-f1", "ratio", "ber")


class Task(NamedTuple):
    """Seeds of a topic, and how to expand them."""

    library: str
    topic: str
    members: tuple[str, ...]
    seeds: int
    draw: int
    settings: ExpandSettings

    def learn(self) -> tuple[LearningResult, np.ndarray]:
        """Expand, and then look up the truth about the pool."""
        drawn = draw_seeds(self.members, topic=self.topic, count=self.seeds, draw=self.draw)
        with EmbeddedLibrary(self.library) as library:
            seeds = resolve_seeds(library, library.get(drawn))
            known, left_out = Knowledge(seeds), past_experience().without(self.topic)
            flow = Flow(library, settings=self.settings, experience=left_out)
            learned = flow.learn(known)
        return learned, np.isin(learned.candidates.pool, self.members)


def main() -> None:
    """Run the parts asked for, or all."""
    need_data()
    parts: dict[str, Callable[[], None]] = {
        "seeds": print_seed_kinds,
        "mesh": print_mesh,
        "reviews": print_all_reviews,
        "rounds": print_rounds,
        "speed": print_speed,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


def print_mesh() -> None:
    """Measure decisions and estimates on MeSH topics."""
    collection = make_mesh_collection(TOPICS)
    with index_documents(collection.documents) as library:
        for count in (20, 50):
            settings = ExpandSettings(pool=10_000, rounds=1)
            tasks = make_tasks(collection, library.path, count=count, settings=settings)
            outcomes = run_all(expand_mesh, tasks)
            print(f"\n## MeSH topics, {count} seeds, pool 10,000, {DRAWS} draws\n")
            names = ["F1", "best F1", "supervised", "AP", "supervised AP", "true", "estimated"]
            print_table("topic", names, average_by_topic(outcomes, names))
            print_mesh_summary(outcomes)


def expand_mesh(task: Task) -> dict[str, Any]:
    """Expand a task and compare with the truth."""
    learned, relevant = task.learn()
    judgement, scores = learned.judgement, learned.scored.scores.pool
    probabilities = judgement.probabilities(scores)
    ranked = rank_truth(scores, relevant)
    decided = {rule: judgement.decide(Keep(rule)) for rule in RULES}
    counted = count_decisions(decided["f1"], relevant)
    return {
        "topic": task.topic,
        "F1": f1(counted),
        "best F1": best_f1(ranked),
        **measure_supervised(task, learned, relevant),
        "AP": measure_ranking(ranked)["AP"],
        "true": counted.positive,
        "estimated": judgement.prior.value * len(scores),
        "covered": covers(judgement.prior, relevant.mean()),
        "precision": precision(counted),
        "expected precision": probabilities[decided["f1"]].mean(),
        "recall": recall(counted),
        "expected recall": probabilities[decided["f1"]].sum() / probabilities.sum(),
        "calibration": calibration_error(probabilities, relevant),
        "likely": float(probabilities[probabilities >= 0.5].sum()),
        "likely and relevant": int(relevant[probabilities >= 0.5].sum()),
        "outside": 1 - counted.positive / (len(task.members) - task.seeds),
        "expected outside": learned.retrieval.outside.value if learned.retrieval.outside else 0.0,
        **{f"F1 by {rule}": f1(count_decisions(made, relevant)) for rule, made in decided.items()},
        **{
            f"prior by {name}": prior_error(estimate(judgement.scores), relevant.mean())
            for name, estimate in PRIORS.items()
        },
    }


def measure_supervised(task: Task, learned: LearningResult, relevant: np.ndarray) -> dict[str, Any]:
    """Return how good full supervision is, in the paper's proportions, on the same features."""
    rng = np.random.default_rng(task.draw)
    kinds = make_feature_kinds(learned.candidates.words, rng=rng)
    parts = deal_quarters(len(relevant), rng=rng)
    found = learn_truth(kinds, relevant, parts=parts, seeds=task.seeds)
    return {
        "supervised": f1(count_decisions(found.decided, relevant)),
        "supervised AP": measure_ranking(rank_truth(found.scores, relevant))["AP"],
    }


def print_mesh_summary(outcomes: list[dict[str, Any]]) -> None:
    """Print the means over all tasks, and what they are compared with."""
    mean = {key: fmean(float(o[key]) for o in outcomes) for key in outcomes[0] if key != "topic"}
    ratios = [o["F1"] / mean["supervised"] for o in outcomes]
    print(f"\nF1 as a share of full supervision's: {mean['F1'] / mean['supervised']:.3f} "
          f"(best threshold {mean['best F1'] / mean['supervised']:.3f}; "
          f"deviation over tasks {stdev(ratios):.3f}, {len(outcomes)} tasks)")  # fmt: skip
    for rule in RULES:
        print(f"  decided by {rule:11} {mean[f'F1 by {rule}'] / mean['supervised']:.3f}")
    print(f"80 % intervals that hold the true number: {mean['covered']:.0%}")
    print("Error of ln prior, mean and mean absolute:")
    for name in PRIORS:
        errors = [o[f"prior by {name}"] for o in outcomes]
        print(f"  {name:15} {fmean(errors):+.2f} {fmean(map(abs, errors)):.2f}")
    for name in ("precision", "recall", "outside"):
        print(f"{name:10} {mean[name]:.2f}, expected {mean[f'expected {name}']:.2f}")
    print(f"Expected calibration error: {mean['calibration']:.3f}; of documents with probability "
          f"0.5 or more, {mean['likely and relevant'] / mean['likely']:.2f} times as many are on "
          "topic as expected")  # fmt: skip


def print_all_reviews() -> None:
    """Compare the methods on systematic reviews, each over its own list."""
    for (title, file, least), count in itertools.product(REVIEWS, (10, 20)):
        outcomes = []
        for collection in make_review_collections(least=least, file=file):
            with index_documents(collection.documents) as library:
                tasks = [
                    task
                    for method in COMPARED
                    for task in make_tasks(
                        collection,
                        library.path,
                        count=count,
                        settings=ExpandSettings(pool=100_000, rounds=1, method=method),
                    )
                ]
                outcomes += run_all(expand_review, tasks)
        print_reviews(f"{title}, {count} seeds", outcomes)


def print_reviews(title: str, outcomes: list[dict[str, Any]]) -> None:
    """Print the measures of all methods by review, and what the default estimates."""
    for measure in ("AP", "recall at 10 %", "recall at 20 %"):
        print(f"\n## {title}, {DRAWS} draws: {measure}\n")
        rows = {
            review: [
                fmean(o[measure] for o in outcomes if (o["topic"], o["method"]) == (review, m))
                for m in COMPARED
            ]
            for review in dict.fromkeys(o["topic"] for o in outcomes)
        }
        print_table("review", COMPARED, rows)
    linear = [o for o in outcomes if o["method"] == "linear"]
    covered, error = (fmean(o[k] for o in linear) for k in ("covered", "prior"))
    print(f"\nlinear: 80 % intervals that hold the true number {covered:.0%}; "
          f"mean absolute error of ln prior {error:.2f}; "
          f"F1 {fmean(o['F1'] for o in linear):.3f}, "
          f"best {fmean(o['best F1'] for o in linear):.3f}")  # fmt: skip


def expand_review(task: Task) -> dict[str, Any]:
    """Expand a review's seeds over its list and compare with the decisions of its authors."""
    learned, relevant = task.learn()
    ranked, prior = rank_truth(learned.scored.scores.pool, relevant), learned.judgement.prior
    return {
        "topic": task.topic,
        "method": task.settings.method,
        "AP": measure_ranking(ranked)["AP"],
        "recall at 10 %": ranked[: round(0.1 * len(ranked))].sum() / ranked.sum(),
        "recall at 20 %": ranked[: round(0.2 * len(ranked))].sum() / ranked.sum(),
        "covered": covers(prior, relevant.mean()),
        "prior": abs(np.log(prior.value / relevant.mean())),
        "F1": f1(count_decisions(learned.judgement.decide(), relevant)),
        "best F1": best_f1(ranked),
    }


def print_rounds() -> None:
    """Compare one round with several, for a pool that is small compared with the topic."""
    collection = make_mesh_collection(TOPICS)
    with index_documents(collection.documents) as library:
        for count in (20, 50):
            print(f"\n## Rounds, {count} seeds, pool 1,000, {DRAWS} draws: recall over the whole "
                  "library (difference to one round and its standard error)\n")  # fmt: skip
            print("| rounds | " + " | ".join(ROUNDS) + " |\n|---|" + "---:|" * len(ROUNDS))
            first: list[dict[str, float]] = []
            for rounds in (1, 2, 3):
                settings = ExpandSettings(pool=1000, rounds=rounds)
                tasks = make_tasks(collection, library.path, count=count, settings=settings)
                outcomes = run_all(expand_rounds, tasks)
                first = first or outcomes
                cells = (format_rounds(outcomes, first, name) for name in ROUNDS)
                print(f"\r| {rounds} | " + " | ".join(cells) + " |", flush=True)


def format_rounds(
    outcomes: list[dict[str, float]], first: list[dict[str, float]], name: str
) -> str:
    """Return a mean, and how it differs from that of one round."""
    mean = fmean(outcome[name] for outcome in outcomes)
    if name == "documents":
        return f"{mean:,.0f}"
    differences = [o[name] - f[name] for o, f in zip(outcomes, first, strict=True)]
    error = stdev(differences) / len(differences) ** 0.5
    return f"{mean:.3f} ({fmean(differences):+.3f} ± {error:.3f})" if error else f"{mean:.3f}"


ROUNDS = ("in the pool", "first 250", "first 500", "first 1,000", "documents")


def expand_rounds(task: Task) -> dict[str, float]:
    """Expand a task and measure recall over the whole library."""
    learned, relevant = task.learn()
    ranked = rank_truth(learned.scored.scores.pool, relevant)
    total = len(task.members) - task.seeds
    found = [ranked.sum() / total] + [ranked[:n].sum() / total for n in (250, 500, 1000)]
    return dict(zip(ROUNDS, [*found, len(ranked)], strict=True))


def make_tasks(
    collection: Collection, path: Path, *, count: int, settings: ExpandSettings
) -> Iterator[Task]:
    """Yield a task for each topic and draw."""
    for topic, members in collection.topics.items():
        for draw in range(DRAWS):
            yield Task(str(path), topic, tuple(members), count, draw, settings)


def average_by_topic(outcomes: list[dict[str, Any]], names: list[str]) -> dict[str, list[float]]:
    """Return each topic's means over its draws."""
    topics = dict.fromkeys(outcome["topic"] for outcome in outcomes)
    return {
        topic: [fmean(o[name] for o in outcomes if o["topic"] == topic) for name in names]
        for topic in topics
    }


if __name__ == "__main__":
    random.seed(0)
    main()
