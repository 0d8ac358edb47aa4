"""Indexing and searching at scale: a folder beside a cluster, in one run.

    python -m benchmarks.scale.run [--documents 510000] [--sets 15] [--url URL] [--shards 2]

The documents are two real PubMed files, repeated with variation. The cluster is the one at --url,
or at LIKEWISE_TEST_OPENSEARCH; an index of its own is made there, and deleted at the end. Times
are of this machine and this run; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import uuid
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.scale.cluster import delete_index
from benchmarks.scale.collection import made_files
from benchmarks.scale.indexing import index_into
from benchmarks.scale.searching import compare_searching

from likewise.documents import read
from likewise.library import open_library

if TYPE_CHECKING:
    from benchmarks.scale.indexing import Indexed
    from benchmarks.scale.searching import Searched

WORK = Path(__file__).parent / "work"
RESULT = Path(__file__).parents[1] / "results" / "scale.md"
PUBMED = 38_000_000


def main() -> None:
    """Make the documents, index and search them twice, print the tables and keep them."""
    asked = _arguments()
    if not asked.url:
        sys.exit("no cluster: give --url, or set LIKEWISE_TEST_OPENSEARCH; docs/opensearch.md")
    files = made_files(WORK / f"documents-{asked.documents}", documents=asked.documents)
    folder = WORK / "library"
    shutil.rmtree(folder, ignore_errors=True)
    index = f"bench-scale-{uuid.uuid4().hex[:8]}"
    address = f"opensearch://{urlsplit(asked.url).netloc}/{index}"
    addresses = {"embedded": str(folder), "cluster": address}
    try:
        open_library(address, write=True, shards=asked.shards, replicas=0).close()
        indexed = {name: index_into(place, files) for name, place in addresses.items()}
        seeds = list(islice(read(files[0]), 20_000))
        opened = {name: open_library(place) for name, place in addresses.items()}
        engines = {name: library.engine for name, library in opened.items()}
        searched = compare_searching(opened, documents=seeds, sets=asked.sets)
        lines = [*_indexing(indexed, engines), "", *_searching(searched, asked.sets)]
    finally:
        delete_index(asked.url, index)
    text = "\n".join([*lines, "", *_projected(indexed)])
    RESULT.write_text(f"{text}\n")
    print(f"\n{text}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=510_000)
    parser.add_argument("--sets", type=int, default=15, help="sets of seeds to search for")
    parser.add_argument("--url", default=os.environ.get("LIKEWISE_TEST_OPENSEARCH", ""))
    parser.add_argument("--shards", type=int, default=2)
    return parser.parse_args()


def _indexing(indexed: dict[str, Indexed], engines: dict[str, str]) -> list[str]:
    here, there = indexed.values()
    rows = {
        "documents": [f"{one.documents:,}" for one in (here, there)],
        "documents a second": [f"{one.rate:,.0f}" for one in (here, there)],
        "processor time of `likewise index`, ms a document": [
            f"{one.processor_seconds / one.documents * 1e3:.2f}" for one in (here, there)
        ],
        "its peak memory": [f"{one.peak_bytes / 1e6:,.0f} MB" for one in (here, there)],
        "bytes a document on disk": [
            f"{one.stored_bytes / one.documents:,.0f}" for one in (here, there)
        ],
    }
    ratios = {
        "documents a second": there.rate / here.rate,
        "bytes a document on disk": there.stored_bytes / here.stored_bytes,
    }
    lines = [f"| indexing | {' | '.join(engines.values())} | ratio |", "|---|---:|---:|---:|"]
    for name, cells in rows.items():
        ratio = f"{ratios[name]:.2f}" if name in ratios else ""
        lines.append(f"| {name} | {' | '.join(cells)} | {ratio} |")
    return lines


def _searching(searched: Searched, sets: int) -> list[str]:
    title = f"{sets} sets of seeds, {searched.terms} terms on average"
    names = list(searched.stages[0])
    lines = [f"| {title} | {' | '.join(names)} | ratio |", "|---|---:|---:|---:|"]
    for stage in searched.stages:
        here, there = stage.values()
        ratio = sum(there.seconds) / sum(here.seconds)
        lines.append(f"| {here.name} | {here} | {there} | {ratio:.1f} |")
    for depth, share in searched.overlap.items():
        lines.append(f"| the best {depth:,} of both in common | | {share:.4f} | |")
    return lines


def _projected(indexed: dict[str, Indexed]) -> list[str]:
    lines = [
        f"| {PUBMED:,} documents at these rates | {' | '.join(indexed)} |",
        "|---|---:|---:|",
    ]
    hours = [f"{PUBMED / one.rate / 3600:.1f} h" for one in indexed.values()]
    disk = [f"{PUBMED * one.stored_bytes / one.documents / 1e9:.0f} GB" for one in indexed.values()]
    return [*lines, f"| time | {' | '.join(hours)} |", f"| disk | {' | '.join(disk)} |"]


if __name__ == "__main__":
    main()
