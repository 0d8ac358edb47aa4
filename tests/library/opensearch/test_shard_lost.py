"""Reading from an index of which the server has lost a part: an error, or patience, never less."""

import secrets
import threading
from urllib.parse import urlsplit

import pytest

from library.opensearch.kept import delete_library
from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library import Query, Term
from likewise.library.opensearch import OpenSearchLibrary, searches
from likewise.library.opensearch import connection as connection_module
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import PATIENCE, Connection
from likewise.library.opensearch.layouts import make_index_body

CATS = Query((Term("title", "cat"),))
READINGS = {
    "search": lambda library: library.find_best(CATS, limit=5).ids,
    "pages": lambda library: library.find_best(CATS, limit=200_000).ids,
    "get": lambda library: library.get(["1", "2", "3"]),
    "find": lambda library: library.find(["pmid:3"]),
    "exact": lambda library: library.find_exact([Document(id="1")]),
    "frequencies": lambda library: library.document_frequencies("title", ["cat"]),
    "count": lambda library: library.count(),
    "info": lambda library: library.info().documents,
    "headings": lambda library: library.count_headings(),
    "having": lambda library: library.list_ids(),
}
NOTHING = {"exact": set(), "frequencies": {"cat": 0}, "count": 0, "info": 0, "headings": {}}


@pytest.fixture
def address(opensearch_url, monkeypatch):
    """The address of an index that no node of the server may hold."""
    monkeypatch.setattr(searches, "AGAIN", 0.05)
    monkeypatch.setattr(connection_module, "WHOLE_PAUSE", 0.05)
    address = f"opensearch://{urlsplit(opensearch_url).netloc}/test-{secrets.token_hex(6)}"
    body = make_index_body(shards=2, replicas=0)
    body["settings"]["index"]["routing.allocation.require._name"] = "nobody"
    ask(address, "PUT", "", body=body, params={"wait_for_active_shards": "0"})
    yield address
    delete_library(address)


def ask(address, method, path, **how):
    connection = Connection(parse_address(address))
    connection.ask(method, f"/{connection.address.index}{path}", **how)
    connection.close()


@pytest.mark.parametrize("reading", READINGS)
def test_what_can_not_be_reached_is_an_error(address, monkeypatch, reading):
    monkeypatch.setenv(PATIENCE, "0.1")
    with (
        OpenSearchLibrary(address) as library,
        pytest.raises(LibraryError, match="look at the cluster's health"),
    ):
        READINGS[reading](library)


def test_what_comes_back_is_waited_for(address):
    anywhere = {"index.routing.allocation.require._name": None}
    back = threading.Timer(0.3, ask, (address, "PUT", "/_settings"), {"body": anywhere})
    with OpenSearchLibrary(address) as library:
        back.start()
        found = {name: read(library) for name, read in READINGS.items()}
    back.join()
    assert found == {name: [] for name in READINGS} | NOTHING


def test_notes_of_papers_that_can_not_be_reached_are_not_taken_for_none(address, monkeypatch):
    nowhere = {"settings": {"index": {"routing.allocation.require._name": "nobody"}}}
    ask(address, "PUT", "-likewise", body=nowhere, params={"wait_for_active_shards": "0"})
    monkeypatch.setenv(PATIENCE, "0.1")
    with (
        OpenSearchLibrary(address) as library,
        pytest.raises(LibraryError, match="look at the cluster's health"),
    ):
        library.read_papers(["1"])
