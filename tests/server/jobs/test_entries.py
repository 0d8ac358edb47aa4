import asyncio
import time

import pytest

from likewise.server.jobs.messages import WorkRequest
from likewise.server.jobs.running import JobEntry
from likewise.server.models.sessions import JobAnswer

pytestmark = pytest.mark.anyio


def new_entry(state="running"):
    job = JobAnswer(id="1", session="abc", state=state, created="2026-01-31T09:30:00.000Z")
    return JobEntry(job, WorkRequest("abc.likewise", "lib"))


async def shares_of(entry):
    return [job.share async for job in entry.states()]


async def test_a_job_that_has_ended_is_told_once():
    states = [job.state async for job in new_entry("done").states()]
    assert states == ["done"]


async def test_the_present_state_comes_at_once_and_then_each_change():
    entry = new_entry()
    states = entry.states()
    first = await anext(states)
    entry.change(share=0.5)
    second = await anext(states)
    assert (first.share, second.share) == (0.0, 0.5)
    await states.aclose()


async def test_a_change_made_while_nobody_waits_is_told():
    entry = new_entry()
    states = entry.states()
    await anext(states)
    entry.change(share=0.25)
    entry.change(share=0.75)
    assert (await anext(states)).share == 0.75
    await states.aclose()


async def test_many_changes_are_told_ten_times_a_second_and_the_last_of_them_always():
    entry = new_entry()
    watching = asyncio.create_task(shares_of(entry))
    started = time.perf_counter()
    for step in range(1, 61):
        await asyncio.sleep(0.005)
        entry.change(share=step / 60)
    entry.change(state="done")
    shares = await watching
    assert len(shares) <= 3 + (time.perf_counter() - started) / 0.1
    assert (shares[0], shares[-1]) == (0.0, 1.0)


async def test_a_change_that_changes_nothing_wakes_nobody():
    entry = new_entry()
    states = entry.states()
    await anext(states)
    waiting = asyncio.create_task(anext(states))
    entry.change(share=0.0)
    done, _ = await asyncio.wait([waiting], timeout=0.05)
    assert not done
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_many_watch_and_all_see_the_end():
    entry = new_entry()
    watching = [asyncio.create_task(shares_of(entry)) for _ in range(50)]
    await asyncio.sleep(0)
    entry.change(share=1.0, state="done")
    assert await asyncio.gather(*watching) == [[0.0, 1.0]] * 50


async def test_a_watcher_that_goes_away_leaves_nothing_behind():
    entry, before = new_entry(), asyncio.all_tasks()
    watching = asyncio.create_task(shares_of(entry))
    await asyncio.sleep(0.01)
    watching.cancel()
    await asyncio.wait([watching])
    assert not entry._changed._waiters
    assert asyncio.all_tasks() == before


async def test_waiting_for_the_end_outlasts_other_changes():
    entry = new_entry()
    waiting = asyncio.create_task(entry.wait_until_ended())
    for share in (0.25, 0.5):
        await asyncio.sleep(0)
        entry.change(share=share)
    entry.change(state="cancelled")
    assert (await waiting).state == "cancelled"
