"""Batches are sent by threads beside the work of making them."""

import threading
import time

import pytest

from likewise.errors import LibraryError
from likewise.library.opensearch.bulk import Senders

WAIT = 5.0


class Gate:
    """A receiver that holds every batch until it is opened, and notes what came."""

    def __init__(self):
        self.open = threading.Event()
        self.began = threading.Semaphore(0)
        self.names = []

    def __call__(self, batch):
        self.names.append(sorted(batch))
        self.began.release()
        assert self.open.wait(WAIT)


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


def sends(senders, batch):
    """Hand a batch over in another thread; tell whether that was done at once."""
    thread = threading.Thread(target=senders.send, args=[batch], daemon=True)
    thread.start()
    thread.join(0.05)
    return not thread.is_alive()


def test_everything_handed_over_is_sent():
    sent = []
    senders = Senders(sent.append)
    for name in "abcde":
        senders.send({name: b""})
    senders.wait()
    assert sorted(sent, key=str) == [{name: b""} for name in "abcde"]


def test_no_more_is_under_way_than_there_are_threads(gate):
    senders = Senders(gate, threads=2)
    assert [sends(senders, {name: b""}) for name in "abc"] == [True, True, False]


def test_what_had_to_wait_is_sent_when_there_is_room(gate):
    senders = Senders(gate, threads=1)
    sends(senders, {"a": b""})
    sends(senders, {"b": b""})
    gate.open.set()
    assert gate.began.acquire(timeout=WAIT)
    assert gate.began.acquire(timeout=WAIT)
    assert gate.names == [["a"], ["b"]]


def test_a_document_is_never_under_way_twice(gate):
    senders = Senders(gate, threads=2)
    senders.send({"a": b"old", "b": b""})
    assert not sends(senders, {"a": b"new"})


def test_waiting_ends_when_everything_is_answered(gate):
    senders = Senders(gate)
    senders.send({"a": b""})
    waiting = threading.Thread(target=senders.wait, daemon=True)
    waiting.start()
    waiting.join(0.05)
    still_waiting = waiting.is_alive()
    gate.open.set()
    waiting.join(WAIT)
    assert (still_waiting, waiting.is_alive()) == (True, False)


def refuse(batch):
    raise LibraryError(f"not {sorted(batch)}")


def test_an_error_is_raised_to_who_waits():
    senders = Senders(refuse)
    senders.send({"a": b""})
    with pytest.raises(LibraryError, match=r"not \['a'\]"):
        senders.wait()


def test_an_error_is_raised_ever_after():
    senders = Senders(refuse)
    senders.send({"a": b""})
    for use in (senders.wait, senders.wait, lambda: senders.send({"b": b""})):
        with pytest.raises(LibraryError, match=r"not \['a'\]"):
            use()


def test_a_mistake_of_ours_is_not_waited_for():
    senders = Senders(lambda batch: 1 // 0)
    senders.send({"a": b""})
    with pytest.raises(LibraryError, match="ZeroDivisionError"):
        senders.wait()


def test_stopping_drops_what_is_not_yet_under_way(gate):
    senders = Senders(gate, threads=1)
    senders.send({"a": b""})
    assert gate.began.acquire(timeout=WAIT)
    waiting = threading.Thread(target=senders.send, args=[{"b": b""}], daemon=True)
    waiting.start()
    senders.stop(seconds=0.01)
    gate.open.set()
    time.sleep(0.05)
    assert gate.names == [["a"]]


def test_stopping_waits_for_what_is_under_way(gate):
    senders = Senders(gate, threads=1)
    senders.send({"a": b""})
    assert gate.began.acquire(timeout=WAIT)
    threading.Timer(0.05, gate.open.set).start()
    began = time.monotonic()
    senders.stop(seconds=WAIT)
    assert 0.03 < time.monotonic() - began < WAIT - 1
