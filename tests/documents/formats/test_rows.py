import pytest
from hypothesis import example, given

from documents.strategies import documents
from likewise.documents import Document, MeshHeading
from likewise.documents.formats.tables import Layout, RowError, from_row, to_row


def row(**columns):
    return Layout(list(columns)).document(list(columns.values()))


@given(documents())
@example(Document(title="x", year=79))
@example(Document(title="x", keywords=("a; b", "c\\", "\\;", "; ", " d")))
@example(Document(title="x", mesh=(MeshHeading("*a"), MeshHeading(":", major=True))))
@example(Document(title="x", mesh=(MeshHeading("", ui="D000818"), MeshHeading("D1:a"))))
def test_a_row_of_ours_comes_back_as_it_was(document):
    assert from_row(to_row(document)) == document


def test_mesh_headings_are_written_for_people_to_read():
    mesh = (MeshHeading("Animals", ui="D000818"), MeshHeading("Brain", major=True))
    assert to_row(Document(mesh=mesh))["mesh"] == "D000818:Animals; *Brain"


def test_the_first_column_that_is_filled_wins():
    assert row(title="NA", primary_title="On cats").title == "On cats"


def test_author_and_index_keywords_are_put_together():
    found = row(title="x", **{"Index Keywords": "sleep; work", "Author Keywords": "work; nurses"})
    assert found.keywords == ("work", "nurses", "sleep")


def test_a_date_gives_the_year():
    assert row(title="x", date="2014-03-01").year == 2014


def test_a_year_that_is_none_leaves_it_to_the_next_column():
    assert row(title="x", year="n.d.", publication_date="March 2014").year == 2014


def test_identifiers_are_cleaned():
    found = row(doi="https://doi.org/10.1000/ABC", pubmed_id="PMID: 7", pmc_id="3456")
    assert (found.doi, found.pmid, found.pmcid) == ("10.1000/abc", "7", "PMC3456")


def test_identifiers_of_databases_are_kept_with_their_scheme():
    assert row(title="x", EID="2-s2.0-84").other_ids == ("eid:2-s2.0-84",)


def test_a_database_in_the_source_column_is_not_where_we_read_it():
    assert row(title="x", source="Scopus").source == ""


def test_a_source_that_we_wrote_is_kept():
    assert row(title="x", source="ris:refs.ris").source == "ris:refs.ris"


def test_an_abstract_alone_is_a_document():
    assert row(abstract="They purr.").abstract == "They purr."


def test_a_row_with_nothing_to_know_it_by_is_refused():
    with pytest.raises(RowError, match="no title, no abstract and no identifier"):
        row(title="", journal="Nature", year="2014")


def test_a_value_of_the_wrong_kind_is_named_with_its_column():
    with pytest.raises(RowError, match="title is an object where a text was expected"):
        row(title={"en": "On cats"})


def test_columns_of_ours_are_read_exactly_in_any_order_and_with_others_between():
    document = Document(id="1", title="a  b", authors=("Smith J",))
    cells = {"score": "0.5", **dict(reversed(to_row(document).items()))}
    assert row(**cells) == document


def test_columns_of_ours_with_some_deleted_are_still_understood():
    document = Document(title="x", authors=("Li, Na",), mesh=(MeshHeading("Cats", ui="D002415"),))
    cells = to_row(document)
    del cells["source"]
    assert row(**cells) == document
