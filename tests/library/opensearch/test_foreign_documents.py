"""Papers of other indexes: read into documents, and looked up."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document, MeshHeading
from likewise.library.opensearch.address import Fields
from likewise.library.opensearch.foreign_documents import (
    find_values,
    make_id_query,
    make_key_query,
    read_document,
    read_year,
)
from likewise.library.opensearch.foreign_fields import ChosenFields, IndexField

PATHS = {name: name for name in Fields._fields if name != "id"}


def document(source, **paths):
    return read_document(source, paths=PATHS | paths, identifier="1", origin="theirs")


def test_a_document_is_read_where_its_parts_lie():
    source = {"meta": {"ti": "Cats"}, "ab": "They purr."}
    assert document(source, title="meta.ti", abstract="ab") == Document(
        id="1", title="Cats", abstract="They purr.", source="theirs"
    )


def test_dots_may_be_written_in_names():
    assert document({"meta.ti": "Cats"}, title="meta.ti").title == "Cats"


def test_several_texts_are_one():
    assert document({"abstract": ["Aims.", "Results."]}).abstract == "Aims. Results."


def test_the_sections_of_an_abstract_say_their_text():
    sections = [{"label": "AIMS", "text": "To purr."}, {"label": "RESULTS", "text": "Purred."}]
    assert document({"abstract": sections}).abstract == "To purr. Purred."


@pytest.mark.parametrize(
    "written",
    [
        ["Doe, Jane", "Roe, R"],
        "Doe, Jane; Roe, R",
        [{"name": "Doe, Jane"}, {"name": "Roe, R"}],
        [{"LastName": "Doe", "ForeName": "Jane"}, {"last_name": "Roe", "initials": "R"}],
    ],
)
def test_authors_are_texts_or_objects_with_a_name(written):
    assert document({"authors": written}).authors == ("Doe, Jane", "Roe, R")


@pytest.mark.parametrize(
    ("written", "year"),
    [
        (1999, 1999),
        ("1999", 1999),
        ("1999 Jan 5", 1999),
        ("2001-03-21T10:00:00Z", 2001),
        (20010321, 2001),
        # Seconds and milliseconds since 1970.
        (1_000_000_000, 2001),
        (1_000_000_000_000, 2001),
        (-1_000_000_000, 1938),
        (0, None),
        ("soon", None),
        ({"x": 1}, None),
        (True, None),
        (10**30, None),
    ],
)
def test_a_year_is_read_out_of_dates(written, year):
    assert read_year(written) == year


def test_identifiers_are_cleaned():
    found = document({"pmid": 12, "doi": "https://doi.org/10.1000/ABC", "pmcid": "pmc7"})
    assert (found.pmid, found.doi, found.pmcid) == ("12", "10.1000/abc", "PMC7")


def test_headings_are_names_or_objects():
    written = ["Rats", {"name": "Brain", "ui": "D001921", "major": True}, {"term": "Mice"}]
    assert document({"mesh": written}).mesh == (
        MeshHeading("Rats"),
        MeshHeading("Brain", "D001921", True),
        MeshHeading("Mice"),
    )


def test_keywords_and_types_may_be_written_as_one_text():
    found = document({"keywords": "purring; paws", "publication_types": ["Review"]})
    assert (found.keywords, found.publication_types) == (("purring", "paws"), ("Review",))


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["name", "ui", "text", "last", "x"]), inner, max_size=3
            )
        ),
        max_leaves=8,
    )
)
def test_whatever_is_written_a_document_comes_out(value):
    found = document(dict.fromkeys(PATHS, value))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Document) == found


def test_what_is_not_there_gives_no_values():
    assert list(find_values({"a": {"b": None}, "ab": 1}, "a.b")) == []


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
