import asyncio
import logging
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.sessions.samples import small_saved
from likewise.errors import WriteError
from likewise.expansion.sessions.session import Session
from likewise.server.failures import JobRunning, Stopping, TooManyJobs, UnknownJob
from likewise.server.jobs import jobs as jobs_module
from likewise.server.jobs.jobs import Jobs, Rate
from server.jobs.samples import ENDLESS, GATED, QUICK, is_alive, order, small_session, until, worker

pytestmark = pytest.mark.anyio
RESTARTED = "the server ended before this was done; start it again"


def jobs_of(folder, lines=QUICK, **options):
    return Jobs(folder, command=worker(lines), **options)


async def ended(jobs, job):
    return [state async for state in jobs.watch(job.id)][-1]


async def test_a_job_goes_from_its_stages_to_its_expansion(tmp_path):
    lines = """
say("start", expansions=1)
say("warnings", warnings=("5 seeds are few",))
for stage in ("seeds", "learning", "seeds"):
    say("progress", stage=stage, share=0.5, note="a note")
say("result", expansion=2)
"""
    jobs = jobs_of(tmp_path, lines)
    done = await ended(jobs, await jobs.start(order()))
    assert (done.state, done.expansion, done.warnings) == ("done", 2, ("5 seeds are few",))
    assert (done.stage, done.stages, done.note) == ("seeds", ("seeds", "learning"), "a note")
    assert done.created < done.ended


async def test_a_job_is_asked_for_the_session_and_its_library(tmp_path):
    jobs = jobs_of(tmp_path, "say('failure', error=asked['path'] + ' ' + asked['library'])")
    failed = await ended(jobs, await jobs.start(order(folder=tmp_path)))
    assert failed.error == f"{tmp_path / 'abc.likewise'} lib"


async def test_what_its_worker_says_went_wrong_is_told(tmp_path):
    jobs = jobs_of(tmp_path, "say('failure', error='no seeds; give some')")
    failed = await ended(jobs, await jobs.start(order()))
    assert (failed.state, failed.error) == ("failed", "no seeds; give some")


async def test_where_a_mistake_of_ours_happened_is_for_the_log_alone(tmp_path, caplog):
    lines = "sys.stderr.write('Traceback'); say('failure', error='TypeError', is_mistake=True)"
    jobs = jobs_of(tmp_path, lines)
    with caplog.at_level(logging.ERROR):
        failed = await ended(jobs, await jobs.start(order()))
    assert (failed.error, "Traceback" in caplog.text) == ("TypeError", True)


async def test_a_worker_that_the_system_kills_has_failed(tmp_path):
    jobs = jobs_of(tmp_path, "say('start', expansions=0); os.kill(os.getpid(), 9)")
    failed = await ended(jobs, await jobs.start(order()))
    assert failed.state == "failed"
    assert "ran out of memory; choose a smaller pool" in failed.error


async def test_a_worker_that_makes_no_sense_has_failed(tmp_path):
    jobs = jobs_of(tmp_path, "print('hello', flush=True); time.sleep(600)")
    failed = await ended(jobs, await jobs.start(order()))
    assert failed.error.startswith("this is a bug in likewise")


async def test_a_worker_that_can_not_be_started_has_failed(tmp_path):
    jobs = Jobs(tmp_path, command=[str(tmp_path / "no-such-program")])
    failed = await ended(jobs, await jobs.start(order()))
    assert failed.error.startswith("its process can't be started (No such file")


async def test_one_runs_and_the_others_wait_in_line(tmp_path):
    jobs = jobs_of(tmp_path, GATED)
    started = [await jobs.start(order(name, library=tmp_path / "go")) for name in "abc"]
    assert [(jobs.get(job.id).state, jobs.get(job.id).ahead) for job in started] == [
        ("running", 0),
        ("waiting", 1),
        ("waiting", 2),
    ]
    (tmp_path / "go").touch()
    done = [await ended(jobs, job) for job in started]
    assert [job.session for job in sorted(done, key=lambda job: job.ended)] == ["a", "b", "c"]


async def test_two_run_at_once_if_two_may(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS, running=2)
    for name in "abc":
        await jobs.start(order(name))
    assert [job.state for job in jobs.list_jobs()] == ["waiting", "running", "running"]
    await jobs.close()


async def test_places_in_line_move_up(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    _, second, third = [await jobs.start(order(name)) for name in "abc"]
    await jobs.cancel(second.id)
    assert jobs.get(third.id).ahead == 1
    await jobs.close()


async def test_a_line_that_is_full_takes_no_more(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS, waiting=1)
    for name in "ab":
        await jobs.start(order(name))
    with pytest.raises(TooManyJobs, match="2 jobs run or wait") as refused:
        await jobs.start(order("c"))
    assert (refused.value.status, refused.value.retry_after) == (429, 10)
    await jobs.close()


async def test_more_than_so_many_a_minute_are_refused_with_the_seconds_to_wait(tmp_path):
    jobs = jobs_of(tmp_path, per_minute=1)
    await ended(jobs, await jobs.start(order()))
    with pytest.raises(TooManyJobs, match="within a minute") as refused:
        await jobs.start(order())
    assert 50 <= refused.value.retry_after <= 60


async def test_a_session_has_one_job_at_a_time(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    orders = [jobs.start(order()) for _ in range(3)]
    answers = await asyncio.gather(*orders, return_exceptions=True)
    assert [type(answer) for answer in answers[1:]] == [JobRunning, JobRunning]
    assert len(jobs.list_jobs()) == 1
    await jobs.close()


async def test_when_its_job_has_ended_a_session_may_have_another(tmp_path):
    jobs = jobs_of(tmp_path)
    first = await ended(jobs, await jobs.start(order()))
    second = await jobs.start(order())
    assert jobs.find_latest("abc").id == second.id != first.id
    await ended(jobs, second)


async def test_jobs_that_nobody_knows_are_refused(tmp_path):
    jobs = jobs_of(tmp_path)
    with pytest.raises(UnknownJob):
        jobs.get("none")
    with pytest.raises(UnknownJob):
        jobs.watch("none")
    assert jobs.find_latest("none") is None


async def test_a_running_job_that_is_cancelled_has_no_process_any_more(tmp_path):
    jobs = jobs_of(tmp_path, f"say('progress', stage=str(os.getpid()), share=0); {ENDLESS}")
    job = await jobs.start(order())
    await until(lambda: jobs.get(job.id).stage)
    cancelled = await jobs.cancel(job.id)
    assert (cancelled.state, is_alive(int(cancelled.stage))) == ("cancelled", False)


async def test_a_job_that_waits_and_is_cancelled_is_never_begun(tmp_path):
    lines = (
        "open(asked['path'], 'w').close(); wait_for(asked['library']); say('result', expansion=1)"
    )
    jobs = jobs_of(tmp_path, lines)
    orders = [order(name, library=tmp_path / "go", folder=tmp_path) for name in "ab"]
    first, second = [await jobs.start(one) for one in orders]
    cancelled = await jobs.cancel(second.id)
    (tmp_path / "go").touch()
    await ended(jobs, first)
    await jobs.close()
    assert cancelled.state == "cancelled"
    assert [path.name for path in tmp_path.glob("*.likewise")] == ["a.likewise"]


async def test_a_job_that_is_cancelled_at_once_is_not_even_asked(tmp_path):
    jobs = jobs_of(tmp_path, "open(asked['path'], 'w').close()")
    job = await jobs.start(order())
    cancelled = await jobs.cancel(job.id)
    assert cancelled.state == "cancelled"
    assert not (tmp_path / "abc.likewise").exists()


async def test_a_job_can_be_cancelled_while_it_is_being_written_down(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    starting = asyncio.create_task(jobs.start(order()))
    await asyncio.sleep(0)
    (job,) = jobs.list_jobs()
    assert (await jobs.cancel(job.id)).state == (await starting).state == "cancelled"
    assert not jobs._running


async def test_a_job_that_has_ended_is_not_cancelled(tmp_path):
    jobs = jobs_of(tmp_path)
    done = await ended(jobs, await jobs.start(order()))
    assert await jobs.cancel(done.id) == done


async def test_a_job_that_said_it_is_done_is_done_though_it_is_cancelled(tmp_path):
    jobs = jobs_of(tmp_path, f"{QUICK}; say('progress', stage='judgement', share=1); {ENDLESS}")
    job = await jobs.start(order())
    await until(lambda: jobs.get(job.id).stage)
    assert (await jobs.cancel(job.id)).state == "done"


async def test_a_job_whose_expansion_is_in_the_session_is_done_though_it_never_said_so(tmp_path):
    jobs = jobs_of(tmp_path, f"say('start', expansions=0); {ENDLESS}")
    path = small_session(tmp_path)
    job = await jobs.start(order(folder=tmp_path))
    await until(lambda: jobs._entries[job.id].before == 0)
    with Session.open(path) as session:
        session.add_expansion(small_saved())
    cancelled = await jobs.cancel(job.id)
    assert (cancelled.state, cancelled.expansion) == ("done", 1)


async def test_two_who_cancel_the_same_job_both_hear_of_its_end(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    job = await jobs.start(order())
    answers = await asyncio.gather(jobs.cancel(job.id), jobs.cancel(job.id))
    assert [answer.state for answer in answers] == ["cancelled", "cancelled"]


async def test_after_a_cancelled_job_the_next_in_line_runs(tmp_path):
    jobs = jobs_of(tmp_path, GATED)
    first = await jobs.start(order("a", library=tmp_path / "never"))
    second = await jobs.start(order("b", library=tmp_path))
    await jobs.cancel(first.id)
    assert (await ended(jobs, second)).state == "done"


async def test_closing_ends_all_and_watchers_hear_of_it(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    started = [await jobs.start(order(name)) for name in "ab"]
    watching = [asyncio.create_task(ended(jobs, job)) for job in started]
    await until(lambda: jobs._entries[started[0].id].process)
    began = time.perf_counter()
    await jobs.close()
    states = [(job.state, job.error) for job in await asyncio.gather(*watching)]
    assert states == [("failed", RESTARTED)] * 2
    assert time.perf_counter() - began < 2


async def test_what_is_closed_starts_nothing(tmp_path):
    jobs = jobs_of(tmp_path)
    await jobs.close()
    with pytest.raises(Stopping):
        await jobs.start(order())


async def test_jobs_that_ended_are_there_after_a_restart(tmp_path):
    jobs = jobs_of(tmp_path, "say('result', expansion=1) if 'b.' in asked['path'] else sys.exit(7)")
    before = [await ended(jobs, await jobs.start(order(name))) for name in "ab"]
    again = jobs_of(tmp_path)
    await again.open()
    assert again.list_jobs() == before[::-1]


async def test_jobs_that_had_not_ended_have_failed_after_a_restart(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    for name in "ab":
        await jobs.start(order(name))
    again = jobs_of(tmp_path)
    await again.open()
    await jobs.close()
    assert [(job.state, job.error) for job in again.list_jobs()] == [("failed", RESTARTED)] * 2


async def test_a_job_whose_expansion_was_added_before_the_server_was_killed_is_done(tmp_path):
    jobs = jobs_of(tmp_path, f"say('start', expansions=0); {ENDLESS}")
    path = small_session(tmp_path)
    job = await jobs.start(order())
    record = tmp_path / "jobs" / "abc.job.json"
    await until(lambda: b'"before":0' in record.read_bytes())
    with Session.open(path) as session:
        session.add_expansion(small_saved())
    again = jobs_of(tmp_path)
    await again.open()
    await jobs.close()
    assert (again.get(job.id).state, again.get(job.id).expansion) == ("done", 1)


async def test_of_a_deleted_session_nothing_is_kept(tmp_path):
    jobs = jobs_of(tmp_path, ENDLESS)
    job = await jobs.start(order())
    await jobs.forget("abc")
    assert (jobs.list_jobs(), list((tmp_path / "jobs").iterdir())) == ([], [])
    with pytest.raises(UnknownJob):
        jobs.get(job.id)


async def test_the_oldest_that_ended_are_forgotten_first(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs_module, "MOST_KEPT", 2)
    jobs = jobs_of(tmp_path)
    for name in "abc":
        await ended(jobs, await jobs.start(order(name)))
    assert [job.session for job in jobs.list_jobs()] == ["c", "b"]


async def test_a_job_that_can_not_be_written_down_is_not_begun(tmp_path):
    jobs = jobs_of(tmp_path / "gone")
    with pytest.raises(WriteError):
        await jobs.start(order())
    assert jobs.list_jobs() == []


async def test_a_job_goes_on_if_its_end_can_not_be_written_down(tmp_path, caplog):
    jobs = jobs_of(tmp_path, GATED)
    job = await jobs.start(order(library=tmp_path / "go"))
    (tmp_path / "jobs" / "abc.job.json").unlink()
    (tmp_path / "jobs").rmdir()
    (tmp_path / "jobs").touch()
    (tmp_path / "go").touch()
    assert (await ended(jobs, job)).state == "done"
    assert "can't be" in caplog.text


class Clock:
    def __init__(self):
        self.time = 100.0

    def __call__(self):
        return self.time


def test_as_many_as_allowed_are_not_waited_for():
    rate = Rate(2, clock=Clock())
    rate.count()
    assert rate.wait() == 0


def test_one_more_waits_until_the_first_is_a_minute_old():
    clock = Clock()
    rate = Rate(2, clock=clock)
    rate.count()
    clock.time += 20
    rate.count()
    clock.time += 10.5
    assert rate.wait() == 30


def test_after_a_minute_there_is_room_again():
    clock = Clock()
    rate = Rate(1, clock=clock)
    rate.count()
    clock.time += 60
    assert rate.wait() == 0


def test_none_at_all_can_be_allowed():
    assert Rate(0, clock=Clock()).wait() == 60


@given(st.integers(1, 4), st.lists(st.integers(0, 400), max_size=40))
def test_whoever_waits_as_long_as_told_is_never_too_many_in_a_minute(most, eighths):
    clock, done = Clock(), []
    rate = Rate(most, clock=clock)
    for pause in eighths:
        clock.time += pause / 8
        clock.time += rate.wait()
        assert rate.wait() == 0
        rate.count()
        done.append(clock.time)
    windows = [sum(clock.time - 60 < time <= clock.time for time in done) for clock.time in done]
    assert max(windows, default=0) <= most
