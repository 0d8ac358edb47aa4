"""Polite HTTP."""

import gzip
import socket
import threading
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from urllib3 import HTTPResponse, Retry
from urllib3.util.retry import RequestHistory

from likewise import __version__
from likewise import web as web_module
from likewise.errors import DownloadError
from likewise.web import WebClient
from likewise.web.connections import WebRequest, open_answer
from likewise.web.troubles import (
    ConnectionCutError,
    FailureKind,
    NoAnswerError,
    NotFoundError,
    StoppedError,
)


@pytest.fixture
def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def rests(web, monkeypatch):
    """The seconds that the web rests for, which it does not."""
    rests = []
    monkeypatch.setattr(web, "rest", rests.append)
    return rests


def test_what_is_there_is_returned_whole(server, web):
    server.put_plain("README.txt", b"read me")
    assert web.get(f"{server.base}README.txt") == b"read me"


def test_the_agent_says_who_we_are(server, web):
    server.put_plain("README.txt", b"")
    web.get(f"{server.base}README.txt")
    assert server.requests("README.txt")[0]["User-Agent"] == f"likewise/{__version__}"


def test_fields_go_into_the_address(server, web):
    server.files["/pubmed/a?term=x+y&n=1"] = server.put_plain("b", b"found")
    assert web.get(f"{server.base}a", fields={"term": "x y", "n": "1"}) == b"found"


def test_fields_go_into_a_form(server, web):
    server.put_plain("a", b"found")
    web.get(f"{server.base}a", fields={"id": "1,2"}, post=True)
    assert server.requests("a")[0]["body"] == "id=1%2C2"


def test_one_connection_serves_many_requests(server, web):
    server.put_plain("a", b"1")
    ports = set()
    answer = server.answer
    server.answer = lambda handler: (ports.add(handler.client_address), answer(handler))
    assert [web.get(f"{server.base}a") for _ in range(3)] == [b"1"] * 3
    assert len(ports) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(server, web, status):
    server.put_plain("a", b"found", refusals=[(status, None)] * 2)
    assert web.get(f"{server.base}a") == b"found"


def test_a_cut_connection_is_tried_again(server, web):
    server.put_plain("a", b"found", cuts=[0, 3])
    assert web.get(f"{server.base}a") == b"found"


def test_a_server_gets_the_time_that_it_asks_for(server, web, rests):
    server.put_plain("a", b"found", refusals=[(503, "7")])
    web.get(f"{server.base}a")
    assert [seconds for seconds in rests if seconds] == [7.0]


def test_a_long_wait_is_told(server, web, rests, caplog):
    server.put_plain("a", b"found", refusals=[(503, "7")])
    web.get(f"{server.base}a")
    line = f"{server.base}a: the server is out of order for now (503); trying again in 7 s"
    assert caplog.messages == [line]


def test_a_server_that_asks_for_too_much_time_is_given_up(server, web):
    server.put_plain("a", b"found", refusals=[(503, "86400")])
    with pytest.raises(DownloadError, match=r"\(503\), and asks us to wait 86400 s$"):
        web.get(f"{server.base}a")


def test_patience_has_an_end(server, web):
    server.put_plain("a", b"found", refusals=[(503, None)] * 4)
    with pytest.raises(DownloadError, match=r"a: the server is out of order for now \(503\)$"):
        web.get(f"{server.base}a")
    assert len(server.asked) == 4


def test_what_is_not_there_is_asked_for_once(server, web):
    with pytest.raises(NotFoundError, match=r"nothing: the server has no such file \(404\)$"):
        web.get(f"{server.base}nothing")
    assert len(server.asked) == 1


def test_messages_hold_no_keys(server, web):
    with pytest.raises(DownloadError) as raised:
        web.get(f"{server.base}nothing", fields={"api_key": "secret"})
    assert "secret" not in str(raised.value)


def test_a_server_that_is_away_is_told_in_one_line(web, closed_port):
    with pytest.raises(DownloadError) as raised:
        web.get(f"http://127.0.0.1:{closed_port}/a")
    said = "the server can't be reached; check the network and the address"
    assert str(raised.value) == f"http://127.0.0.1:{closed_port}/a: {said}"


def test_an_unknown_host_is_told_in_one_line(web, monkeypatch):
    def nobody(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    with pytest.raises(DownloadError, match="the server can't be found; check the network"):
        web.get("http://nowhere.example.org/a")


def test_a_stranger_gets_less_patience_than_a_server_that_has_answered(closed_port, monkeypatch):
    web = WebClient(retries=8, pause=0.001)
    rests = []
    monkeypatch.setattr(web, "back_off", rests.append)
    monkeypatch.setattr(web, "rest", rests.append)
    with pytest.raises(DownloadError):
        web.get(f"http://127.0.0.1:{closed_port}/a")
    assert len([seconds for seconds in rests if seconds]) == 2


def test_silence_is_told_in_one_line(server):
    server.put_plain("a", bytes(9), stalls_at=5)
    with WebClient(retries=0, timeout=0.05) as web, pytest.raises(DownloadError, match="in time"):
        web.get(f"{server.base}a")


def test_an_answer_without_an_end_is_refused(server, web, monkeypatch):
    monkeypatch.setattr(web_module, "MOST_BYTES", 2**20)
    server.put_plain("a", bytes(2**20 + 1))
    with pytest.raises(DownloadError, match="more than 1 MB, which can't be what was asked for"):
        web.get(f"{server.base}a")


def test_packed_answers_are_unpacked_and_bounded_when_unpacked(server, web, monkeypatch):
    monkeypatch.setattr(web_module, "MOST_BYTES", 2**20)
    packed = gzip.compress(bytes(2**24))
    server.answer = lambda handler: server.send(handler, 200, packed, {"Content-Encoding": "gzip"})
    with pytest.raises(DownloadError, match="more than 1 MB"):
        web.get(f"{server.base}a")


def test_what_is_only_said_to_be_packed_is_taken_as_it_is(server, web):
    server.answer = lambda handler: server.send(
        handler, 200, b"MD5(a.gz)= 0", {"Content-Encoding": "x-gzip"}
    )
    assert web.get(f"{server.base}a.gz.md5") == b"MD5(a.gz)= 0"


@pytest.mark.parametrize("damage", [lambda packed: packed[:-9], lambda packed: packed[:10] + b"?"])
def test_a_packed_answer_that_breaks_off_is_asked_for_again(server, web, damage):
    packed = gzip.compress(b"found")
    answers = [packed, damage(packed)]
    server.answer = lambda handler: server.send(
        handler, 200, answers.pop(), {"Content-Encoding": "gzip"}
    )
    assert web.get(f"{server.base}a") == b"found"


@pytest.mark.parametrize("url", ["ftp://host/a", "http://[::1/a", "http:///a", "nothing", ""])
def test_an_address_that_is_none_is_refused(web, url):
    with pytest.raises(DownloadError, match="not a web address"):
        web.get(url)


def test_a_redirection_is_followed_for_files(server, web):
    server.put_plain("b", b"found")
    moved = {"Location": f"{server.base}b"}
    answer = server.answer
    server.answer = lambda handler: (
        server.send(handler, 302, b"", moved) if handler.path.endswith("a") else answer(handler)
    )
    assert web.get(f"{server.base}a") == b"found"


def test_what_may_hold_a_key_is_not_sent_on(server, web):
    server.answer = lambda handler: server.send(handler, 307, b"", {"Location": "http://other/"})
    with pytest.raises(DownloadError, match=r"another address, which is not followed \(307\)"):
        web.get(f"{server.base}a", fields={"api_key": "secret"}, post=True)


def test_redirections_in_a_circle_are_given_up(server, web):
    server.answer = lambda handler: server.send(handler, 302, b"", {"Location": handler.path})
    with pytest.raises(DownloadError, match="from one address to the next without end"):
        web.get(f"{server.base}a")


def test_a_redirection_to_no_address_is_told_and_costs_no_connection(server):
    server.put_plain("b", b"found")
    answer = server.answer
    server.answer = lambda handler: (
        server.send(handler, 302, b"", {"Location": "http://[bad"})
        if handler.path.endswith("a")
        else answer(handler)
    )
    with WebClient(connections=1, timeout=5) as web:
        with pytest.raises(DownloadError, match="redirects to something that is not a web address"):
            web.get(f"{server.base}a")
        assert web.get(f"{server.base}b") == b"found"


@pytest.mark.parametrize(
    ("first", "second", "is_refused"),
    [("https", "http", True), ("https", "HTTP", True), ("https", "https", False),
     ("http", "http", False)],
)  # fmt: skip
def test_what_is_asked_for_in_private_is_not_taken_in_public(first, second, is_refused):
    step = RequestHistory("GET", f"{first}://host/a", None, 302, f"{second}://host/b")
    came = HTTPResponse(b"", status=200, retries=Retry(history=(step,)))
    pool = SimpleNamespace(headers={}, request=lambda *_, **__: came)
    refused = (
        pytest.raises(DownloadError, match=r"host/a: .* redirects to an unencrypted address")
        if is_refused
        else nullcontext()
    )
    with refused as raised:
        assert open_answer(pool, WebRequest(f"{first}://host/a", {})) is came
    assert (raised is not None) == is_refused


def test_a_stream_goes_on_from_where_we_are(server, web):
    server.put_plain("a", b"0123456789")
    with web.stream(f"{server.base}a", offset=4, validator='"first"') as answer:
        assert (answer.status, b"".join(answer.chunks())) == (206, b"456789")


def test_a_stream_of_another_file_by_now_comes_from_the_beginning(server, web):
    server.put_plain("a", b"0123456789", tag='"new"')
    with web.stream(f"{server.base}a", offset=4, validator='"old"') as answer:
        assert (answer.status, b"".join(answer.chunks())) == (200, b"0123456789")


def test_a_stream_is_never_unpacked(server, web):
    packed = gzip.compress(b"text")
    server.answer = lambda handler: server.send(
        handler, 200, packed, {"Content-Encoding": "x-gzip"}
    )
    with web.stream(f"{server.base}a") as answer:
        assert b"".join(answer.chunks()) == packed


def test_a_stream_that_is_cut_says_so(server, web):
    server.put_plain("a", b"0123456789", cuts=[3])
    with (
        web.stream(f"{server.base}a") as answer,
        pytest.raises(ConnectionCutError, match="the server cuts the connection"),
    ):
        list(answer.chunks())


def test_streams_that_are_left_early_free_their_connection(server):
    server.put_plain("a", bytes(2**20))
    with WebClient(connections=1, timeout=5) as web:
        for _ in range(3):
            with web.stream(f"{server.base}a") as answer:
                next(answer.chunks())
        assert len(web.get(f"{server.base}a")) == 2**20


def test_headers_come_without_the_file(server, web):
    server.put_plain("a", b"0123456789")
    assert web.head(f"{server.base}a")["Content-Length"] == "10"


def test_stopping_ends_a_wait_at_once(web):
    threading.Timer(0.05, web.stop).start()
    started = time.monotonic()
    with pytest.raises(StoppedError):
        web.rest(60)
    assert time.monotonic() - started < 10


def test_stopping_ends_a_stream(server, web):
    server.put_plain("a", bytes(2**20))
    with web.stream(f"{server.base}a") as answer:
        chunks = answer.chunks()
        next(chunks)
        web.stop()
        with pytest.raises(StoppedError):
            next(chunks)


def test_an_exchange_brings_any_answer_after_one_trial(server, web):
    server.put_plain("a", b"found", refusals=[(503, "7")] * 2)
    reply = web.exchange(WebRequest(f"{server.base}a"))
    assert (reply.status, reply.headers["retry-after"], len(server.asked)) == (503, "7", 1)


def test_an_exchange_sends_a_body_and_unpacks_the_answer(server, web):
    packed = gzip.compress(b"found")
    server.answer = lambda handler: server.send(handler, 200, packed, {"Content-Encoding": "gzip"})
    request = WebRequest(f"{server.base}a", {"Accept-Encoding": "gzip"}, method="POST", body=b"{}")
    assert web.exchange(request).content == b"found"


def test_an_exchange_without_an_answer_says_why(web, closed_port):
    with pytest.raises(NoAnswerError) as raised:
        web.exchange(WebRequest(f"http://127.0.0.1:{closed_port}/a"))
    assert raised.value.kind is FailureKind.UNREACHED
    assert isinstance(raised.value.cause, ConnectionRefusedError)


def test_an_answer_that_is_cut_is_none(server, web):
    server.put_plain("a", b"0123456789", cuts=[3])
    with pytest.raises(NoAnswerError) as raised:
        web.exchange(WebRequest(f"{server.base}a"))
    assert raised.value.kind is FailureKind.CUT


def test_exchanges_keep_their_connection(server):
    server.put_plain("a", b"1")
    ports = set()
    answer = server.answer
    server.answer = lambda handler: (ports.add(handler.client_address), answer(handler))
    with WebClient(connections=1) as web:
        assert [web.exchange(WebRequest(f"{server.base}a")).content for _ in range(3)] == [b"1"] * 3
    assert len(ports) == 1
