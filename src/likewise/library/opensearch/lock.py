"""The lock, which lets only one process at a time write to an index.

The process that writes keeps its name in the notebook, and renews it every few seconds. If it was
killed, another process takes its place: after a minute, or at once on the same machine.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from likewise.errors import LibraryBusyError, LibraryError
from likewise.library.opensearch.bulk import StoredVersion
from likewise.library.opensearch.notebook import Notebook, NotebookEntry

logger = logging.getLogger(__name__)

_WRITER = "writer"


class Times(NamedTuple):
    """How often a lock is renewed, and when it counts as abandoned, in seconds."""

    beat: float = 5.0
    """Seconds between two renewals."""
    stale: float = 60.0
    """Seconds after which a lock that was not renewed counts as abandoned."""
    watch: float = 12.0
    """Seconds for which an abandoned lock is watched: clocks differ, and its owner may be alive."""


class Claim(msgspec.Struct, frozen=True):
    """Who is writing."""

    host: str
    pid: int
    place: str
    """The machine or container, within which process numbers are unique."""
    since: str
    beat: str

    def __post_init__(self) -> None:
        """Refuse a beat without a time zone, which could not be compared."""
        if datetime.fromisoformat(self.beat).tzinfo is None:
            raise ValueError("a beat without a time zone")


class Lock:
    """The right to write to an index, from `take` to `release`."""

    def __init__(self, notebook: Notebook, *, times: Times | None = None) -> None:
        self._notebook = notebook
        self._times = times or Times()
        self._claim = make_claim()
        self._version: StoredVersion | None = None
        self._released = threading.Event()
        self._lost: LibraryBusyError | None = None

    def take(self) -> None:
        """Take the lock and keep it alive; raise LibraryBusyError if another live writer has it."""
        _held.add(self._claim.since)
        try:
            while self._version is None:
                version = self._free_place()
                self._version = self._notebook.write(_WRITER, self._claim, over=version)
        except BaseException:
            _held.discard(self._claim.since)
            raise
        threading.Thread(target=self._keep, name="lock", daemon=True).start()

    def _free_place(self) -> StoredVersion | None:
        """Return the version of an abandoned lock, to be overwritten; None if there is no lock."""
        entry = self._notebook.read_entry(_WRITER)
        if entry and not self._is_ours(entry) and not self._is_abandoned(entry):
            raise LibraryBusyError(self._describe_holder(self._read_claim(entry)))
        return entry.version if entry else None

    @property
    def is_lost(self) -> bool:
        """Whether somebody else has taken it."""
        return self._lost is not None

    def check(self) -> None:
        """Raise an error if somebody else has taken the lock."""
        if self._lost:
            raise self._lost

    def release(self) -> None:
        """Give the lock back."""
        if self._version is None or self._released.is_set():
            return
        self._released.set()
        _held.discard(self._claim.since)
        # A renewal that is under way may come in between, but only one.
        for _ in range(3):
            entry = self._notebook.read_entry(_WRITER)
            if entry is None or not self._is_ours(entry):
                return
            if self._notebook.erase(_WRITER, over=entry.version):
                return

    def _read_claim(self, entry: NotebookEntry) -> Claim:
        return self._notebook.convert_note(entry.value, Claim)

    def _is_ours(self, entry: NotebookEntry) -> bool:
        # It is also ours if our own request was carried out, but the answer was lost.
        claim = self._read_claim(entry)
        return (claim.place, claim.pid, claim.since) == (
            self._claim.place,
            self._claim.pid,
            self._claim.since,
        )

    def _is_abandoned(self, entry: NotebookEntry) -> bool:
        claim = self._read_claim(entry)
        if claim.place == self._claim.place and not _is_alive(claim):
            return True
        age = (datetime.now(UTC) - datetime.fromisoformat(claim.beat)).total_seconds()
        if 0 <= age < self._times.stale:
            return False
        self._released.wait(self._times.watch)
        later = self._notebook.read_entry(_WRITER)
        return later is None or later.version == entry.version

    def _describe_holder(self, claim: Claim) -> str:
        return (
            f"{self._notebook.connection.address}: another process is writing to this library: "
            f"{claim.pid} on {claim.host}, since {claim.since[:19]} UTC; "
            "wait until it is done (searching still works meanwhile)"
        )

    # In the background

    def _keep(self) -> None:
        while not self._released.wait(self._times.beat):
            try:
                self._renew()
            except LibraryError as error:
                # If this lasts, writing itself will fail and say so.
                logger.debug("the lock could not be renewed: %s", error)
            if self._lost:
                return

    def _renew(self) -> None:
        # It is read before it is written: if the notebook was deleted, the server would make a new
        # index of what is sent, which is not a notebook.
        entry = self._notebook.read_entry(_WRITER)
        if self._released.is_set():
            return
        if entry is None or not self._is_ours(entry):
            self._lost = LibraryBusyError(self._describe_loss(entry))
            return
        claim = msgspec.structs.replace(self._claim, beat=_stamp_time())
        self._notebook.write(_WRITER, claim, over=entry.version)

    def _describe_loss(self, entry: NotebookEntry | None) -> str:
        address = self._notebook.connection.address
        if entry is None:
            return (
                f"{address}: somebody has deleted the index {self._notebook.name}, or its note of "
                "who is writing; what was committed before is safe: run the command again"
            )
        claim = self._read_claim(entry)
        return (
            f"{address}: writing was taken over by process {claim.pid} on {claim.host}, because "
            "this process had been silent for a minute; what was committed before is safe: "
            "run the command again when the other is done"
        )


_held: set[str] = set()
"""When this process took its locks: in a restarted container, it may have the same number again."""


def make_claim() -> Claim:
    """Return a claim in the name of this process."""
    now = _stamp_time()
    return Claim(platform.node(), os.getpid(), _find_place(), since=now, beat=now)


def _stamp_time() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _find_place() -> str:
    """Return an identifier of this machine or container that is safer than its name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def _is_alive(claim: Claim) -> bool:
    if claim.pid == os.getpid():
        return claim.since in _held
    if os.name != "posix":  # where asking would end it
        return True
    try:
        os.kill(claim.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
