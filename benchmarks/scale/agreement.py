"""How far a folder and a cluster agree on real abstracts: what they find, and what is decided.

    python -m benchmarks.scale.agreement [--sets 20] [--url URL] [--shards 2]

The documents are the 33,519 of the labelled collection, the seeds 20 of each topic. The overlap of
two lists is what both have, as a share of what either has.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.labelled import list_mesh_triples, make_document, need_data, read_rows
from benchmarks.scale.cluster import delete_index, parse_with_url

from likewise.documents import Document
from likewise.expansion.flow import expand
from likewise.library import Library, open_library
from likewise.library.more_like import more_like_these

RESULT = Path(__file__).parents[1] / "results" / "agreement.md"
SEEDS = 20
DEPTH = 1_000


class Agreement(NamedTuple):
    """What both have in common, as shares."""

    topic: str
    found: float
    """Of the best thousand for the seeds."""
    decided: float
    """Of what was decided to be on topic."""
    sizes: tuple[int, int]


def main() -> None:
    """Index the documents twice, expand each topic on both, and print what they share."""
    need_data()
    parser = make_parser(__doc__)
    parser.add_argument("--shards", type=int, default=2)
    asked = parse_with_url(parser)
    rows = read_rows("mesh.jsonl.gz")
    documents = {row["id"]: make_document(row) for row in rows}
    index = f"bench-agreement-{uuid.uuid4().hex[:8]}"
    address = f"opensearch://{urlsplit(asked.url).netloc}/{index}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            fill_library(open_library(f"{folder}/lib", write=True), documents.values())
            fill_library(open_library(address, write=True, shards=asked.shards), documents.values())
            engines = (open_library(f"{folder}/lib"), open_library(address))
            topics = list(list_mesh_triples(rows).items())[: asked.sets]
            agreed = []
            for number, (topic, members) in enumerate(topics):
                names = random.Random(number).sample(members, SEEDS)
                seeds = [documents[name] for name in names]
                agreed.append(_compare_engines(topic, seeds, engines))
                print(f"  {agreed[-1]}", flush=True)
    finally:
        delete_index(asked.url, index)
    lines = _format_table(agreed)
    RESULT.write_text("\n".join(lines) + "\n")
    print("\n" + "\n".join(lines))


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with an option for the number of topics."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sets", type=int, default=20)
    return parser


def fill_library(library: Library, documents: Iterable[Document]) -> None:
    """Add documents to a library, and close it."""
    with library:
        library.add(documents)
        library.commit()


def _compare_engines(
    topic: str, seeds: Sequence[Document], engines: tuple[Library, ...]
) -> Agreement:
    found, decided = [], []
    for engine in engines:
        names = [seed.id for seed in seeds]
        hits = more_like_these(engine, seeds, limit=DEPTH, exclude=names).hits
        found.append(set(hits.ids))
        decided.append({ranked.id for ranked in expand(engine, list(names)).found})
    sizes = (len(decided[0]), len(decided[1]))
    return Agreement(topic, measure_overlap(*found), measure_overlap(*decided), sizes)


def measure_overlap(here: set[str], there: set[str]) -> float:
    """Return the share of what is in either list that is in both."""
    return len(here & there) / max(len(here | there), 1)


def _format_table(agreed: Sequence[Agreement]) -> list[str]:
    found, decided = [one.found for one in agreed], [one.decided for one in agreed]
    head = f"{len(agreed)} topics, {SEEDS} seeds each"
    return [
        f"| {head} | mean | least | bar |",
        "|---|---:|---:|---:|",
        f"| the best {DEPTH:,} in common | {mean(found):.4f} | {min(found):.4f} | 0.98 |",
        f"| the decided list in common | {mean(decided):.4f} | {min(decided):.4f} | 0.95 |",
    ]


if __name__ == "__main__":
    main()
