"""An entry: a job as the server keeps it, with whoever watches it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from likewise.server.jobs.endings import Ending
    from likewise.server.jobs.messages import Asked
    from likewise.server.jobs.processes import JobProcess
    from likewise.server.models.jobs import Job

SECONDS_BETWEEN_STATES = 0.1


class Entry:
    """A job, and all that belongs to it."""

    def __init__(self, job: Job, asked: Asked) -> None:
        self.job = job
        self.asked = asked
        self.before: int | None = None
        """How many expansions the session had when the work began."""
        self.wanted: Ending | None = None
        """How it ends if it is not done; None as long as nobody stops it."""
        self.process: JobProcess | None = None
        self._changed = asyncio.Event()

    def change(self, **changes: Any) -> None:
        """Change the job, and wake whoever watches it."""
        changed = self.job.model_copy(update=changes)
        if changed != self.job:
            self.job = changed
            self._changed.set()
            self._changed = asyncio.Event()

    async def states(self) -> AsyncIterator[Job]:
        """Yield the job as it is now, then as it changes, until it has ended.

        Of changes that come quickly some are left out, but never the latest.
        """
        while True:
            changed, job = self._changed, self.job
            yield job
            if job.is_ended:
                return
            await changed.wait()
            if not self.job.is_ended:
                await asyncio.sleep(SECONDS_BETWEEN_STATES)

    async def until_ended(self) -> Job:
        """Wait until the job has ended, and return it."""
        while not self.job.is_ended:
            await self._changed.wait()
        return self.job
