"""What is read out of an index: documents, ids and counts."""

import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.library.opensearch import reading
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.reading import IndexReader
from likewise.library.protocol import Heading, LibraryInfo

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
    from likewise.library.opensearch import OpenSearchLibrary

    with OpenSearchLibrary(opensearch_address, write=True) as library:
        library.add([Document(id="1", title="Cats")])
        library._writer._send()
        library._writer._senders.wait()
        assert library.get(["1"]) == []


LAYOUT = OwnLayout("papers")


def counted(*buckets, others=0):
    found = [{"key": key, "doc_count": number} for key, number in buckets]
    return {"aggregations": {"headings": {"buckets": found, "sum_other_doc_count": others}}}


def test_headings_come_with_the_number_of_their_documents():
    connection = Answering(counted(("D1:Rats", 3), (":Brain", 1)))
    expected = {Heading("Rats", "D1"): 3, Heading("Brain"): 1}
    assert IndexReader(connection, LAYOUT).count_headings() == expected


def test_documents_are_counted_in_all_shards_or_not_at_all():
    connection = Answering({"hits": {"total": {"value": 7}}})
    assert IndexReader(connection, LAYOUT).count() == 7
    assert connection.asked[0][3] == {"allow_partial_search_results": "false"}


def test_more_values_than_come_at_once_are_asked_for_in_parts():
    parts = [counted((f"D{number}:A", 1)) for number in range(4)]
    connection = Answering(counted(("D0:A", 1), others=9), *parts)
    assert len(IndexReader(connection, LAYOUT).count_headings()) == 4
    asked = [body["aggs"]["headings"]["terms"].get("include") for body in connection.bodies]
    assert asked == [None, *({"partition": n, "num_partitions": 4} for n in range(4))]


def test_info_takes_counts_as_lists_and_by_name():
    aggregations = {
        "fields": {"buckets": {"year": {"doc_count": 0}, "title": {"doc_count": 2}}},
        "sources": {
            "buckets": [{"key": "ris:a", "doc_count": 1}, {"key": "ris:b", "doc_count": 2}]
        },
    }
    searched = {"hits": {"total": {"value": 2}}, "aggregations": aggregations}
    stored = {"_all": {"total": {"store": {"size_in_bytes": 99}}}}
    info = IndexReader(Answering(searched, stored), LAYOUT)._describe(changed="2026-01-01")
    expected = LibraryInfo(2, {"title": 2}, {"ris:b": 2, "ris:a": 1}, 99, "2026-01-01")
    assert info == expected
    assert list(info.sources) == ["ris:b", "ris:a"]
