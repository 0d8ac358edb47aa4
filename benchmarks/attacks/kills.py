"""Kill likewise at random moments of its work, and count what is lost.

    python -m benchmarks.attacks.kills 100

Indexing, marking, expanding and serving are started as processes of their own, and killed (SIGKILL)
at a random moment, alone or with all that they have started. Afterwards the library or the session
must open, with everything in it that was committed or acknowledged, and the same command, run once
more, must end as if nothing had happened. It exits with 1 if anything fell over.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.attacks.kill_server import ServerKills
from benchmarks.attacks.tries import Tries, report_tries

from likewise.cli import run
from likewise.documents import Document, write
from likewise.errors import NotALibraryError
from likewise.expansion.sessions.session import Session
from likewise.library import open_library
from likewise.library.duplicates import list_duplicates
from likewise.library.indexing import IndexSettings, index_files

ATTACK = "kills"
SHARES = {"index": 0.4, "mark": 0.2, "expand": 0.2, "serve": 0.2}
"""What share of the tries each kind has."""
TOPICS = ("insulin glucose pancreas islet", "sleep apnea dream night", "bees hive nectar pollen")
GENERAL = ("study patient group trial effect rate", "model age risk change mean value case test")
FILES, PAPERS = 6, 150

INDEX = """
import sys
import likewise.library.reading as reading
from likewise.library.indexing import IndexSettings, index_files
reading.SMALL_BYTES = int(sys.argv[3])
print("ready", flush=True)
index_files(sys.argv[1], sys.argv[2], settings=IndexSettings(workers=2, commit_documents=100))
"""
COMMANDS = """
import importlib, json, sys
from likewise.cli import run
for name in ("cli.expand", "cli.mark", "expansion.flow", "learn.scorers", "library.embedded"):
    importlib.import_module(f"likewise.{name}")
importlib.import_module("sklearn.linear_model")
print("ready", flush=True)
for number, arguments in enumerate(json.load(open(sys.argv[1]))):
    code = run(arguments)
    print("done", number, code, flush=True)
"""


def attack(tries: int) -> list[Tries]:
    """Kill `tries` processes, and return what came of it, kind by kind."""
    with tempfile.TemporaryDirectory(prefix="likewise-kills-") as name:
        folder = Path(name)
        papers = _make_papers(random.Random(1))
        kinds: dict[str, Callable[[random.Random], None]] = {
            "index": IndexKills(folder / "index", papers).kill,
            "mark": MarkKills(folder / "mark", papers).kill,
            "expand": ExpandKills(folder / "expand", papers).kill,
            "serve": ServerKills(folder / "serve", _make_session(folder / "serve", papers)).kill,
        }
        return [
            count_failures(kind, kinds[kind], tries=max(1, round(tries * share)))
            for kind, share in SHARES.items()
        ]


def count_failures(kind: str, kill: Callable[[random.Random], None], *, tries: int) -> Tries:
    """Return how often something fell over."""
    failures, slowest, first = 0, 0.0, ""
    for number in range(tries):
        begun = time.monotonic()
        try:
            kill(random.Random(f"{kind} {number}"))
        except Exception as error:  # noqa: BLE001  # whatever it is, it fell over
            failures += 1
            first = first or f"try {number}: {type(error).__name__}: {error}"
        slowest = max(slowest, time.monotonic() - begun)
        print(f"\r{kind}: {number + 1} of {tries} ", end="", file=sys.stderr, flush=True)
    return Tries(ATTACK, kind, tries, failures, slowest, first)


def kill_at_random(command: Sequence[str], rng: random.Random, *, span: float) -> list[str]:
    """Start a process, kill it at a random moment after it is ready, and return its lines.

    Args:
        command: What to run; it prints "ready" first.
        rng: Chooses the moment, and whether the processes that it has started die too.
        span: How many seconds it has at most.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        first = process.stdout.readline()
        # Early moments are likelier than late ones, since that is when things are made.
        time.sleep(span * rng.random() ** 1.5)
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if rng.random() < 0.5 else os.kill)(process.pid, signal.SIGKILL)
        lines = [first, *process.stdout.readlines()]
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return [line.strip() for line in lines]


class IndexKills:
    """Kills of `likewise index`."""

    def __init__(self, folder: Path, papers: Sequence[Document]) -> None:
        self._files = folder / "files"
        self._files.mkdir(parents=True)
        self._library = folder / "lib"
        for number in range(FILES):
            # Every file repeats some papers of the one before, with less about them.
            some = papers[number * PAPERS : (number + 1) * PAPERS]
            before = papers[max(0, number * PAPERS - 30) : number * PAPERS]
            again = [Document(pmid=each.pmid, title=each.title.upper()) for each in before]
            write([*some, *again], self._files / f"{number}.jsonl")
        begun = time.monotonic()
        self._index(folder / "whole")
        self._span = 1.5 * (time.monotonic() - begun)
        self._whole = _read_library(folder / "whole")

    def kill(self, rng: random.Random) -> None:
        """Kill indexing once or twice, look at what it left, and finish it."""
        shutil.rmtree(self._library, ignore_errors=True)
        small = rng.choice(["0", "1000000"])
        arguments = [str(self._files), str(self._library), small]
        for _ in range(rng.choice([1, 1, 2])):
            kill_at_random([sys.executable, "-c", INDEX, *arguments], rng, span=self._span)
            self._look()
        self._index(self._library)
        assert _read_library(self._library) == self._whole, "not the library that one run makes"
        left = [*self._library.glob(".*.json.*"), *(self._library / "index").glob(".tmp*")]
        assert not left, f"left behind: {left}"

    def _look(self) -> None:
        """Check that the library opens, and holds all of the files that it says it has read."""
        try:
            library = open_library(self._library)
        except NotALibraryError:
            # Nothing is in it yet; anything else that it could say is a failure.
            return
        with library:
            for path in map(Path, library.list_files()):
                lines = path.read_text().splitlines()
                keys = {f"pmid:{json.loads(line)['pmid']}" for line in lines}
                held = {f"pmid:{paper.pmid}" for paper in library.find(keys)}
                assert keys <= held, f"{len(keys - held)} papers of {path.name} are lost"

    def _index(self, library: Path) -> None:
        problems: list[str] = []
        settings = IndexSettings(workers=1, commit_documents=100)
        report = index_files(
            self._files, library, settings=settings, on_problem=lambda it: problems.append(str(it))
        )
        assert not problems, problems[0]
        assert report.failed == 0


class MarkKills:
    """Kills of `likewise mark`, which gives marks and takes some of them back."""

    def __init__(self, folder: Path, papers: Sequence[Document]) -> None:
        self._session = _make_session(folder, papers)
        self._ids = [paper.id for paper in papers]
        self._orders = folder / "commands.json"

    def kill(self, rng: random.Random) -> None:
        """Kill marking, and check that exactly what was done is there, with or without the last."""
        path = str(self._session)
        commands = [list(_make_order(rng, self._ids)) for _ in range(200)]
        self._orders.write_text(json.dumps([["mark", path, *command] for command in commands]))
        command = [sys.executable, "-c", COMMANDS, str(self._orders)]
        lines = kill_at_random(command, rng, span=3.0)
        done = sum(line.startswith("done ") for line in lines)
        with Session.open(self._session) as session:
            found = {name: mark.label for name, mark in session.current().items()}
        expected = [_play(commands[:done]), _play(commands[: done + 1])]
        assert found in expected, f"{len(found)} marks, not the {len(expected[0])} acknowledged"
        _run_quietly(["mark", path, "--maybe", self._ids[-1]])
        with Session.open(self._session) as session:
            session.mark(dict.fromkeys(session.current()))


def _make_order(rng: random.Random, ids: Sequence[str]) -> Iterator[str]:
    if rng.random() < 0.2:
        yield "--undo"
        return
    yield rng.choice(["--relevant", "--irrelevant", "--maybe"])
    yield rng.choice(ids[:40])


def _play(commands: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the labels that commands lead to; an undo takes back the last one given."""
    given: list[tuple[str, str]] = []
    for option, *ids in commands:
        if option == "--undo":
            given = given[:-1]
        elif dict(given).get(ids[0]) != option.removeprefix("--"):
            given.append((ids[0], option.removeprefix("--")))
    return dict(given)


class ExpandKills:
    """Kills of `likewise expand --session`."""

    def __init__(self, folder: Path, papers: Sequence[Document]) -> None:
        self._session = _make_session(folder, papers)
        self._library, self._seeds = str(folder / "lib"), [paper.id for paper in papers[:9:3]]
        self._orders = folder / "commands.json"
        begun = time.monotonic()
        _run_quietly(["expand", "--session", str(self._session)])
        self._span = 2.5 * (time.monotonic() - begun)

    def kill(self, rng: random.Random) -> None:
        """Kill an expansion of a new session or of an existing one, and do it again."""
        new = self._session.with_name("new.likewise")
        new.unlink(missing_ok=True)
        is_new = rng.random() < 0.5
        path = new if is_new else self._session
        first = ["expand", self._library, *self._seeds, "--session", str(new)] if is_new else []
        later = ["expand", "--session", str(path)]
        self._orders.write_text(json.dumps([first or later, later, later]))
        before = 0 if is_new else _count_expansions(path)
        command = [sys.executable, "-c", COMMANDS, str(self._orders)]
        lines = kill_at_random(command, rng, span=self._span)
        done = sum(line.startswith("done ") for line in lines)
        is_there = path.exists() and path.stat().st_size
        there = _count_expansions(path) - before if is_there else 0
        assert done <= there <= done + 1, f"{there} expansions, {done} were done"
        _run_quietly(later if there or not is_new else first)
        assert _count_expansions(path) == before + there + 1


def _count_expansions(path: Path) -> int:
    with Session.open(path) as session:
        return len(session.expansions())


def _make_papers(rng: random.Random) -> list[Document]:
    words = [" ".join((topic, *GENERAL)).split() for topic in TOPICS]
    return [
        Document(
            id=str(number),
            pmid=str(number),
            title=" ".join(rng.choices(words[number % 3], k=9)).capitalize(),
            abstract=" ".join(rng.choices(words[number % 3], k=60)),
            year=2000 + number % 20,
        )
        for number in range(1, FILES * PAPERS + 1)
    ]


def _make_session(folder: Path, papers: Sequence[Document]) -> Path:
    """Make a library and a session in a folder, and return where the session is."""
    folder.mkdir(parents=True, exist_ok=True)
    write(papers, folder / "papers.jsonl")
    index_files(folder / "papers.jsonl", folder / "lib")
    session = folder / "review.likewise"
    seeds = [paper.id for paper in papers[:9:3]]
    _run_quietly(["expand", str(folder / "lib"), *seeds, "--session", str(session)])
    return session


def _run_quietly(arguments: list[str]) -> None:
    """Run a command, which must not fail."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(arguments)
    assert code == 0, f"likewise {arguments[0]} ended with {code}: {said.getvalue()[-300:]}"


def _read_library(path: Path) -> tuple[list[Document], object, list[str]]:
    """Return all that a library holds: its documents, its duplicates, the files it has read."""
    with open_library(path) as library:
        pairs = sorted(pair[:5] for pair in list_duplicates(library))
        return library.get(library.list_ids()), pairs, sorted(library.list_files())


def main() -> None:
    """Kill as often as asked for, print the table, and exit with 1 if anything fell over."""
    rows = attack(int(sys.argv[1]) if sys.argv[1:] else 100)
    print("\r", end="")
    report_tries(rows)


if __name__ == "__main__":
    main()
