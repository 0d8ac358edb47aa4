"""Seeds of every kind: how expand decides and estimates, beside BM25 and the best cut.

The fourteen topics of `benchmarks/topics.txt`, seeds drawn at random, of one corner, by a search
and from short texts, 20 and 50 of them, in pools of 2,000 and 10,000 of 33,519 documents. The truth
is looked up after everything is decided.
"""

from __future__ import annotations

from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from benchmarks.labelled import TOPICS, index_documents, make_mesh_collection, read_rows
from benchmarks.running import run_all
from benchmarks.seed_kinds import SeedSource

from likewise.bench.measures import best_f1, count_decisions, f1, measure_ranking, rank_truth
from likewise.expansion.candidates import Knowledge
from likewise.expansion.flow import Flow
from likewise.expansion.seed_warnings import warn_of_corners, warn_of_seeds
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.summary import describe_seed_readings
from likewise.features.terms import TermCounter
from likewise.library.embedded import EmbeddedLibrary

KINDS = ("random", "corner", "search", "short")
COUNTS = (20, 50)
POOLS = (2_000, 10_000)
METHODS = ("linear", "bm25")
LIKELY = 0.8
TENTHS = 10


class SeedTask(NamedTuple):
    """Seeds of a topic, and how to expand them."""

    topic: str
    kind: str
    seeds: int
    pool: int
    method: str


class Outcome(NamedTuple):
    """The outcome of an expansion."""

    task: SeedTask
    f1: float
    best: float
    average_precision: float
    relevant: int
    estimated: float
    holds: bool
    recall: float
    expected_recall: float
    precision: float
    expected_precision: float
    tenths: np.ndarray
    """For each tenth of probability: how many documents, how many expected, how many on topic."""
    corner: float
    """How likely the seeds were thought to be a corner."""
    readings: str
    """What was said about the seeds, if they were said to be alike."""
    warnings: str
    """What else was said about the seeds."""


_STATE: dict[str, Any] = {}


def print_seed_kinds() -> None:
    """Measure all tasks, and print the outcomes by kind of seeds."""
    collection = make_mesh_collection(TOPICS)
    rows = read_rows("mesh.jsonl.gz")
    with index_documents(collection.documents) as library:
        counter = TermCounter(library.analyze_all, by_chunk=library.analyzes_by_chunk)
        counter.add(collection.documents)
        _STATE.update(
            library=str(library.path),
            documents={document.id: document for document in collection.documents},
            topics=collection.topics,
            years={row["id"]: int(row.get("year") or 0) for row in rows},
            read=KeptCounter(counter),
        )
        tasks = [
            SeedTask(topic, kind, seeds, pool, method)
            for kind in KINDS
            for seeds in COUNTS
            for pool in POOLS
            for topic in TOPICS
            for method in METHODS
        ]
        print_seeds(run_all(expand_task, tasks, start="fork"))


class KeptCounter(NamedTuple):
    """A counter that has read all texts, once for all tasks."""

    read: TermCounter

    def counter(self, _: EmbeddedLibrary) -> TermCounter:
        """Return that counter, whatever the library."""
        return self.read


def expand_task(task: SeedTask) -> Outcome:
    """Expand a task, and then look up the truth."""
    members = _STATE["topics"][task.topic]
    documents = {name: _STATE["documents"][name] for name in members}
    with EmbeddedLibrary(_STATE["library"]) as library:
        topic = SeedSource(task.topic, documents, library, _STATE["years"])
        drawn = topic.draw(task.kind, task.seeds, draw=0)
        settings = ExpandSettings(pool=task.pool, rounds=1, method=task.method)
        flow = Flow(library, settings=settings, kept_terms=_STATE["read"])
        seeds = resolve_seeds(library, library.get(drawn))
        learned = flow.learn(Knowledge(seeds))
        judgement, scores = learned.judgement, learned.scored.scores.pool
        decided = judgement.decide()
        found = [learned.candidates.pool[row] for row in np.flatnonzero(decided)]
        corners = warn_of_corners(seeds, library.get(found), analyze_all=library.analyze_all)
        other_warnings = [*warn_of_seeds(seeds, library=library), *corners]
    probabilities = judgement.probabilities(scores)
    truth = np.isin(learned.candidates.pool, members)
    ranked, counted = rank_truth(scores, truth), count_decisions(decided, truth)
    size, number = len(truth), int(truth.sum())
    tenth = np.minimum((probabilities * TENTHS).astype(int), TENTHS - 1)
    tenths = [np.bincount(tenth, w, TENTHS) for w in (np.ones(size), probabilities, truth)]
    return Outcome(
        task=task,
        f1=f1(counted) or 0.0,
        best=best_f1(ranked),
        average_precision=measure_ranking(ranked)["AP"],
        relevant=number,
        estimated=judgement.prior.value * size,
        holds=judgement.prior.low * size <= number <= judgement.prior.high * size,
        recall=truth[decided].sum() / number,
        expected_recall=probabilities[decided].sum() / probabilities.sum(),
        precision=truth[decided].mean() if decided.any() else 0.0,
        expected_precision=probabilities[decided].mean() if decided.any() else 0.0,
        tenths=np.array(tenths),
        corner=sum(told.weight for told in judgement.readings if told.is_corner),
        readings=describe_seed_readings(judgement.readings),
        warnings=" ".join(other_warnings),
    )


def print_seeds(outcomes: list[Outcome]) -> None:
    """Print what linear decides and estimates, and how it ranks beside BM25."""
    print("\n## Seeds of every kind: deciding and estimating\n")
    print("| seeds | F1 / best cut's | interval holds | true, estimated number | recall, expected "
          "| precision, expected | calibration error | 0.8 likely or more, on topic "
          "|\n|---|" + "---:|" * 7)  # fmt: skip
    for count in COUNTS:
        for kind in KINDS:
            print_estimates(
                f"{kind}, {count}", select_outcomes(outcomes, "linear", kind=kind, seeds=count)
            )
    print("\n## Seeds of every kind: what is said of them\n")
    print("| seeds | taken for a corner | said to be alike | two numbers told | a corner by words "
          "| two topics |\n|---|" + "---:|" * 5)  # fmt: skip
    for count in COUNTS:
        for kind in KINDS:
            print_told(
                f"{kind}, {count}", select_outcomes(outcomes, "linear", kind=kind, seeds=count)
            )
    print("\n## Seeds of every kind: ranking and deciding, beside BM25\n")
    print("| seeds | pool | F1 linear | bm25 | difference | AP linear | bm25 | difference |")
    print("|---|" + "---:|" * 7)
    for kind in KINDS:
        for count in COUNTS:
            for pool in POOLS:
                print_beside(f"{kind}, {count}", outcomes, kind=kind, seeds=count, pool=pool)
    print_beside("all", outcomes)


def select_outcomes(outcomes: list[Outcome], method: str, **wanted: object) -> list[Outcome]:
    """Return the outcomes of a method on tasks with these values."""
    return [
        one
        for one in outcomes
        if one.task.method == method
        and all(getattr(one.task, name) == value for name, value in wanted.items())
    ]


def print_estimates(name: str, rows: list[Outcome]) -> None:
    """Print a row of what was decided and estimated."""
    sizes, expected, on = np.sum([row.tenths for row in rows], axis=0)
    first = int(LIKELY * TENTHS)
    high, on_high = sizes[first:].sum(), on[first:].sum()
    cells = [
        f"{fmean(row.f1 / row.best for row in rows):.3f}",
        f"{fmean(row.holds for row in rows):.0%}",
        f"{fmean(row.relevant for row in rows):.0f}, {fmean(row.estimated for row in rows):.0f}",
        f"{fmean(r.recall for r in rows):.2f}, {fmean(r.expected_recall for r in rows):.2f}",
        f"{fmean(r.precision for r in rows):.2f}, {fmean(r.expected_precision for r in rows):.2f}",
        f"{np.abs(expected - on).sum() / sizes.sum():.3f}",
        f"{high:.0f}, {on_high / high:.2f}" if high else "0",
    ]
    print(f"\r| {name} | " + " | ".join(cells) + " |")


def print_told(name: str, rows: list[Outcome]) -> None:
    """Print a row of how often each thing was said about the seeds."""
    shares = (
        fmean(row.corner >= 0.5 for row in rows),
        fmean(bool(row.readings) for row in rows),
        fmean("If they are the topic" in row.readings for row in rows),
        fmean(" say " in row.warnings for row in rows),
        fmean("two topics" in row.warnings for row in rows),
    )
    print(f"| {name} | " + " | ".join(f"{one:.0%}" for one in shares) + " |")


def print_beside(name: str, outcomes: list[Outcome], **wanted: object) -> None:
    """Print a row of how both methods rank and decide."""
    ours, theirs = (select_outcomes(outcomes, method, **wanted) for method in METHODS)
    cells = [str(wanted.get("pool", ""))]
    for measure in ("f1", "average_precision"):
        pairs = [
            (getattr(a, measure), getattr(b, measure)) for a, b in zip(ours, theirs, strict=True)
        ]
        differences = [a - b for a, b in pairs]
        error = stdev(differences) / len(differences) ** 0.5
        cells += [f"{fmean(column):.3f}" for column in zip(*pairs, strict=True)]
        cells.append(f"{fmean(differences):+.3f} ± {error:.3f}")
    print(f"| {name} | " + " | ".join(cells) + " |")
