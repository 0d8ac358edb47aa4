"""What share of a topic a pool holds as the library grows: a part of `make bench-scale`.

    python -m benchmarks.scale.pools [--largest 1000000] [--draws 3]

Reviews, each with the records that people screened for it, are put into libraries of growing size:
all reviews' records, then real ones of PubMed and of MeSH, then made ones. 20 seeds of what passed
a review's screen look for the rest of it. For each paper of the rest we count what ranks above it:
records of its own review, and others, the *background*.

The law: a review's records came from a search in all of PubMed, so a larger library has no more of
them, while the background above a paper grows as a power of the background's size, close to 1. So
what is measured at one size says where each paper ranks at another.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.kept import keep_library
from benchmarks.labelled import find_review_members, make_document, need_data, read_rows
from benchmarks.repeated import repeat_documents
from benchmarks.scale.collection import read_originals
from benchmarks.scale.pool_tables import write_pools
from benchmarks.seed_kinds import SeedSource
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.expansion.flow import expand
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import more_like_these

WORK = Path(__file__).parent / "work"
KEPT, LISTS = WORK / "pools.json", WORK / "pool-lists.json"
SIZES = (50_000, 300_000, 1_000_000, 3_000_000)
"""The sizes besides those of the reviews' records alone and of all real ones."""
SEEDS = 20
LEAST = 24
"""Reviews with fewer papers past their screen leave too few to look for."""
DEEPEST = 200_000
"""What ranks below is counted as not found."""
KINDS = ("random", "corner")
JUDGED = (20_000, 60_000)
"""The pools whose lists are judged."""


class Review(NamedTuple):
    """A review, with what was screened for it and what passed."""

    name: str
    screened: set[str]
    passed: list[str]


def main() -> None:
    """Measure what is not measured yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--draws", type=int, default=3)
    asked = parser.parse_args()
    need_data()
    kept = load_kept(KEPT)
    real = len(read_real())
    sizes = sorted({len(read_screened()), real, *SIZES})
    for size in (size for size in sizes if size <= asked.largest and str(size) not in kept):
        folder = keep_library(WORK / f"pools-{size}", partial(make_documents, size))
        with EmbeddedLibrary(folder) as library:
            kept[str(size)] = place_reviews(library, draws=asked.draws)
        KEPT.write_text(json.dumps(kept))
        print(f"{size:,} documents: done", flush=True)
    lists = load_kept(LISTS)
    with EmbeddedLibrary(WORK / f"pools-{max(map(int, kept))}") as library:
        for pool in JUDGED:
            judge_lists(library, pool=pool, kept=lists.setdefault(str(pool), {}))
            LISTS.write_text(json.dumps(lists))
    write_pools(
        {
            int(size): {name: np.array(rows) for name, rows in of.items()}
            for size, of in kept.items()
        },
        lists,
        real=real,
    )


def load_kept(path: Path) -> dict[str, dict[str, Any]]:
    """Return what was measured before."""
    kept: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}
    return kept


@cache
def read_screened() -> dict[str, dict[str, Any]]:
    """Return what was screened for any review, by id: of drugs, of diagnostic tests and others."""
    files = ("reviews.jsonl.gz", "clef.jsonl.gz")
    rows: dict[str, dict[str, Any]] = {}
    for row in (row for file in files for row in read_rows(file)):
        known = rows.setdefault(row["id"], row)
        known["reviews"] |= row["reviews"]
    return rows


@cache
def read_reviews() -> list[Review]:
    """Return the reviews."""
    rows = list(read_screened().values())
    return [
        Review(name, {row["id"] for row in rows if name in row["reviews"]}, passed)
        for name, passed in find_review_members(rows, least=LEAST).items()
    ]


@cache
def read_real() -> list[Document]:
    """Return all real documents, once each: the reviews' first, then the others, shuffled."""
    screened = {name: make_document(row) for name, row in read_screened().items()}
    others = {row["id"]: make_document(row) for row in read_rows("mesh.jsonl.gz")}
    others |= {one.pmid: make_plain(one) for one in read_originals()}
    rest = [others[name] for name in sorted(others.keys() - screened.keys())]
    random.Random(0).shuffle(rest)
    return [*screened.values(), *rest]


def make_plain(document: Document) -> Document:
    """Return a record of PubMed with only the fields that the other collections have."""
    return Document(id=document.pmid, title=document.title, abstract=document.abstract)


def make_documents(size: int) -> Iterator[Document]:
    """Yield the documents of a library of a size: real ones, then copies of PubMed's."""
    real = read_real()
    yield from islice(real, size)
    originals = read_originals()
    first = len(originals)
    yield from repeat_documents(originals, first + max(0, size - len(real)), start=first)


def place_reviews(library: EmbeddedLibrary, *, draws: int) -> dict[str, list[list[int]]]:
    """Return what ranks above each paper of each review, by kind of seeds, review and draw."""
    placed = {}
    texts = {document.id: document for document in read_real()}
    for review in read_reviews():
        source = SeedSource(review.name, {name: texts[name] for name in review.passed}, library)
        for kind in KINDS:
            for draw in range(draws):
                seeds = source.draw(kind, SEEDS, draw=draw)
                placed[f"{kind}|{review.name}|{draw}"] = place_papers(
                    library, review, [texts[name] for name in seeds]
                ).tolist()
        print(f"  {review.name}", flush=True)
    return placed


def place_papers(
    library: EmbeddedLibrary, review: Review, seeds: list[Document]
) -> NDArray[np.int64]:
    """Return how much of the review and of the background ranks above each paper; -1 if deeper."""
    given = {seed.id for seed in seeds}
    ids = more_like_these(library, seeds, limit=DEEPEST, exclude=given).hits.ids
    is_own = np.array([name in review.screened for name in ids])
    own, others = np.cumsum(is_own), np.cumsum(~is_own)
    place = {name: at for at, name in enumerate(ids)}
    rest = [name for name in review.passed if name not in given]
    return np.array(
        [
            (own[place[name]] - 1, others[place[name]]) if name in place else (-1, -1)
            for name in rest
        ]
    )


def judge_lists(library: EmbeddedLibrary, *, pool: int, kept: dict[str, list[float]]) -> None:
    """Expand from 20 random seeds of each review, and keep how good the list is."""
    texts = {document.id: document for document in read_real()}
    for review in read_reviews():
        if review.name in kept:
            continue
        source = SeedSource(review.name, {name: texts[name] for name in review.passed}, library)
        seeds = source.draw("random", SEEDS, draw=0)
        started = time.perf_counter()
        made = expand(library, [texts[name] for name in seeds], pool=pool, progress=False)
        seconds = time.perf_counter() - started
        listed = {place.id for place in made.found if not place.seed}
        there = {place.id for place in made.ranking}.intersection(review.passed) - set(seeds)
        right = len(listed.intersection(review.passed))
        rest = len(review.passed) - len(seeds)
        told = made.estimates.relevant
        holds = told.low <= len(there) <= told.high
        f1 = 2 * right / (len(listed) + rest)
        precision = right / max(len(listed), 1)
        kept[review.name] = [f1, precision, right / rest, len(listed), float(holds), seconds]
        print(f"  {pool:,} candidates, {review.name}: F1 {f1:.3f}", flush=True)


if __name__ == "__main__":
    main()
