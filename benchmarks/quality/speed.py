"""How long `likewise expand` takes, and how much memory, as a person runs it.

Times are processor times, compared with a unit that is measured in the same run: scikit-learn's
TfidfVectorizer and LogisticRegression with their defaults, on as many documents.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import psutil
from benchmarks.labelled import TOPICS, draw_seeds, index_documents, make_mesh_collection

from likewise.documents import Document
from likewise.expansion.sessions.session import Session

POOLS = (20_000, 2_000)
SEEDS = 50
MARKS = 200
REPEATS = 3
"""The fastest of this many runs is printed, since others use the machine too."""


class Spent(NamedTuple):
    """What a process took."""

    processor: float
    """Seconds, over all threads."""
    seconds: float
    megabytes: float
    stages: Mapping[str, float]
    """How long each stage took, in seconds that passed."""


def print_speed() -> None:
    """Time the unit, and the command for the first time and with marks."""
    collection = make_mesh_collection(TOPICS[:1])
    members = collection.topics[TOPICS[0]]
    drawn = draw_seeds(members, topic=TOPICS[0], count=SEEDS, draw=0)
    print(f"\n## Speed: likewise expand, {SEEDS} seeds, {len(collection.documents):,} documents\n")
    print("| candidates | what | times the unit | processor, s | passed, s | MB | of the time |")
    print("|---:|---|---:|---:|---:|---:|---|")
    with index_documents(collection.documents) as library, TemporaryDirectory() as folder:
        for pool in POOLS:
            unit = min(time_unit(collection.documents[:pool], SEEDS) for _ in range(REPEATS))
            print(f"| {pool:,} | the unit: tf-idf and a regression | 1.00 | {unit:.2f} | | | |")
            for rounds in (1, 2):
                options = ["--pool", str(pool), "--rounds", str(rounds)]
                first = [str(library.path), *drawn, *options]
                place = Path(folder, f"{pool}-{rounds}")
                spent = repeat(lambda: start_session(first, place))  # noqa: B023  # called at once
                print_row(pool, f"rounds {rounds}", spent, unit=unit)
            mark_first(place, members)
            again = repeat(lambda: run_expand([], place))  # noqa: B023
            print_row(pool, f"again, {MARKS} marks", again, unit=unit)


def time_unit(documents: Sequence[Document], seeds: int) -> float:
    """Return the seconds that scikit-learn takes for documents, the first of them on topic."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    texts = [document.text for document in documents]
    started = time.process_time()
    rows = TfidfVectorizer().fit_transform(texts)
    LogisticRegression().fit(rows, np.arange(len(texts)) < seeds)
    return time.process_time() - started


def start_session(arguments: Sequence[str], place: Path) -> Spent:
    """Begin a session in a place, after deleting one that is there."""
    for name in list_session_files(place):
        name.unlink(missing_ok=True)
    return run_expand(arguments, place)


def run_expand(arguments: Sequence[str], place: Path) -> Spent:
    """Run the command with a session and an output, and watch what it takes."""
    session, output = f"{place}.likewise", f"{place}.ris"
    command = [sys.executable, "-m", "likewise", "expand", *arguments]
    return run_watched([*command, "--session", session, "-o", output, "--json"])


def list_session_files(place: Path) -> list[Path]:
    """Return the session of a place, and what is kept beside it."""
    return [Path(f"{place}.likewise"), Path(f"{place}.likewise-terms")]


def run_watched(command: Sequence[str]) -> Spent:
    """Run a command and return what it took."""
    started = time.perf_counter()
    before = os.times()
    with subprocess.Popen(
        command, env=make_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        peak = Peak(run.pid)
        peak.start()
        answer, said = run.communicate()
        peak.join()
    if run.returncode:
        sys.exit(said.decode())
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    passed = time.perf_counter() - started
    return Spent(processor, passed, peak.bytes / 1e6, json.loads(answer)["seconds"])


NOT_USERS = ("OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
"""What only developers set: the number of threads, and that compiled modules are not kept."""


def make_environment() -> dict[str, str]:
    """Return the environment of a person who has run the command before."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_USERS}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), "likewise-compiled"))}


class Peak(threading.Thread):
    """Watches for the most memory that a process has."""

    def __init__(self, pid: int) -> None:
        super().__init__()
        self.process = psutil.Process(pid)
        self.bytes = 0

    def run(self) -> None:
        """Look until the process has ended."""
        try:
            while self.process.status() != psutil.STATUS_ZOMBIE:
                self.bytes = max(self.bytes, self.process.memory_info().rss)
                time.sleep(0.005)
        except psutil.NoSuchProcess:
            return


def repeat(run: Callable[[], Spent]) -> Spent:
    """Run a few times; return the quickest, with the most memory that any took."""
    runs = [run() for _ in range(REPEATS)]
    return min(runs, key=lambda spent: spent.processor)._replace(
        megabytes=max(spent.megabytes for spent in runs)
    )


def mark_first(place: Path, members: Sequence[str]) -> None:
    """Mark the first documents of a session by the truth."""
    relevant = set(members)
    with Session.open(list_session_files(place)[0]) as session:
        latest = session.expansion()
        assert latest is not None
        first = [ranked.id for ranked in latest.ranking if not ranked.seed][:MARKS]
        session.mark({name: "relevant" if name in relevant else "irrelevant" for name in first})


def print_row(pool: int, what: str, spent: Spent, *, unit: float) -> None:
    """Print a row of the table."""
    rest = spent.seconds - sum(spent.stages.values())
    stages = {**spent.stages, "start and writing": rest}
    shares = ", ".join(f"{name} {seconds / spent.seconds:.0%}" for name, seconds in stages.items())
    print(
        f"| {pool:,} | {what} | {spent.processor / unit:.2f} | {spent.processor:.2f} "
        f"| {spent.seconds:.2f} | {spent.megabytes:.0f} | {shares} |",
        flush=True,
    )
