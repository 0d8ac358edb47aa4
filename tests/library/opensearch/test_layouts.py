"""Documents in an index of ours: there and back, and what they are found by."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.strategies import documents
from likewise.documents import Document, MeshHeading
from likewise.library.analysis import analyze_text
from likewise.library.opensearch.layouts import NOTHING, Hit, OwnLayout
from likewise.library.protocol import Heading

PAPER = Document(
    id="7",
    title="The rats' livers",
    abstract="Insulin, insulin!",
    pmid="7",
    other_ids=("id:old",),
    mesh=(MeshHeading("Rats", "D051381", major=True), MeshHeading("Brain")),
    source="ris:a.ris",
)
LAYOUT = OwnLayout("papers")


def find_of(document):
    return json.loads(LAYOUT.to_source(document))["find"]


def answered(document):
    """What the server answers with: the source, without what it is found by."""
    source = json.loads(LAYOUT.to_source(document))
    del source["find"]
    hit = json.dumps({"_index": "papers", "_id": document.id, "found": True, "_source": source})
    return msgspec.json.decode(hit, type=Hit)


@given(document=documents())
def test_what_is_stored_comes_back_whole(document):
    assert LAYOUT.read_document(answered(document)) == document


def test_a_source_is_one_line():
    assert b"\n" not in LAYOUT.to_source(Document(id="1", abstract="Two\nlines\r\n"))


def test_a_document_is_found_by_the_terms_of_our_analysis():
    found = find_of(PAPER)
    assert (found["title"], found["abstract"]) == ("rat liver", "insulin insulin")


def test_a_document_is_found_by_its_id_and_all_its_keys():
    found = find_of(PAPER)
    assert (found["id"], found["key"][:-1]) == ("7", ["id:7", "id:old", "pmid:7"])


def test_its_last_key_is_of_no_document_that_differs_in_anything():
    others = [
        msgspec.structs.replace(PAPER, **{name: "x"}) for name in ("id", "title", "doi", "source")
    ]
    keys = [find_of(paper)["key"][-1] for paper in (PAPER, msgspec.structs.replace(PAPER), *others)]
    assert (keys[0] == keys[1], len(set(keys))) == (True, 5)


def test_a_document_is_found_by_its_headings_whole():
    assert find_of(PAPER)["mesh"] == [":Brain", "D051381:Rats"]


def test_a_document_says_what_it_has_and_where_it_is_from():
    found = find_of(PAPER)
    assert found["has"] == ["title", "abstract", "pmid", "other_ids", "mesh"]
    assert found["source"] == "ris:a.ris"


@pytest.mark.parametrize("text", ["", "the of and", "+++"])
def test_a_text_without_terms_has_one_that_no_text_makes(text):
    assert find_of(Document(id="1", title=text))["title"] == NOTHING
    assert list(analyze_text(NOTHING)) == []


def test_an_id_that_the_server_takes_is_kept_as_it_is():
    assert LAYOUT.find_stored_id("10.1016/j.x") == "10.1016/j.x"
    assert LAYOUT.find_stored_id("x" * 512) == "x" * 512


@given(st.text(min_size=257, max_size=1000))
def test_longer_ids_become_short_ones(identifier):
    # Of two bytes each at least, so that they are beyond the limit.
    stored = LAYOUT.find_stored_id(identifier.replace("\0", "ü") + "ü" * 256)
    assert stored.startswith("long-")
    assert len(stored) == 37


def test_different_long_ids_stay_apart():
    assert LAYOUT.find_stored_id("x" * 600) != LAYOUT.find_stored_id("x" * 601)


@pytest.mark.parametrize("heading", [Heading("Rats", "D051381"), Heading("Acids, 18:1")])
def test_headings_come_back_from_the_values_that_they_are_held_under(heading):
    assert LAYOUT.parse_heading(LAYOUT.spell_heading(heading)) == heading


def test_all_indexes_behind_a_name_have_both_fields():
    layout = OwnLayout("both", ("a", "b"))
    assert layout.holders == {"title": ("a", "b"), "abstract": ("a", "b")}
    assert OwnLayout("papers").holders["title"] == ["papers"]


def test_documents_of_a_name_that_stands_for_several_indexes_are_searched_for():
    assert not OwnLayout("both", ("a", "b")).is_direct
    assert OwnLayout("papers", ("papers",)).is_direct
