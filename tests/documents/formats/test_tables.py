import pytest

from likewise.documents.formats.tables import TableRow, is_header, read_rows
from likewise.documents.sources import Source
from likewise.errors import ReadError

HEADER = TableRow(1, ["title", "abstract", "year"])


def below(*rows, problems=None):
    source = Source("t.csv", on_problem=problems.append if problems is not None else None)
    return list(read_rows(rows, header=HEADER, source=source))


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
