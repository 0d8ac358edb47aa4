"""Time reading, indexing and searching against the bare libraries, and print the tables.

Times are of this machine and this run; only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from benchmarks.speed.indexing import compare_indexing
from benchmarks.speed.parsing import compare_parsing
from benchmarks.speed.searching import compare_searching

from likewise.documents.remote import fetch_sample

WORK = Path(__file__).parent / "work"
DOCUMENTS = 1_000_000


def main() -> None:
    """Print a table for each of the parts asked for, or for all."""
    parts = {"parsing": print_parsing, "indexing": print_indexing, "searching": print_searching}
    WORK.mkdir(exist_ok=True)
    for name in sys.argv[1:] or parts:
        parts[name]()


def print_parsing() -> None:
    """Compare our PubMed reader with pubmed_parser."""
    print("\nReading PubMed XML, one process\n")
    _print_head(
        "file", "ours", "pubmed_parser", "times as fast", "bar", "records", "MeSH", "abstract"
    )
    for path, bar in zip(fetch_sample(WORK / "pubmed", on_step=print), ("3.0", ""), strict=True):
        found = compare_parsing(path)
        seconds = [f"{median(times):.2f} s" for times in (found.ours, found.theirs)]
        numbers = [f"{number:,}" for number in found.our_counts]
        _print_row(path.name, *seconds, f"{found.ratio:.2f}", bar, *numbers)


def print_indexing() -> None:
    """Compare `likewise index` with tantivy alone."""
    found = compare_indexing(fetch_sample(WORK / "pubmed", on_step=print), work=WORK)
    print(f"\nIndexing {found.documents:,} documents of two PubMed files\n")
    _print_head("what", "measured", "ratio", "bar")
    _print_row("likewise index, end to end", f"{found.ours:.2f} s", "", "")
    for threads, seconds in found.alone.items():
        name = f"tantivy alone, documents in memory, threads: {threads}"
        bar = "1.6" if threads == max(found.alone) else ""
        _print_row(name, f"{seconds:.2f} s", f"{found.ours / seconds:.2f}", bar)
    _print_row("peak memory of all processes", f"{found.peak_bytes / 1e6:.0f} MB", "", "700 MB")


def print_searching() -> None:
    """Compare our search with a bare tantivy query."""
    found = compare_searching(WORK / "million", documents=DOCUMENTS)
    print(f"\nA library of {DOCUMENTS:,} synthetic documents, {found.terms} terms\n")
    _print_head("what", "measured", "ratio", "bar")
    _print_row(f"bare tantivy, {found.hits:,} ids and scores", f"{found.bare * 1e3:.1f} ms", "", "")
    ratio = f"{found.ours / found.bare:.2f}"
    _print_row("our search, the same", f"{found.ours * 1e3:.1f} ms", ratio, "1.2")
    _print_row(f"get of {found.hits:,} documents", f"{found.get:.2f} s", "", "2 s")
    _print_row(
        "peak memory of likewise search", f"{found.command_bytes / 1e6:.0f} MB", "", "300 MB"
    )


def _print_head(first: str, *others: str) -> None:
    _print_row(first, *others)
    print("|---|" + "---:|" * len(others))


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
