"""Whole documents out of an index, from a real server."""

import pytest

from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.library.opensearch import reading

COUNT = 60
PAPERS = [
    Document(id=f"{number:03d}", title=f"Cats {number}", doi="10.1/same", pmid=str(number + 1))
    for number in range(COUNT)
]


@pytest.fixture(scope="module")
def library(opensearch_url):
    with filled_library(opensearch_url, PAPERS, shards=2) as library:
        yield library


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(reading, "DOCUMENTS_AT_ONCE", 7)
    monkeypatch.setattr(reading, "DOCUMENTS_A_PAGE", 9)


def test_documents_come_in_batches_and_in_the_order_asked(library):
    ids = [paper.id for paper in reversed(PAPERS)]
    assert library.get([*ids, "nobody"]) == PAPERS[::-1]


def test_documents_of_one_key_come_in_any_number_and_each_once(library):
    assert library.find(["doi:10.1/same", "pmid:3", "title:nothing"]) == PAPERS


def test_more_keys_than_a_query_takes_are_asked_for_in_several(library, monkeypatch):
    monkeypatch.setattr(type(library._layout), "keys_at_once", 4)
    keys = [f"pmid:{number + 1}" for number in range(COUNT)]
    assert library.find(keys) == PAPERS


def test_no_keys_find_nothing(library):
    assert library.find([]) == []


def test_what_is_not_committed_does_not_come_back(opensearch_address):
    from likewise.library.opensearch.library import OpenSearchLibrary

    with OpenSearchLibrary(opensearch_address, write=True) as library:
        library.add([Document(id="1", title="Cats")])
        library._writer._send()
        library._writer._senders.wait()
        assert library.get(["1"]) == []
