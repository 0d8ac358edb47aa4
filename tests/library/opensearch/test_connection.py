"""The connection: what it sends, what it makes of answers, and how long it waits."""

import logging
import re
import socket
import threading
import time

import msgspec
import pytest

from library.opensearch.answering import ADDRESS, Answering
from library.opensearch.fake_server import GREETING, Reply, running
from likewise.documents import Document
from likewise.errors import (
    ClusterError,
    LibraryError,
    NotALibraryError,
    SettingsError,
)
from likewise.library.opensearch import connection as connection_module
from likewise.library.opensearch import connection as module
from likewise.library.opensearch.address import Address, Host, parse_address
from likewise.library.opensearch.connection import Connection, PartFailure, ask_until_whole
from likewise.library.opensearch.foreign_fields import IndexField
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.reading import IndexReader
from likewise.library.opensearch.term_vectors import ForeignAnalysis

BUSY = Reply(503, {"error": {"type": "x", "reason": "all shards failed"}, "status": 503})


pytestmark = pytest.mark.usefixtures("nothing_is_set")


@pytest.fixture
def connect():
    opened = []

    def connect(*ports, **settings):
        hosts = tuple(Host("127.0.0.1", port) for port in ports)
        opened.append(Connection(Address(hosts, "papers"), **{"patience": 5.0} | settings))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_the_server_says_who_it_is(connect):
    with running() as server:
        connection = connect(server.port)
        assert (connection.distribution, connection.version) == ("opensearch", "2.5.0")


def test_elasticsearch_is_known_by_what_it_does_not_say(connect):
    greeting = Reply(body={"version": {"number": "8.15.0"}, "tagline": "You Know, for Search"})
    with running(greetings=(greeting,)) as server:
        connection = connect(server.port)
        assert (connection.distribution, connection.version) == ("elasticsearch", "8.15.0")


def test_opensearch_that_gives_an_old_number_is_still_known(connect):
    greeting = Reply(body={"version": {"number": "7.10.2"}, "tagline": GREETING["tagline"]})
    with running(greetings=(greeting,)) as server:
        assert connect(server.port).distribution == "opensearch"


def test_who_may_not_ask_for_the_version_may_still_search(connect):
    refusal = Reply(403, {"error": {"reason": "no permissions for [cluster:monitor/main]"}})
    with running(greetings=(refusal,)) as server:
        connection = connect(server.port)
        assert connection.ask("GET", "/papers/_count") == {"ok": True}
        assert (connection.distribution, connection.version) == ("opensearch", "")


def test_a_request_has_its_body_its_parameters_and_its_type(connect):
    with running() as server:
        params = {"refresh": True, "timeout": "30s", "routing": None}
        connect(server.port).ask("POST", "papers/_search", body={"size": 1}, params=params)
        asked = server.asked[-1]
    assert (asked.method, asked.path) == ("POST", "/papers/_search?refresh=true&timeout=30s")
    assert (asked.body, asked.headers["content-type"]) == (b'{"size":1}', "application/json")


def test_lines_are_sent_as_they_are(connect):
    lines = '{"index":{}}\n{"title":"Käse"}\n'.encode()
    with running() as server:
        connect(server.port).ask("POST", "/papers/_bulk", body=lines)
        asked = server.asked[-1]
    assert asked.body == lines
    assert asked.headers["content-type"] == "application/x-ndjson"


def test_half_a_character_is_refused_before_it_is_sent(connect):
    with running() as server, pytest.raises(LibraryError, match="half a character"):
        connect(server.port).ask("POST", "/papers/_search", body={"query": "\ud800"})


@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_with_half_a_character_comes_from_something_else(connect, status):
    reply = Reply(status, '{"error": "\ud800"}')
    with running(reply) as server, pytest.raises(LibraryError, match="it sent no text"):
        connect(server.port).ask("GET", "/papers/_count")


def test_answers_can_be_decoded_by_their_shape(connect):
    class Count(msgspec.Struct):
        count: int

    with running(Reply(body={"count": 7, "_shards": {}})) as server:
        assert connect(server.port).ask("GET", "/papers/_count", shape=Count) == Count(7)


def test_answers_of_another_shape_are_an_error(connect):
    with running(Reply(body={"count": "many"})) as server:
        connection = connect(server.port)
        with pytest.raises(LibraryError, match="JSON of another shape"):
            connection.ask("GET", "/papers/_count", shape=dict[str, int])


def test_an_empty_answer_is_none(connect):
    with running(Reply()) as server:
        assert connect(server.port).ask("POST", "/papers/_flush") is None


def test_what_is_missing_is_what_was_asked_for_instead(connect):
    reply = Reply(404, {"_index": "papers", "_id": "1", "found": False})
    with running(reply) as server:
        connection = connect(server.port)
        assert connection.ask("GET", "/papers/_doc/1", missing={}) == {}


def test_a_missing_index_comes_with_the_way_to_make_it(connect):
    error = {"type": "index_not_found_exception", "reason": "no such index [papers]"}
    with running(Reply(404, {"error": error, "status": 404})) as server:
        connection = connect(server.port)
        with pytest.raises(NotALibraryError) as caught:
            connection.ask("GET", "/papers/_count")
        assert connection.ask("GET", "/papers/_count", missing=0) == 0
    address = f"opensearch://127.0.0.1:{server.port}/papers"
    assert str(caught.value) == (
        f"{address}: there is no index 'papers' on this cluster; "
        f"make it with: likewise index FILES --into {address}"
    )


def test_health_that_did_not_come_in_time_is_an_answer(connect):
    with running(Reply(408, {"status": "yellow", "timed_out": True})) as server:
        assert connect(server.port).ask("GET", "/_cluster/health")["status"] == "yellow"


def test_a_server_that_is_not_ready_is_waited_for(connect, caplog):
    with running(BUSY, BUSY, BUSY, Reply(body={"count": 1})) as server:
        assert connect(server.port).ask("GET", "/papers/_count") == {"count": 1}
    (told,) = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(
        rf"opensearch://127.0.0.1:{server.port}/papers: 127.0.0.1:{server.port} is not ready "
        r"\(503: all shards failed\); trying again for up to 5 s",
        told,
    )


def test_a_server_that_just_starts_is_waited_for_at_the_first_contact(connect):
    with running(greetings=(BUSY, BUSY, Reply(body=GREETING))) as server:
        assert connect(server.port).version == "2.5.0"


@pytest.mark.parametrize("half", [None, {"hits": list(range(100))}])
def test_cut_connections_are_made_again(connect, half):
    cut = Reply(body=half, cut=True)
    with running(
        cut, cut, Reply(body={"count": 1}), greetings=(cut, Reply(body=GREETING))
    ) as server:
        assert connect(server.port).ask("GET", "/papers/_count") == {"count": 1}


def test_a_single_cut_is_not_worth_telling(connect, caplog):
    with running(Reply(cut=True), Reply(body={"count": 1})) as server:
        connect(server.port).ask("GET", "/papers/_count")
    assert not caplog.records


def test_slow_answers_are_asked_for_again(connect):
    never = threading.Event()
    with running(Reply(wait=never), Reply(body={"count": 1})) as server:
        connection = connect(server.port, timeout=0.2)
        assert connection.ask("GET", "/papers/_count") == {"count": 1}
        never.set()


def test_a_time_out_is_said_when_patience_is_over(connect):
    never = threading.Event()
    with running(Reply(wait=never)) as server:
        connection = connect(server.port, timeout=0.1, patience=0.3)
        with pytest.raises(ClusterError, match=r"does not answer in time.*overloaded"):
            connection.ask("GET", "/papers/_count")
        never.set()


def test_patience_has_an_end(connect):
    with running(BUSY) as server:
        connection = connect(server.port, patience=1.1)
        start = time.monotonic()
        with pytest.raises(ClusterError, match=r"is not ready .*, for 1 s now; look at .* health"):
            connection.ask("GET", "/papers/_count")
    assert time.monotonic() - start >= 1.1


def test_a_request_that_hangs_takes_no_longer_than_patience(connect, monkeypatch):
    monkeypatch.setattr(module, "SHORTEST", 0.2)
    never = threading.Event()
    with running(Reply(wait=never)) as server:
        connection = connect(server.port, patience=0.3)
        start = time.monotonic()
        with pytest.raises(ClusterError, match="does not answer"):
            connection.ask("GET", "/papers/_count")
        assert time.monotonic() - start < 4
        never.set()


def test_what_does_not_pass_is_not_said_to_have_lasted(connect):
    refusal = Reply(401, {"error": {"type": "security_exception", "reason": "no"}})
    busy = Reply(503, BUSY.body, headers=(("retry-after", "1"),))
    with running(busy, refusal) as server:
        connection = connect(server.port)
        with pytest.raises(ClusterError, match=r"\(401\); set LIKEWISE_OPENSEARCH_USER"):
            connection.ask("GET", "/papers/_count")


def test_a_single_request_can_have_less_patience(connect):
    with running(BUSY) as server:
        connection = connect(server.port, patience=60)
        with pytest.raises(ClusterError) as caught:
            connection.ask("GET", "/papers/_search", patience=0)
        assert server.paths() == ["/papers/_search"]
    assert caught.value.status == 503


def test_a_busy_server_says_when_to_come_back(connect, caplog):
    busy = Reply(429, {"error": {"reason": "rejected execution"}}, headers=(("Retry-After", "1"),))
    with running(busy, Reply(body={"count": 1})) as server:
        start = time.monotonic()
        connect(server.port).ask("GET", "/papers/_count")
    assert time.monotonic() - start >= 1
    assert "is too busy (429: rejected execution)" in caplog.text


def test_the_same_trouble_is_told_once(connect, caplog):
    replies = [BUSY, BUSY, BUSY, Reply(body={})] * 2
    with running(*replies) as server:
        connection = connect(server.port)
        connection.ask("GET", "/papers/_count")
        connection.ask("GET", "/papers/_count")
    assert len(caplog.records) == 1


def test_a_host_that_refuses_at_the_first_contact_is_believed_at_once(connect):
    port = closed_port()
    connection = connect(port, patience=60)
    said = rf"127.0.0.1:{port} can't be reached \(connection refused\); check host and port"
    with pytest.raises(LibraryError, match=said):
        connection.ask("GET", "/papers/_count")


def test_a_host_that_nobody_knows_is_believed_at_once(monkeypatch):
    def unknown(*_args, **_more):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    connection = Connection(parse_address("opensearch://nowhere.example/papers"), patience=60)
    with pytest.raises(LibraryError, match=r"the host nowhere\.example:9200 is not known"):
        connection.ask("GET", "/papers/_count")


def test_a_server_that_goes_away_later_is_waited_for(connect):
    once = (("Connection", "close"),)
    with running(Reply(body={}, headers=once)) as server:
        connection = connect(server.port, patience=0.5)
        connection.ask("GET", "/papers/_count")
    start = time.monotonic()
    with pytest.raises(ClusterError, match="can't be reached"):
        connection.ask("GET", "/papers/_count")
    assert time.monotonic() - start >= 0.5


def test_dead_hosts_of_several_are_passed_over(connect, caplog):
    with running() as server:
        connection = connect(closed_port(), server.port, closed_port())
        answers = [connection.ask("GET", "/papers/_count") for _ in range(6)]
    assert answers == [{"ok": True}] * 6
    assert all("continuing with other hosts" in it.getMessage() for it in caplog.records)


def test_all_hosts_dead_is_said_at_once(connect):
    connection = connect(closed_port(), closed_port(), patience=60)
    with pytest.raises(LibraryError, match="can't be reached"):
        connection.ask("GET", "/papers/_count")


def test_a_starting_host_is_waited_for_though_another_is_dead(connect):
    greetings = (BUSY, BUSY, Reply(body=GREETING))
    with running(greetings=greetings) as server:
        assert connect(closed_port(), server.port).version == "2.5.0"


@pytest.mark.parametrize(
    "greeting",
    [
        Reply(200, "<html>Welcome to nginx!</html>", kind="text/html"),
        Reply(404, "<html>Not found</html>", kind="text/html"),
        Reply(200, '{"version": '),
        Reply(200, {"couchdb": "Welcome", "version": "3.3.3"}),
        Reply(200, ["version"]),
        Reply(200, {"version": {}}),
    ],
)
def test_something_else_that_answers_is_no_cluster(connect, greeting):
    with running(greetings=(greeting,)) as server:
        connection = connect(server.port)
        with pytest.raises(LibraryError, match="does not answer as OpenSearch does") as caught:
            connection.ask("GET", "/papers/_count")
    assert "\n" not in str(caught.value)


def test_what_speaks_no_http_is_no_cluster(connect):
    listening = socket.create_server(("127.0.0.1", 0))

    def hello():
        visitor, _ = listening.accept()
        with visitor:
            visitor.recv(1000)
            visitor.sendall(b"220 mail.example.org ESMTP\r\n")

    thread = threading.Thread(target=hello)
    thread.start()
    with listening, pytest.raises(LibraryError, match="no HTTP"):
        connect(listening.getsockname()[1]).ask("GET", "/")
    thread.join()


def test_closing_ends_the_waiting(connect):
    with running(BUSY) as server:
        connection = connect(server.port, patience=60)
        connection.ask("GET", "/")
        threading.Timer(0.3, connection.close).start()
        with pytest.raises(LibraryError, match="closed while"):
            connection.ask("GET", "/papers/_count")


def test_threads_share_a_connection(connect):
    with running() as server:
        connection, answers = connect(server.port), []
        threads = [
            threading.Thread(target=lambda: answers.append(connection.ask("GET", "/papers/_count")))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        greetings = [asked for asked in server.asked if asked.path == "/"]
    assert (answers, len(greetings)) == ([{"ok": True}] * 8, 1)


def test_the_environment_says_how_long_to_wait(monkeypatch):
    monkeypatch.setenv(module.PATIENCE, "2.5")
    assert Connection(parse_address("opensearch://localhost/papers")).patience == 2.5
    assert Connection(parse_address("opensearch://localhost/papers"), patience=7).patience == 7


@pytest.mark.parametrize("said", ["soon", "-1", "nan", "inf"])
def test_patience_that_is_no_time_is_refused(monkeypatch, said):
    monkeypatch.setenv(module.PATIENCE, said)
    with pytest.raises(SettingsError, match=f"PATIENCE is '{said}'"):
        Connection(parse_address("opensearch://localhost/papers"))


def test_the_clients_own_logs_stay_quiet(connect, caplog):
    with caplog.at_level(logging.WARNING), running() as server:
        connect(closed_port(), closed_port(), server.port).ask("GET", "/papers/_count")
    assert {record.name.partition(".")[0] for record in caplog.records} <= {"likewise"}


def test_remarks_of_the_server_are_no_warnings(connect):
    remark = (("Warning", '299 OpenSearch-2.5.0 "[types removal] is deprecated"'),)
    with running(Reply(body={"count": 1}, headers=remark)) as server:
        assert connect(server.port).ask("GET", "/papers/_count") == {"count": 1}


LOST = PartFailure("no_shard_available_action_exception", "no\nshard")
THERE = {"_id": "1", "found": True, "_source": {"id": "1", "title": "Cats"}}
UNREACHED = {"_id": "2", "error": {"type": "no_shard_available_action_exception", "reason": None}}


@pytest.fixture(autouse=True)
def without_pause(monkeypatch):
    monkeypatch.setattr(connection_module, "WHOLE_PAUSE", 0.0)


def ask(*answers, patience=90.0):
    """Return the answer that is taken, of some that are each a list of failures."""
    left = list(answers)
    connection = Answering(patience=patience)
    return ask_until_whole(connection, lambda: left.pop(0), lambda answer: answer)


def test_an_answer_without_failures_is_taken():
    assert ask([None, None], [None]) == [None, None]


def test_what_a_lost_node_leaves_out_is_asked_for_again():
    assert ask([None, LOST], [LOST, None], [None]) == [None]


def test_patience_ends_in_one_line():
    with pytest.raises(ClusterError, match=rf"^{ADDRESS}: a part of .* \(no shard\)") as caught:
        ask([LOST], patience=0)
    assert caught.value.kinds == {LOST.type}


def test_what_does_not_pass_is_not_asked_for_again():
    with pytest.raises(ClusterError, match=r"can't be read \(index_closed_exception\)"):
        ask([PartFailure("index_closed_exception", None)], [None])


def test_an_index_that_is_gone_is_no_library():
    with pytest.raises(NotALibraryError, match=r"papers: no such index \[papers\]; make it"):
        ask([PartFailure("index_not_found_exception", "no such index [papers]")])


def test_documents_of_a_shard_that_can_not_be_reached_are_not_left_out():
    found = THERE | {"_id": "2", "_source": {"id": "2", "title": "Dogs"}}
    connection = Answering({"docs": [THERE, UNREACHED]}, {"docs": [THERE, found]})
    assert IndexReader(connection, OwnLayout("papers")).get(["1", "2"]) == [
        Document(id="1", title="Cats"),
        Document(id="2", title="Dogs"),
    ]


def test_texts_that_a_shard_has_not_analysed_do_not_count_as_empty():
    made = {"term_vectors": {"ti": {"terms": {"cat": {"tokens": [{"position": 0}]}}}}}
    connection = Answering({"docs": [UNREACHED]}, {"docs": [made]})
    analysis = ForeignAnalysis(connection, "theirs", IndexField("ti", "ti", "text"))
    assert analysis.list_terms(["cats"]) == [["cat"]]
