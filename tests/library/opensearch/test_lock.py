"""One process writes to an index at a time."""

import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from likewise.errors import LibraryBusyError, LibraryError
from likewise.library.opensearch.lock import Lock, Times, make_claim

QUICK = Times(beat=0.02, stale=60.0, watch=0.1)


@pytest.fixture
def locks(notebook):
    """Make locks that are given back in the end."""
    made = []

    def make():
        made.append(Lock(notebook, times=QUICK))
        return made[-1]

    yield make
    for lock in made:
        lock.release()


def held_by(notebook, **changes):
    """Let somebody else have the lock."""
    changes = {"host": "elsewhere", "place": "elsewhere", "pid": 77} | changes
    claim = msgspec.structs.replace(make_claim(), **changes)
    return notebook.write("writer", claim, over=None)


def ago(seconds):
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()


def ended_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    return ended.pid


def test_a_second_writer_is_told_who_the_first_is(notebook, locks):
    held_by(notebook, since="2026-01-02T03:04:05.678901+00:00")
    with pytest.raises(LibraryBusyError, match=r"77 on elsewhere, since 2026-01-02T03:04:05 UTC"):
        locks().take()


def test_two_writers_of_one_process_are_two(locks):
    locks().take()
    with pytest.raises(LibraryBusyError, match=f": {os.getpid()} on"):
        locks().take()


def test_a_lock_that_was_given_back_is_free(notebook, locks):
    first = locks()
    first.take()
    first.release()
    assert notebook.read_entry("writer") is None
    locks().take()


def test_giving_back_twice_takes_nothing_from_the_next(notebook, locks):
    first, second = locks(), locks()
    first.take()
    first.release()
    second.take()
    first.release()
    assert notebook.read_entry("writer") is not None


def test_it_is_renewed_as_long_as_it_is_held(notebook, locks):
    lock = locks()
    lock.take()
    first = notebook.read_entry("writer").value
    until = time.monotonic() + 5
    while notebook.read_entry("writer").value["beat"] == first["beat"] and time.monotonic() < until:
        time.sleep(0.02)
    later = notebook.read_entry("writer").value
    assert later["beat"] > first["beat"]
    assert later["since"] == first["since"]


def test_the_lock_of_a_process_that_ended_here_is_taken_at_once(notebook, locks):
    held_by(notebook, place=make_claim().place, pid=ended_process())
    locks().take()
    assert notebook.read_entry("writer").value["pid"] == os.getpid()


def test_the_lock_of_a_process_that_still_runs_here_is_not_taken(notebook, locks):
    held_by(notebook, place=make_claim().place, pid=os.getppid())
    with pytest.raises(LibraryBusyError):
        locks().take()


def test_a_renewal_that_fails_is_made_up_for_by_the_next(notebook, locks, monkeypatch):
    lock, failed = locks(), threading.Event()
    lock.take()

    def fail(*_, **__):
        failed.set()
        raise LibraryError("not now")

    with monkeypatch.context() as broken:
        broken.setattr(notebook, "write", fail)
        assert failed.wait(5)
    beat = notebook.read_entry("writer").value["beat"]
    until = time.monotonic() + 5
    while notebook.read_entry("writer").value["beat"] == beat and time.monotonic() < until:
        time.sleep(0.02)
    assert notebook.read_entry("writer").value["beat"] > beat
    assert not lock.is_lost


def test_a_process_of_that_number_on_another_machine_is_not_taken_for_ended(notebook, locks):
    held_by(notebook, pid=ended_process())
    with pytest.raises(LibraryBusyError):
        locks().take()


def test_a_restarted_container_with_our_own_number_does_not_lock_us_out(notebook, locks):
    held_by(notebook, place=make_claim().place, pid=os.getpid(), since=ago(3))
    locks().take()
    assert notebook.read_entry("writer").value["since"] > ago(3)


@pytest.mark.parametrize("seconds", [61, -3600])
def test_a_lock_that_nobody_renews_is_taken(notebook, locks, seconds):
    held_by(notebook, beat=ago(seconds))
    locks().take()
    assert notebook.read_entry("writer").value["pid"] == os.getpid()


def test_a_writer_whose_clock_is_wrong_keeps_its_lock(notebook, locks):
    version = held_by(notebook, beat=ago(3600))
    lock = locks()

    def renew(seconds):
        late = msgspec.structs.replace(make_claim(), beat=ago(3600), place="elsewhere")
        notebook.write("writer", late, over=version)

    lock._released.wait = renew
    with pytest.raises(LibraryBusyError):
        lock.take()


def test_who_lost_the_lock_is_told(notebook, locks):
    lock = locks()
    lock.take()
    until = time.monotonic() + 5
    thief = msgspec.structs.replace(make_claim(), host="elsewhere", place="elsewhere", pid=77)
    while notebook.write("writer", thief, over=notebook.read_entry("writer").version) is None:
        assert time.monotonic() < until
    while not lock.is_lost and time.monotonic() < until:
        time.sleep(0.02)
    with pytest.raises(LibraryBusyError, match="taken over by process 77 on elsewhere"):
        lock.check()


def test_who_finds_the_lock_deleted_is_told(notebook, locks):
    lock = locks()
    lock.take()
    until = time.monotonic() + 5
    while not notebook.erase("writer", over=notebook.read_entry("writer").version):
        assert time.monotonic() < until
    while not lock.is_lost and time.monotonic() < until:
        time.sleep(0.02)
    with pytest.raises(LibraryBusyError, match=f"somebody has deleted the index {notebook.name}"):
        lock.check()


def test_a_notebook_that_was_deleted_is_not_made_again_by_the_lock(index, notebook):
    lock = Lock(notebook, times=Times(beat=60.0))
    lock.take()
    index.connection.ask("DELETE", f"/{notebook.name}")
    lock._renew()
    there = index.connection.ask("GET", f"/{notebook.name}", missing={})
    lock.release()
    notebook.make()
    assert (lock.is_lost, there) == (True, {})


@pytest.mark.parametrize("beat", [7, "yesterday", "2026-01-02T03:04:05"])
def test_a_damaged_lock_is_an_error_that_says_what_to_delete(index, notebook, locks, beat):
    claim = msgspec.to_builtins(make_claim()) | {"beat": beat, "place": "elsewhere"}
    index.connection.ask("PUT", f"/{notebook.name}/_doc/writer", body=claim)
    with pytest.raises(LibraryError, match=f"{notebook.name} are damaged .*; delete it"):
        locks().take()


def test_a_lock_whose_answer_was_lost_is_ours(notebook, locks):
    lock = locks()
    notebook.write("writer", lock._claim, over=None)
    lock.take()
    lock.check()
    assert not lock.is_lost
