"""Work in a few threads."""

import _thread
import threading

import pytest

from likewise.documents.remote.downloading import work_side_by_side


def nothing():
    pass


def test_everything_is_worked_on_once():
    done = []
    work_side_by_side(range(100), done.append, threads=3, stop=nothing)
    assert sorted(done) == list(range(100))


def test_one_thread_keeps_the_order():
    done = []
    work_side_by_side("abc", done.append, threads=1, stop=nothing)
    assert done == ["a", "b", "c"]


def test_as_many_things_are_at_work_as_there_are_threads():
    meeting = threading.Barrier(3, timeout=10)
    work_side_by_side(range(3), lambda _: meeting.wait(), threads=3, stop=nothing)
    assert not meeting.broken


def test_a_failure_is_raised_and_ends_the_rest():
    done = []

    def work(number):
        done.append(number)
        if number == 1:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        work_side_by_side(range(1000), work, threads=1, stop=nothing)
    assert done == [0, 1]


def test_a_failure_stops_what_still_runs():
    stopped = threading.Event()

    def work(number):
        if number == 1:
            raise OSError("no space left")
        stopped.wait(10)

    with pytest.raises(OSError, match="no space left"):
        work_side_by_side(range(2), work, threads=2, stop=stopped.set)
    assert stopped.is_set()


def test_ctrl_c_stops_what_still_runs():
    stopped = threading.Event()

    def work(number):
        _thread.interrupt_main()
        stopped.wait(10)

    with pytest.raises(KeyboardInterrupt):
        work_side_by_side(range(1), work, threads=1, stop=stopped.set)
    assert stopped.is_set()
