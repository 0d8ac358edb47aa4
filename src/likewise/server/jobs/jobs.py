"""The jobs of a server: some run, some wait in line, all are remembered for a while.

Everything here runs in one thread, the event loop's; what takes longer runs in others.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from likewise.errors import WriteError
from likewise.expansion.sessions.records import read_clock
from likewise.server import ServerSettings
from likewise.server.desks.folder import locate_session
from likewise.server.failures import STOPPING, JobRunning, Stopping, TooManyJobs, UnknownJob
from likewise.server.jobs import AnyRequest, WorkRequest
from likewise.server.jobs.records import (
    CANCELLED,
    INTERRUPTED,
    MISTAKEN,
    Ending,
    Job,
    JobRecord,
    JobRecords,
    find_ending,
    make_job,
)
from likewise.server.jobs.running import COMMAND, JobEntry, JobProcess, JobRun, SpareWorker

LOG = logging.getLogger(__name__)
MOST_KEPT = 300
"""How many jobs are remembered; of those that have ended, the oldest are forgotten first."""
SECONDS_FOR_LINE = 10
"""After how many seconds to ask again if the line is full."""
MINUTE = 60.0


class Jobs:
    """The jobs of a server."""

    def __init__(
        self,
        folder: Path,
        *,
        running: int = ServerSettings.running,
        waiting: int = ServerSettings.waiting,
        per_minute: int = ServerSettings.jobs_per_minute,
        command: Sequence[str] = COMMAND,
        has_spare: bool = False,
    ) -> None:
        """Prepare for jobs; `open` brings back those of the server's last run.

        Args:
            folder: The sessions' folder, in which records of jobs are kept.
            running: How many run at once.
            waiting: How many may wait.
            per_minute: How many may be started within a minute.
            command: What starts a worker.
            has_spare: Whether a worker is kept ready for the next expansion.
        """
        self._folder = folder
        self._most_running = running
        self._most_waiting = waiting
        self._rate = Rate(per_minute)
        self._command = command
        self._spare = SpareWorker(command) if has_spare else None
        self._records = JobRecords(folder)
        self._recording = asyncio.Lock()
        self._entries: dict[str, JobEntry] = {}
        self._line: deque[JobEntry] = deque()
        self._running: dict[JobEntry, asyncio.Task[None]] = {}
        self._is_closed = False

    async def open(self) -> None:
        """Bring back the jobs of the server's last run; all of them have ended by now."""
        for record in (await asyncio.to_thread(self._records.read))[-MOST_KEPT:]:
            path = locate_session(self._folder, record.job.session)
            entry = JobEntry(record.job, WorkRequest(str(path), library=""))
            entry.before = record.before
            if not entry.job.is_ended:
                ending = await asyncio.to_thread(find_ending, path, before=entry.before)
                await self._settle(entry, ending or INTERRUPTED)
            self._entries[entry.job.id] = entry

    async def close(self) -> None:
        """End all jobs, and return when their processes are dead."""
        self._is_closed = True
        unended = [entry for entry in self._entries.values() if not entry.job.is_ended]
        await asyncio.gather(*(self._stop(entry, INTERRUPTED) for entry in unended))
        await asyncio.gather(*self._running.values())
        if self._spare:
            await self._spare.close()

    async def start(self, asked: AnyRequest, *, library: str = "") -> Job:
        """Put a job in line; raise JobRunning, TooManyJobs, or WriteError if it can't be kept.

        Args:
            asked: What its worker is asked to do.
            library: The id of the library that it uses, if that is one of the collection.
        """
        job = make_job(asked, library=library)
        self._check(job)
        entry = JobEntry(job, asked)
        self._entries[job.id] = entry
        try:
            await self._record(entry)
        except BaseException:
            del self._entries[job.id]
            entry.change(state="failed", ended=read_clock())
            raise
        self._rate.count()
        self._forget_oldest()
        if entry.wanted:
            await self._settle(entry, entry.wanted)
        else:
            self._line.append(entry)
            self._move_up()
        return entry.job

    def get(self, job_id: str) -> Job:
        """Return a job; raise UnknownJob if there is none with this id."""
        return self._get_entry(job_id).job

    def list_jobs(self) -> list[Job]:
        """Return the jobs that are remembered, the latest first."""
        return [entry.job for entry in reversed(self._entries.values())]

    def find_latest(self, session_id: str) -> Job | None:
        """Return the latest job of a session, if one is remembered."""
        return next((job for job in self.list_jobs() if job.session == session_id), None)

    def find_intake(self, library_id: str) -> Job | None:
        """Return the latest intake or gathering of a library, if one is remembered."""
        intakes = (job for job in self.list_jobs() if job.brings_records)
        return next((job for job in intakes if job.library == library_id), None)

    def find_using(self, library_id: str) -> list[Job]:
        """Return the jobs that use a library now, or wait to."""
        return [job for job in self.list_jobs() if job.library == library_id and not job.is_ended]

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job, and return it when its process is dead; one that has ended stays as it is.

        An expansion that was added before the process died stays, and then the job is done.
        """
        entry = self._get_entry(job_id)
        await self._stop(entry, CANCELLED)
        return entry.job

    def watch(self, job_id: str) -> AsyncIterator[Job]:
        """Yield a job now, and again as it changes, until it ends; raise UnknownJob."""
        return self._get_entry(job_id).watch()

    async def forget(self, session_id: str) -> None:
        """Cancel and forget the jobs of a session that is being deleted."""
        for entry in [e for e in self._entries.values() if e.job.session == session_id]:
            await self._stop(entry, CANCELLED)
            self._entries.pop(entry.job.id, None)
        async with self._recording:
            await asyncio.to_thread(self._records.remove, session_id)

    def _get_entry(self, job_id: str) -> JobEntry:
        try:
            return self._entries[job_id]
        except KeyError:
            raise UnknownJob("there is no such job, or it ended long ago") from None

    def _check(self, job: Job) -> None:
        """Raise the error that says why a job can't be taken on now, if it can't."""
        unended = [one for one in self.list_jobs() if not one.is_ended]
        if self._is_closed:
            raise Stopping(STOPPING)
        if job.brings_records:
            if any(one.brings_records and one.library == job.library for one in unended):
                raise JobRunning("this library is taking in records; wait for that, or cancel it")
        elif job.session in {one.session for one in unended}:
            raise JobRunning("this session is being expanded; wait for it, or cancel it")
        if len(unended) >= self._most_running + self._most_waiting:
            raise TooManyJobs(
                f"{len(unended)} jobs run or wait; try again when one of them is done",
                retry_after=SECONDS_FOR_LINE,
            )
        if seconds := self._rate.wait():
            raise TooManyJobs(
                f"too many jobs within a minute; try again in {seconds} s",
                retry_after=seconds,
            )

    def _move_up(self) -> None:
        """Begin the first jobs in line if there is room, and tell the others their place."""
        while self._line and len(self._running) < self._most_running and not self._is_closed:
            entry = self._line.popleft()
            entry.change(state="running", ahead=0)
            self._running[entry] = asyncio.create_task(self._run(entry))
        for ahead, entry in enumerate(self._line, 1):
            entry.change(ahead=ahead)

    def prepare(self) -> None:
        """Start a spare worker, if one is kept, since somebody is likely to expand soon."""
        if self._spare and not self._running and not self._is_closed:
            self._spare.prepare()

    async def _run(self, entry: JobEntry) -> None:
        is_expansion = isinstance(entry.asked, WorkRequest)
        own = partial(JobProcess.start, self._command)
        start = self._spare.take if self._spare and is_expansion else own
        run = JobRun(entry, on_begun=self._record_calmly, start=start)
        try:
            await self._settle(entry, await run())
        except Exception:
            LOG.exception("job %s", entry.job.id)
            await self._settle(entry, MISTAKEN)
        finally:
            del self._running[entry]
            self._move_up()
            self.prepare()

    async def _stop(self, entry: JobEntry, wanted: Ending) -> None:
        """End a job unless it has already ended, and return when it has."""
        entry.wanted = entry.wanted or wanted
        if entry in self._line:
            self._line.remove(entry)
            self._move_up()
            await self._settle(entry, entry.wanted)
        elif entry.process and not entry.job.is_ended:
            await entry.process.end()
        await entry.wait_until_ended()

    async def _settle(self, entry: JobEntry, ending: Ending) -> None:
        """Record on the disk how a job ended, then change the job."""
        changes = {**ending._asdict(), "ahead": 0, "ended": read_clock()}
        await self._record_calmly(entry, **changes)
        entry.change(**changes)

    async def _record(self, entry: JobEntry, **changes: Any) -> None:
        """Write a job with its changes to the disk; libraries keep their own record of intakes."""
        if entry.job.brings_records:
            return
        job = msgspec.structs.replace(entry.job, **changes)
        record = JobRecord(job=job, before=entry.before)
        async with self._recording:
            await asyncio.to_thread(self._records.write, record)

    async def _record_calmly(self, entry: JobEntry, **changes: Any) -> None:
        """Write a job to the disk; if that fails, only log it, since the session is what counts."""
        try:
            await self._record(entry, **changes)
        except WriteError as error:
            LOG.warning("job %s: %s", entry.job.id, error)

    def _forget_oldest(self) -> None:
        ended = [job_id for job_id, entry in self._entries.items() if entry.job.is_ended]
        for job_id in ended[: max(0, len(self._entries) - MOST_KEPT)]:
            del self._entries[job_id]


class Rate:
    """A limit on how often something may be done within a minute."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._clock = clock
        self._times: deque[float] = deque()

    def wait(self) -> int:
        """Return how many seconds to wait until it may be done again; 0 if it may now."""
        oldest = self._clock() - MINUTE
        while self._times and self._times[0] <= oldest:
            self._times.popleft()
        if len(self._times) < self._most:
            return 0
        return max(1, math.ceil(self._times[0] - oldest)) if self._times else int(MINUTE)

    def count(self) -> None:
        """Note that it is being done now."""
        self._times.append(self._clock())
