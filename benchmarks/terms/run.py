"""How many terms, weighed how: the recall of the pool for different more-like-these queries.

Two collections of different kinds: MeSH conjunctions (20 and 50 seeds) and systematic reviews
(10 and 20 seeds), three draws of seeds each. A cell is the share of the topic's other documents
that are in the pool, mean over topics and draws; after it the difference to the default settings
and its standard error over topics, so that a gain can be told from noise.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from dataclasses import replace
from statistics import fmean, stdev
from typing import NamedTuple

from benchmarks.labelled import (
    find_review_members,
    index_documents,
    list_mesh_triples,
    make_document,
    need_data,
    read_rows,
)

from likewise.documents import Document
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import MoreLike, more_like_these

DRAWS = 3
TOPICS = 24


class Collection(NamedTuple):
    """Documents, the ids of those on each topic, and what to try."""

    name: str
    documents: list[Document]
    topics: dict[str, list[str]]
    seeds: tuple[int, ...]
    pools: tuple[int, ...]


def main() -> None:
    """Print a table for each collection."""
    need_data()
    for collection in (make_mesh_collection(), make_reviews_collection()):
        with index_documents(collection.documents) as library:
            print_table(collection, library)


def list_settings() -> dict[str, MoreLike]:
    """Return the settings in the order of the table's rows; the first is the default."""
    default = MoreLike()
    rows = {
        "default": default,
        "the paper's": MoreLike.of_the_paper(),
        "the paper's, relaxed": MoreLike.of_the_paper(relax=True),
    }
    for terms in (25, 50, 100, 200, 400, 800, 1600):
        rows[f"{terms} terms"] = replace(default, max_terms=terms)
    for terms in (25, 100, 400):
        rows[f"{terms} terms by tf-idf"] = replace(default, max_terms=terms, terms_by="tf-idf")
    for boost in (1.0, 3.0):
        rows[f"title boost {boost:g}"] = replace(default, title_boost=boost)
    for share in (0.05, 0.1, 0.2):
        rows[f"minimum match {share:.0%}"] = replace(default, minimum_match=share)
    rows["100 terms, minimum match 20%"] = replace(default, max_terms=100, minimum_match=0.2)
    rows["in at most 10 % of documents"] = replace(default, max_document_share=0.1)
    return rows


def print_table(collection: Collection, library: EmbeddedLibrary) -> None:
    """Measure every row and print it."""
    columns = list(itertools.product(collection.seeds, collection.pools))
    print(f"\n{collection.name}: {len(collection.documents):,} documents, "
          f"{len(collection.topics)} topics, {DRAWS} draws; recall of the pool\n")  # fmt: skip
    head = [f"{seeds} seeds, pool {pool:,}" for seeds, pool in columns]
    print(f"| {'settings':30} | " + " | ".join(f"{h:>24}" for h in head) + " |")
    print("|" + "-" * 32 + "|" + ("-" * 25 + ":|") * len(head))
    base: list[dict[str, float]] = []
    for name, settings in list_settings().items():
        cells = [
            measure_recalls(collection, library, settings=settings, seeds=s, pool=p)
            for s, p in columns
        ]
        base = base or cells
        print(f"| {name:30} | " + " | ".join(map(_format_cell, cells, base)) + " |", flush=True)


def _format_cell(recall: dict[str, float], base: dict[str, float]) -> str:
    differences = [recall[topic] - base[topic] for topic in recall]
    error = stdev(differences) / len(differences) ** 0.5
    return f"{fmean(recall.values()):6.3f} ({fmean(differences):+.3f} +- {error:.3f})"


def measure_recalls(
    collection: Collection, library: EmbeddedLibrary, *, settings: MoreLike, seeds: int, pool: int
) -> dict[str, float]:
    """Return each topic's recall, mean over the draws."""
    by_id = {document.id: document for document in collection.documents}
    found: defaultdict[str, list[float]] = defaultdict(list)
    for (topic, members), draw in itertools.product(collection.topics.items(), range(DRAWS)):
        drawn = random.Random(f"{topic}{draw}").sample(members, seeds)
        rest = set(members) - set(drawn)
        chosen = [by_id[identifier] for identifier in drawn]
        hits = more_like_these(library, chosen, limit=pool, exclude=drawn, settings=settings).hits
        found[topic].append(len(rest.intersection(hits.ids)) / len(rest))
    return {topic: fmean(values) for topic, values in found.items()}


def make_mesh_collection() -> Collection:
    """Return a collection on the first of the conjunctions of three descriptors."""
    rows = read_rows("mesh.jsonl.gz")
    chosen = dict(itertools.islice(list_mesh_triples(rows).items(), TOPICS))
    documents = [make_document(row) for row in rows]
    return Collection("MeSH topics", documents, chosen, seeds=(20, 50), pools=(1000, 5000))


def make_reviews_collection() -> Collection:
    """Return a collection on the reviews with at least 60 records past the abstract screen."""
    rows = read_rows("reviews.jsonl.gz")
    chosen = find_review_members(rows, least=60)
    documents = [make_document(row) for row in rows]
    return Collection("Systematic reviews", documents, chosen, seeds=(10, 20), pools=(500, 2000))


if __name__ == "__main__":
    main()
