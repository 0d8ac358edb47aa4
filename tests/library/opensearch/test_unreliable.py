"""Writing to a server that is not always up to it: everything arrives once, or an error says so."""

import json
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from library.opensearch.fake_server import Reply, running
from library.opensearch.fresh import FreshIndex, fresh_index, papers
from likewise.errors import LibraryError
from likewise.library.opensearch import writer as writers
from likewise.library.opensearch.writer import IndexWriter

NOT_READY = Reply(503, {"error": {"type": "cluster_block_exception", "reason": "no master"}})
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
MANY = [str(number) for number in range(40)]


@pytest.fixture(scope="module")
def made(opensearch_url):
    with fresh_index(opensearch_url) as index:
        yield index


@pytest.fixture
def index(made, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 8)
    return made.emptied()


@contextmanager
def unreliable(index, url, trouble, *, patience=10.0):
    """Make a writer between which and the server something stands that makes trouble.

    `trouble` is given each bulk request for the index, and what passes it on; what it returns is
    answered.
    """

    def reply_to(asked):
        if asked.path.startswith(f"/{index.name}/_bulk"):
            return trouble(asked, lambda: passed_on(url, asked))
        return passed_on(url, asked)

    with running() as server:
        server.reply_to = reply_to
        address = f"opensearch://127.0.0.1:{server.port}/{index.name}"
        behind = FreshIndex(address, patience=patience)
        writer = IndexWriter(behind.connection, behind.layout)
        try:
            yield writer
        finally:
            writer.close()
            behind.connection.close()


def passed_on(url, asked):
    kind = {"content-type": asked.headers.get("content-type", "application/json")}
    request = urllib.request.Request(
        url + asked.path, asked.body or None, headers=kind, method=asked.method
    )
    try:
        with DIRECT(request, timeout=20) as answer:
            return Reply(answer.status, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Reply(error.code, error.read().decode())


def test_a_server_that_is_not_ready_for_a_while_is_waited_for(index, opensearch_url):
    began = time.monotonic()

    def trouble(asked, pass_on):
        return NOT_READY if 0.1 < time.monotonic() - began < 0.6 else pass_on()

    with unreliable(index, opensearch_url, trouble) as writer:
        began = time.monotonic()
        writer.add(papers(*MANY))
        time.sleep(0.15)
        writer.add(papers("last"))
        writer.commit()
    assert index.titles().keys() == {*MANY, "last"}


def test_answers_that_are_cut_in_the_middle_cost_nothing(index, opensearch_url):
    cut = []

    def trouble(asked, pass_on):
        reply = pass_on()
        if asked.body in cut:
            return reply
        cut.append(asked.body)
        return reply._replace(cut=True)

    with unreliable(index, opensearch_url, trouble) as writer:
        writer.add(papers(*MANY))
        writer.delete(["7"])
        writer.commit()
    assert index.titles().keys() == {*MANY} - {"7"}


def test_items_that_the_server_has_no_time_for_are_sent_again(index, opensearch_url):
    refused = []

    def trouble(asked, pass_on):
        actions = asked.body.splitlines()[::2]
        if len(refused) > 2:
            return pass_on()
        refused.append(len(actions))
        busy = {"status": 429, "error": {"type": "rejected", "reason": "queue is full"}}
        return Reply(200, {"items": [{"index": busy} for _ in actions]})

    with unreliable(index, opensearch_url, trouble) as writer:
        writer.add(papers(*MANY))
        writer.commit()
    assert index.titles().keys() == {*MANY}


def test_only_the_items_that_were_refused_are_sent_again(index, opensearch_url):
    bodies = []

    def trouble(asked, pass_on):
        bodies.append(asked.body)
        reply = pass_on()
        if len(bodies) > 1:
            return reply
        answer = json.loads(reply.body)
        answer["items"][0]["index"]["status"] = 503
        return Reply(200, answer)

    with unreliable(index, opensearch_url, trouble) as writer:
        writer.add(papers(1, 2, 3))
        writer.commit()
    assert [body.count(b'"_id"') for body in bodies] == [3, 1]


def too_large(bytes_):
    def trouble(asked, pass_on):
        return Reply(413, "Too large", kind="text/plain") if len(asked.body) > bytes_ else pass_on()

    return trouble


def test_where_less_fits_through_than_a_batch_less_is_sent(index, opensearch_url):
    with unreliable(index, opensearch_url, too_large(500)) as writer:
        writer.add(papers(*MANY))
        writer.commit()
    assert index.titles().keys() == {*MANY}


def test_a_document_that_does_not_fit_through_is_named(index, opensearch_url):
    with unreliable(index, opensearch_url, too_large(500)) as writer:
        writer.add([*papers(1, 2), *papers("huge", title="word " * 200)])
        with pytest.raises(LibraryError, match=r"no request as large as this.*'huge'"):
            writer.commit()


def test_a_server_that_does_not_recover_ends_the_work_in_one_line(index, opensearch_url):
    def trouble(asked, pass_on):
        return NOT_READY

    with unreliable(index, opensearch_url, trouble, patience=0.3) as writer:
        writer.add(papers(1))
        with pytest.raises(LibraryError, match=r"not ready \(503: no master\)") as raised:
            writer.commit()
    assert "\n" not in str(raised.value)
    assert index.refresh_interval() is None


def test_nothing_is_committed_while_something_was_not_taken(index, opensearch_url):
    def trouble(asked, pass_on):
        return NOT_READY if b'"3"' in asked.body else pass_on()

    with unreliable(index, opensearch_url, trouble, patience=0.3) as writer:
        writer.add(papers("1", "2", "3"))
        for _ in range(2):
            with pytest.raises(LibraryError, match="not ready"):
                writer.commit()
    assert index.notebook.read_state().changed == ""
