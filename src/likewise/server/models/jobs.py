"""Jobs: expansions that wait, run, or have ended."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from likewise.server.models.shape import Shape

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED: frozenset[State] = frozenset({"done", "failed", "cancelled"})


class Job(Shape):
    """An expansion that was asked for."""

    id: str
    session: str
    state: State
    ahead: int = Field(0, description="How many jobs are done before this one is begun.")
    stage: str = Field("", description="The stage that runs, such as learning.")
    stages: list[str] = Field([], description="The stages begun so far, in their order.")
    share: float = Field(0.0, description="How much of the stage is done, from 0 to 1.")
    note: str = Field("", description="A few words on how the stage goes.")
    warnings: list[str] = Field([], description="What may be wrong with the seeds.")
    expansion: int | None = Field(None, description="The number of the expansion that it made.")
    error: str = Field("", description="Why it failed, in one line.")
    created: str
    ended: str = Field("", description='When it ended, or "".')

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED


class JobList(Shape):
    """The jobs of this server, the latest first."""

    jobs: list[Job]
