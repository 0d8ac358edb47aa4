"""Kills of `likewise serve`, while marks come in over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.load.client import find_port

from likewise.expansion.sessions.session import Session

CLIENTS = 3
PATIENCE = 60.0
TOKEN = "kills-of-a-server-on-this-machine"  # it opens nothing else
LABELS = ("relevant", "irrelevant", "maybe")


class ServerKills:
    """Kills of a server, one after the other, on the same session."""

    def __init__(self, folder: Path, session: Path) -> None:
        self._library = folder / "lib"
        self._sessions = folder / "sessions"
        self._sessions.mkdir()
        self._session = self._sessions / "0123456789ab.likewise"
        session.rename(self._session)
        with Session.open(self._session) as opened:
            saved = opened.expansion()
        assert saved is not None
        self._ids = [place.id for place in saved.ranking]

    def kill(self, rng: random.Random) -> None:
        """Mark with several clients, kill the server, and look for what it acknowledged."""
        before = self._read_labels()
        port = find_port()
        process = self._start(port)
        try:
            _wait_until_it_answers(port, process)
            markers = _Markers(port, self._session.stem, ids=self._ids, label=rng.choice(LABELS))
            with ThreadPoolExecutor(CLIENTS) as pool:
                running = [pool.submit(markers.mark, number) for number in range(CLIENTS)]
                markers.has_begun.wait(PATIENCE)
                time.sleep(rng.random())
                (os.killpg if rng.random() < 0.5 else os.kill)(process.pid, signal.SIGKILL)
                for one in running:
                    one.result()
        finally:
            process.kill()
            process.wait()
        expected = before | markers.saved
        wrong = [
            name
            for name, label in self._read_labels().items()
            # A mark may be on the disk though its answer did not come through.
            if label not in (expected.get(name), markers.under_way.get(name))
        ]
        assert not wrong, f"{len(wrong)} marks are not as acknowledged, such as that of {wrong[0]}"
        lost = markers.saved.keys() - self._read_labels().keys()
        assert not lost, f"{len(lost)} of {len(markers.saved)} acknowledged marks are lost"

    def _read_labels(self) -> dict[str, str]:
        with Session.open(self._session) as session:
            return {name: mark.label or "" for name, mark in session.current().items()}

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "likewise", "serve", str(self._library), "--no-browser"]
        return subprocess.Popen(
            [*command, "--port", str(port), "--sessions", str(self._sessions)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "LIKEWISE_TOKEN": TOKEN},
        )


class _Markers:
    """Clients that mark documents one by one, until the server no longer answers."""

    def __init__(self, port: int, session: str, *, ids: list[str], label: str) -> None:
        self._port = port
        self._path = f"/api/sessions/{session}/marks"
        self._ids = ids
        self._label = label
        self.saved: dict[str, str] = {}
        self.under_way: dict[str, str] = {}
        self.has_begun = threading.Event()

    def mark(self, number: int) -> None:
        """Mark each of this client's documents, over and over; keep what was acknowledged."""
        for label in (self._label, *LABELS * 20):
            for name in self._ids[number::CLIENTS]:
                # A label that a document already has is not a new mark.
                if self.saved.get(name) == label:
                    continue
                self.under_way[name] = label
                try:
                    status = ask(self._port, "POST", self._path, body={"labels": {name: label}})
                except (OSError, http.client.HTTPException):
                    return
                assert status == 200, f"a mark was answered with {status}"
                self.saved[name] = label
                self.has_begun.set()


def ask(port: int, method: str, path: str, *, body: object = None) -> int:
    """Ask the server for something, and return the status of its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        text = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def _wait_until_it_answers(port: int, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        assert process.poll() is None, f"the server ended by itself with {process.returncode}"
        try:
            assert ask(port, "GET", "/api/libraries") == 200, "the server refuses its own token"
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the server does not answer")
