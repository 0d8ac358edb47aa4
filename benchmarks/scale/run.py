"""Indexing and searching at scale: a folder beside a cluster, in one run.

    python -m benchmarks.scale.run [--documents 510000] [--sets 15] [--url URL] [--shards 2]

The documents are two real PubMed files, repeated with variation. The cluster is the one at --url,
or at LIKEWISE_TEST_OPENSEARCH; an index of its own is made there, and deleted at the end. Times
are of this machine and this run; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import shutil
import uuid
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.scale.cluster import delete_index, parse_with_url
from benchmarks.scale.collection import make_files
from benchmarks.scale.indexing import IndexingFigures, index_into
from benchmarks.scale.searching import SearchingFigures, compare_searching

from likewise.documents import read
from likewise.library import open_library

WORK = Path(__file__).parent / "work"
RESULT = Path(__file__).parents[1] / "results" / "scale.md"
PUBMED = 38_000_000


def main() -> None:
    """Make the documents, index and search them twice, print the tables and keep them."""
    asked = _parse_arguments()
    files = make_files(WORK / f"documents-{asked.documents}", documents=asked.documents)
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
        lines = [*_format_indexing(indexed, engines), "", *_format_searching(searched, asked.sets)]
    finally:
        delete_index(asked.url, index)
    text = "\n".join([*lines, "", *_format_projection(indexed)])
    RESULT.write_text(f"{text}\n")
    print(f"\n{text}")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=510_000)
    parser.add_argument("--sets", type=int, default=15, help="sets of seeds to search for")
    parser.add_argument("--shards", type=int, default=2)
    return parse_with_url(parser)


def _format_indexing(indexed: dict[str, IndexingFigures], engines: dict[str, str]) -> list[str]:
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


def _format_searching(searched: SearchingFigures, sets: int) -> list[str]:
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


def _format_projection(indexed: dict[str, IndexingFigures]) -> list[str]:
    lines = [
        f"| {PUBMED:,} documents at these rates | {' | '.join(indexed)} |",
        "|---|---:|---:|",
    ]
    hours = [f"{PUBMED / one.rate / 3600:.1f} h" for one in indexed.values()]
    disk = [f"{PUBMED * one.stored_bytes / one.documents / 1e9:.0f} GB" for one in indexed.values()]
    return [*lines, f"| time | {' | '.join(hours)} |", f"| disk | {' | '.join(disk)} |"]


if __name__ == "__main__":
    main()
