"""What other topics teach: makes `src/likewise/learn/experience.json`; `make bench-experience`.

Tasks are made of MeSH conjunctions, none with a main descriptor of `benchmarks/topics.txt`: of one
to three descriptors and 50 to 6,400 documents, and those of three descriptors that other benchmarks
choose on; of reviews, each over its own list, and of topics in lists like theirs. Seeds are of all
kinds (`seed_kinds.py`), 5 to 100, of broad topics up to 500; pools have 1,000 to 20,000 documents,
of the whole library or of 10,000 documents of it, or all or half of a small library of 200 to 3,000
documents around a topic. Each task is scored as an expansion would, and its signs and its curve of
precision by rank are kept.

Tasks whose topic is left out tell how far the experience that is shipped can be trusted: `make
bench-experience` prints it at the end. Resumable: what is done stands in
benchmarks/experience/work. Arguments choose parts (tasks, file, report), and `--libraries whole
small` limits tasks to libraries whose names begin like this, for a report on these alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from benchmarks.experience.report import measure_left_out, print_table
from benchmarks.kept import keep_library
from benchmarks.labelled import (
    CHECK_TAGS,
    HELD_BACK,
    Collection,
    find_holders,
    list_mesh_triples,
    make_mesh_collection,
    make_review_collections,
    need_data,
    read_rows,
)
from benchmarks.screen.pseudo_reviews import make_pseudo_reviews
from benchmarks.seed_kinds import KINDS, TOLD_BY_RECORDS, SeedSource, read_sample_records

from likewise import __version__
from likewise.expansion.candidates import Knowledge, rank_strangers_last
from likewise.expansion.flow import Flow
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.features.terms import TermCounter
from likewise.learn.experience import (
    FILE,
    ExperienceFile,
    past_experience,
    read_material_signs,
    read_score_signs,
)
from likewise.learn.folds import keep_seeds_inside
from likewise.learn.precision import fit_curve
from likewise.library.embedded import EmbeddedLibrary

HERE = Path(__file__).parent
WORK, TASKS = HERE / "work", HERE / "work" / "tasks.jsonl"
SHIPPED = HERE.parents[1] / "src" / "likewise" / "learn" / FILE
SIZES = (50, 100, 200, 400, 800, 1600, 3200, 6400)
"""Between any two of these, so many topics are chosen:"""
TOPICS = 18
PART = 10_000
"""The size of the smaller library."""
SMALL = 80
"""How many small ones there are, of a topic each."""
MOST_USUAL, BROAD = 100, 450
"""Of topics with so many documents there are tasks with more seeds than that, up to 500."""
LISTS = 120
"""How many lists as people screen them there are, of a topic each."""
REVIEWS = ("reviews.jsonl.gz", "clef.jsonl.gz")
DRAWS_OF_REVIEWS = 3
"""Of seeds of each kind: reviews are few."""
LEAST = 5
"""Tasks with fewer relevant documents in the pool are left out."""
USUAL, SPREAD = 300.0, 0.9
"""The usual size of a focused topic, and how much ln size differs: larger ones count less."""
USUAL_LISTED, SPREAD_LISTED = 150.0, 1.2
"""The same of what is on topic in a list that is all there is: a review's, or a small library."""
COUNTS_OF_REVIEWS, COUNTS_OF_RECORDS = 3.0, 0.3
"""How much tasks of reviews count, which are few, and those with seeds of a journal or group, which
have few seeds each, and would else tell what few seeds of any kind mean."""
SIGNS = json.loads((HERE / "signs.json").read_text())
"""The signs that are kept, of all there are."""


class Task(NamedTuple):
    """Seeds of a topic, and how large a pool is retrieved for them."""

    library: str
    topic: str
    kind: str
    seeds: int
    pool: int
    draw: int

    @property
    def name(self) -> str:
        """What it is kept under."""
        return " | ".join(map(str, self))


class ReadOnce:
    """Reads the texts of collections once, for all tasks."""

    def __init__(self, collections: dict[str, Collection]) -> None:
        self._counters = {}
        for name, collection in collections.items():
            with EmbeddedLibrary(WORK / name) as library:
                counter = TermCounter(library.analyze_all, by_chunk=library.analyzes_by_chunk)
            counter.add(collection.documents)
            self._counters[name] = counter

    def counter(self, library: EmbeddedLibrary) -> TermCounter:
        """Return what has read the texts of a library."""
        return self._counters[library.path.name]


class Outcome(msgspec.Struct, frozen=True):
    """What is kept of a task."""

    name: str
    topic: str
    kind: str
    size: int
    """How many documents are on topic, in all."""
    pool: int
    signs: dict[str, float]
    relevant: tuple[int, ...]
    """The places in the ranking, from 0, of what is on topic."""


def main() -> None:
    """Run the parts asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="tasks, file or report")
    parser.add_argument("--libraries", nargs="+", default=[""], help="run tasks of these alone")
    asked = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "tasks": partial(run_tasks, tuple(asked.libraries)),
        "file": write_file,
        "report": print_report,
    }
    if unknown := set(asked.parts) - set(parts):
        parser.error(f"no part is called {min(unknown)!r}; choose from {', '.join(parts)}")
    if asked.libraries != [""] and "file" in (asked.parts or parts):
        parser.error("what is shipped is made from all libraries; name the parts: tasks report")
    need_data()
    WORK.mkdir(exist_ok=True)
    for name in asked.parts or parts:
        parts[name]()


def read_outcomes() -> list[Outcome]:
    """Return what is done by now."""
    if not TASKS.exists():
        return []
    with TASKS.open("rb") as lines:
        return [msgspec.json.decode(line, type=Outcome) for line in lines]


def run_tasks(libraries: tuple[str, ...]) -> None:
    """Score all tasks that are not done yet, of libraries whose names begin like one of these."""
    collections = {"whole": make_mesh_collection([*choose_topics(), *list_other_topics()])}
    collections["part"] = draw_part(collections["whole"])
    collections |= {small.name: small for small in make_small_collections(collections["whole"])}
    for file in REVIEWS:
        collections |= {
            review.name: review for review in make_review_collections(least=25, file=file)
        }
    collections |= {one.name: one for one in make_list_collections(collections["whole"])}
    collections = {name: one for name, one in collections.items() if name.startswith(libraries)}
    tasks = make_tasks(collections)
    done = {outcome.name for outcome in read_outcomes()}
    missing = [task for task in tasks if task.name not in done]
    random.Random(0).shuffle(missing)
    for name, collection in collections.items():
        keep_library(WORK / name, partial(iter, collection.documents))
    _STATE.update(
        collections=collections,
        years=read_years(),
        records=read_sample_records(WORK / "pubmed"),
        read=ReadOnce(collections),
    )
    with multiprocessing.get_context("fork").Pool(2) as workers, TASKS.open("ab") as kept:
        for number, outcome in enumerate(workers.imap_unordered(score_task, missing), 1):
            if outcome:
                kept.write(msgspec.json.encode(outcome) + b"\n")
                kept.flush()
            print(f"\r{number} of {len(missing)} tasks", end="", file=sys.stderr)


def choose_topics() -> list[str]:
    """Choose conjunctions of all sizes alike, no main descriptor twice in a size."""
    rows = read_rows("mesh.jsonl.gz")
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
        for topic in fit:
            main_names = set(topic) - CHECK_TAGS
            if main_names and not main_names & used and len(chosen) - here < TOPICS:
                used |= main_names
                chosen.append(" + ".join(topic))
    return chosen


def list_other_topics() -> list[str]:
    """Return conjunctions of three descriptors that have none of those measured on."""
    triples = list_mesh_triples(read_rows("mesh.jsonl.gz"))
    return [topic for topic in triples if not HELD_BACK.intersection(topic.split(" + "))]


def draw_part(whole: Collection) -> Collection:
    """Return a random part of a collection, with the topics that still have enough documents."""
    documents = random.Random(5).sample(whole.documents, PART)
    ids = {document.id for document in documents}
    topics = {topic: [name for name in members if name in ids]
              for topic, members in whole.topics.items()}  # fmt: skip
    large = {topic: members for topic, members in topics.items() if len(members) >= 45}
    return Collection("part", documents, large)


def make_small_collections(whole: Collection) -> Iterator[Collection]:
    """Yield topics among some hundred or thousand others, as in a library of one's own.

    In every other one, documents that have a main descriptor of the topic without being on it are
    left out: there the topic is easy to tell from the rest.
    """
    holders = find_holders(read_rows("mesh.jsonl.gz"))
    rng = random.Random(7)
    fit = sorted(topic for topic, members in whole.topics.items() if 40 <= len(members) <= 400)
    for number, topic in enumerate(rng.sample(fit, SMALL)):
        members = set(whole.topics[topic])
        near = set().union(*(holders[name] for name in set(topic.split(" + ")) - CHECK_TAGS))
        apart = near if number % 2 else members
        others = [d for d in whole.documents if d.id not in apart and d.id not in members]
        size = round(200 * 15 ** rng.random())
        kept = set(rng.sample(sorted(members), min(len(members), size // 3)))
        documents = [d for d in whole.documents if d.id in kept] + rng.sample(others, size)
        yield Collection(f"small {number}", documents, {topic: sorted(kept)})


def make_list_collections(whole: Collection) -> Iterator[Collection]:
    """Yield lists that a person might get by searching for a topic, and screen."""
    documents = {document.id: document for document in whole.documents}
    reviews = itertools.islice(make_pseudo_reviews(read_rows("mesh.jsonl.gz")), LISTS)
    for number, review in enumerate(reviews):
        listed = [documents[name] for name in review.listed]
        yield Collection(f"list {number}", listed, {review.topic: sorted(review.on_topic)})


def make_tasks(collections: dict[str, Collection]) -> list[Task]:
    """Choose kinds and numbers of seeds and sizes of pool for each topic."""
    tasks, benchmarked = [], set(list_other_topics())
    for name, collection in collections.items():
        for topic in collection.topics:
            for kind in KINDS if name == "whole" else KINDS[:4]:
                rng = random.Random(f"{name} {topic} {kind}")
                anything = round(5 * 20 ** rng.random()), round(1000 * 20 ** rng.random())
                if name == "whole":
                    tasks.append(Task(name, topic, kind, 20, rng.choice((2_000, 10_000)), 0))
                    if topic in benchmarked:
                        anything = 50, rng.choice((2_000, 10_000))
                    if kind in (*KINDS[:4], *TOLD_BY_RECORDS):
                        tasks.append(Task(name, topic, kind, *anything, 1))
                    if kind in KINDS[:4] and len(collection.topics[topic]) >= BROAD:
                        many = round(MOST_USUAL * 5 ** rng.random())
                        pool = rng.choice((2_000, 10_000, 20_000))
                        tasks.append(Task(name, topic, kind, many, pool, 3))
                elif name == "part" and rng.random() < 0.5:
                    tasks.append(Task(name, topic, kind, anything[0], anything[1] // 2, 2))
                elif name.startswith("small"):
                    seeds, size = round(5 * 6 ** rng.random()), len(collection.documents)
                    tasks.append(Task(name, topic, kind, seeds, rng.choice((size, size // 2)), 0))
                elif name.startswith("list"):
                    if kind == "random" or rng.random() < 0.5:
                        seeds = round(5 * 6 ** rng.random())
                        tasks.append(Task(name, topic, kind, seeds, 100_000, 0))
                elif name not in ("whole", "part"):
                    for draw in range(3, 3 + DRAWS_OF_REVIEWS):
                        seeds = round(5 * 10 ** rng.random())
                        tasks.append(Task(name, topic, kind, seeds, 100_000, draw))
    return tasks


def read_years() -> dict[str, int]:
    """Return when documents appeared."""
    rows = [row for file in ("mesh.jsonl.gz", *REVIEWS) for row in read_rows(file)]
    return {row["id"]: int(row.get("year") or 0) for row in rows}


_STATE: dict[str, Any] = {}


def score_task(task: Task) -> Outcome | None:
    """Score a task as an expansion would, and compare with the truth."""
    collection = _STATE["collections"][task.library]
    members = set(collection.topics[task.topic])
    documents = {d.id: d for d in collection.documents if d.id in members}
    with EmbeddedLibrary(WORK / task.library) as library:
        topic = SeedSource(task.topic, documents, library, _STATE["years"], _STATE["records"])
        drawn = topic.draw(task.kind, task.seeds, draw=task.draw)
        if len(drawn) < 4:
            return None
        settings = ExpandSettings(pool=task.pool, rounds=1)
        flow = Flow(library, settings=settings, kept_terms=_STATE["read"])
        known = Knowledge(resolve_seeds(library, library.get(drawn)))
        candidates, retrieval = flow.retrieve_candidates(known)
        material = candidates.material(retrieval)
        scored = flow.method.score(material, rng=flow.rng)
        scores = rank_strangers_last(scored.scores, material)
    relevant = np.isin(candidates.pool, list(members))[np.argsort(-scores.pool, kind="stable")]
    if relevant.sum() < LEAST:
        return None
    signs = read_score_signs(keep_seeds_inside(scores, retrieval.is_inside))
    signs |= read_material_signs(material, scores)
    return Outcome(
        name=task.name,
        topic=task.topic,
        kind=task.kind,
        size=len(members),
        pool=len(relevant),
        signs={name: round(value, 4) for name, value in signs.items()},
        relevant=tuple(np.flatnonzero(relevant).tolist()),
    )


def make_experience(done: list[Outcome], signs: list[str]) -> ExperienceFile:
    """Return what is shipped of outcomes."""
    done = sorted((one for one in done if set(signs) <= one.signs.keys()), key=lambda one: one.name)
    return ExperienceFile(
        made={
            "by": f"make bench-experience, likewise {__version__}",
            "from": ["mesh.jsonl.gz", *REVIEWS, "likewise sample"],
            "tasks": len(done),
            "topics": len({one.topic for one in done}),
            "kinds": dict(Counter(one.kind for one in done)),
        },
        signs=tuple(signs),
        topics=tuple(one.topic for one in done),
        kinds=tuple(one.kind for one in done),
        weights=tuple(round(weigh_outcome(one), 4) for one in done),
        values=tuple(tuple(round(one.signs[name], 3) for name in signs) for one in done),
        curves=tuple(tuple(fit_curve(restore_truth(one)).round(2).tolist()) for one in done),
    )


def weigh_outcome(outcome: Outcome) -> float:
    """Return how much a task counts: by its size, and by how many there are of its sort."""
    is_listed = is_review(outcome) or is_small(outcome) or is_list(outcome)
    usual, spread = (USUAL_LISTED, SPREAD_LISTED) if is_listed else (USUAL, SPREAD)
    by_size = float(np.exp(-((np.log(outcome.size / usual) / spread) ** 2) / 2))
    by_kind = COUNTS_OF_RECORDS if outcome.kind in TOLD_BY_RECORDS else 1.0
    return by_size * by_kind * (COUNTS_OF_REVIEWS if is_review(outcome) else 1.0)


def restore_truth(outcome: Outcome) -> np.ndarray:
    """Return for each place of the ranking whether what stands there is on topic."""
    truth = np.zeros(outcome.pool, dtype=bool)
    truth[list(outcome.relevant)] = True
    return truth


def is_small(outcome: Outcome) -> bool:
    """Tell whether a task is of a small library."""
    return outcome.name.startswith("small")


def is_usual(outcome: Outcome) -> bool:
    """Tell whether a task is of a topic in a large library, with no more seeds than usual."""
    special = (is_small, is_list, is_review, has_many_seeds)
    return not any(is_of(outcome) for is_of in special)


def is_list(outcome: Outcome) -> bool:
    """Tell whether a task is of a list like a review's."""
    return outcome.name.startswith("list")


def has_many_seeds(outcome: Outcome) -> bool:
    """Tell whether a task has more seeds than most."""
    return int(outcome.name.split(" | ")[3]) > MOST_USUAL


def is_review(outcome: Outcome) -> bool:
    """Tell whether a task is of a review."""
    return "_" in outcome.topic


def write_file() -> None:
    """Write what comes with the package."""
    SHIPPED.write_bytes(msgspec.json.encode(make_experience(read_outcomes(), SIGNS)) + b"\n")
    print(f"\n{SHIPPED.name}: {SHIPPED.stat().st_size / 1e3:.0f} kB")


def print_report() -> None:
    """Print how far the shipped experience is right on topics that are left out of it."""
    done, experience = read_outcomes(), past_experience()
    other = set(list_other_topics())
    sorts = {
        "Topics of three descriptors": lambda one: is_usual(one) and one.topic in other,
        "Topics of all sizes": lambda one: is_usual(one) and one.topic not in other,
        "More than 100 seeds": has_many_seeds,
        "Small libraries": is_small,
        "Lists like those of reviews": is_list,
        "Reviews": is_review,
    }
    for title, is_of in sorts.items():
        tasks = [one for one in done if is_of(one) and set(SIGNS) <= one.signs.keys()]
        for marks in (0, 10, 40):
            rows = [
                measure_left_out(
                    restore_truth(one), one.signs, experience.without(one.topic), kind=one.kind,
                    marks=marks,
                )
                for one in tasks
            ]  # fmt: skip
            if rows:
                print_table(rows, title=f"{title}, {marks} marks")


if __name__ == "__main__":
    main()
