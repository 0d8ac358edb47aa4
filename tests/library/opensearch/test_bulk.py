"""Bulk requests, and sending them beside other work."""

import json
import logging
import threading
import time

import pytest

from library.opensearch.scripted import ScriptedBulk
from likewise.errors import LibraryError
from likewise.library.opensearch.bulk import (
    Bulk,
    Senders,
    StoredVersion,
    make_create_lines,
    make_delete_lines,
    make_put_lines,
)

TWO = {"1": make_put_lines("1", b"{}"), "2": make_put_lines("2", b"{}")}
MAPPER = {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no\nnumber"}}


def bulk(*answers, patience=5.0, stopping=None):
    connection = ScriptedBulk(*answers, patience=patience)
    stopping = stopping or threading.Event()
    return Bulk(connection, "papers", pause=0.001, stopping=stopping)


def test_a_document_is_two_lines():
    assert (
        make_put_lines("é", b'{"title":"A"}') == '{"index":{"_id":"é"}}\n{"title":"A"}\n'.encode()
    )


def test_a_document_can_be_written_over_one_version_only():
    action = json.loads(make_put_lines("1", b"{}", over=StoredVersion(7, 2)).splitlines()[0])
    assert action == {"index": {"_id": "1", "if_seq_no": 7, "if_primary_term": 2}}


def test_a_document_can_be_written_where_there_is_none():
    assert make_create_lines("1", b"{}") == b'{"create":{"_id":"1"}}\n{}\n'


def test_a_deletion_is_one_line():
    assert make_delete_lines("1") == b'{"delete":{"_id":"1"}}\n'


def test_all_changes_go_in_one_request():
    sender = bulk()
    sender.send(TWO)
    assert sender.connection.asked == [["1", "2"]]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_only_what_the_server_had_no_time_for_is_sent_again(status):
    sender = bulk([200, status], [status])
    outcomes = sender.send(TWO)
    assert sender.connection.asked == [["1", "2"], ["2"], ["2"]]
    assert [outcome.status for outcome in outcomes.values()] == [200, 200]


def test_that_it_waits_is_said_once(caplog):
    sender = bulk([429, 429], [429, 429])
    with caplog.at_level(logging.WARNING):
        sender.send(TWO)
    [record] = caplog.records
    assert record.getMessage().endswith(
        "too busy for 2 documents now (429); sending them again for up to 5 s"
    )


def test_patience_ends():
    busy = {"status": 429, "error": {"reason": "the queue is full"}}
    sender = bulk([200, busy], patience=0.0)
    with pytest.raises(LibraryError, match=r"1 documents were not taken.*the queue is full"):
        sender.send(TWO)


def test_a_document_that_is_not_taken_is_named():
    with pytest.raises(LibraryError, match=r"document '2' \(400: no number\)"):
        bulk([201, MAPPER]).send(TWO)


def test_a_document_that_is_not_taken_is_named_although_others_wait():
    with pytest.raises(LibraryError, match="'2'"):
        bulk([429, MAPPER]).send(TWO)


def test_a_conflict_is_an_error():
    with pytest.raises(LibraryError, match="409"):
        bulk([200, 409]).send(TWO)


def test_a_conflict_is_an_answer_where_it_is_expected():
    assert bulk([200, 409]).send(TWO, may_be=[409])["2"].status == 409


def test_deleting_what_is_not_there_is_fine():
    assert bulk([404]).send({"1": make_delete_lines("1")})["1"].status == 404


def test_an_index_or_a_shard_that_is_not_there_is_an_error():
    gone = {
        "status": 404,
        "error": {"type": "shard_not_found_exception", "reason": "no such shard"},
    }
    with pytest.raises(LibraryError, match=r"document '2' \(404: no such shard\)"):
        bulk([200, gone]).send(TWO)


def test_an_answer_to_fewer_changes_than_were_sent_is_an_error():
    with pytest.raises(LibraryError, match="2 changes were sent and 1 answered"):
        bulk([200]).send(TWO)


def test_who_is_stopped_does_not_wait():
    stopping = threading.Event()
    stopping.set()
    sender = Bulk(ScriptedBulk([429]), "papers", pause=60.0, stopping=stopping)
    began = time.monotonic()
    with pytest.raises(LibraryError, match="stopped"):
        sender.send({"1": b'{"delete":{"_id":"1"}}\n'})
    assert time.monotonic() - began < 30


def test_the_version_that_a_change_made_is_told():
    made = {"status": 201, "_seq_no": 4, "_primary_term": 1}
    assert bulk([made]).send({"1": make_put_lines("1", b"{}")})["1"].version == StoredVersion(4, 1)


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
    senders = Senders(sent.append, threads=2)
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
    senders = Senders(gate, threads=2)
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
    senders = Senders(refuse, threads=2)
    senders.send({"a": b""})
    with pytest.raises(LibraryError, match=r"not \['a'\]"):
        senders.wait()


def test_an_error_is_raised_ever_after():
    senders = Senders(refuse, threads=2)
    senders.send({"a": b""})
    for use in (senders.wait, senders.wait, lambda: senders.send({"b": b""})):
        with pytest.raises(LibraryError, match=r"not \['a'\]"):
            use()


def test_a_mistake_of_ours_is_not_waited_for():
    senders = Senders(lambda batch: 1 // 0, threads=2)
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
