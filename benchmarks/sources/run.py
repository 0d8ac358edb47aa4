"""Measure gathering from sources, against local servers with real records behind them.

    python -m benchmarks.sources.run [cost] [pools] [TOPICS] [DRAWS]

Three things are told. What a list costs: requests, records and seconds at the rate that NCBI
allows, the fastest second as the server saw it, the second run, a run that is killed and one with
429s and cut connections. How much of a topic is in the pool, beside the embedded engine's pool of
the same size. And how good the lists are that come of both.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

import msgspec
from benchmarks.labelled import (
    TOPICS,
    Collection,
    index_documents,
    make_mesh_collection,
    need_data,
)
from benchmarks.running import print_table
from benchmarks.seed_kinds import SeedSource
from benchmarks.sources.ncbi import Ncbi
from benchmarks.sources.serving import Reply, serve

from likewise.documents import Document
from likewise.expansion.expansion import Expansion
from likewise.expansion.flow import expand
from likewise.expansion.gathering import gather
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import more_like_these
from likewise.library.sources.kept import Budget
from likewise.library.sources.pubmed import PubmedSource

SEEDS = 20
SIZES = (1000, 3000)
KINDS = ("random", "corner")
LIST_SIZE = 3000
"""The pools that lists are made of."""


def main(parts: Sequence[str], topics: int = len(TOPICS), draws: int = 1) -> None:
    """Measure what is asked for, or everything."""
    need_data()
    collection = make_mesh_collection(TOPICS[:topics])
    papers = [msgspec.structs.replace(paper, pmid=paper.id) for paper in collection.documents]
    service = Ncbi()
    service.hold_papers(papers)
    print(f"{len(service.corpus.keys):,} records are behind the server\n", flush=True)
    with serve(service), index_documents(papers) as library:
        if not parts or "cost" in parts:
            measure_cost(service, collection)
        if not parts or "pools" in parts:
            measure_pools(service, collection, library, draws=draws)


def measure_cost(service: Ncbi, collection: Collection) -> None:
    """Print what a list costs, as the server sees it, by the command that people type."""
    topic = next(iter(collection.topics))
    print(f"{topic}: {SEEDS} seeds, at most 10,000 records, no key (3 requests a second)\n")
    print("| run | requests | records | seconds | most in a second | the same list |")
    print("|---|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seeds = draw_seeds(collection, topic, kind="random", draw=0)
        Path(folder, "seeds.txt").write_text("\n".join(seeds))
        first = run_command(service, folder, "first", cache="plain")
        run_command(service, folder, "second", cache="plain", like=first)
        run_command(service, folder, "killed after 30 requests", cache="killed", kill_at=30)
        run_command(service, folder, "resumed", cache="killed", like=first)
        service.trouble = make_trouble
        run_command(service, folder, "429s and cut connections", cache="troubled", like=first)
        service.trouble = lambda _: None
    print()


def make_trouble(number: int) -> Reply | None:
    """Refuse every seventh request, cut every ninth, and send a page for every eleventh."""
    if number % 7 == 0:
        return Reply(b'{"error":"API rate limit exceeded"}', 429, (("Retry-After", "1"),))
    if number % 9 == 0:
        return Reply(b"<?xml", cut=True)
    return Reply(b"<html>Busy</html>", 502) if number % 11 == 0 else None


def run_command(
    service: Ncbi,
    folder: str,
    name: str,
    *,
    cache: str,
    kill_at: int | None = None,
    like: bytes | None = None,
) -> bytes:
    """Run likewise expand pubmed, print what it cost, and return the list."""
    service.forget()
    out = Path(folder, f"{cache}.ris")
    command = [sys.executable, "-m", "likewise", "expand", "pubmed", "seeds.txt", "-o", str(out)]
    told = {"LIKEWISE_EUTILS": service.url, "LIKEWISE_CACHE": str(Path(folder, cache))}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NCBI_")} | told
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while kill_at and len(service.requests) < kill_at and process.poll() is None:
        time.sleep(0.01)
    if kill_at:
        process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    seconds = time.monotonic() - started
    if process.returncode and not kill_at:
        raise SystemExit(errors.decode())
    found = out.read_bytes() if out.exists() and not kill_at else b""
    held = count_documents(Path(folder, cache, "sources", "pubmed"))
    same = "" if like is None else ("yes" if found == like else "no")
    print(
        f"| {name} | {len(service.requests)} | {held:,} | {seconds:.0f} | "
        f"{service.count_fastest()} | {same} |",
        flush=True,
    )
    return found


def count_documents(folder: Path) -> int:
    """Return how many documents a library holds."""
    with open_library(folder) as library:
        return library.count()


def measure_pools(
    service: Ncbi, collection: Collection, library: EmbeddedLibrary, *, draws: int
) -> None:
    """Print which share of each topic is in the pool, and how good the lists are, beside ours."""
    shares: dict[str, list[tuple[float, float]]] = defaultdict(list)
    lists: dict[str, list[list[float]]] = defaultdict(list)
    for topic, members in collection.topics.items():
        for kind, draw in itertools.product(KINDS, range(draws)):
            seeds = draw_seeds(collection, topic, kind=kind, draw=draw, library=library)
            truth = set(members) - set(seeds)
            papers = library.get(seeds)
            found = more_like_these(library, papers, limit=max(SIZES), exclude=seeds).hits.ids
            for size in SIZES:
                # The engine may still merge what was written when the folder is deleted.
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                    # The seeds themselves are among the records of the budget.
                    own = gather_ids(service, seeds, folder, records=size + len(seeds))
                    if size == LIST_SIZE:
                        ours = expand(Path(folder, "lib"), give(seeds))
                        lists[f"{kind} seeds, gathered"].append(judge(ours, truth))
                row = [len(truth.intersection(ids)) / len(truth) for ids in (own, found[:size])]
                shares[f"{kind} seeds, {size:,} records"].append((row[0], row[1]))
            settings = ExpandSettings(pool=LIST_SIZE, rounds=1)
            theirs = expand(library, give(seeds), settings=settings)
            lists[f"{kind} seeds, embedded"].append(judge(theirs, truth))
            print(f"\r{topic} {kind} {draw}   ", end="", file=sys.stderr, flush=True)
    heads = ["gathered", "embedded", "difference", "worst"]
    rows = {name: summarise(pairs) for name, pairs in sorted(shares.items())}
    print_table("share of the topic in the pool", heads, rows, means=False)
    print()
    named = {
        name: [fmean(column) for column in zip(*columns, strict=True)]
        for name, columns in sorted(lists.items())
    }
    heads = ["F1", "R-precision", "within", "outside", "truly"]
    print_table(f"lists from pools of {LIST_SIZE:,}", heads, named, means=False)


def summarise(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return the means of two columns, and the mean and the lowest of their differences."""
    ours, theirs = zip(*pairs, strict=True)
    gaps = [one - other for one, other in pairs]
    return [fmean(ours), fmean(theirs), fmean(gaps), min(gaps)]


def judge(expansion: Expansion, truth: set[str]) -> list[float]:
    """Return F1, R-precision, whether the estimate holds, and the share outside: told and true."""
    places = [place for place in expansion.ranking if not place.seed]
    decided = {place.id for place in places if place.decision}
    inside = truth.intersection(place.id for place in places)
    first = truth.intersection(place.id for place in places[: len(truth)])
    estimate, outside = expansion.estimates.relevant, expansion.estimates.outside
    return [
        2 * len(decided & truth) / max(1, len(decided) + len(truth)),
        len(first) / len(truth),
        float(estimate.low <= len(inside) <= estimate.high),
        outside.value if outside else 0.0,
        1 - len(inside) / len(truth),
    ]


def draw_seeds(
    collection: Collection,
    topic: str,
    *,
    kind: str,
    draw: int,
    library: EmbeddedLibrary | None = None,
) -> list[str]:
    """Draw seeds of a topic."""
    wanted = set(collection.topics[topic])
    members = {paper.id: paper for paper in collection.documents if paper.id in wanted}
    # Only seeds of a corner need the library.
    return SeedSource(topic, members, library).draw(kind, SEEDS, draw=draw)  # type: ignore[arg-type]


def gather_ids(service: Ncbi, seeds: Iterable[str], folder: str, *, records: int) -> set[str]:
    """Gather into a folder, and return the ids of what is there then, without the seeds."""
    given, source = give(seeds), PubmedSource(service.eutils())
    gather(source, given, Path(folder, "lib"), budget=Budget(records=records))
    with open_library(Path(folder, "lib")) as gathered:
        return set(gathered.list_ids()) - {seed.id for seed in given.seeds}


def give(seeds: Iterable[str]) -> GivenPapers:
    """Return seeds of which nothing but their PMIDs is known."""
    return GivenPapers([Document(id=name) for name in seeds], [], [])


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    main([argument for argument in sys.argv[1:] if not argument.isdigit()], *numbers)
