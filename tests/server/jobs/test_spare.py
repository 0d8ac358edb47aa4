"""Spare workers: taken when there is one, replaced when it was, and never left behind."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from likewise.server.jobs import IntakeRequest
from likewise.server.jobs.jobs import Jobs
from likewise.server.jobs.running import SpareWorker
from likewise.server.jobs.worker import AHEAD, LEARNING
from server.jobs.samples import QUICK, is_alive, order, real_session, until, worker

pytestmark = pytest.mark.anyio
COMMAND = worker(QUICK)


async def number_of(spare):
    """Return the number of the process that waits."""
    process = await spare._spare
    return process.number


async def test_the_spare_is_what_is_taken_and_only_once():
    spare = SpareWorker(COMMAND)
    spare.prepare()
    number = await number_of(spare)
    taken, other = await spare.take(), await spare.take()
    assert taken.number == number
    assert other.number != number
    await asyncio.gather(taken.end(), other.end(), spare.close())


async def test_a_spare_is_told_to_load_ahead_and_others_are_not():
    spare = SpareWorker((sys.executable, "-c", "import sys; print(sys.argv[1:], flush=True)"))
    spare.prepare()
    ahead, plain = await spare.take(), await spare.take()
    lines = [await one.output.readline() for one in (ahead, plain)]
    assert lines == [f"[{AHEAD!r}]\n".encode(), b"[]\n"]
    await asyncio.gather(ahead.end(), plain.end())


async def test_one_spare_is_enough_however_often_it_is_prepared():
    spare = SpareWorker(COMMAND)
    spare.prepare()
    number = await number_of(spare)
    spare.prepare()
    assert await number_of(spare) == number
    await spare.close()


async def test_a_spare_that_the_system_killed_is_neither_taken_nor_kept():
    spare = SpareWorker(COMMAND)
    spare.prepare()
    number = await number_of(spare)
    os.kill(number, signal.SIGKILL)
    await until(lambda: not spare._spare.result().is_running)
    taken = await spare.take()
    assert taken.number != number
    await taken.end()


async def test_a_spare_that_was_killed_is_prepared_again():
    spare = SpareWorker(COMMAND)
    spare.prepare()
    os.kill(await number_of(spare), signal.SIGKILL)
    await until(lambda: not spare._spare.result().is_running)
    spare.prepare()
    assert is_alive(await number_of(spare))
    await spare.close()


async def test_a_spare_that_nobody_wants_makes_room():
    spare = SpareWorker(COMMAND, seconds=0.05)
    spare.prepare()
    number = await number_of(spare)
    await asyncio.wait_for(until(lambda: not is_alive(number)), 10)
    assert spare._spare is None
    await spare.close()


async def test_closing_ends_the_spare_and_starts_no_other():
    spare = SpareWorker(COMMAND)
    spare.prepare()
    number = await number_of(spare)
    await spare.close()
    spare.prepare()
    assert not is_alive(number)
    assert spare._spare is None


async def test_what_can_not_be_started_is_told_when_it_is_taken(tmp_path):
    spare = SpareWorker([str(tmp_path / "no-such-program")])
    spare.prepare()
    with pytest.raises(FileNotFoundError):
        await spare.take()
    spare.prepare()
    await spare.close()


async def test_an_expansion_takes_the_spare_and_leaves_another(tmp_path):
    jobs = Jobs(tmp_path, command=COMMAND, has_spare=True)
    jobs.prepare()
    number = await number_of(jobs._spare)
    job = await jobs.start(order())
    entry = jobs._entries[job.id]
    assert (await entry.wait_until_ended()).state == "done"
    assert entry.process.number == number
    await until(lambda: jobs._spare._spare)
    assert await number_of(jobs._spare) != number
    await jobs.close()


async def test_reading_files_leaves_the_spare_to_who_expands(tmp_path):
    jobs = Jobs(tmp_path, command=worker("say('taken', number=1)"), has_spare=True)
    jobs.prepare()
    number = await number_of(jobs._spare)
    job = await jobs.start(IntakeRequest(str(tmp_path)), library="lib")
    assert (await jobs._entries[job.id].wait_until_ended()).state == "done"
    assert await number_of(jobs._spare) == number
    await jobs.close()


async def test_closed_jobs_prepare_nothing(tmp_path):
    jobs = Jobs(tmp_path, command=COMMAND, has_spare=True)
    await jobs.close()
    jobs.prepare()
    assert jobs._spare._spare is None


def test_what_takes_long_to_load_is_loaded_ahead(tmp_path, library):
    path = real_session(tmp_path, library)
    lines = f"""
import sys
from likewise.server.jobs import WorkRequest
from likewise.server.jobs.worker import Reporter, load_ahead, try_job
load_ahead()
before = set(sys.modules)
done = try_job(WorkRequest({str(path)!r}, {str(library)!r}), tell=Reporter(lambda message: None))
print(done.expansion, *sorted(set(sys.modules) - before))
"""
    done, *late = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=True
    ).stdout.split()
    assert done == "1"
    assert len(late) < 10, late
    assert not [name for name in late if name.startswith(("scipy", "numpy", "tantivy"))]


def test_what_is_loaded_ahead_is_named_once():
    assert len(set(LEARNING)) == len(LEARNING)
