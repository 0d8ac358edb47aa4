from likewise.library.opensearch.foreign_documents import make_id_query, make_key_query
from likewise.library.opensearch.foreign_fields import ChosenFields, IndexField


def field(name, kind):
    return IndexField(name, name, kind)


def clauses(keys, chosen):
    return make_key_query(keys, chosen)["bool"]["should"]


def test_ids_of_the_server_are_asked_for_as_such():
    assert clauses({"id:b", "id:a"}, ChosenFields()) == [{"ids": {"values": ["a", "b"]}}]


def test_ids_of_a_field_are_its_terms():
    assert make_id_query(["a"], ChosenFields(id=field("code", "keyword"))) == {
        "terms": {"code": ["a"]}
    }


def test_what_a_field_of_numbers_can_not_hold_is_not_asked_for():
    chosen = ChosenFields(id=field("number", "integer"))
    asked = ["7", "x", "10.1000/a", "12345678901", "-3"]
    assert make_id_query(asked, chosen) == {"terms": {"number": ["7", "-3"]}}
    assert make_id_query(["x"], chosen) == {"match_none": {}}


def test_a_doi_is_found_in_either_case_and_as_a_link():
    asked = clauses({"doi:10.1/a"}, ChosenFields(identifiers={"doi": field("di", "keyword")}))
    assert asked == [
        {"terms": {"di": ["https://doi.org/10.1/a", "http://dx.doi.org/10.1/a", "doi:10.1/a"]}},
        {"term": {"di": {"value": "10.1/a", "case_insensitive": True}}},
    ]


def test_a_doi_in_a_text_is_a_phrase():
    asked = clauses({"doi:10.1/a"}, ChosenFields(identifiers={"doi": field("di", "text")}))
    assert asked == [{"match_phrase": {"di": "10.1/a"}}]


def test_a_pmcid_is_found_however_it_is_written():
    asked = clauses({"pmcid:PMC7"}, ChosenFields(identifiers={"pmcid": field("pmc", "keyword")}))
    assert asked == [{"terms": {"pmc": ["PMC7", "pmc7", "7"]}}]
    asked = clauses({"pmcid:PMC7"}, ChosenFields(identifiers={"pmcid": field("pmc", "long")}))
    assert asked == [{"terms": {"pmc": ["7"]}}]


def test_there_is_no_query_where_nothing_can_be_looked_up():
    assert make_key_query({"title:abc:1999", "pmid:1"}, ChosenFields()) is None
    assert make_key_query([], ChosenFields()) is None
