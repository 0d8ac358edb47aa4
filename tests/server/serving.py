"""A server of our own, as a user starts one: a process that listens on a free port."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import psutil

from likewise.server.safety.kept_tokens import read_tokens

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
        """Return the processes in which its jobs run, once they are more than its copies."""
        return [one for one in psutil.Process(self.process.pid).children() if _is_worker(one)]

    @contextmanager
    def held(self):
        """Let the jobs that run now stand still, as long jobs would seem to."""
        workers = wait_until(self.workers)
        for worker in workers:
            worker.suspend()
        try:
            yield workers
        finally:
            for worker in workers:
                with suppress(psutil.NoSuchProcess):
                    worker.resume()


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


def _is_worker(process):
    try:
        return any("jobs.worker" in word for word in process.cmdline())
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
