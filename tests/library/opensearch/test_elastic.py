"""The whole library on something that behaves as Elasticsearch 8 does."""

import secrets
from contextlib import contextmanager

import pytest

from library.opensearch.elastic import elastic
from library.opensearch.theirs import ENGLISH, KEYWORD, their_index
from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryError
from likewise.library import Query, Term, open_library
from likewise.library.memory import MemoryLibrary
from likewise.library.more_like import MoreLike, more_like_these
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.protocol import Heading

WORDS = ["purring", "whisker", "litter", "kitten", "feline"]
PAPERS = [
    Document(
        id=f"{number:02d}",
        title=f"{'Cats' if number < 12 else 'Dogs'} and {WORDS[number % 5]}",
        abstract=" ".join([*WORDS[: number % 4], "behaviour"] * (1 + number % 3)),
        pmid=str(1000 + number),
        mesh=(MeshHeading("Cats", "D002415"),) if number < 12 else (),
    )
    for number in range(25)
]
QUERY = Query((Term("title", "cat", 2.0), Term("abstract", "behaviour")), 1)
WINDOW = 5


@pytest.fixture(scope="module")
def server(opensearch_url):
    with elastic(opensearch_url) as server:
        yield server


@contextmanager
def made(server):
    """An index whose hits come five at once."""
    address = f"elasticsearch://127.0.0.1:{server.port}/test-{secrets.token_hex(6)}"
    connection = Connection(parse_address(address))
    index = connection.address.index
    try:
        with open_library(address, write=True) as library:
            library.add(PAPERS)
            library.commit()
        settings = {"index": {"max_result_window": WINDOW}}
        connection.ask("PUT", f"/{index}/_settings", body=settings)
        yield address
    finally:
        for name in (index, f"{index}-likewise"):
            connection.ask("DELETE", f"/{name}", missing={})
        connection.close()


@pytest.fixture(scope="module")
def address(server):
    with made(server) as address:
        yield address


@pytest.fixture
def library(address):
    with open_library(address) as library:
        yield library


@pytest.fixture(scope="module")
def reference():
    library = MemoryLibrary()
    library.add(PAPERS)
    library.commit()
    return library


def test_it_says_who_it_is(library):
    assert library.engine == "elasticsearch 8.15.0"


def test_what_was_indexed_is_there(library):
    assert library.count() == 25
    assert library.get(["07", "03", "99"]) == [PAPERS[7], PAPERS[3]]
    assert library.find(["pmid:1004"]) == [PAPERS[4]]


def test_hits_of_several_pages_are_those_of_other_engines(library, reference):
    found, expected = library.find_best(QUERY, limit=20), reference.find_best(QUERY, limit=20)
    assert found.ids == expected.ids
    assert found.scores == pytest.approx(expected.scores, rel=1e-4)


def test_several_pages_are_held_together_by_a_point_in_time(library, server):
    asked_before = len(server.asked)
    library.find_best(QUERY, limit=20)
    paths = [asked.path.partition("?")[0] for asked in server.asked[asked_before:]]
    assert paths[0] == f"/{library.address.index}/_pit"
    assert set(paths[1:-1]) == {"/_search"}
    assert paths[-1] == "/_pit"


def test_all_ids_come_in_order_over_several_pages(library):
    assert library.list_ids() == [paper.id for paper in PAPERS]


def test_seeds_find_what_other_engines_find(library, reference):
    found, expected = (
        more_like_these(each, PAPERS[:5], limit=10, settings=MoreLike(max_terms=8)).hits.ids
        for each in (library, reference)
    )
    assert found
    assert found == expected


def test_frequencies_and_headings_are_counted(library):
    assert library.document_frequencies("title", ["cat", "dog", "cow"]) == {
        "cat": 12,
        "dog": 13,
        "cow": 0,
    }
    assert library.count_headings() == {Heading("Cats", "D002415"): 12}


def test_documents_are_replaced_and_deleted(server):
    # In an index of its own: servers count what was deleted into their scores for a while.
    with made(server) as address, open_library(address, write=True) as library:
        library.add([Document(id="00", title="Cows")])
        library.delete(["01", "02"])
        library.commit()
        assert library.count() == 23
        assert library.get(["00"]) == [Document(id="00", title="Cows")]


def test_an_address_of_opensearch_works_on_elasticsearch_too(address):
    with open_library(address.replace("elasticsearch://", "opensearch://")) as library:
        assert library.list_ids() == [paper.id for paper in PAPERS]
        assert library.engine == "elasticsearch 8.15.0"


def test_an_address_of_elasticsearch_works_on_opensearch_too(address, opensearch_url):
    index, url = parse_address(address).index, opensearch_url.partition("://")[2]
    with open_library(f"elasticsearch://{url}/{index}") as library:
        assert library.list_ids() == [paper.id for paper in PAPERS]
        assert library.engine.startswith("opensearch ")


@pytest.mark.parametrize("named", ["", "&id=pm"], ids=["known by _id", "known by a field"])
def test_indexes_of_others_are_read_in_pages_too(server, opensearch_url, named):
    rows = {
        f"k{number}": {"ti": f"Cats {number % 3}", "pm": number, "mh": ["Cats"]}
        for number in range(14)
    }
    properties = {"ti": ENGLISH, "pm": {"type": "long"}, "mh": KEYWORD}
    small = {"max_result_window": WINDOW}
    with their_index(opensearch_url, rows, properties=properties, settings=small) as index:
        address = f"elasticsearch://127.0.0.1:{server.port}/{index.name}?title=ti&pmid=pm&mesh=mh"
        with open_library(address + named) as library:
            ids = sorted(str(row["pm"]) if named else key for key, row in rows.items())
            found = library.find_best(Query((Term("title", "cat"),)), limit=20).ids
            assert (sorted(found), library.list_ids(), library.count()) == (ids, ids, 14)
            assert [paper.id for paper in library.get(ids)] == ids
            assert [paper.pmid for paper in library.find(["pmid:7"])] == ["7"]
            assert library.analyze("title", "Of cats") == ["cat"]
            assert library.document_frequencies("title", ["cat"]) == {"cat": 14}
            assert library.count_headings() == {Heading("Cats"): 14}


def test_what_only_opensearch_knows_is_refused(server):
    address = parse_address(f"elasticsearch://127.0.0.1:{server.port}/papers")
    connection = Connection(address, patience=0)
    with pytest.raises(LibraryError, match="no handler found"):
        connection.ask("POST", "/papers/_search/point_in_time", params={"keep_alive": "1m"})
    with pytest.raises(LibraryError, match="unrecognized parameter"):
        connection.ask("GET", "/_cluster/health", params={"cluster_manager_timeout": "1s"})
    connection.close()
