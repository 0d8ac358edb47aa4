"""Jobs: listed, watched, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse

from likewise.server.jobs.records import Job
from likewise.server.models.sessions import JobAnswer, JobsAnswer
from likewise.server.routes.dependencies import TheJobs, list_refusals

router = APIRouter(prefix="/api/jobs", tags=["jobs"])

QUIET_SECONDS = 15.0
"""After so long without news a line is sent that says nothing, so that nobody hangs up."""

JobId = Annotated[str, Path(max_length=64, description="The job's id.")]


@router.get(
    "",
    operation_id="list_jobs",
    summary="List the jobs",
    response_description="The jobs of this server, the latest first.",
)
async def list_jobs(jobs: TheJobs) -> JobsAnswer:
    """Return the jobs that wait, run, or have ended not long ago."""
    return JobsAnswer(jobs=[JobAnswer.of(job) for job in jobs.list_jobs()])


@router.get(
    "/{job}",
    operation_id="get_job",
    summary="Show a job",
    response_description="The job.",
    responses=list_refusals(404, 422),
)
async def get_job(job: JobId, jobs: TheJobs) -> JobAnswer:
    """Return how far a job is."""
    return JobAnswer.of(jobs.get(job))


@router.delete(
    "/{job}",
    operation_id="cancel_job",
    summary="Cancel a job",
    response_description="The job, which has ended.",
    responses=list_refusals(404, 422),
)
async def cancel_job(job: JobId, jobs: TheJobs) -> JobAnswer:
    """End a job for good; one that has ended is answered as it is."""
    return JobAnswer.of(await jobs.cancel(job))


@router.get(
    "/{job}/events",
    operation_id="watch_job",
    summary="Watch a job",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events called `job`, each with a job as JSON; the present "
            "state at once, then every change, until the job has ended.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **list_refusals(404, 422),
    },
)
async def watch_job(job: JobId, jobs: TheJobs) -> StreamingResponse:
    """Tell of a job as it goes on."""
    return StreamingResponse(stream_events(jobs.watch(job)), media_type="text/event-stream")


async def stream_events(
    states: AsyncIterator[Job], *, quiet: float = QUIET_SECONDS
) -> AsyncIterator[str]:
    """Yield a job's states as server-sent events.

    Args:
        states: The states.
        quiet: After how many seconds without news a comment is sent.
    """
    following = asyncio.ensure_future(anext(states, None))
    try:
        while True:
            done, _ = await asyncio.wait([following], timeout=quiet)
            if not done:
                yield ": still here\n\n"
                continue
            job = following.result()
            if job is None:
                return
            yield f"event: job\ndata: {JobAnswer.of(job).model_dump_json()}\n\n"
            following = asyncio.ensure_future(anext(states, None))
    finally:
        following.cancel()
