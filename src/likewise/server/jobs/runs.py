"""The run of a job: a worker does it, its messages change the entry, and it ends one way."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from likewise.server.jobs.endings import MISTAKEN, Ending, ending_by_code, ending_in_session
from likewise.server.jobs.messages import Begun, Done, Failed, Moved, Warned
from likewise.server.jobs.processes import COMMAND, JobProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from likewise.server.jobs.entries import Entry
    from likewise.server.jobs.messages import Message

LOG = logging.getLogger(__name__)


class Run:
    """A job on its way."""

    def __init__(
        self,
        entry: Entry,
        *,
        on_begun: Callable[[Entry], Awaitable[None]],
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Prepare a run.

        Args:
            entry: The job.
            on_begun: Called when it is known how many expansions there were before.
            command: What starts a worker.
        """
        self._entry = entry
        self._on_begun = on_begun
        self._command = command
        self._last: Done | Failed | None = None

    async def __call__(self) -> Ending:
        """Go through the job, and return how it ended; by then its process is dead."""
        try:
            process = await JobProcess.start(self._command)
        except OSError as error:
            found = f"its process can't be started ({error.strerror or error})"
            return Ending("failed", error=f"{found}; close other programs, and start it again")
        self._entry.process = process
        try:
            if not self._entry.wanted:
                process.ask(self._entry.asked)
                await self._listen(process)
        except ValueError:
            LOG.exception("job %s", self._entry.job.id)
            return MISTAKEN
        finally:
            # Nothing but dead processes is left behind, whatever happened.
            await process.end()
        return await self._ending(process)

    async def _listen(self, process: JobProcess) -> None:
        async for message in process.messages():
            await self._hear(message)
        # It may have closed its standard output, and not have ended yet.
        await process.code()

    async def _hear(self, message: Message) -> None:
        match message:
            case Begun():
                self._entry.before = message.expansions
                await self._on_begun(self._entry)
            case Warned():
                self._entry.change(warnings=list(message.warnings))
            case Moved():
                self._move(message)
            case Done() | Failed():
                self._last = message

    def _move(self, moved: Moved) -> None:
        stages = self._entry.job.stages
        if moved.stage not in stages:
            stages = [*stages, moved.stage]
        share = min(1.0, max(0.0, moved.share))
        self._entry.change(stage=moved.stage, stages=stages, share=share, note=moved.note)

    async def _ending(self, process: JobProcess) -> Ending:
        """Return how it ended: by what the worker said, else by what the session holds."""
        code, said = await process.code(), await process.said()
        if isinstance(self._last, Done):
            return Ending("done", expansion=self._last.expansion)
        if isinstance(self._last, Failed):
            level = logging.ERROR if self._last.is_mistake else logging.INFO
            self._log(level, self._last.error, said)
            return Ending("failed", error=self._last.error)
        path, before = self._entry.asked.path, self._entry.before
        if found := await asyncio.to_thread(ending_in_session, path, before=before):
            return found
        if not self._entry.wanted:
            self._log(logging.ERROR, f"its process ended with code {code}", said)
        return self._entry.wanted or ending_by_code(code)

    def _log(self, level: int, what: str, said: str) -> None:
        LOG.log(level, "job %s: %s%s", self._entry.job.id, what, f"\n{said}" if said else "")
