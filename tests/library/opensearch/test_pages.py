"""Hits in pages, from prepared answers and from a real server."""

import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.errors import ClusterError
from likewise.library.opensearch import searches as pages_module
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.searches import WHOLE, Pages, make_id_search

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
    return [hit.sort for hit in pages.hits(search, wanted=wanted)]


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
        found = Pages(connection, layout, params=WHOLE, page=7).hits(search)
        assert [hit.sort[0] for hit in found] == sorted(str(number) for number in range(20))
