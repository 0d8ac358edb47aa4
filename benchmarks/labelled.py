"""Labelled collections for benchmarks: documents, and which of them are on which topic."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from likewise.bench.topics import read_topics
from likewise.bench.topics.mesh import CHECK_TAGS as NLM_CHECK_TAGS
from likewise.documents import Document
from likewise.library.embedded import EmbeddedLibrary

# Descriptors that nearly every record has one of: no topic is made of these alone.
CHECK_TAGS = NLM_CHECK_TAGS | {
    "Comparative Study", "English Abstract", "Swine", "Time Factors", "United States",
}  # fmt: skip
DATA = Path(os.environ.get("LIKEWISE_TEST_DATA", "../shared/data"))
TOPICS = [str(topic) for topic in read_topics(Path(__file__).with_name("topics.txt"))]
"""The topics that likewise is measured on."""
HELD_BACK = {name for topic in TOPICS for name in topic.split(" + ")} - CHECK_TAGS
"""The main descriptors of these; nothing that is shipped may be fitted on them."""


class Collection(NamedTuple):
    """Documents, and the ids of those on each topic."""

    name: str
    documents: list[Document]
    topics: dict[str, list[str]]


def need_data() -> None:
    """End with a message if there is no labelled data."""
    if not DATA.is_dir():
        print(f"{DATA}: not there; set LIKEWISE_TEST_DATA to the folder of labelled collections")
        sys.exit(0)


def read_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of the data folder."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def make_document(row: dict[str, Any]) -> Document:
    """Return what a row says of a document, without its labels."""
    return Document(id=row["id"], title=row["title"], abstract=row["abstract"])


def make_mesh_collection(topics: Sequence[str]) -> Collection:
    """Return a collection on topics like "Animals + Liver + Rats": what has all descriptors."""
    rows = read_rows("mesh.jsonl.gz")
    holders = find_holders(rows)
    members = {
        topic: sorted(set.intersection(*(holders[name] for name in topic.split(" + "))))
        for topic in topics
    }
    return Collection("MeSH topics", [make_document(row) for row in rows], members)


def find_holders(rows: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return the ids of the documents that have each descriptor."""
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name in row["mesh"]:
            holders[name].add(row["id"])
    return holders


def list_mesh_triples(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return conjunctions of three descriptors, one of them main, with 200 to 1,100 documents.

    No main descriptor is in two of them; their order is random, and always the same.
    """
    members: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    frequent = {name for name, n in Counter(m for r in rows for m in r["mesh"]).items() if n >= 200}
    for row in rows:
        for triple in itertools.combinations(sorted(frequent.intersection(row["mesh"])), 3):
            members[triple].append(row["id"])
    candidates = [t for t in sorted(members) if 200 <= len(members[t]) <= 1100]
    random.Random(1).shuffle(candidates)
    chosen: dict[str, list[str]] = {}
    used: set[str] = set()
    for names in candidates:
        main = set(names) - CHECK_TAGS
        if main and not main & used:
            used |= main
            chosen[" + ".join(names)] = members[names]
    return chosen


def make_review_collections(*, least: int, file: str = "reviews.jsonl.gz") -> list[Collection]:
    """Return a collection for each review with enough records past the abstract screen."""
    rows = read_rows(file)
    return [
        Collection(
            review,
            [make_document(row) for row in rows if review in row["reviews"]],
            {review: passed},
        )
        for review, passed in find_review_members(rows, least=least).items()
    ]


def find_review_members(rows: list[dict[str, Any]], *, least: int) -> dict[str, list[str]]:
    """Return the records past the abstract screen of each review that has at least `least`."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        for review, decision in row["reviews"].items():
            if decision["abstract"]:
                members[review].append(row["id"])
    return {name: passed for name, passed in sorted(members.items()) if len(passed) >= least}


@contextmanager
def index_documents(documents: list[Document]) -> Iterator[EmbeddedLibrary]:
    """Index documents into a library that is deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        library = EmbeddedLibrary(folder, write=True)
        library.add(documents)
        library.commit()
        library.close()
        with EmbeddedLibrary(folder) as opened:
            yield opened


def draw_seeds(members: Sequence[str], *, topic: str, count: int, draw: int) -> list[str]:
    """Draw seeds; the same topic, count and draw always give the same."""
    return random.Random(f"{topic} {count} {draw}").sample(sorted(members), count)
