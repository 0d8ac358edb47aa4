"""Records: what is kept of jobs when the server ends, the latest of each session."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from likewise.documents.files import written_aside
from likewise.errors import SessionError, WriteError
from likewise.server.desks.naming import is_identifier
from likewise.server.models.jobs import Job
from likewise.server.models.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOG = logging.getLogger(__name__)
FOLDER = "jobs"
ENDING = ".job.json"
MOST_BYTES = 1_000_000


class Record(Shape):
    """What is kept of a job."""

    job: Job
    before: int | None = None
    """How many expansions the session had when the work began, if it began."""


class Records:
    """The folder of records, within the sessions'."""

    def __init__(self, sessions: Path) -> None:
        self._folder = sessions / FOLDER

    def write(self, record: Record) -> None:
        """Write the record of a session's latest job over the one before; raise WriteError."""
        path = self._path(record.job.session)
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise WriteError(f"{self._folder}: can't be made: {error.strerror or error}") from error
        with written_aside(path) as stream:
            stream.write(record.model_dump_json().encode())

    def read(self) -> list[Record]:
        """Return the records, the oldest job first; those that can't be read are left out."""
        return sorted(self._read(), key=lambda record: record.job.created)

    def remove(self, session: str) -> None:
        """Remove the record of a session, if there is one."""
        with suppress(OSError):
            self._path(session).unlink(missing_ok=True)

    def _read(self) -> Iterator[Record]:
        for path in self._folder.glob(f"*{ENDING}"):
            try:
                yield _record_in(path)
            except (OSError, ValueError) as error:
                LOG.warning("%s: no record of a job, and left out: %s", path, error)

    def _path(self, session: str) -> Path:
        if not is_identifier(session):
            raise SessionError(f"{session!r} is no session's id; letters, digits, _ and - are")
        return self._folder / f"{session}{ENDING}"


def _record_in(path: Path) -> Record:
    with path.open("rb") as file:
        record = Record.model_validate_json(file.read(MOST_BYTES))
    if path.name != f"{record.job.session}{ENDING}":
        raise ValueError(f"it is of the session {record.job.session!r}")
    return record
