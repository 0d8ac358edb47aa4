"""Let many clients search and mark while an expansion runs, and print how long they wait.

    python -m benchmarks.load.run [--clients 50] [--seconds 60] [--pause 0.2]

All clients mark in one session, which is the worst case: one file takes all the marks. A client
searches and marks in turn, and rests in between for `pause` seconds on average; a person rests for
longer. It ends by itself, and exits with 1 if there was an error, if a mark was lost, or if one
request in twenty takes longer than the bar.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from urllib.parse import quote

from benchmarks.load.client import Client, find_port
from benchmarks.watching import Watch

from likewise.documents.remote import fetch_sample
from likewise.expansion.sessions.session import Session

WORK = Path(__file__).parent / "work"
BAR = 0.3
LABELS = ("relevant", "irrelevant", "maybe")
SEEDS = [
    *("399850", "402276", "404888", "405568", "405832"),
    *("410692", "411281", "421128", "426056", "428690"),
]
WORDS = ("insulin", "glucose", "rat", "liver", "blood", "heart", "growth", "cell", "patient")


@dataclass
class Tally:
    """What clients met."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)
    """The last label of each document that the server said was saved."""
    jobs: Counter[str] = field(default_factory=Counter)
    peak_bytes: int = 0
    """The most memory of the server and the processes that expand for it."""


def main() -> None:
    """Serve the sample, load the server, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.2)
    chosen = parser.parse_args()
    tally, lost = load_server(_keep_library(), **vars(chosen))
    sys.exit(_print_report(tally, lost, chosen))


def load_server(
    library: object, *, clients: int, seconds: float, pause: float
) -> tuple[Tally, list[str]]:
    """Serve a library that has the sample to clients; return what they met and what was lost."""
    sessions = WORK / f"sessions-{int(time.time())}"
    port = find_port()
    server = _start_server(library, sessions, port=port)
    watch = Watch(server.pid)
    watch.start()
    try:
        session, tally = asyncio.run(_let_work(port, clients, seconds=seconds, pause=pause))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
    tally.peak_bytes = watch.peak_bytes
    return tally, _find_lost(sessions / f"{session}.likewise", tally)


def _keep_library() -> Path:
    """Index the sample once, and keep it."""
    library = WORK / "lib"
    if not library.exists():
        files = fetch_sample(WORK / "pubmed", on_step=print)
        command = [sys.executable, "-m", "likewise", "index", *map(str, files)]
        subprocess.run([*command, "--into", str(library)], check=True)
    return library


def _start_server(library: object, sessions: Path, *, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "likewise", "serve", str(library), "--no-browser", "--open"]
    return subprocess.Popen([*command, "--sessions", str(sessions), "--port", str(port)])


async def _let_work(port: int, clients: int, *, seconds: float, pause: float) -> tuple[str, Tally]:
    await _wait_for(port)
    tally = Tally()
    async with Client("127.0.0.1", port) as client:
        seeds = [{"id": seed} for seed in SEEDS]
        made = await client.ask("POST", "/api/sessions", {"name": "load", "seeds": seeds})
        session = made.content["id"]
        print("the first expansion", flush=True)
        await _expand(client, session)
        page = await client.ask("GET", f"/api/sessions/{session}/ranking?limit=200")
        documents = [entry["document"]["id"] for entry in page.content["entries"]]
    until = time.monotonic() + seconds
    print(f"{clients} clients for {seconds:.0f} s", flush=True)
    parts = [documents[number::clients] for number in range(clients)]
    async with asyncio.TaskGroup() as group:
        group.create_task(_keep_expanding(port, session, tally, until=until))
        for number, mine in enumerate(parts):
            person = _Person(session, mine, tally, random.Random(number))
            group.create_task(person.work(port, pause=pause, until=until))
    return session, tally


async def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            async with Client("127.0.0.1", port) as client:
                await client.ask("GET", "/api/libraries")
                return
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the server does not answer")


async def _expand(client: Client, session: str) -> str:
    """Expand, and return how it ended."""
    begun = await client.ask("POST", f"/api/sessions/{session}/expansions", {})
    if begun.status != 202:
        raise SystemExit(f"no expansion was begun: {begun}")
    while True:
        job = await client.ask("GET", f"/api/jobs/{begun.content['id']}")
        if job.content["state"] in ("done", "failed", "cancelled"):
            return str(job.content["state"])
        await asyncio.sleep(0.5)


async def _keep_expanding(port: int, session: str, tally: Tally, *, until: float) -> None:
    """Keep an expansion running all the time."""
    async with Client("127.0.0.1", port) as client:
        while time.monotonic() < until:
            tally.jobs[await _expand(client, session)] += 1


@dataclass
class _Person:
    """A client that searches and marks in turn."""

    session: str
    documents: Sequence[str]
    tally: Tally
    rng: random.Random

    async def work(self, port: int, *, pause: float, until: float) -> None:
        async with Client("127.0.0.1", port) as client:
            while time.monotonic() < until:
                await self._search(client)
                await asyncio.sleep(self.rng.uniform(0, 2 * pause))
                await self._mark(client)
                await asyncio.sleep(self.rng.uniform(0, 2 * pause))

    async def _search(self, client: Client) -> None:
        words = quote(" ".join(self.rng.sample(WORDS, 3)))
        answer = await client.ask("GET", f"/api/search?words={words}")
        self.tally.seconds["search"].append(answer.seconds)
        if answer.status != 200 or not answer.content["documents"]:
            self.tally.errors.append(f"search: {answer}")

    async def _mark(self, client: Client) -> None:
        document, label = self.rng.choice(self.documents), self.rng.choice(LABELS)
        path = f"/api/sessions/{self.session}/marks"
        answer = await client.ask("POST", path, {"labels": {document: label}})
        self.tally.seconds["mark"].append(answer.seconds)
        if answer.status == 200:
            self.tally.acknowledged[document] = label
        else:
            self.tally.errors.append(f"mark: {answer}")


def _find_lost(path: Path, tally: Tally) -> list[str]:
    """Return the documents whose last acknowledged mark is not in the session's file."""
    with Session.open(path, read_only=True) as session:
        kept = {document: mark.label for document, mark in session.current().items()}
    return [name for name, label in tally.acknowledged.items() if kept.get(name) != label]


def _print_report(tally: Tally, lost: Sequence[str], chosen: argparse.Namespace) -> int:
    """Print the table, and return the exit code."""
    print("\n| what | requests | a second | median | 95 % within | slowest |")
    print("|---|---:|---:|---:|---:|---:|")
    is_slow = False
    for name, seconds in tally.seconds.items():
        cuts = quantiles(seconds, n=100)
        is_slow |= cuts[94] > BAR
        shown = " | ".join(f"{1e3 * value:.0f} ms" for value in (cuts[49], cuts[94], max(seconds)))
        print(f"| {name} | {len(seconds):,} | {len(seconds) / chosen.seconds:.0f} | {shown} |")
    print(
        f"\n{chosen.clients} clients, a pause of {chosen.pause} s on average; "
        f"{tally.jobs['done']} expansions done meanwhile ({dict(tally.jobs)}); "
        f"{len(tally.errors)} errors; {len(lost)} marks lost of {len(tally.acknowledged)}"
    )
    for error in tally.errors[:5]:
        print(error)
    return int(bool(tally.errors or lost or is_slow))


if __name__ == "__main__":
    main()
