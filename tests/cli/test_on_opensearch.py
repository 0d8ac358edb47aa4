"""Every command on a real server: on an index of ours, and on one that likewise did not make."""

import json
import secrets
import threading
import time
from functools import partial

import pytest

from bench.topical import labelled_documents
from cli.screening import ON_TOPIC, SEEDS
from library.opensearch.fake_server import Reply, running
from library.opensearch.theirs import ENGLISH, KEYWORD, TheirIndex, their_index
from likewise.cli import run
from likewise.documents import read, write
from likewise.library import opensearch as engine
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import PATIENCE, Connection
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of

FIELDS = "title=ti,abstract=ab,year=dp,mesh=mh"
PROPERTIES = {"ti": ENGLISH, "ab": ENGLISH, "mh": KEYWORD, "pmid": KEYWORD}


def row(document):
    names = [heading.name for heading in document.mesh]
    told = {"ti": document.title, "ab": document.abstract, "mh": names}
    return {**told, "pmid": document.pmid, "dp": str(document.year)}


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    path = tmp_path_factory.mktemp("papers") / "papers.jsonl"
    write(labelled_documents(), path)
    return str(path)


@pytest.fixture(scope="module")
def ours(opensearch_url, papers):
    index = TheirIndex(opensearch_url, f"test-{secrets.token_hex(6)}")
    assert run(["index", papers, "--into", index.address, "--shards", "2"]) == 0
    yield index.address
    for name in (index.name, f"{index.name}-likewise"):
        index.connection.ask("DELETE", f"/{name}", missing={})
    index.connection.close()


@pytest.fixture(scope="module")
def theirs(opensearch_url):
    rows = {document.id: row(document) for document in labelled_documents()}
    with their_index(opensearch_url, rows, properties=PROPERTIES) as index:
        yield index.address


@pytest.fixture(params=["ours", "theirs"])
def library(request):
    """A library as it is given to a command."""
    address = request.getfixturevalue(request.param)
    return [address] if request.param == "ours" else [address, "--fields", FIELDS]


@pytest.fixture
def ran(capsys):
    """Run a command that goes well, and return what it printed."""

    def ran(*arguments):
        capsys.readouterr()
        code = run(list(map(str, arguments)))
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed

    return ran


@pytest.fixture
def refused(capsys):
    """Run a command that fails, and return the one line that it said."""

    def refused(*arguments):
        capsys.readouterr()
        assert run(list(map(str, arguments))) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "Traceback" not in line
        return line

    return refused


# Libraries


def test_files_are_read_once(ours, papers, ran):
    printed = ran("index", papers, "--into", ours).out.splitlines()
    assert printed[:2] == [
        f"{ours}: 320 documents",
        "  files    1 file unchanged since the last time",
    ]


def test_search_finds_words(library, ran):
    lines = ran("search", *library, "honey", "hive", "--limit", 5).out.splitlines()
    assert len(lines) == 5


def test_show_takes_a_pmid(library, ran):
    (shown,) = json.loads(ran("show", *library, "PMID: 7", "--json").out)
    expected = next(document for document in labelled_documents() if document.pmid == "7")
    assert (shown["id"], shown["title"], shown["year"]) == ("7", expected.title, expected.year)


def test_info_counts_documents_and_fields(library, ran):
    told = json.loads(ran("info", *library, "--json").out)
    assert (told["documents"], told["fields"]["abstract"], told["fields"]["mesh"]) == (
        320,
        320,
        320,
    )


def test_info_does_not_say_when_an_index_of_others_changed(ours, theirs, ran):
    assert "last changed" in ran("info", ours).out
    assert "last changed" not in ran("info", theirs, "--fields", FIELDS).out


# Expansions and sessions


@pytest.fixture
def session(library, ran, tmp_path):
    path = tmp_path / "bees.likewise"
    ran("expand", *library, *SEEDS, "--session", path, "-o", tmp_path / "found.ris")
    return path


def test_a_session_is_begun_looked_at_marked_and_learned_from(session, ran):
    found = [document.id for document in read(session.with_name("found.ris"))]
    assert len(set(found) & set(ON_TOPIC)) > 0.8 * len(ON_TOPIC)
    shown = ran("next", session, "--count", 2).out.splitlines()
    first, second = (line.split("\t")[2] for line in shown)
    ran("mark", session, "--relevant", first, "--irrelevant", second)
    ran("expand", "--session", session)
    assert "1 relevant" in ran("status", session).out
    ran("export", session, "-o", session.with_name("all.csv"))
    assert first in session.with_name("all.csv").read_text()


def test_the_list_is_that_of_a_folder(ours, papers, ran, tmp_path):
    ran("index", papers, "--into", tmp_path / "lib")
    lists = [ran("expand", library, *SEEDS, "--json").out for library in (ours, tmp_path / "lib")]
    one, other = ([entry["id"] for entry in json.loads(text)["best"]] for text in lists)
    assert one == other


def test_what_is_kept_holds_the_address_and_no_secret(theirs, ran, tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_USER", "nobody-else")
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_PASSWORD", "kept-from-all")
    session, sessions = tmp_path / "bees.likewise", tmp_path / "sessions"
    found = tmp_path / "found.csv"
    ran("expand", theirs, *SEEDS, "--fields", FIELDS, "--session", session, "-o", found)
    address = f"{theirs}?{FIELDS.replace(',', '&')}"
    settings = ServerSettings(library=address, sessions=sessions)
    with client_of(make_app(settings)) as api:
        _, states = expanded_over_http(api)
    assert states[-1]["state"] == "done"
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(theirs.encode() in content for content in written) >= 2
    assert not any(b"kept-from-all" in content for content in written)
    assert not any(b"nobody-else" in content for content in written)


def expanded_over_http(api):
    """Begin a session, expand it, and return its address and the states of the job."""
    begun = api.post("/api/sessions", json={"seeds": [{"id": seed} for seed in SEEDS]}).json()
    where = f"/api/sessions/{begun['id']}"
    job = api.post(f"{where}/expansions", json={"rounds": 1}).json()["id"]
    with api.stream("GET", f"/api/jobs/{job}/events") as stream:
        told = [line.removeprefix("data: ") for line in stream.iter_lines() if "data: " in line]
    return where, [json.loads(line) for line in told]


def test_the_server_serves_a_page_and_runs_jobs(ours, tmp_path):
    with client_of(make_app(ServerSettings(library=ours, sessions=tmp_path))) as api:
        assert "320" in api.get("/").text
        where, states = expanded_over_http(api)
        entries = api.get(f"{where}/ranking").json()["entries"]
    assert states[-1]["state"] == "done"
    assert {entry["document"]["id"] for entry in entries[:5]} <= {*ON_TOPIC, *SEEDS}


def test_a_session_whose_index_is_gone_says_so(opensearch_address, papers, ran, refused, tmp_path):
    ran("index", papers, "--into", opensearch_address)
    ran("expand", opensearch_address, *SEEDS, "--session", tmp_path / "s.likewise")
    connection = Connection(parse_address(opensearch_address))
    connection.ask("DELETE", f"/{connection.address.index}")
    connection.close()
    said = refused("next", tmp_path / "s.likewise")
    assert f"its library is no longer at {opensearch_address}" in said


# The benchmark


SMALL = ("--topic", "Bees", "--seeds", 6, "--pool", 100, "--draws", 1)


def test_topics_are_looked_for(library, ran):
    told = json.loads(ran("bench", "suggest", *library, "--terms", 2, "--min", 1, "--json").out)
    assert told["documents"] == 320


def test_tasks_are_made(library, ran, tmp_path):
    ran("bench", "make", *library, *SMALL, "--out", tmp_path)
    (metadata,) = tmp_path.rglob("metadata.json")
    assert json.loads(metadata.read_text())["engine"].startswith("opensearch ")


def test_methods_run_on_them(ours, ran, tmp_path):
    tasks, results = tmp_path / "tasks", tmp_path / "results"
    ran("bench", "make", ours, *SMALL, "--out", tasks)
    ran("bench", "run", tasks, "--methods", "bm25", "--workers", 1, "--out", results)
    assert "bm25" in ran("bench", "table", results).out


# What can go wrong


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setenv(PATIENCE, "0.3")


def at(fake):
    return f"opensearch://127.0.0.1:{fake.port}/papers"


def test_no_index_of_this_name(opensearch_address, refused):
    said = refused("search", opensearch_address, "bees")
    assert said.startswith(f"likewise: {opensearch_address}: ")
    assert said.endswith(f"likewise index FILES --into {opensearch_address}")


def test_fields_that_the_index_does_not_have(theirs, refused):
    assert refused("expand", theirs, "7", "--fields", "title=tj").endswith(
        "title=tj: the index has no such field; there is ti"
    )


def test_fields_that_nobody_named(theirs, refused):
    assert refused("expand", theirs, "7").endswith("--fields title=ti,abstract=ab")


def test_an_index_of_others_is_not_written_to(theirs, papers, refused):
    assert "this index was not made by likewise" in refused("index", papers, "--into", theirs)


def test_a_wrong_password(refused, monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_USER", "someone")
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_PASSWORD", "kept-from-all")
    with running(greetings=(Reply(401, "Unauthorized", kind="text/plain"),)) as fake:
        said = refused("search", at(fake), "bees")
    assert "LIKEWISE_OPENSEARCH_PASSWORD" in said
    assert "kept-from-all" not in said


def test_a_host_that_nobody_is_at(refused):
    begun = time.monotonic()
    assert "127.0.0.1:1" in refused("search", "opensearch://127.0.0.1:1/papers", "bees")
    assert time.monotonic() - begun < 30


@pytest.mark.usefixtures("impatient")
def test_a_server_that_does_not_answer_in_time(refused, monkeypatch, caplog):
    monkeypatch.setattr(engine, "Connection", partial(Connection, timeout=0.2))
    never = threading.Event()
    with running(Reply(body={}, wait=never)) as fake:
        said = refused("search", at(fake), "bees")
        never.set()
    assert "in time" in said


def test_a_server_that_is_busy_for_a_while_is_waited_for(refused, caplog):
    busy = Reply(503, {"error": "starting", "status": 503})
    gone = Reply(404, {"error": {"type": "index_not_found_exception"}, "status": 404})
    with running(busy, busy, gone) as fake:
        assert "likewise index FILES --into" in refused("info", at(fake))
    assert len(fake.paths()) == 3
    (waiting,) = caplog.messages
    assert "503" in waiting


@pytest.mark.usefixtures("impatient")
def test_a_server_that_stays_busy_is_given_up(refused, caplog):
    with running(greetings=(Reply(503, {"error": "starting", "status": 503}),)) as fake:
        assert "503" in refused("search", at(fake), "bees")


def test_secrets_in_an_address_are_refused_and_not_repeated(refused):
    said = refused("expand", "opensearch://me:hush-hush@localhost/papers", "7")
    assert "LIKEWISE_OPENSEARCH_PASSWORD" in said
    assert "hush-hush" not in said
