"""Searches: what is asked, and hits page by page."""

import math
from types import SimpleNamespace

import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.errors import ClusterError, LibraryError
from likewise.library import Query, Term
from likewise.library.opensearch import searches as pages_module
from likewise.library.opensearch.connection import WHOLE
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.searches import (
    Pages,
    find_score_scale,
    make_document_search,
    make_having_query,
    make_id_search,
    make_text_query,
)
from likewise.library.protocol import Heading

LAYOUT = OwnLayout("papers")


PARTIAL = SimpleNamespace(
    text={"title": "ti", "abstract": None}, id_field=None, source_fields=("ti", "year")
)
"""The layout of an index that has no abstracts, and no field that ids can be sorted by."""


def test_each_term_is_a_clause_with_its_weight():
    query = Query((Term("title", "cat", 2.5), Term("abstract", "dog")), 2)
    assert make_text_query(query, LAYOUT) == {
        "bool": {
            "should": [
                {"term": {"find.title": {"value": "cat", "boost": 2.5}}},
                {"term": {"find.abstract": {"value": "dog", "boost": 1.0}}},
            ],
            "minimum_should_match": 2,
        }
    }


@pytest.mark.parametrize("minimum", [0, -3])
def test_at_least_one_term_must_match(minimum):
    found = make_text_query(Query((Term("title", "cat"),), minimum), LAYOUT)
    assert found["bool"]["minimum_should_match"] == 1


def test_terms_of_a_field_that_the_index_lacks_are_left_out():
    query = Query((Term("title", "cat"), Term("abstract", "dog")))
    assert make_text_query(query, PARTIAL)["bool"]["should"] == [
        {"term": {"ti": {"value": "cat", "boost": 1.0}}}
    ]


@pytest.mark.parametrize(
    "query",
    [Query(()), Query((Term("abstract", "cat"),)), Query((Term("title", "cat"),), 2)],
)
def test_a_query_that_nothing_can_match_is_not_asked(query):
    assert make_text_query(query, PARTIAL) is None


@pytest.mark.parametrize("weight", [-1.0, math.inf, math.nan, 1e300])
def test_a_weight_that_servers_do_not_take_is_named(weight):
    with pytest.raises(LibraryError, match=r"^the weight of 'cat' is (-1.0|inf|nan|1e\+300);"):
        make_text_query(Query((Term("title", "cat", weight),)), LAYOUT)


def test_nothing_is_not_less_than_nothing():
    clause = make_text_query(Query((Term("title", "cat", -0.0),)), LAYOUT)
    assert str(clause["bool"]["should"][0]["term"]["find.title"]["boost"]) == "0.0"


def test_scores_are_scaled_by_a_boost_of_the_whole():
    query = Query((Term("title", "cat"),))
    assert make_text_query(query, LAYOUT, scale=2.2)["bool"]["boost"] == 2.2
    assert "boost" not in make_text_query(query, LAYOUT)["bool"]


@pytest.mark.parametrize(
    ("distribution", "version", "scale"),
    [
        ("opensearch", "2.5.0", 1.0),
        ("opensearch", "3.0.0", 2.2),
        ("opensearch", "10.1.0", 2.2),
        ("opensearch", "", 1.0),
        ("elasticsearch", "8.15.0", 1.0),
        ("elasticsearch", "9.0.0", 1.0),
    ],
)
def test_scores_of_servers_that_leave_out_a_factor_get_it_back(distribution, version, scale):
    assert find_score_scale(Answering(distribution=distribution, version=version)) == scale


def test_documents_must_have_a_heading_of_each_term():
    terms = [[Heading("Rats", "D1"), Heading("Mice")], [Heading("Brain")]]
    assert make_having_query(terms, LAYOUT)["bool"]["filter"] == [
        {"terms": {"find.mesh": [":Mice", "D1:Rats"]}},
        {"terms": {"find.mesh": [":Brain"]}},
    ]


def test_without_terms_every_document_is_meant():
    assert make_having_query([], LAYOUT) == {"match_all": {}}


def test_ids_come_out_of_what_hits_are_sorted_by():
    search = make_id_search({"match_all": {}}, LAYOUT, scored=True)
    assert search["sort"] == [{"_score": "desc"}, {"find.id": "asc"}]
    assert (search["stored_fields"], search["_source"]) == ("_none_", False)


def test_where_ids_can_not_be_sorted_by_they_are_read():
    search = make_id_search({"match_all": {}}, PARTIAL, scored=False)
    assert search["sort"] == [{"_seq_no": "asc"}]
    assert "stored_fields" not in search


def test_of_whole_documents_only_what_makes_them_is_asked_for():
    assert make_document_search({"match_all": {}}, LAYOUT)["_source"] is True
    assert make_document_search({"match_all": {}}, PARTIAL)["_source"] == ["ti", "year"]


SEARCH = {"query": {"match_all": {}}, "sort": [{"find.id": "asc"}]}
LOST = ClusterError("gone", status=404, kinds=frozenset({"search_context_missing_exception"}))
POINT = {"pit_id": "p"}
DONE = {}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(pages_module, "AGAIN", 0.0)


def page(*ids):
    return {"hits": {"hits": [{"sort": [identifier]} for identifier in ids]}}


def hits_of(connection, *, wanted=None, window=2, search=SEARCH):
    pages = Pages(connection, OwnLayout("papers", window=window), params={"a": "b"})
    return [hit.sort for hit in pages.read_hits(search, wanted=wanted)]


def test_what_fits_into_one_page_is_one_request():
    connection = Answering(page("1", "2"))
    assert hits_of(connection, wanted=2) == [("1",), ("2",)]
    assert connection.asked == [
        ("POST", "/papers/_search", {**SEARCH, "size": 2}, {"a": "b"}),
    ]


def test_all_hits_are_one_request_where_they_do_not_fill_a_page():
    connection = Answering(page("1"))
    assert hits_of(connection) == [("1",)]
    assert len(connection.asked) == 1


def test_more_than_a_page_is_asked_for_at_one_point_in_time():
    # The last of a full page comes again: others that tie with it may be on the next.
    connection = Answering(POINT, page("1", "2"), page("2", "3"), page("3"), DONE)
    assert hits_of(connection, wanted=9) == [("1",), ("2",), ("3",)]
    assert connection.paths == [
        "POST /papers/_search/point_in_time",
        "POST /_search",
        "POST /_search",
        "POST /_search",
        "DELETE /_search/point_in_time",
    ]


def test_each_page_begins_where_the_one_before_ended():
    connection = Answering(POINT, page("1", "2"), page("2", "3"), page("3"), DONE)
    hits_of(connection, wanted=9)
    assert [body.get("search_after") for body in connection.bodies[1:4]] == [None, ("1",), ("2",)]


def test_a_point_in_time_that_is_named_anew_is_followed():
    renamed = page("1", "2") | {"pit_id": "q"}
    connection = Answering(POINT, renamed, page("2"), DONE)
    hits_of(connection, wanted=9)
    assert [body["pit"]["id"] for body in connection.bodies[1:3]] == ["p", "q"]


def test_no_more_hits_than_wanted_come_back():
    connection = Answering(POINT, page("1", "2"), page("2", "3"), page("3", "4"), DONE)
    assert hits_of(connection, wanted=3) == [("1",), ("2",), ("3",)]


def test_hits_that_tie_where_a_page_ends_all_come():
    connection = Answering(POINT, page("1", "2", "2"), page("2", "2", "3"), page("3"), DONE)
    found = hits_of(connection, wanted=99, window=3)
    assert found == [("1",), ("2",), ("2",), ("3",)]


def test_a_page_of_one_tie_is_taken_rather_than_asked_for_for_ever():
    connection = Answering(POINT, page("1", "1"), page(), DONE)
    assert hits_of(connection, wanted=9) == [("1",), ("1",)]


def test_what_a_server_adds_to_the_sort_values_is_sent_back_but_not_shown():
    first = {"hits": {"hits": [{"sort": ["1", 77]}, {"sort": ["2", 78]}]}}
    last = {"hits": {"hits": [{"sort": ["2", 78]}]}}
    connection = Answering(POINT, first, last, DONE)
    assert hits_of(connection, wanted=9) == [("1",), ("2",)]
    assert connection.bodies[2]["search_after"] == ("1", 77)


def test_pages_whose_point_in_time_is_lost_are_all_asked_for_again():
    connection = Answering(
        POINT, page("1", "2"), LOST, DONE, {"pit_id": "q"}, page("1", "2"), page("2"), DONE
    )
    assert hits_of(connection, wanted=9) == [("1",), ("2",)]


def test_pages_of_a_node_that_is_gone_are_asked_for_again():
    gone = ClusterError("not ready", status=503)
    connection = Answering(POINT, gone, DONE, POINT, page("1"), DONE)
    assert hits_of(connection, wanted=9) == [("1",)]


def test_a_search_that_is_refused_is_not_tried_again():
    refused = ClusterError("no", status=400)
    connection = Answering(POINT, refused, DONE)
    with pytest.raises(ClusterError, match="no"):
        hits_of(connection, wanted=9)
    assert connection.paths[-1] == "DELETE /_search/point_in_time"


def test_patience_ends():
    connection = Answering(POINT, LOST, DONE, patience=0.0)
    with pytest.raises(ClusterError, match="gone"):
        hits_of(connection, wanted=9)


def test_a_point_in_time_that_can_not_be_ended_is_left_to_end_by_itself():
    connection = Answering(POINT, page("1"), ClusterError("busy", status=429))
    assert hits_of(connection, wanted=9) == [("1",)]


def test_elasticsearch_has_another_name_for_points_in_time():
    connection = Answering({"id": "e"}, page("1"), DONE, distribution="elasticsearch")
    hits_of(connection, wanted=9)
    assert (connection.paths[0], connection.paths[-1]) == ("POST /papers/_pit", "DELETE /_pit")
    assert connection.bodies[-1] == {"id": "e"}


def test_pages_of_a_real_server_are_as_good_as_one(opensearch_url):
    papers = [Document(id=str(number), title="cats") for number in range(20)]
    with filled_library(opensearch_url, papers, shards=2) as library:
        connection, layout = library._connection, library._layout
        search = make_id_search({"match_all": {}}, layout, scored=False)
        found = Pages(connection, layout, params=WHOLE, page=7).read_hits(search)
        assert [hit.sort[0] for hit in found] == sorted(str(number) for number in range(20))
