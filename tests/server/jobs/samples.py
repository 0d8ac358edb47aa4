"""Workers of a few lines, and sessions for the real one."""

import asyncio
import sys
from pathlib import Path

import psutil

from expansion.corpus import seeds_on
from expansion.sessions.samples import SEEDS
from likewise.expansion.sessions.session import Session
from likewise.server.jobs import WorkRequest

_BEGINNING = """
import json, os, signal, sys, time
def say(type, **fields):
    print(json.dumps({"type": type, **fields}), flush=True)
def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.005)
asked = json.loads(sys.stdin.readline())
"""
QUICK = "say('result', expansion=1)"
GATED = "wait_for(asked['library']); say('result', expansion=1)"
"""Is done when there is a file where the library should be."""
ENDLESS = "time.sleep(600)"


def worker(lines):
    """Return the command that starts a worker of these lines, which has been asked."""
    return (sys.executable, "-I", "-S", "-c", _BEGINNING + lines)


def order(session="abc", *, library="lib", folder=""):
    """Return a request to expand a session of a folder."""
    return WorkRequest(str(Path(folder, f"{session}.likewise")), str(library))


def small_session(folder, session="abc"):
    """Make a session that no real worker is asked for, and return its path."""
    path = folder / f"{session}.likewise"
    Session.make(path, library="lib", fingerprint="", seeds=SEEDS).close()
    return path


def real_session(folder, library, session="abc"):
    """Make a session of a library of the corpus, and return its path."""
    path = folder / f"{session}.likewise"
    Session.make(path, library=library, fingerprint="", seeds=seeds_on("sugar")).close()
    return path


def expansions_in(path):
    """Return how many expansions a session has."""
    with Session.open(path, read_only=True) as session:
        return len(session.expansions())


async def until(condition):
    """Wait until something is so."""
    while not condition():  # noqa: ASYNC110  # what is waited for has no event
        await asyncio.sleep(0.002)


def is_alive(number):
    """Say whether a process is there, and not just its code."""
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
