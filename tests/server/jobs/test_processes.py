import asyncio
import signal
import sys
import time

import pytest

from likewise.server.jobs import running
from likewise.server.jobs.messages import ProgressMessage, ResultMessage, WorkRequest
from likewise.server.jobs.running import JobProcess
from server.jobs.samples import ENDLESS, QUICK, is_alive, until, worker

pytestmark = pytest.mark.anyio
ASKED = WorkRequest("abc.likewise", "lib")


async def heard_of(lines):
    process = await JobProcess.start(worker(lines))
    process.ask(ASKED)
    try:
        return [message async for message in process.messages()], process
    finally:
        await process.end()


async def test_messages_come_in_their_order():
    messages, process = await heard_of(f"say('Moved', stage='seeds', share=0.5); {QUICK}")
    assert messages == [ProgressMessage("seeds", 0.5), ResultMessage(1)]
    assert await process.code() == 0


async def test_half_a_line_of_a_killed_worker_is_no_message():
    lines = f"{QUICK}; print('{{\"type\":', end='', flush=True); os.kill(os.getpid(), 9)"
    messages, process = await heard_of(lines)
    assert messages == [ResultMessage(1)]
    assert await process.code() == -signal.SIGKILL


async def test_what_is_no_message_is_refused():
    with pytest.raises(ValueError, match="no message"):
        await heard_of("print('hello', flush=True)")


async def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(running, "MOST_LINE", 1_000)
    with pytest.raises(ValueError, match="limit"):
        await heard_of("print('x' * 100_000, flush=True); time.sleep(600)")


async def test_the_last_of_what_it_says_to_nobody_is_kept():
    _, process = await heard_of("sys.stderr.write('a' * 500_000 + 'the end\\n')")
    said = await process.said()
    assert said.endswith("aathe end")
    assert len(said) <= running.MOST_SAID


async def test_ending_a_process_ends_it_at_once():
    process = await JobProcess.start(worker(ENDLESS))
    started = time.perf_counter()
    await process.end()
    assert not is_alive(process.number)
    assert time.perf_counter() - started < running.PATIENCE


async def test_a_process_that_will_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.1)
    lines = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('Begun', expansions=0)"
    process = await JobProcess.start(worker(f"{lines}; {ENDLESS}"))
    process.ask(ASKED)
    await anext(process.messages())
    await process.end()
    assert await process.code() == -signal.SIGKILL


async def test_children_of_a_process_end_with_it(tmp_path):
    lines = f"""
import subprocess
child = subprocess.Popen([{sys.executable!r}, "-c", "import time; time.sleep(600)"])
say("Begun", expansions=child.pid)
{ENDLESS}
"""
    process = await JobProcess.start(worker(lines))
    process.ask(ASKED)
    child = (await anext(process.messages())).expansions
    assert is_alive(child)
    await process.end()
    await asyncio.wait_for(until(lambda: not is_alive(child)), 5)
    assert not is_alive(child)


async def test_a_process_is_ended_even_if_nobody_waits_for_it(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.1)
    lines = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('Begun', expansions=0)"
    process = await JobProcess.start(worker(f"{lines}; {ENDLESS}"))
    process.ask(ASKED)
    await anext(process.messages())
    waiting = asyncio.create_task(process.end())
    await asyncio.sleep(0)
    waiting.cancel()
    assert await asyncio.wait_for(process.code(), 5) == -signal.SIGKILL


async def test_a_process_computes_with_one_thread():
    lines = "say('Moved', stage=os.environ['OPENBLAS_NUM_THREADS'], share=0)"
    messages, _ = await heard_of(lines)
    assert messages[0].stage == "1"
