"""A server of our own, as a user starts one: a process that listens on a free port."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import psutil

from likewise.server.jobs.worker import AHEAD
from likewise.server.safety.tokens import read_tokens

PATIENCE = 60


class Served(NamedTuple):
    address: str
    process: subprocess.Popen
    sessions: Path

    def kill(self):
        """End it as a crash would, without a chance to do anything more."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def tokens(self):
        """Return the token of each reviewer."""
        return {one.reviewer: one.token for one in read_tokens(self.sessions)}

    def put(self, session):
        """Put a copy of a session's file where its sessions are, and return its id.

        Whatever was done before it has ended then, so that jobs that run later are the session's.
        """
        wait_until(lambda: not self.workers())
        name = uuid4().hex[:12]
        shutil.copy(session, self.file(name))
        return name

    def file(self, session):
        """Return where a session's file is."""
        return self.sessions / f"{session}.likewise"

    def workers(self):
        """Return the processes in which its jobs run, once they are more than its copies.

        A spare that waits for a job is none of them: it has one thread, and no other that watches
        whether the server is there.
        """
        return [one for one in psutil.Process(self.process.pid).children() if _is_worker(one)]

    @contextmanager
    def held(self):
        """Let the jobs that run now stand still, as long jobs would seem to."""
        workers = wait_until(self._suspend)
        try:
            yield workers
        finally:
            _resume(workers)

    def _suspend(self):
        """Suspend the jobs and return them; none while one keeps others out of a file."""
        workers = self.workers()
        for worker in workers:
            with suppress(psutil.NoSuchProcess):
                worker.suspend()
        if not any(map(_is_locked, self.sessions.glob("*.likewise"))):
            return workers
        _resume(workers)
        return []


@contextmanager
def served(library, sessions, *options, port=None):
    """Serve a library, or without one only what options say, and wait until it answers."""
    port = port or free_port()
    given = [str(library)] if library else []
    command = [sys.executable, "-m", "likewise", "serve", *given, "--no-browser"]
    command += ["--port", str(port), "--sessions", str(sessions), *options]
    # Reviewers have tokens; nobody else needs one here, whoever has an account on this computer.
    command += [] if "--reviewer" in options else ["--open"]
    log = Path(f"{sessions}.log")
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address, process, log=log)
        yield Served(address, process, Path(sessions))
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _resume(workers):
    for worker in workers:
        with suppress(psutil.NoSuchProcess):
            worker.resume()


def _is_locked(session):
    with closing(sqlite3.connect(session, timeout=0, isolation_level=None)) as file:
        try:
            file.execute("BEGIN EXCLUSIVE")
            file.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return True
    return False


def _is_worker(process):
    try:
        is_worker = any("jobs.worker" in word for word in process.cmdline())
        return is_worker and (AHEAD not in process.cmdline() or process.num_threads() > 1)
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


def wait_until(condition):
    """Wait until something is so, and return what it is."""
    begun = time.monotonic()
    while not (answer := condition()):
        assert time.monotonic() - begun < PATIENCE, "it was waited for in vain"
        time.sleep(0.01)
    return answer


def _wait_for(address, process, *, log):
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        if process.poll() is not None:
            raise AssertionError(f"it ended: {log.read_text()}")
        try:
            with urllib.request.urlopen(f"{address}/api/libraries", timeout=5):
                return
        except urllib.error.HTTPError:  # it asks for a token
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"no answer: {log.read_text()}")
