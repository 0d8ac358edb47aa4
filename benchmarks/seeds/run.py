"""How often the warnings about seeds are right, and how often they are false alarms.

Two topics: seeds drawn from one topic (every alarm is false) and from two. The topics are MeSH
conjunctions and systematic reviews; a review's own candidate list is a library as well, in which
all documents are near the topic. Two topics are unrelated if at most 1 % of the smaller one's
documents are in both.

Corners: seeds drawn at random from a topic (every alarm is false), from one of five k-means
clusters of it, and from a quarter of it that is contiguous in time. What is found is either what
more-like-these brings, as many documents as the topic has, or (the best case) the topic's other
documents. Records without a year get the one that their PMID was given out in.

The thresholds were chosen on every other topic; the rest is the test.
"""

from __future__ import annotations

import itertools
import random
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.labelled import find_review_members, list_mesh_triples, need_data, read_rows
from scipy import sparse
from scipy.cluster.vq import kmeans2
from scipy.sparse.linalg import svds

from likewise.documents import Document
from likewise.expansion.seed_groups import LITTLE_IN_COMMON, MIN_SEEDS, compute_limit, split_seeds
from likewise.expansion.seed_warnings import warn_of_corners
from likewise.expansion.seeds import Seeds
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import more_like_these

ONE_TOPIC = (10, 20, 50)
TWO_TOPICS = ((5, 5), (10, 10), (15, 5), (25, 25), (40, 10))
THRESHOLDS = (0.40, 0.44, 0.48, 0.52, 0.56)
HALVES = ("tuning", "test")
# Roughly the year in which PubMed gave out a number; before 1991 they are not in order.
PMIDS = {0: 1975, 3e6: 1983, 7.5e6: 1991, 8.3e6: 1994, 9.2e6: 1997, 10.2e6: 1999, 11.1e6: 2001,
         12.1e6: 2002, 14.7e6: 2004, 16.4e6: 2006, 20.1e6: 2010, 25.5e6: 2015, 30.2e6: 2019,
         33.4e6: 2021}  # fmt: skip


class Topic(NamedTuple):
    """A topic and its documents' ids."""

    name: str
    members: list[str]


@dataclass
class Collection:
    """Documents, their library, and topics of which every other one is for tuning."""

    name: str
    documents: dict[str, Document]
    topics: list[Topic]
    library: EmbeddedLibrary
    candidates: dict[str, list[str]] = field(default_factory=dict)
    """For each review the ids of the list that was screened."""

    def half(self, name: str) -> list[Topic]:
        """Return the topics for tuning or for the test."""
        return self.topics[HALVES.index(name) :: 2]

    def get(self, ids: list[str]) -> list[Document]:
        """Return documents in the order asked."""
        return [self.documents[identifier] for identifier in ids]


def main() -> None:
    """Print the tables."""
    need_data()
    with tempfile.TemporaryDirectory() as folder:
        mesh, reviews = make_mesh_collection(Path(folder)), make_reviews_collection(Path(folder))
        values = measure_in_common(mesh) | measure_in_common(reviews) | measure_own_lists(reviews)
        print_thresholds(values)
        print_two_topics(values)
        print_corners(measure_corners(mesh, kinds=("random", "cluster", "era")), "MeSH topics")
        print_corners(measure_corners(reviews, kinds=("random", "cluster")), "Systematic reviews")
        mesh.library.close()
        reviews.library.close()


# Two topics

Cell = tuple[str, str, str]
"""The collection, the half, and how the seeds were drawn."""


def measure_in_common(collection: Collection) -> dict[Cell, list[float]]:
    """Return what two groups of seeds have in common, for seeds of one topic and of two."""
    values: dict[Cell, list[float]] = defaultdict(list)
    for half in HALVES:
        topics, rng = collection.half(half), random.Random(half)
        for topic, size in itertools.product(topics, ONE_TOPIC):
            for _ in range(200 // len(topics)):
                drawn = collection.get(rng.sample(topic.members, size))
                values[collection.name, half, f"{size}"].append(
                    compare_groups(drawn, collection.library)
                )
        for kind, pairs in draw_pairs(topics, rng=rng).items():
            mixed = TWO_TOPICS if kind == "unrelated" else TWO_TOPICS[1:2]
            for (one, other), sizes in itertools.product(pairs, mixed):
                drawn = collection.get(draw_mixture(one, other, sizes=sizes, rng=rng))
                cell = collection.name, half, f"{sizes[0]} + {sizes[1]} {kind}"
                values[cell].append(compare_groups(drawn, collection.library))
    return values


def measure_own_lists(collection: Collection) -> dict[Cell, list[float]]:
    """Return the same for seeds of a review in a library of nothing but its candidates."""
    values: dict[Cell, list[float]] = defaultdict(list)
    for place, topic in enumerate(collection.topics):
        half = HALVES[place % 2]
        rng = random.Random(topic.name)
        with tempfile.TemporaryDirectory() as folder:
            library = index_documents(
                Path(folder), collection.get(collection.candidates[topic.name])
            )
            for size in ONE_TOPIC:
                for _ in range(15):
                    drawn = collection.get(rng.sample(topic.members, size))
                    values["own list", half, f"{size}"].append(compare_groups(drawn, library))
            library.close()
    return values


def compare_groups(seeds: list[Document], library: EmbeddedLibrary) -> float:
    """Return what groups have in common, corrected for the number of seeds; 1 without groups."""
    groups = split_seeds(seeds, library=library)
    number = sum(len(group.documents) for group in groups[:2]) if groups else 0
    if groups is None or number < MIN_SEEDS:
        return 1.0
    return groups.in_common + LITTLE_IN_COMMON - compute_limit(number, groups.length)


def draw_pairs(topics: list[Topic], *, rng: random.Random) -> dict[str, list[tuple[Topic, Topic]]]:
    """Draw pairs of topics: any with no main descriptor in common, and unrelated ones."""
    pairs = list(itertools.combinations(topics, 2))
    rng.shuffle(pairs)
    unrelated = [
        (one, other)
        for one, other in pairs
        if len({*one.members} & {*other.members})
        <= 0.01 * min(len(one.members), len(other.members))
    ]
    return {"unrelated": _repeat_pairs(unrelated), "any": _repeat_pairs(pairs)}


def _repeat_pairs(pairs: list[tuple[Topic, Topic]], number: int = 120) -> list[tuple[Topic, Topic]]:
    """Return `number` pairs, repeating them if there are fewer."""
    return list(itertools.islice(itertools.cycle(pairs), number))


def draw_mixture(
    one: Topic, other: Topic, *, sizes: tuple[int, int], rng: random.Random
) -> list[str]:
    """Draw seeds from two topics."""
    first = rng.sample(one.members, sizes[0])
    rest = [identifier for identifier in other.members if identifier not in first]
    return first + rng.sample(rest, sizes[1])


def format_rate(values: list[float] | None, threshold: float = LITTLE_IN_COMMON) -> str:
    """Return how often there was an alarm."""
    return f"{np.mean([value < threshold for value in values]):.0%}" if values else "-"


def print_thresholds(values: dict[Cell, list[float]]) -> None:
    """Print what each threshold would do on the topics for tuning."""
    cells = [c for c in values if c[1] == "tuning" and (c[2].isdigit() or "unrelated" in c[2])]
    print("\nTwo topics, tuning half: alarms by threshold\n")
    print_table(
        ["seeds", *(f"{threshold:.2f}" for threshold in THRESHOLDS)],
        [[f"{c[0]}, {c[2]}", *(format_rate(values[c], t) for t in THRESHOLDS)] for c in cells],
    )


def print_two_topics(values: dict[Cell, list[float]]) -> None:
    """Print the alarms on the topics for the test."""
    print(f"\nTwo topics, test half: alarms at {LITTLE_IN_COMMON}\n")
    columns = ["MeSH topics", "Systematic reviews", "own list"]
    rows = list(dict.fromkeys(cell[2] for cell in values))
    print_table(
        ["seeds", *columns],
        [[row, *(format_rate(values.get((c, "test", row))) for c in columns)] for row in rows],
    )


# Corners


def measure_corners(
    collection: Collection, *, kinds: tuple[str, ...]
) -> dict[tuple[str, str], dict[tuple[str, str], list[bool]]]:
    """Return for each draw and half whether words and years gave an alarm, by what was found."""
    alarms: dict[tuple[str, str], dict[tuple[str, str], list[bool]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for half, kind, size in itertools.product(HALVES, kinds, ONE_TOPIC):
        topics = collection.half(half)
        for topic, number in itertools.product(topics, range(max(1, 40 // len(topics)))):
            rng = random.Random(f"{topic.name}{size}{kind}{number}")
            drawn = draw_seeds(collection, topic, kind=kind, size=size, rng=rng)
            for name, found in find_documents(collection, topic, drawn).items() if drawn else ():
                seeds = Seeds(tuple(collection.get(drawn)), (), ())
                told = warn_of_corners(seeds, found, analyze_all=collection.library.analyze_all)
                row = alarms[f"{size} {kind}", half]
                row[name, "words"].append(any(" say " in warning for warning in told))
                row[name, "years"].append(any(" are of " in warning for warning in told))
    return alarms


def draw_seeds(
    collection: Collection, topic: Topic, *, kind: str, size: int, rng: random.Random
) -> list[str]:
    """Draw seeds at random, from one cluster or from one era; none if no cluster's size fits."""
    if kind == "random":
        return rng.sample(topic.members, size)
    if kind == "era":
        by_year = sorted(topic.members, key=lambda i: (collection.documents[i].year, i))
        width = max(size, len(by_year) // 4)
        start = rng.randrange(len(by_year) - width + 1)
        return rng.sample(by_year[start : start + width], size)
    corners = [
        c for c in find_clusters(collection, topic) if size <= len(c) <= len(topic.members) / 2
    ]
    return rng.sample(rng.choice(corners), size) if corners else []


_CLUSTERS: dict[str, list[list[str]]] = {}


def find_clusters(collection: Collection, topic: Topic) -> list[list[str]]:
    """Return five clusters of a topic's documents."""
    if topic.name not in _CLUSTERS:
        vectors = weigh_terms(collection, topic)
        left, values, _ = svds(vectors, k=20, v0=np.ones(min(vectors.shape)))
        reduced = left * values
        reduced /= np.linalg.norm(reduced, axis=1, keepdims=True) + 1e-9
        _, labels = kmeans2(reduced, 5, minit="++", rng=np.random.default_rng(0))
        _CLUSTERS[topic.name] = [
            [i for i, label in zip(topic.members, labels, strict=True) if label == cluster]
            for cluster in range(5)
        ]
    return _CLUSTERS[topic.name]


def weigh_terms(collection: Collection, topic: Topic) -> sparse.csr_array:
    """Return the documents of a topic as rows of weighted terms."""
    analyze = collection.library.analyze
    counts = [Counter(analyze("abstract", d.text)) for d in collection.get(topic.members)]
    holders = Counter(term for count in counts for term in count)
    columns = {term: column for column, term in enumerate(t for t, n in holders.items() if n > 1)}
    cells = [
        (row, columns[term], (1 + np.log(times)) * np.log(len(counts) / holders[term]))
        for row, count in enumerate(counts)
        for term, times in count.items()
        if term in columns
    ]
    rows, places, values = zip(*cells, strict=True)
    return sparse.csr_array((values, (rows, places)), shape=(len(counts), len(columns)))


def find_documents(
    collection: Collection, topic: Topic, drawn: list[str]
) -> dict[str, list[Document]]:
    """Return what is found for seeds: by more-like-these, and if everything found were right."""
    chosen, size = collection.get(drawn), len(topic.members)
    hits = more_like_these(collection.library, chosen, limit=size, exclude=drawn).hits
    rest = [identifier for identifier in topic.members if identifier not in drawn]
    return {"more like these": collection.get(hits.ids), "the topic": collection.get(rest)}


def print_corners(
    alarms: dict[tuple[str, str], dict[tuple[str, str], list[bool]]], name: str
) -> None:
    """Print how often there was an alarm for each kind of corner and each way of finding."""
    print(f"\nCorners, {name}: alarms\n")
    # If no records have years, there are no alarms by years.
    kinds = ("words", "years") if any("era" in row for row, _ in alarms) else ("words",)
    columns = list(itertools.product(("more like these", "the topic"), kinds))
    print_table(
        ["seeds", "half", *(f"{what}, found: {found}" for found, what in columns)],
        [
            [row, half, *(f"{np.mean(cells[column]):.0%}" for column in columns)]
            for (row, half), cells in sorted(alarms.items(), key=lambda item: item[0][1] == "test")
        ],
    )


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


# Collections


def make_mesh_collection(folder: Path) -> Collection:
    """Return a collection whose topics are all conjunctions of three descriptors."""
    rows = read_rows("mesh.jsonl.gz")
    chosen = [Topic(name, members) for name, members in list_mesh_triples(rows).items()]
    return _make_collection("MeSH topics", rows, topics=chosen, folder=folder / "mesh")


def make_reviews_collection(folder: Path) -> Collection:
    """Return a collection of the reviews with at least 60 records past the abstract screen."""
    rows = read_rows("reviews.jsonl.gz")
    candidates: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        for review in row["reviews"]:
            candidates[review].append(row["id"])
    topics = list(itertools.starmap(Topic, find_review_members(rows, least=60).items()))
    made = _make_collection("Systematic reviews", rows, topics=topics, folder=folder / "reviews")
    made.candidates = candidates
    return made


def index_documents(folder: Path, documents: list[Document]) -> EmbeddedLibrary:
    """Make a library whose analysis is cached."""
    library = EmbeddedLibrary(folder, write=True)
    library.add(documents)
    library.commit()
    library.analyze = cache(library.analyze)  # type: ignore[method-assign]  # of this one only
    return library


def _make_collection(
    name: str, rows: list[dict[str, Any]], *, topics: list[Topic], folder: Path
) -> Collection:
    documents = {row["id"]: _make_document(row) for row in rows}
    return Collection(name, documents, topics, index_documents(folder, list(documents.values())))


def _make_document(row: dict[str, Any]) -> Document:
    year = int(row.get("year") or 0)
    if not year and row["id"].isdigit():
        year = int(np.interp(int(row["id"]), list(PMIDS), list(PMIDS.values())))
    return Document(id=row["id"], title=row["title"], abstract=row["abstract"], year=year or None)


if __name__ == "__main__":
    main()
