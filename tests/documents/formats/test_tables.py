"""None"""

import pytest
from hypothesis import example, given

from documents.strategies import documents
from documents.whole_records import CITATION, EXTRA
from likewise.documents import Document, MeshHeading
from likewise.documents.formats.cells import FIELDS, from_row, to_row
from likewise.documents.formats.tables import (
    NAMES,
    Layout,
    TableRow,
    find_places,
    is_header,
    read_rows,
)
from likewise.documents.sources import BadRecordError, Complaint, Source, report_problem
from likewise.errors import ReadError

HEADER = TableRow(1, ["title", "abstract", "year"])


def below(*rows, problems=None):
    source, found = Source("t.csv"), []
    for item in read_rows(rows, header=HEADER, source=source):
        if isinstance(item, Complaint):
            report_problem(source.problem(item), None if problems is None else problems.append)
        else:
            found.append(item.document)
    return found


def test_one_known_name_makes_a_header_of_the_first_row():
    assert is_header(TableRow(1, ["x", "DOI", "y"]))


def test_further_down_a_header_needs_two():
    assert not is_header(TableRow(3, ["x", "DOI", "y"]))


def test_a_header_without_anything_to_know_documents_by_is_none():
    assert not is_header(TableRow(1, ["year", "journal"]))


def test_empty_rows_are_passed_over():
    assert len(below(TableRow(2, ["", " ", None]), TableRow(3, ["On cats"]))) == 1


def test_a_row_with_a_value_too_many_is_left_out():
    problems = []
    below(TableRow(2, ["On dogs", " small", "They bark.", "2002"]), problems=problems)
    assert str(problems[0]) == (
        "t.csv:2: a row with 1 more values than there are columns (3); "
        "check its quotes and separators"
    )


def test_empty_cells_too_many_do_no_harm():
    assert below(TableRow(2, ["On cats", "", "2001", "", ""]))[0].year == 2001


def test_a_table_without_rows_is_an_error():
    with pytest.raises(ReadError, match="a header but no rows below it"):
        below()


def row(**columns):
    return Layout(list(columns)).document(list(columns.values()))


@given(documents(**CITATION, extra=EXTRA))
@example(Document(title="x", extra=(("csv:a=b\\", "c=d; e"),)))
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
    with pytest.raises(BadRecordError, match="no title, no abstract and no identifier"):
        row(title="", journal="Nature", year="2014")


def test_a_value_of_the_wrong_kind_is_named_with_its_column():
    with pytest.raises(BadRecordError, match="title is an object where a text was expected"):
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


@pytest.mark.parametrize("spelling", ["Publication Year", "publication_year", "PUBLICATION-YEAR:"])
def test_case_spaces_and_punctuation_of_a_name_do_not_matter(spelling):
    assert find_places([spelling]) == {"year": (0,)}


def test_the_id_column_of_web_of_science_holds_keywords():
    assert find_places(["TI", "SO", "ID", "DE"])["keywords"] == (3, 2)


def test_an_id_column_elsewhere_holds_the_id():
    assert find_places(["ID", "Title"])["id"] == (0,)


def test_two_columns_of_one_name_are_both_kept():
    assert find_places(["title", "Title"]) == {"title": (0, 1)}


def test_every_field_of_a_document_has_a_name():
    assert set(FIELDS) - {"extra"} <= set(NAMES)


def test_no_name_stands_for_two_fields():
    names = " ".join(NAMES.values()).split()
    assert len(names) == len(set(names))


def test_each_of_our_own_columns_is_known_by_its_name():
    ours = [field for field in FIELDS if field != "extra"]
    assert [next(iter(find_places([field]))) for field in ours] == ours
