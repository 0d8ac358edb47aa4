"""TLS, and who asks: what is sent, what is refused, and that no secret is ever told."""

import base64
import logging
import re
import socket
import traceback
from pathlib import Path

import pytest

from library.opensearch.fake_server import GREETING, Reply, make_certificate, running
from likewise.documents import Document, write
from likewise.errors import LibraryError
from likewise.library import Query, Term, open_library
from likewise.library.indexing import index_files
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.client import PatientClient
from likewise.library.opensearch.connection import Connection

pytestmark = pytest.mark.usefixtures("nothing_is_set")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def ask():
    """Ask for the number of documents at an address, once."""
    opened = []

    def ask(address, *, patience=2.0):
        opened.append(Connection(parse_address(address), patience=patience))
        return opened[-1].ask("GET", "/papers/_count")

    yield ask
    for connection in opened:
        connection.close()


@pytest.fixture
def password(monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_USER", "reader")
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_PASSWORD", "s3cret")


def test_a_trusted_certificate_is_enough(ask, certificate, monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_CA", str(certificate))
    with running(certificate=certificate) as server:
        assert ask(f"opensearch+https://localhost:{server.port}/papers") == {"ok": True}


def test_a_certificate_that_nobody_vouches_for_is_refused(ask, certificate):
    with running(certificate=certificate) as server, pytest.raises(LibraryError) as caught:
        ask(f"opensearch+https://localhost:{server.port}/papers", patience=60)
    said = str(caught.value)
    assert "is not trusted (self-signed certificate); set LIKEWISE_OPENSEARCH_CA" in said


def test_a_certificate_of_another_name_is_refused(ask, certificate, monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_CA", str(certificate))
    wrong = pytest.raises(LibraryError, match=r"certificate is not valid for '127\.0\.0\.1'")
    with running(certificate=certificate) as server, wrong:
        ask(f"opensearch+https://127.0.0.1:{server.port}/papers")


def test_certificates_are_not_checked_where_that_is_asked_for(
    ask, certificate, monkeypatch, caplog
):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_INSECURE", "1")
    with running(certificate=certificate) as server:
        assert ask(f"opensearch+https://127.0.0.1:{server.port}/papers") == {"ok": True}
    (told,) = [record.getMessage() for record in caplog.records]
    assert "LIKEWISE_OPENSEARCH_INSECURE is set" in told


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_without_certificates_is_named(ask, monkeypatch, tmp_path, content):
    path = tmp_path / "ca.pem"
    if content:
        path.write_text(content)
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_CA", str(path))
    with pytest.raises(LibraryError, match=r"LIKEWISE_OPENSEARCH_CA is .*ca\.pem.*PEM file"):
        ask("opensearch+https://localhost/papers")


def test_tls_spoken_to_a_plain_port_is_understood(ask):
    with (
        running() as server,
        pytest.raises(LibraryError, match=r"does not speak TLS; .* without \+http"),
    ):
        ask(f"opensearch+https://127.0.0.1:{server.port}/papers", patience=60)


def test_plain_requests_to_a_port_of_tls_are_understood(ask, certificate):
    wrong = pytest.raises(LibraryError, match=r"expects TLS; .*\+https")
    with running(certificate=certificate) as server, wrong:
        ask(f"opensearch://127.0.0.1:{server.port}/papers", patience=60)


@pytest.mark.parametrize("kind", ["opensearch", "elasticsearch"])
def test_the_api_key_goes_into_the_header(ask, monkeypatch, kind):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_API_KEY", "a2V5")
    with running() as server:
        ask(f"{kind}://127.0.0.1:{server.port}/papers")
        assert server.last("authorization") == "ApiKey a2V5"


def test_user_and_password_go_into_the_header(ask, password):
    with running() as server:
        ask(f"opensearch://127.0.0.1:{server.port}/papers")
        sent = server.last("authorization")
    assert sent == "Basic " + base64.b64encode(b"reader:s3cret").decode()


def test_every_host_gets_what_netrc_says_of_it(ask, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b\nmachine localhost login c password d\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with running(greetings=(Reply(503, {}),)) as starting:
        hosts = f"127.0.0.1:{starting.port},localhost:{starting.port}"
        with pytest.raises(LibraryError):
            ask(f"opensearch://{hosts}/papers", patience=2)
        sent = {asked.headers["authorization"] for asked in starting.asked}
    assert sent == {f"Basic {base64.b64encode(it).decode()}" for it in (b"a:b", b"c:d")}


def test_requests_to_amazon_are_signed_on_their_way(ask, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **rest: real("127.0.0.1", *more))
    with running() as server:
        ask(f"opensearch://search-x.us-east-1.es.amazonaws.com:{server.port}/papers")
        sent = server.last("authorization")
        assert server.last("x-amz-date").endswith("Z")
    assert sent.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/us-east-1/es/aws4_request" in sent


def test_a_wrong_password_is_said_at_once_and_not_told(ask, password):
    refusal = Reply(401, "Unauthorized", kind="text/plain")
    with running(greetings=(refusal,)) as server, pytest.raises(LibraryError) as caught:
        ask(f"opensearch://127.0.0.1:{server.port}/papers", patience=60)
    assert str(caught.value).endswith(
        "does not accept LIKEWISE_OPENSEARCH_USER and LIKEWISE_OPENSEARCH_PASSWORD (401); "
        "check whether that is right"
    )


def test_what_a_server_sends_back_of_a_secret_is_hidden(ask, password, caplog):
    sent = base64.b64encode(b"reader:s3cret").decode()
    echo = Reply(400, {"error": {"type": "x", "reason": f"got s3cret and Basic {sent}"}})
    caplog.set_level(logging.DEBUG)
    hidden = pytest.raises(LibraryError, match=r"got \*\*\* and Basic \*\*\*")
    with running(echo) as server, hidden as caught:
        ask(f"opensearch://127.0.0.1:{server.port}/papers")
    told = caplog.text + "".join(traceback.format_exception(caught.value))
    assert "s3cret" not in told
    assert sent not in told


def test_a_connection_is_printed_without_secrets(password):
    connection = Connection(parse_address("opensearch://localhost/papers"))
    assert repr(connection) == "Connection('opensearch://localhost:9200/papers')"


def test_a_host_that_the_password_is_not_for_is_told_none_and_the_user_is_told_why(
    ask, password, monkeypatch
):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_HOST", "search.example.org")
    refused = pytest.raises(LibraryError, match="add it to LIKEWISE_OPENSEARCH_HOST")
    with running(greetings=(Reply(401, {}),)) as server, refused:
        ask(f"opensearch://127.0.0.1:{server.port}/papers")
    assert not any("authorization" in asked.headers for asked in server.asked)


def test_redirects_are_not_followed_with_a_password(ask, password):
    with running() as elsewhere:
        away = (("Location", f"http://127.0.0.1:{elsewhere.port}/"),)
        no_cluster = pytest.raises(LibraryError, match="does not answer as OpenSearch does")
        with running(greetings=(Reply(302, headers=away),)) as server, no_cluster:
            ask(f"opensearch://127.0.0.1:{server.port}/papers")
        assert not elsewhere.asked


def test_a_password_in_the_clear_is_warned_of_unless_it_stays_here(password, caplog):
    Connection(parse_address("opensearch://localhost/papers"))
    assert not caplog.records
    Connection(parse_address("opensearch://search.example.org/papers"))
    assert "can be read on the way to search.example.org:9200" in caplog.text


def test_bodies_are_compressed_on_their_way_to_others(monkeypatch):
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **rest: real("127.0.0.1", *more))
    with running(greetings=(Reply(body=GREETING),)) as server:
        for host in ("localhost", "search.example.org"):
            connection = Connection(parse_address(f"opensearch://{host}:{server.port}/papers"))
            connection.ask("POST", "/papers/_bulk", body=b"{}\n" * 100)
            connection.close()
        sizes = [len(asked.body) for asked in server.asked if asked.method == "POST"]
    assert sizes[0] == 300
    assert sizes[1] < 100


DOCS = Path(__file__).parents[3] / "docs" / "how-to" / "opensearch.md"
READING = {
    "GET /": "cluster:monitor/main",
    "GET /INDEX": "indices:admin/get",
    "GET /INDEX/_doc": "indices:data/read/get",
    "GET /INDEX/_search_shards": "indices:admin/shards/search_shards",
    "GET /INDEX/_stats": "indices:monitor/stats",
    "POST /INDEX/_mget": "indices:data/read/mget",
    "POST /INDEX/_search": "indices:data/read/search",
    "POST /INDEX/_termvectors": "indices:data/read/tv",
    "POST /_search": "indices:data/read/search",
    "POST /INDEX/_search/point_in_time": "indices:data/read/point_in_time/create",
    "DELETE /_search/point_in_time": "indices:data/read/point_in_time/delete",
}
WRITING = READING | {
    "GET /_cluster/health": "cluster:monitor/health",
    "GET /INDEX/_settings": "indices:monitor/settings/get",
    "POST /INDEX/_bulk": "indices:data/write/bulk",
    "POST /INDEX/_refresh": "indices:admin/refresh",
    "PUT /INDEX": "indices:admin/create",
    "PUT /INDEX/_settings": "indices:admin/settings/update",
}
"""What a cluster calls the rights that each request needs."""
RARE = {"indices:admin/mapping/put", "indices:data/write/delete/byquery"}
"""To write to an index of an earlier likewise, and to forget the notes of one that was deleted."""


@pytest.fixture
def asked(monkeypatch):
    """The kinds of requests that are sent."""
    kinds, send = set(), PatientClient.send

    def note(client, request, *, patience):
        path = re.sub("/test-[^/?]+", "/INDEX", request.path.partition("?")[0])
        path = re.sub("(_doc|health|_stats)/.*", r"\1", path)
        kinds.add(f"{request.method} {path}")
        return send(client, request, patience=patience)

    monkeypatch.setattr(PatientClient, "send", note)
    return kinds


@pytest.fixture
def filled(opensearch_address, tmp_path):
    """A library that files were indexed into, twice."""
    papers = [Document(id=str(number), title="Cats", pmid=str(number)) for number in range(1, 9)]
    for _ in range(2):
        write(papers, tmp_path / "papers.jsonl")
        index_files(tmp_path / "papers.jsonl", opensearch_address)
    return opensearch_address


def test_whoever_writes_asks_for_nothing_but_what_the_docs_name(asked, filled):
    assert asked <= WRITING.keys()
    assert {"PUT /INDEX", "POST /INDEX/_bulk", "PUT /INDEX/_settings"} <= asked


def test_whoever_reads_asks_for_nothing_but_what_the_docs_name(filled, asked):
    with open_library(filled) as library:
        library.info()
        library.get(library.list_ids())
        library.document_frequencies("title", ["cat"])
        library.find_best(Query((Term("title", "cat"),)), limit=200_000)
        library.read_papers(["1"])
    assert asked == READING.keys()


def test_the_docs_name_every_right():
    text = DOCS.read_text()
    assert [right for right in {*WRITING.values(), *RARE} if right not in text] == []
