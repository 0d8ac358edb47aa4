"""Nodes and processes are lost in the middle of the work, and nothing else is.

Three nodes on this machine, started and killed by the script that LIKEWISE_TEST_CLUSTER names:
`start 3` prints the address of the first, the others listen on the next ports; `kill N`, `stop`.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import islice
from urllib.parse import urlsplit

import pytest

import likewise
from likewise.library import Query, Term
from likewise.library.indexing import IndexSettings
from likewise.library.intake import Intake
from likewise.library.opensearch import writer
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection

NODES = (1, 2, 3)
DOCUMENTS = 6000


class Cluster:
    """Three nodes; killed ones come back when a whole cluster is asked for."""

    def __init__(self, script):
        self._script = script
        self._is_whole = False
        self._port = 0

    def _run(self, *command):
        done = subprocess.run([self._script, *command], check=True, capture_output=True, text=True)
        return done.stdout

    def make_whole(self):
        if not self._is_whole:
            self.stop()
            self._port = urlsplit(self._run("start", str(len(NODES))).split()[-1]).port
            self._is_whole = True

    def kill(self, node):
        self._is_whole = False
        self._run("kill", str(node))

    def stop(self):
        self._run("stop")

    def address(self, index, *, first=1):
        """Return an address with all nodes, one of them first."""
        order = [first, *(node for node in NODES if node != first)]
        hosts = ",".join(f"127.0.0.1:{self._port + node - 1}" for node in order)
        return f"opensearch://{hosts}/{index}"


@contextmanager
def asking(address):
    connection = Connection(parse_address(address))
    try:
        yield connection.ask
    finally:
        connection.close()


@pytest.fixture(scope="module")
def nodes():
    script = os.environ.get("LIKEWISE_TEST_CLUSTER")
    if not script:
        pytest.skip(
            "LIKEWISE_TEST_CLUSTER is not set to a script that starts and kills nodes; "
            "tests/cluster/test_lost_nodes.py says what it has to do"
        )
    cluster = Cluster(script)
    yield cluster
    cluster.stop()


@pytest.fixture
def cluster(nodes):
    nodes.make_whole()
    return nodes


@pytest.fixture(scope="module")
def abstracts(shared_data, tmp_path_factory):
    """A file of real documents, each of them once."""
    path = tmp_path_factory.mktemp("abstracts") / "abstracts.jsonl"
    some = islice(likewise.read(shared_data / "mesh.jsonl.gz"), DOCUMENTS + 100)
    with likewise.open_library(path.parent / "lib", write=True) as library:
        intake = Intake(library)
        intake.take(list(some))
        intake.commit()
        ids = library.list_ids()[:DOCUMENTS]
        likewise.write(library.get(ids), path)
    return path


def ids_in(path):
    return sorted(document.id for document in likewise.read(path))


def make_library(address, *, replicas=1):
    likewise.open_library(address, write=True, shards=2, replicas=replicas).close()


def with_a_primary(address, *, besides=()):
    """Return a node that has the primary of a shard of the library."""
    name = parse_address(address).index
    with asking(address) as ask:
        shards = ask("GET", f"/_cat/shards/{name}", params={"format": "json"})
    nodes = [int(shard["node"].removeprefix("node")) for shard in shards if shard["prirep"] == "p"]
    return next(node for node in nodes if node not in besides)


def settings_of(address):
    name = parse_address(address).index
    with asking(address) as ask:
        answer = ask("GET", f"/{name}/_settings", params={"flat_settings": "true"})
    kept = answer[name]["settings"]
    return kept.get("index.refresh_interval"), kept["index.number_of_replicas"]


def every_id(address):
    with likewise.open_library(address) as library:
        return library.list_ids()


def test_a_node_lost_while_indexing_costs_no_document(cluster, abstracts, monkeypatch):
    # Small batches, so that some are under way whenever it happens.
    monkeypatch.setattr(writer, "BATCH_DOCUMENTS", 100)
    make_library(cluster.address("papers"))
    lost = with_a_primary(cluster.address("papers"))
    address = cluster.address("papers", first=lost)
    killed_at = []

    def kill_in_the_middle(progress):
        if progress.documents > DOCUMENTS / 3 and not killed_at:
            killed_at.append(progress.documents)
            cluster.kill(lost)

    settings = IndexSettings(commit_documents=1500)
    report = likewise.index_files(
        abstracts, address, settings=settings, on_progress=kill_in_the_middle
    )
    assert DOCUMENTS / 3 < killed_at[0] < DOCUMENTS / 2
    assert (report.documents, report.counts.added) == (DOCUMENTS, DOCUMENTS)
    assert every_id(address) == ids_in(abstracts)
    assert settings_of(address) == (None, "1")


def test_a_process_that_was_killed_while_indexing_is_made_up_for(cluster, abstracts):
    address = cluster.address("interrupted")
    make_library(address, replicas=2)
    kill_while_indexing(address, abstracts)
    assert settings_of(address) == ("-1", "1")
    report = likewise.index_files(abstracts, address)
    assert report.documents == DOCUMENTS
    assert every_id(address) == ids_in(abstracts)
    assert settings_of(address) == (None, "2")


def test_a_node_lost_while_expanding_changes_nothing(cluster, abstracts):
    address = cluster.address("expanded")
    make_library(address)
    likewise.index_files(abstracts, address)
    seeds = seeds_on("Parenteral Nutrition", abstracts)
    expected = likewise.expand(address, seeds)
    lost = with_a_primary(address)
    killed_in = []

    def kill_in_the_middle(progress):
        if progress.stage == "documents" and not killed_in:
            killed_in.append(progress.stage)
            cluster.kill(lost)

    found = likewise.expand(address, seeds, on_progress=kill_in_the_middle)
    assert killed_in == ["documents"]
    assert found.pool_size > DOCUMENTS / 3
    assert places(found) == places(expected)


def test_a_node_lost_while_searching_changes_no_answer(cluster, abstracts):
    address = cluster.address("searched")
    make_library(address)
    likewise.index_files(abstracts, address)
    query = Query((Term("abstract", "patient"), Term("abstract", "rat")))
    with likewise.open_library(address) as library:
        expected = library.find_best(query, limit=1000)
        killer = threading.Thread(target=cluster.kill, args=(with_a_primary(address),))
        killer.start()
        found = [library.find_best(query, limit=1000).ids for _ in range(20)]
        killer.join()
    assert len(expected) == 1000
    assert found == [expected.ids] * 20


def seeds_on(heading, path, *, count=20):
    on_topic = (d for d in likewise.read(path) if heading in {given.name for given in d.mesh})
    return list(islice(on_topic, count))


def places(expansion):
    return [(place.id, place.rank, place.decision) for place in expansion.ranking]


def kill_while_indexing(address, path):
    """Index in another process, and kill it when some documents have arrived."""
    name = parse_address(address).index
    command = [sys.executable, "-m", "likewise", "index", str(path), "--into", address]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process, asking(address) as ask:
        until = time.monotonic() + 60
        arrived = 0
        while arrived < 500 and process.poll() is None and time.monotonic() < until:
            stats = ask("GET", f"/{name}/_stats/indexing")
            arrived = stats["_all"]["primaries"]["indexing"]["index_total"]
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
