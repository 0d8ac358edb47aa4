"""A server that is killed: what it said was saved is there, and what it did is told."""

import http.client
import json
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from expansion.corpus import corpus, library_in, seeds_on
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.server.jobs.worker import AHEAD
from server.serving import served, wait_until

CLIENTS = 4
ENOUGH = 40
"""How many marks have been acknowledged when the server is killed."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("killed") / "lib", *corpus())


@pytest.fixture(scope="module")
def expanded_file(library, tmp_path_factory):
    path = tmp_path_factory.mktemp("expanded") / "expanded.likewise"
    given = {"library": library, "fingerprint": "", "seeds": seeds_on("sugar")}
    with Session.make(path, **given) as session:
        expand_session(session)
    return path


def ask(server, method, path, body=None, *, token=""):
    """Ask a server, as the reviewer of a token if one is given; return status and answer."""
    host = server.address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=30)
    headers = {"Content-Type": "application/json"}
    try:
        text = None if body is None else json.dumps(body)
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        connection.request(method, path, text, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class Markers:
    """Clients that mark documents one by one, until the server does not answer any more."""

    def __init__(self, server, session, documents):
        self.server = server
        self.path = f"/api/sessions/{session}/marks"
        self.documents = documents
        self.saved = {}
        self.are_enough = threading.Event()

    def mark(self, number):
        """Mark each of this client's documents; keep what was acknowledged."""
        for document in self.documents[number::CLIENTS]:
            label = ("relevant", "irrelevant", "maybe")[number % 3]
            try:
                status, _ = ask(self.server, "POST", self.path, {"labels": {document: label}})
            except (OSError, http.client.HTTPException):
                return
            assert status == 200
            self.saved[document] = label
            if len(self.saved) >= ENOUGH:
                self.are_enough.set()


def test_no_acknowledged_mark_is_lost_when_the_server_is_killed(library, expanded_file, tmp_path):
    documents = [document.id for document in corpus()]
    with served(library, tmp_path / "sessions") as server, ThreadPoolExecutor(CLIENTS) as pool:
        session = server.put(expanded_file)
        markers = Markers(server, session, documents)
        running = [pool.submit(markers.mark, number) for number in range(CLIENTS)]
        assert markers.are_enough.wait(30)
        server.kill()
        assert [one.result() for one in running] == [None] * CLIENTS
    saved = dict(markers.saved)
    assert len(saved) < len(documents)
    with served(library, tmp_path / "sessions") as again:
        _, answer = ask(again, "GET", f"/api/sessions/{session}/marks")
    standing = {mark["document"]: mark["label"] for mark in answer["marks"]}
    assert saved.items() <= standing.items()
    # A mark may be on the disk though its answer did not come through; one a client at most.
    assert len(standing) - len(saved) <= CLIENTS


class Team:
    """Two reviewers who mark the same documents at once, each by their token."""

    def __init__(self, server, session, documents):
        self.server, self.documents = server, documents
        self.path = f"/api/sessions/{session}/marks"
        self.saved = {"Ann": {}, "Bo": {}}
        self.are_enough = threading.Event()

    def mark(self, name, labels):
        """Mark each document, the labels in turn; keep what was acknowledged."""
        token = self.server.tokens()[name]
        for number, document in enumerate(self.documents):
            body = {"labels": {document: labels[number % len(labels)]}}
            try:
                status, _ = ask(self.server, "POST", self.path, body, token=token)
            except (OSError, http.client.HTTPException):
                return
            assert status == 200
            self.saved[name] |= body["labels"]
            if min(map(len, self.saved.values())) >= ENOUGH // 2:
                self.are_enough.set()


def test_no_mark_of_either_reviewer_is_lost_when_the_server_is_killed(
    library, expanded_file, tmp_path
):
    documents = [document.id for document in corpus()]
    reviewers = ["--reviewer", "Ann", "--reviewer", "Bo"]
    labels = {"Ann": ("relevant", "irrelevant"), "Bo": ("relevant", "maybe", "irrelevant")}
    with (
        served(library, tmp_path / "sessions", *reviewers) as server,
        ThreadPoolExecutor(2) as pool,
    ):
        team = Team(server, server.put(expanded_file), documents)
        running = [pool.submit(team.mark, name, of) for name, of in labels.items()]
        assert team.are_enough.wait(60)
        server.kill()
        assert [one.result() for one in running] == [None, None]
    with Session.open(next((tmp_path / "sessions").glob("*.likewise"))) as session:
        opinions = session.opinions()
    for name, saved in team.saved.items():
        own = {one: given.find_own(name) for one, given in opinions.items()}
        standing = {document: mark.label for document, mark in own.items() if mark}
        assert saved.items() <= standing.items()
        # A mark may be on the disk though its answer did not come through.
        assert len(standing) - len(saved) <= 1
    # Started again, it knows both by the tokens that they had.
    before = server.tokens()
    with served(library, tmp_path / "sessions", *reviewers) as again:
        assert again.tokens() == before
        status, answer = ask(again, "GET", team.path, token=before["Ann"])
    assert status == 200
    shown = {mark["document"] for mark in answer["marks"]}
    assert team.saved["Ann"].keys() <= shown


def test_a_job_of_a_killed_server_is_told_as_failed_and_starts_again(
    library, expanded_file, tmp_path
):
    with served(library, tmp_path / "sessions") as server:
        session = server.put(expanded_file)
        status, job = ask(server, "POST", f"/api/sessions/{session}/expansions", {})
        assert status == 202
        with server.held() as workers:
            server.kill()
        psutil.wait_procs(workers, timeout=30)
        assert [worker.is_running() for worker in workers] == [False]
    with served(library, tmp_path / "sessions") as again:
        _, told = ask(again, "GET", f"/api/jobs/{job['id']}")
        assert told["state"] == "failed"
        assert "the server ended" in told["error"]
        _, there = ask(again, "GET", f"/api/sessions/{session}")
        assert there["expansions"] == 1
        status, job = ask(again, "POST", f"/api/sessions/{session}/expansions", {})
        assert status == 202
        path = f"/api/jobs/{job['id']}"
        assert wait_until(lambda: ended(again, path)) == "done"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_that_reads_files_outlives_the_server(library, tmp_path, how):
    with served(library, tmp_path / "sessions") as server:
        ask(server, "POST", "/api/seeds", {"text": "7"})
        children = psutil.Process(server.process.pid).children()
        assert any("upload_worker" in word for one in children for word in one.cmdline())
        server.process.send_signal(how)
        server.process.wait(30)
        _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_spare_worker_outlives_the_server(library, expanded_file, tmp_path, how):
    with served(library, tmp_path / "sessions") as server:
        session = server.put(expanded_file)
        document = corpus()[0].id
        ask(server, "POST", f"/api/sessions/{session}/marks", {"labels": {document: "maybe"}})
        spares = wait_until(lambda: list_spares(server))
        server.process.send_signal(how)
        server.process.wait(30)
        _, alive = psutil.wait_procs(spares, timeout=30)
    assert alive == []


def list_spares(server):
    """Return the processes that a server started ahead."""
    children = psutil.Process(server.process.pid).children()
    return [one for one in children if AHEAD in one.cmdline()]


def ended(server, path):
    """Return how a job ended, or "" if it has not."""
    _, job = ask(server, "GET", path)
    return "" if job["state"] in {"waiting", "running"} else job["state"]
