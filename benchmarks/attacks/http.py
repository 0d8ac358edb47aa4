"""Send hostile requests to a server on loopback, and count what falls over.

    python -m benchmarks.attacks.http TRIES

A try has failed if it is answered with a 500, or brings the server down. All the while another
user, who has the token, asks for small things every moment; a try of theirs has failed if it is
refused, or takes over two seconds.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from benchmarks.attacks import hostile_requests as hostile
from benchmarks.attacks.hostile_requests import TOKEN, Target, make_request
from benchmarks.attacks.tries import Tries, report_tries
from benchmarks.load.client import find_port

from likewise.documents import Document
from likewise.library import open_library

ATTACK = "hostile HTTP"
LONGEST = 2.0
"""How many seconds another user may have to wait, on a machine that does nothing else."""
PAUSE = 0.05
PATIENCE = 90.0
"""How many seconds to wait for an answer to a hostile request: more than the server allows."""
AT_ONCE = 8
MOST_BOMBS = 44
FEW = 150
"""How many connections are held open at once, and how many come in one moment."""

KINDS: dict[str, tuple[hostile.Attack, float]] = {
    "garbled requests": (hostile.garble, 0.12),
    "hosts, origins, headers": (hostile.pretend, 0.1),
    "paths and parameters": (hostile.wander, 0.2),
    "JSON": (hostile.speak_json, 0.2),
    "strange marks, names, seeds": (hostile.mark_strangely, 0.14),
    "mutated uploads": (hostile.upload_mutations, 0.1),
    "forms": (hostile.send_forms, 0.04),
    "wrong tokens": (hostile.guess_tokens, 0.1),
}
"""What is sent, and which share of the tries it has."""


class Outcome(NamedTuple):
    """What came of a request."""

    status: int
    """0 if the connection was closed without an answer."""
    seconds: float
    told: str = ""


class Bystander:
    """Another user, who asks for small things all the time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.waits: list[float] = []
        self.lags: list[float] = []
        """How much longer than asked for each pause took: that is the machine, not the server."""
        self.refusals: list[str] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        paths = itertools.cycle(["/api/libraries", "/api/search?words=cats", "/api/sessions", "/"])
        while not self._pause():
            outcome = send(self._port, make_request("GET", next(paths)))
            self.waits.append(outcome.seconds)
            if outcome.status != 200:
                self.refusals.append(f"{outcome.status} {outcome.told}")

    def _pause(self) -> bool:
        began = time.perf_counter()
        is_over = self._is_over.wait(PAUSE)
        self.lags.append(max(0.0, time.perf_counter() - began - PAUSE))
        return is_over

    def sum_up(self) -> Tries:
        """Return how it went for this user; delays of the machine itself do not count."""
        # A request passes through a few threads and processes, each of which may wait that long.
        longest = LONGEST + 10 * max(self.lags, default=0.0)
        late = [seconds for seconds in self.waits if seconds > longest]
        first = next(iter(self.refusals), f"{late[0]:.1f} s" if late else "")
        failures = len(late) + len(self.refusals)
        slowest = max(self.waits, default=0.0)
        return Tries(ATTACK, "other users meanwhile", len(self.waits), failures, slowest, first)


def attack(tries: int) -> list[Tries]:
    """Attack a server with about `tries` requests, and return what came of each kind."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as (target, process):
        with Bystander(target.port) as bystander:
            rows = [
                _attack_with(kind, target, max(1, int(tries * share)))
                for kind, (_, share) in KINDS.items()
            ]
            rows.append(_send_bombs(target, min(MOST_BOMBS, max(2, tries // 100))))
            rows.append(_hold_connections(target, min(FEW, tries)))
            rows.append(_flood(target, min(10 * FEW, tries)))
            rows.append(_break_off(target, min(4 * FEW, tries)))
        is_dead = process.poll() is not None
        rows.append(bystander.sum_up())
    return [*rows, Tries(ATTACK, "servers that ended", 1, int(is_dead))]


@contextmanager
def serve(folder: Path) -> Iterator[tuple[Target, subprocess.Popen[bytes]]]:
    """Start a server of a small library on loopback, with a token, and end it afterwards."""
    with open_library(folder / "lib", write=True) as library:
        library.add(_make_papers())
        library.commit()
    port = find_port()
    command = [sys.executable, "-m", "likewise", "serve", str(folder / "lib"), "--no-browser"]
    environment = {**os.environ, "LIKEWISE_TOKEN": TOKEN}
    with Path(folder, "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)], env=environment, stdout=log, stderr=log
        )
    try:
        schema = _wait_for_schema(port, process)
        seeds = [{"id": str(number)} for number in range(4, 44, 4)]
        session = ask(port, "/api/sessions", {"seeds": seeds})["id"]
        _expand(port, session)
        yield Target(port, session, schema), process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


def ask(port: int, path: str, body: object = None) -> Any:
    """Ask as a well-meaning program does, and return the answer."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", content, headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return json.load(answer)


def send(port: int, content: bytes, *, is_whole: bool = True) -> Outcome:
    """Send bytes, and return what is answered, or that the connection was closed.

    If the request is not whole, an answer is awaited for only a second.
    """
    began = time.perf_counter()
    answer = b""
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)) as opened:
        opened.settimeout(PATIENCE if is_whole else 1.0)
        try:
            # A server may answer, and hang up, before it has heard everything.
            with suppress(ConnectionError):
                opened.sendall(content)
            while chunk := opened.recv(65_536):
                answer += chunk
        except TimeoutError:
            if is_whole:
                return Outcome(598, time.perf_counter() - began, "no answer")
            with suppress(OSError):
                opened.shutdown(socket.SHUT_WR)
    return _judge(answer, time.perf_counter() - began)


def _judge(answer: bytes, seconds: float) -> Outcome:
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    told = body[:300].decode(errors="replace")
    if status >= 400 and b"application/json" in head:
        # Another answer may follow, to what came after the first request.
        refusal, _ = json.JSONDecoder().raw_decode(body.decode())
        message = refusal["error"]["message"]
        if "\n" in message or not message:
            return Outcome(599, seconds, f"more than one line: {told}")
    return Outcome(status, seconds, told)


def _is_failure(outcome: Outcome) -> bool:
    # 503 says that too much comes at once, which is true.
    return outcome.status >= 500 and outcome.status != 503


def _count(kind: str, requests: list[bytes], outcomes: list[Outcome]) -> Tries:
    failed = [index for index, outcome in enumerate(outcomes) if _is_failure(outcome)]
    first = ""
    if failed:
        outcome, request = outcomes[failed[0]], requests[failed[0]]
        first = f"{request[:200]!r} ... {request[-200:]!r}: {outcome.status} {outcome.told}"
    slowest = max(outcome.seconds for outcome in outcomes)
    return Tries(ATTACK, kind, len(outcomes), len(failed), slowest, first)


def _attack_with(kind: str, target: Target, tries: int) -> Tries:
    rng = random.Random(kind)  # the same attack every time
    requests = list(itertools.islice(KINDS[kind][0](target, rng), tries))
    is_whole = kind != "garbled requests"
    with ThreadPoolExecutor(AT_ONCE) as threads:
        sent = threads.map(lambda given: send(target.port, given, is_whole=is_whole), requests)
        outcomes = list(sent)
    return _count(kind, requests, outcomes)


def _send_bombs(target: Target, tries: int) -> Tries:
    """Send files that take long to read, one after the other: each may cost seconds."""
    requests = list(itertools.islice(hostile.upload_bombs(target, random.Random(0)), tries))
    outcomes = [send(target.port, content) for content in requests]
    return _count("files that take long, or much memory", requests, outcomes)


def _hold_connections(target: Target, tries: int) -> Tries:
    """Open connections that say a little at a time, or nothing at all, and hold them."""
    begun = make_request("POST", "/api/seeds", b"", headers={"Content-Length": "1000"})
    opened = []
    for number in range(tries):
        connection = socket.create_connection(("127.0.0.1", target.port))
        connection.sendall(begun if number % 3 == 0 else begun[: number % 3 * 20])
        opened.append(connection)
    for _ in range(10):
        time.sleep(0.3)
        for connection in opened:
            with suppress(OSError):
                connection.sendall(b"x")
    for connection in opened:
        connection.close()
    asked = make_request("GET", "/api/libraries")
    after = send(target.port, asked)
    return _count("slow senders", [asked], [after])._replace(tries=tries)


def _flood(target: Target, tries: int) -> Tries:
    """Let many clients ask at the same moment, a few times over."""
    requests = [make_request("GET", "/api/search?words=cats")] * tries
    with ThreadPoolExecutor(FEW) as threads:
        outcomes = list(threads.map(lambda content: send(target.port, content), requests))
    return _count("many at once", requests, outcomes)


def _break_off(target: Target, tries: int) -> Tries:
    """Begin uploads and questions, and go away in the middle, politely or not."""
    file = b"TY  - JOUR\nTI  - On cats\nER  - \n" * 10_000
    rng = random.Random(0)
    whole = [
        make_request("POST", "/api/seeds/file", file, kind="application/octet-stream"),
        make_request("GET", "/api/search?words=cats"),
        make_request("GET", f"/api/sessions/{target.session}/export?format=ris"),
    ]
    for number in range(tries):
        content = rng.choice(whole)
        with suppress(OSError), socket.create_connection(("127.0.0.1", target.port)) as opened:
            opened.sendall(content[: rng.randrange(len(content) + 1)])
            if number % 2:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    asked = make_request("GET", "/api/libraries")
    after = send(target.port, asked)
    return _count("uploads and questions broken off", [asked], [after])._replace(tries=tries)


def _wait_for_schema(port: int, process: subprocess.Popen[bytes]) -> Any:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            return ask(port, "/api/openapi.json")
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


def _expand(port: int, session: str) -> None:
    """Expand a session, so that there is a list to ask for strange parts of."""
    job = ask(port, f"/api/sessions/{session}/expansions", {})
    while job["state"] in {"waiting", "running"}:
        time.sleep(0.2)
        job = ask(port, f"/api/jobs/{job['id']}")


def _make_papers() -> list[Document]:
    animals = ("cats", "dogs", "mice", "bees")
    return [
        Document(
            id=str(number),
            pmid=str(number),
            title=f"On the mood of {animals[number % 4]} in year {number}",
            abstract=f"Some {animals[number % 4]} of house {number} were looked at in winter.",
            year=1980 + number % 40,
        )
        for number in range(1, 201)
    ]


if __name__ == "__main__":
    report_tries(attack(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
