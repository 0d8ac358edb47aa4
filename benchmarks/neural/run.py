"""How good and how fast the neural methods are: `make bench-neural`.

1. topics: two MeSH topics, pool 10,000, 20 seeds, three draws: average precision and F1 of every
   decision rule, beside the best that any threshold could give; one draw with the paper's own
   settings.
2. speed: an epoch over 20,000 abstracts beside that of the plain implementation, and the average
   precision of both.
3. fused: linear, nnpu-cnn and fused on the fourteen topics of `benchmarks/topics.txt`.

All random seeds are fixed. Arguments choose parts. The paper's own tables are made by `make
bench-tables-neural`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch
from benchmarks.labelled import TOPICS, draw_seeds, index_documents, make_mesh_collection, need_data
from benchmarks.neural.plain import PlainCNN
from benchmarks.quality.run import Task, average_by_topic, make_tasks
from benchmarks.running import print_table, run_all

from likewise.bench.measures import best_f1, count_decisions, f1, measure_ranking, rank_truth
from likewise.expansion.flow import Flow
from likewise.expansion.settings import ExpandSettings
from likewise.features import token_ids
from likewise.learn.judgement import Judgement
from likewise.learn.material import fuse_scores
from likewise.learn.neural.cnn import WordCNN
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU
from likewise.learn.rows import Rows
from likewise.learn.thresholds import Keep
from likewise.library.embedded import EmbeddedLibrary

FOUND = ("Animals + Liver + Rats", "Humans + Male + Heart Failure")
RULES = ("f1", "expected-f1", "ber")
SPEED_EPOCHS = 2
SPEED_POOL = 26_667


def main() -> None:
    """Run the parts asked for, or all."""
    need_data()
    parts: dict[str, Callable[[], None]] = {
        "topics": print_topics, "speed": print_speed, "fused": print_fused,
    }  # fmt: skip
    for name in sys.argv[1:] or parts:
        parts[name]()


def print_topics() -> None:
    """Measure rankings and decisions of the neural methods on two topics."""
    by_method = compare_methods(FOUND, count=20, draws=3)
    by_method |= compare_methods(FOUND, count=20, draws=1, costly="jacovi2021", only="jacovi2021")
    for method, outcomes in by_method.items():
        print(f"\n## {method}: 20 seeds, pool 10,000, {len(outcomes) // len(FOUND)} draws\n")
        names = ["AP", "best F1", *(f"F1 by {rule}" for rule in RULES)]
        print_table("topic", names, average_by_topic(outcomes, names))
        best = fmean(o["best F1"] for o in outcomes)
        for rule in RULES:
            share = fmean(o[f"F1 by {rule}"] for o in outcomes) / best
            print(f"F1 by {rule} as a share of the best threshold's: {share:.2f}")


def print_fused() -> None:
    """Compare the default with what takes longer."""
    names = ["AP", "best F1", "F1 by f1", "seconds"]
    by_method = compare_methods(TOPICS, count=20, draws=1)
    print("\n## Fourteen topics, 20 seeds, pool 10,000, 1 draw\n")
    rows = {m: [fmean(o[n] for o in outcomes) for n in names] for m, outcomes in by_method.items()}
    print_table("method", names, rows, means=False)
    for name in ("AP", "best F1", "F1 by f1"):
        print(f"{name}: fused - linear = {describe_gain(by_method, name)}")


def describe_gain(by_method: dict[str, list[dict[str, Any]]], name: str) -> str:
    """Return what fusing adds to a measure, with the standard error over topics."""
    pairs = zip(by_method["fused"], by_method["linear"], strict=True)
    gains = [fused[name] - linear[name] for fused, linear in pairs]
    error = stdev(gains) / len(gains) ** 0.5
    better = sum(gained > 0 for gained in gains)
    return f"{fmean(gains):+.3f} ± {error:.3f}, better on {better} of {len(gains)}"


def compare_methods(
    topics: Sequence[str],
    *,
    count: int,
    draws: int,
    costly: str = "nnpu-cnn",
    only: str = "",
) -> dict[str, list[dict[str, Any]]]:
    """Return the outcomes of linear, a costly method and both fused, for all topics and draws."""
    collection = make_mesh_collection(topics)
    with index_documents(collection.documents) as library:
        settings = ExpandSettings(pool=10_000, rounds=1, method=costly)
        made = make_tasks(collection, library.path, count=count, settings=settings)
        outcomes = run_all(expand_task, [task for task in made if task.draw < draws])
    names = [only] if only else list(outcomes[0])
    return {name: [found[name] for found in outcomes] for name in names}


def expand_task(task: Task) -> dict[str, dict[str, Any]]:
    """Expand a task by linear and by a costly method, fuse, and compare with the truth."""
    torch.set_num_threads(1)
    linear = replace(task.settings, method="linear")
    started = time.perf_counter()
    quick, relevant = task._replace(settings=linear).learn()
    between = time.perf_counter()
    slow, _ = task.learn()
    ended = time.perf_counter()
    with EmbeddedLibrary(task.library) as library:
        fused = Flow(library, settings=linear).judge_scores(
            fuse_scores([quick.scored, slow.scored]).scores,
            quick.candidates.material(quick.retrieval),
            candidates=quick.candidates,
            retrieval=quick.retrieval,
        )
    judged = {
        "linear": (quick.judgement, between - started),
        task.settings.method: (slow.judgement, ended - between),
        "fused": (fused, ended - started),
    }
    return {
        method: measure_judgement(judgement, relevant, topic=task.topic, seconds=seconds)
        for method, (judgement, seconds) in judged.items()
    }


def measure_judgement(
    judgement: Judgement, relevant: np.ndarray, *, topic: str, seconds: float
) -> dict[str, Any]:
    """Compare what a method says with the truth."""
    ranked = rank_truth(judgement.scores.pool, relevant)
    decided = {rule: judgement.decide(Keep(rule)) for rule in RULES}
    return {
        "topic": topic,
        "seconds": seconds,
        "AP": measure_ranking(ranked)["AP"],
        "best F1": best_f1(ranked),
        **{f"F1 by {rule}": f1(count_decisions(made, relevant)) for rule, made in decided.items()},
    }


def print_speed() -> None:
    """Time an epoch over 20,000 abstracts, at batch 1000, beside the plain implementation."""
    topic = FOUND[0]
    collection = make_mesh_collection([topic])
    members = set(collection.topics[topic])
    seeds = set(draw_seeds(sorted(members), topic=topic, count=20, draw=0))
    others = [document for document in collection.documents if document.id not in seeds]
    drawn = np.random.default_rng(0).permutation(len(others))[:SPEED_POOL]
    documents = [
        *(document for document in collection.documents if document.id in seeds),
        *(others[place] for place in drawn),
    ]
    relevant = np.array([document.id in members for document in documents[20:]])
    tokens = token_ids(documents)
    rows = Rows(tokens.title, tokens.abstract)
    # A quarter is not trained on, but ranked.
    held_out = np.arange(len(relevant)) % 4 == 0
    positive, pool = rows[:20], rows[20:]
    print(f"\n## An epoch over {(~held_out).sum():,} abstracts, batch 1000, "
          f"{torch.get_num_threads()} threads\n")  # fmt: skip
    spent = {}
    for model in (PlainCNN, WordCNN):
        network = PUNetwork(
            lambda _: model(tokens.size, spread=0.1, dropout=0.5),  # noqa: B023  # called at once
            risk=NNPU(prior=0.5),
            loop="largest",
            settings=TrainingSettings(epochs=SPEED_EPOCHS, weight_decay=0.001),
        )
        network.learn(positive, pool[~held_out])
        spent[model] = fmean(epoch.seconds for epoch in network.histories_[0].epochs)
        scores = network.decision_function(pool[held_out])
        ap = measure_ranking(rank_truth(scores, relevant[held_out]))["AP"]
        print(f"{model.__name__}: {spent[model]:.1f} s an epoch, AP after "
              f"{SPEED_EPOCHS} epochs on the quarter held out {ap:.3f}", flush=True)  # fmt: skip
    print(f"ratio {spent[WordCNN] / spent[PlainCNN]:.3f}")


if __name__ == "__main__":
    main()
