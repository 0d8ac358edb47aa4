"""Queries in the server's words."""

import math
from types import SimpleNamespace

import pytest

from library.opensearch.answering import Answering
from likewise.errors import LibraryError
from likewise.library import Query, Term
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.searches import (
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
