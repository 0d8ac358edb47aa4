"""Measure gathering from sources, against local servers with real records behind them.

    python -m benchmarks.sources.run [cost] [pools] [TOPICS] [DRAWS]

What a list costs: requests, records and seconds at the rate that a service allows, the fastest
second as the server saw it, the second run, a run that is killed and one with 429s and cut
connections. What is in the pools, and how good their lists are: `pools.py`. What was measured is
written to benchmarks/results, from where `make docs` takes it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
from benchmarks.labelled import (
    TOPICS,
    Collection,
    index_documents,
    make_mesh_collection,
    need_data,
)
from benchmarks.sources.europepmc import EuropePmc
from benchmarks.sources.ncbi import Ncbi
from benchmarks.sources.pools import DRAWS, RESULTS, SEEDS, draw_seeds, measure_pools, write_tables
from benchmarks.sources.serving import LocalService, Reply, serve

from likewise.library import open_library

HEAD = "| run | requests | records | seconds | most in a second | the same list |"
SOURCES = {"pubmed": "LIKEWISE_EUTILS", "europepmc": "LIKEWISE_EUROPEPMC"}
"""The environment variable that holds each source's address."""


def main(parts: Sequence[str], topics: int = len(TOPICS), draws: int = DRAWS) -> None:
    """Measure what is asked for, or everything."""
    need_data()
    collection = make_mesh_collection(TOPICS[:topics])
    papers = [msgspec.structs.replace(paper, pmid=paper.id) for paper in collection.documents]
    RESULTS.mkdir(exist_ok=True)
    ncbi = Ncbi()
    ncbi.hold_papers(papers)
    print(f"{len(ncbi.corpus.keys):,} records are behind the server\n", flush=True)
    if not parts or "cost" in parts:
        europe = EuropePmc()
        europe.hold_papers(papers)
        with ExitStack() as served:
            services: dict[str, LocalService] = {"pubmed": ncbi, "europepmc": europe}
            for name, service in services.items():
                measure_cost(served.enter_context(serve(service)), name, collection)
    if not parts or "pools" in parts:
        with serve(ncbi), index_documents(papers) as library:
            measure_pools(ncbi, collection, library, draws=draws)
        write_tables()


def measure_cost(service: LocalService, source: str, collection: Collection) -> None:
    """Record what a list costs, as the server sees it, with the command that people type."""
    topic = next(iter(collection.topics))
    print(f"{source}, {topic}: {SEEDS} seeds, at most 10,000 records, no key\n")
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seeds = draw_seeds(collection, topic, kind="random", draw=0)
        Path(folder, "seeds.txt").write_text("\n".join(seeds))
        bench = CostBench(service, source, Path(folder))
        first = bench.run("first", cache="plain")
        bench.run("second", cache="plain", like=first)
        bench.run("killed after 30 requests", cache="killed", kill_at=30)
        bench.run("and resumed", cache="killed", like=first)
        service.trouble = make_trouble
        bench.run("with 429s, cut connections and HTML error pages", cache="troubled", like=first)
        service.trouble = lambda _: None
    lines = [HEAD, "|---|---:|---:|---:|---:|---|", *bench.rows]
    (RESULTS / f"sources-cost-{source}.md").write_text("\n".join(lines) + "\n")
    print()


def make_trouble(number: int) -> Reply | None:
    """Refuse every seventh request, cut every ninth, and send a page for every eleventh."""
    if number % 7 == 0:
        return Reply(b'{"error":"API rate limit exceeded"}', 429, (("Retry-After", "1"),))
    if number % 9 == 0:
        return Reply(b"<?xml", cut=True)
    return Reply(b"<html>Busy</html>", 502) if number % 11 == 0 else None


class CostBench:
    """Runs likewise expand SOURCE, and counts what each run costs."""

    def __init__(self, service: LocalService, source: str, folder: Path) -> None:
        self.rows: list[str] = []
        self._service = service
        self._source = source
        self._folder = folder

    def run(
        self, name: str, *, cache: str, kill_at: int | None = None, like: bytes | None = None
    ) -> bytes:
        """Run the command, record what it cost, and return the list."""
        self._service.forget()
        out = self._folder / f"{cache}.ris"
        started = time.monotonic()
        errors = self._run_command(out, cache, kill_at=kill_at)
        seconds = time.monotonic() - started
        if errors:
            raise SystemExit(errors)
        found = out.read_bytes() if out.exists() and not kill_at else b""
        with open_library(self._folder / cache / "sources" / self._source) as library:
            held = library.count()
        same = "" if like is None else ("yes" if found == like else "no")
        self.rows.append(
            f"| {name} | {len(self._service.requests)} | {held:,} | {seconds:.0f} | "
            f"{self._service.count_fastest()} | {same} |"
        )
        print(self.rows[-1], flush=True)
        return found

    def _run_command(self, out: Path, cache: str, *, kill_at: int | None) -> str:
        """Return what went wrong, if anything did."""
        told = {
            SOURCES[self._source]: self._service.url,
            "LIKEWISE_CACHE": str(self._folder / cache),
        }
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NCBI_")} | told
        command = ["likewise", "expand", self._source, "seeds.txt", "-o", str(out)]
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=self._folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while kill_at and len(self._service.requests) < kill_at and process.poll() is None:
            time.sleep(0.01)
        if kill_at:
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
        return errors.decode() if process.returncode and not kill_at else ""


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    main([argument for argument in sys.argv[1:] if not argument.isdigit()], *numbers)
