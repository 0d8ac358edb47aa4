"""A cluster of three nodes loses one while it is indexed into, searched and expanded from.

    LIKEWISE_TEST_CLUSTER=SCRIPT python -m benchmarks.scale.lost_nodes [--documents 100000]

The script starts and kills nodes, as tests/cluster/test_lost_nodes.py says; `restart N` brings back
a node that was killed, with its data. Each time, a node that has a primary is killed (SIGKILL)
while the commands that people use run; what they say and how long they take is printed, and
whether anything is missing. It exits with 1 if anything is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.scale.collection import make_files, read_originals
from benchmarks.scale.growth import find_topic

from likewise.documents import read, write
from likewise.library import open_library
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.protocol import Query

WORK = Path(__file__).parent / "work" / "lost"
NODES = 3
SEARCHES = 12
"""How many searches follow each other; the node is lost in the third."""


def main() -> None:
    """Start a cluster, lose its nodes, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    asked = parser.parse_args()
    script = os.environ.get("LIKEWISE_TEST_CLUSTER") or sys.exit("LIKEWISE_TEST_CLUSTER is not set")
    WORK.mkdir(parents=True, exist_ok=True)
    trial = Trial(script)
    try:
        trial.index(make_files(WORK / "documents", documents=asked.documents))
        trial.search()
        trial.expand()
    finally:
        trial.close()
    sys.exit(trial.failed)


class Trial:
    """Three nodes, of which one is lost again and again."""

    def __init__(self, script: str) -> None:
        self._script = script
        port = urlsplit(self._call("start", str(NODES)).split()[-1]).port or 0
        hosts = ",".join(f"127.0.0.1:{port + number}" for number in range(NODES))
        self._address = f"opensearch://{hosts}/papers"
        self._connection = Connection(parse_address(self._address))
        self._lost = 0
        self.failed = False

    def close(self) -> None:
        """Stop all nodes."""
        self._connection.close()
        self._call("stop")

    def index(self, files: list[Path]) -> None:
        """Lose a node when a third of the documents has arrived."""
        expected = sorted({document.id for path in files for document in read(path)})
        open_library(self._address, write=True, shards=2, replicas=1).close()
        command = ("index", *files, "--into", self._address)
        self._run("index", command, wait=lambda: self._wait_for_documents(len(expected) // 3))
        with open_library(self._address) as library:
            self._check("documents", library.list_ids() == expected)
        self._bring_back()

    def search(self) -> None:
        """Lose a node while searches follow each other."""
        with open_library(self._address) as library:
            query = Query(select_terms(library, read_originals()[:20], settings=MoreLike()))
            expected, seconds = library.find_best(query, limit=20_000), []
            for number in range(SEARCHES):
                started = time.perf_counter()
                killer = threading.Timer(0.1, self._kill)
                if number == 2:
                    killer.start()
                found = library.find_best(query, limit=20_000)
                seconds.append(time.perf_counter() - started)
                self._check(f"search {number}", found.ids == expected.ids)
                if number == 2:
                    killer.join()
                    self._check("a node is lost", self._lost > 0)
        print(f"search: {', '.join(f'{spent:.2f}' for spent in seconds)} s", flush=True)
        self._bring_back()

    def expand(self) -> None:
        """Lose a node in the middle of an expansion."""
        seeds, before, after = (WORK / f"{name}.jsonl" for name in ("seeds", "before", "after"))
        write(find_topic(), seeds)
        command = ("expand", self._address, seeds, "--pool", 20_000, "-o")
        spent = self._run("expand, no node lost", (*command, before))
        self._run("expand", (*command, after), wait=lambda: time.sleep(spent / 3))
        kept = [[document.id for document in read(path)] for path in (before, after)]
        print(f"expand: {len(kept[0]):,} found, {len(set(kept[0]) ^ set(kept[1]))} differ")
        self._check("the list", kept[0] == kept[1])
        self._bring_back()

    def _run(
        self, name: str, words: tuple[object, ...], *, wait: Callable[[], object] | None = None
    ) -> float:
        """Run a command, lose a node after a wait, and return the seconds that it took."""
        command = [sys.executable, "-m", "likewise", *map(str, words)]
        started = time.perf_counter()
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            if wait:
                wait()
                self._check("still at work", process.poll() is None)
                self._kill()
            said = process.communicate()[1]
        spent = time.perf_counter() - started
        print(
            f"{name}: exit code {process.returncode}, {spent:.0f} s; it says:\n{said}", flush=True
        )
        self._check(name, process.returncode == 0)
        return spent

    def _kill(self) -> None:
        """Kill a node that has a primary, the first that clients would ask if there is a choice."""
        shards = self._ask("/_cat/shards/papers", format="json")
        # A shard that is being moved is listed as "node1 -> ...".
        nodes = {shard["node"].split()[0] for shard in shards if shard["prirep"] == "p"}
        self._lost = min(int(node.removeprefix("node")) for node in nodes)
        self._call("kill", str(self._lost))
        print(f"  node {self._lost} is killed", flush=True)

    def _bring_back(self) -> None:
        """Start the node that was killed, and wait until all copies are there again."""
        started = time.perf_counter()
        self._call("restart", str(self._lost))
        while True:
            health = self._ask("/_cluster/health/papers")
            is_whole = health["number_of_nodes"] == NODES and health["status"] == "green"
            if is_whole and not health["relocating_shards"]:
                break
            time.sleep(1)
        self._lost = 0
        print(f"  all copies are back after {time.perf_counter() - started:.0f} s", flush=True)

    def _wait_for_documents(self, number: int) -> None:
        arrived = 0
        while arrived < number:
            stats = self._ask("/papers/_stats/indexing")
            arrived = stats["_all"]["primaries"]["indexing"]["index_total"]
            time.sleep(0.2)

    def _ask(self, path: str, **params: str) -> Any:
        return self._connection.ask("GET", path, params=params)

    def _call(self, *words: str) -> str:
        done = subprocess.run([self._script, *words], check=True, capture_output=True, text=True)
        return done.stdout

    def _check(self, what: str, is_right: bool) -> None:  # noqa: FBT001  # read like a sentence
        print(f"  {what}: {'as it should be' if is_right else 'WRONG'}", flush=True)
        self.failed |= not is_right


if __name__ == "__main__":
    main()
