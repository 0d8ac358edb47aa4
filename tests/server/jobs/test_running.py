import asyncio
import signal
import sys
import time

import pytest

from likewise.server import processes
from likewise.server.jobs import ProgressMessage, ResultMessage, WorkRequest
from likewise.server.jobs.records import Job
from likewise.server.jobs.running import JobEntry, JobProcess
from server.jobs.samples import ENDLESS, QUICK, is_alive, until, worker

pytestmark = pytest.mark.anyio
ASKED = WorkRequest("abc.likewise", "lib")


async def heard_of(lines):
    process = await JobProcess.start(worker(lines))
    process.ask(ASKED)
    try:
        return [message async for message in process.read_messages()], process
    finally:
        await process.end()


async def test_messages_come_in_their_order():
    messages, process = await heard_of(f"say('progress', stage='seeds', share=0.5); {QUICK}")
    assert messages == [ProgressMessage("seeds", 0.5), ResultMessage(1)]
    assert await process.wait() == 0


async def test_half_a_line_of_a_killed_worker_is_no_message():
    lines = f"{QUICK}; print('{{\"type\":', end='', flush=True); os.kill(os.getpid(), 9)"
    messages, process = await heard_of(lines)
    assert messages == [ResultMessage(1)]
    assert await process.wait() == -signal.SIGKILL


async def test_what_is_no_message_is_refused():
    with pytest.raises(ValueError, match="not a message"):
        await heard_of("print('hello', flush=True)")


async def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(JobProcess, "most_line", 1_000)
    with pytest.raises(ValueError, match="limit"):
        await heard_of("print('x' * 100_000, flush=True); time.sleep(600)")


async def test_the_last_of_what_it_says_to_nobody_is_kept():
    _, process = await heard_of("sys.stderr.write('a' * 500_000 + 'the end\\n')")
    said = await process.read_errors()
    assert said.endswith("aathe end")
    assert len(said) <= processes.MOST_PRINTED


async def test_ending_a_process_ends_it_at_once():
    process = await JobProcess.start(worker(ENDLESS))
    started = time.perf_counter()
    await process.end()
    assert not is_alive(process.number)
    assert time.perf_counter() - started < processes.PATIENCE


async def test_a_process_that_will_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE", 0.1)
    lines = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('start', expansions=0)"
    process = await JobProcess.start(worker(f"{lines}; {ENDLESS}"))
    process.ask(ASKED)
    await anext(process.read_messages())
    await process.end()
    assert await process.wait() == -signal.SIGKILL


async def test_children_of_a_process_end_with_it(tmp_path):
    lines = f"""
import subprocess
child = subprocess.Popen([{sys.executable!r}, "-c", "import time; time.sleep(600)"])
say("start", expansions=child.pid)
{ENDLESS}
"""
    process = await JobProcess.start(worker(lines))
    process.ask(ASKED)
    child = (await anext(process.read_messages())).expansions
    assert is_alive(child)
    await process.end()
    await asyncio.wait_for(until(lambda: not is_alive(child)), 5)
    assert not is_alive(child)


async def test_a_process_is_ended_even_if_nobody_waits_for_it(monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE", 0.1)
    lines = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('start', expansions=0)"
    process = await JobProcess.start(worker(f"{lines}; {ENDLESS}"))
    process.ask(ASKED)
    await anext(process.read_messages())
    waiting = asyncio.create_task(process.end())
    await asyncio.sleep(0)
    waiting.cancel()
    assert await asyncio.wait_for(process.wait(), 5) == -signal.SIGKILL


async def test_a_process_computes_with_one_thread():
    lines = "say('progress', stage=os.environ['OPENBLAS_NUM_THREADS'], share=0)"
    messages, _ = await heard_of(lines)
    assert messages[0].stage == "1"


def new_entry(state="running"):
    job = Job(id="1", session="abc", state=state, created="2026-01-31T09:30:00.000Z")
    return JobEntry(job, WorkRequest("abc.likewise", "lib"))


async def shares_of(entry):
    return [job.share async for job in entry.watch()]


async def test_a_job_that_has_ended_is_told_once():
    states = [job.state async for job in new_entry("done").watch()]
    assert states == ["done"]


async def test_the_present_state_comes_at_once_and_then_each_change():
    entry = new_entry()
    states = entry.watch()
    first = await anext(states)
    entry.change(share=0.5)
    second = await anext(states)
    assert (first.share, second.share) == (0.0, 0.5)
    await states.aclose()


async def test_a_change_made_while_nobody_waits_is_told():
    entry = new_entry()
    states = entry.watch()
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
    states = entry.watch()
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
