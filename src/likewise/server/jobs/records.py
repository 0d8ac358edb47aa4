"""Jobs, how they end, and the records of them on the disk."""

from __future__ import annotations

import logging
import secrets
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from likewise.documents import replace_file
from likewise.errors import SessionError, WriteError
from likewise.expansion.sessions.records import read_clock
from likewise.expansion.sessions.session import Session
from likewise.server.desks.folder import is_identifier
from likewise.server.jobs import AnyRequest, GatherRequest, WorkRequest

LOG = logging.getLogger(__name__)
FOLDER = "jobs"
RECORD_SUFFIX = ".job.json"
MOST_RECORD_BYTES = 1_000_000


JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED: frozenset[JobState] = frozenset({"done", "failed", "cancelled"})


JobKind = Literal["expansion", "intake", "gathering", "watch"]
"""Expand a session, read files into a library, gather records from a source into a library, or look
for what is new for a session."""


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A job for a session or a library, and how far it has come."""

    id: str
    kind: JobKind = "expansion"
    session: str = ""
    """The session that is expanded."""
    library: str = ""
    """The id of the library that it uses, in the server's collection."""
    state: JobState
    ahead: int = 0
    """How many jobs come before this one."""
    stage: str = ""
    """The stage that runs, such as learning."""
    stages: tuple[str, ...] = ()
    """The stages that have begun, in their order."""
    share: float = 0.0
    """How much of the stage is done, from 0 to 1."""
    note: str = ""
    warnings: tuple[str, ...] = ()
    expansion: int | None = None
    """The number of the expansion that it made."""
    error: str = ""
    created: str
    ended: str = ""

    @property
    def brings_records(self) -> bool:
        """Whether it brings records into a library; otherwise it works on a session."""
        return self.kind in ("intake", "gathering")

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED


def make_job(asked: AnyRequest, *, library: str) -> Job:
    """Return the job that does what is asked, before anybody has begun it."""
    kind: JobKind = "gathering" if isinstance(asked, GatherRequest) else "intake"
    session = ""
    if isinstance(asked, WorkRequest):
        kind = "watch" if asked.is_watch else "expansion"
        session = Path(asked.path).stem
    return Job(
        id=secrets.token_hex(8),
        kind=kind,
        session=session,
        library=library,
        state="waiting",
        created=read_clock(),
    )


class JobRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of a job."""

    job: Job
    before: int | None = None
    """How many expansions the session had when the work began, if it began."""


class JobRecords:
    """The folder of job records, inside the folder of the sessions."""

    def __init__(self, sessions: Path) -> None:
        self._folder = sessions / FOLDER

    def write(self, record: JobRecord) -> None:
        """Write the record of a session's latest job over the last one; raise WriteError."""
        path = self._path(record.job.session)
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise WriteError(f"{self._folder}: can't be made: {error.strerror or error}") from error
        with replace_file(path) as stream:
            stream.write(msgspec.json.encode(record))

    def read(self) -> list[JobRecord]:
        """Return the records, the oldest job first; those that can't be read are left out."""
        return sorted(self._read(), key=lambda record: record.job.created)

    def remove(self, session: str) -> None:
        """Remove the record of a session, if there is one."""
        with suppress(OSError):
            self._path(session).unlink(missing_ok=True)

    def _read(self) -> Iterator[JobRecord]:
        for path in self._folder.glob(f"*{RECORD_SUFFIX}"):
            try:
                yield _read_record(path)
            except (OSError, ValueError) as error:
                LOG.warning("%s: not the record of a job, so it was left out: %s", path, error)

    def _path(self, session: str) -> Path:
        if not is_identifier(session):
            raise SessionError(f"{session!r} is not a session's id; use letters, digits, _ and -")
        return self._folder / f"{session}{RECORD_SUFFIX}"


def _read_record(path: Path) -> JobRecord:
    with path.open("rb") as file:
        record = msgspec.json.decode(file.read(MOST_RECORD_BYTES), type=JobRecord)
    if path.name != f"{record.job.session}{RECORD_SUFFIX}":
        raise ValueError(f"it belongs to the session {record.job.session!r}")
    return record


class Ending(NamedTuple):
    """How a job ended."""

    state: JobState
    expansion: int | None = None
    """The number of the expansion that it made."""
    error: str = ""


CANCELLED = Ending("cancelled")
INTERRUPTED = Ending("failed", error="the server ended before this was done; start it again")
MISTAKEN = Ending(
    "failed", error="this is a bug in likewise, please report it; the server's log says more"
)


def explain_exit_code(code: int) -> Ending:
    """Return how a job ended if its process ended without a message.

    >>> explain_exit_code(-11).error
    'its process was ended by SIGSEGV; start it again, and report it if that happens again'
    """
    if code == -signal.SIGKILL:
        reason = "its process was killed, probably because the system ran out of memory"
        advice = "choose a smaller pool, or close other programs, and start it again"
    else:
        reason = f"its process ended with code {code}"
        if code < 0:
            reason = f"its process was ended by {_name_signal(-code)}"
        advice = "start it again, and report it if that happens again"
    return Ending("failed", error=f"{reason}; {advice}")


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def find_ending(path: str | Path, *, before: int | None) -> Ending | None:
    """Return that a job is done if its session has more expansions than before; else None.

    A process can be killed after its expansion is on the disk but before it says so, so this looks
    into the session. A process that did not even say how many there were before has added none.
    """
    if before is None:
        return None
    try:
        with Session.open(path, read_only=True) as session:
            found = len(session.expansions())
    except SessionError as error:
        LOG.warning("what became of a job is not known: %s", error)
        return None
    return Ending("done", expansion=found) if found > before else None
