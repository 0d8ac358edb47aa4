"""Jobs that really expand."""

import asyncio

import pytest

from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.server.jobs import WorkRequest
from likewise.server.jobs.jobs import Jobs
from server.jobs.samples import expansions_in, is_alive, real_session, until

pytestmark = pytest.mark.anyio


async def test_a_session_is_expanded(tmp_path, library):
    path = real_session(tmp_path, library)
    jobs = Jobs(tmp_path)
    settings = ExpandSettings(pool=50, rounds=1)
    job = await jobs.start(WorkRequest(str(path), library, settings))
    states = [state async for state in jobs.watch(job.id)]
    done = states[-1]
    assert (done.state, done.expansion, done.error) == ("done", 1, "")
    assert done.stages[0] == "seeds"
    assert "learning" in done.stages
    with Session.open(path, read_only=True) as session:
        assert session.expansion().settings["pool"] == 50


async def test_what_is_wrong_is_told_in_one_line(tmp_path, library):
    path = real_session(tmp_path, library)
    jobs = Jobs(tmp_path)
    job = await jobs.start(WorkRequest(str(path), str(tmp_path / "no-library")))
    *_, failed = [state async for state in jobs.watch(job.id)]
    assert failed.state == "failed"
    assert "no-library" in failed.error
    assert "Traceback" not in failed.error


@pytest.mark.parametrize("stage", ["seeds", "learning", "judgement"])
async def test_after_a_cancelled_job_nothing_is_ever_added(tmp_path, library, stage):
    path = real_session(tmp_path, library)
    jobs = Jobs(tmp_path)
    job = await jobs.start(WorkRequest(str(path), library))
    entry = jobs._entries[job.id]
    await until(lambda: stage in entry.job.stages or entry.job.is_ended)
    cancelled = await jobs.cancel(job.id)
    added = expansions_in(path)
    assert not is_alive(entry.process.number)
    assert (cancelled.state, added) in {("cancelled", 0), ("done", 1)}
    await asyncio.sleep(0.2)
    assert expansions_in(path) == added
