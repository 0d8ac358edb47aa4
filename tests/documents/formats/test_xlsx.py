import datetime as dt
import zipfile

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.reading import read_path, written
from documents.strategies import documents
from likewise.documents import Document, read, write_annotated
from likewise.documents import write as write_file
from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats import xlsx
from likewise.documents.sources import Source
from likewise.errors import ReadError, WriteError


def workbook(tmp_path, *rows, sheets=None):
    """A workbook as Excel users make it."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, content in (sheets or {"Sheet1": rows}).items():
        sheet = book.create_sheet(title)
        for row in content:
            sheet.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    return path


def zipped(tmp_path, **parts):
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return path


def titles(path, **options):
    return [document.title for document in read(path, **options)]


@settings(max_examples=40)
@given(st.lists(documents(), min_size=1, max_size=3))
@example([Document(title="=1+1", abstract="#N/A", journal="_x000D_", language=" 12.0 ")])
@example([Document(title="x", abstract="AIM: a\n\nEND: b", keywords=("a; b", "c"))])
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("xlsx") / "t.xlsx"
    path.write_bytes(written(xlsx, some))
    assert read_path(xlsx, path) == some


def test_control_characters_are_removed_on_writing(tmp_path):
    path = tmp_path / "t.xlsx"
    write_file([Document(id="1", title="On\x00 cats\x0b\ufffe")], path)
    assert titles(path) == ["On cats"]


def test_a_text_that_no_cell_can_hold_is_refused_not_cut(tmp_path):
    long = Document(id="7", title="On cats", abstract="x" * 32_768)
    with pytest.raises(WriteError, match="document '7': its abstract takes 32,768 characters"):
        write_file([long], tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_just_fits_is_written(tmp_path):
    path = tmp_path / "t.xlsx"
    write_file([Document(id="7", abstract="x" * 32_767)], path)
    assert len(next(read(path)).abstract) == 32_767


def test_more_documents_than_rows_are_refused(monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_ROWS", 3)
    with pytest.raises(WriteError, match="an Excel sheet holds 3 rows"):
        written(xlsx, [Document(title="a")] * 3)


def test_numbers_that_excel_made_of_identifiers_are_texts_again(tmp_path):
    path = workbook(
        tmp_path, ["id", "PMID", "Title", "Year"], [17.0, 12345678.0, "On cats", 2014.0]
    )
    found = next(read(path))
    assert (found.id, found.pmid, found.year) == ("17", "12345678", 2014)


def test_a_date_gives_its_year(tmp_path):
    day = dt.datetime(2014, 3, 1)  # noqa: DTZ001  # Excel knows no time zones
    assert next(read(workbook(tmp_path, ["Title", "Date"], ["On cats", day]))).year == 2014


def test_the_header_may_come_after_other_rows(tmp_path):
    path = workbook(tmp_path, ["My export"], [], ["Title", "Abstract"], ["On cats", "They purr."])
    assert titles(path) == ["On cats"]


def test_a_header_below_the_tenth_row_is_not_looked_for(tmp_path):
    path = workbook(tmp_path, *([["x"]] * 10), ["Title", "Abstract"], ["On cats", "They purr."])
    with pytest.raises(
        ReadError, match="no header with a column that we know; the first row has 'x'"
    ):
        titles(path)


def test_empty_rows_are_passed_over(tmp_path):
    path = workbook(tmp_path, ["Title"], ["On cats"], [], [None, None], ["On dogs"])
    assert titles(path) == ["On cats", "On dogs"]


def test_the_first_sheet_with_a_header_is_read(tmp_path):
    sheets = {"Notes": [["to do"]], "Papers": [["Title"], ["On cats"]], "More": [["Title"], ["x"]]}
    assert titles(workbook(tmp_path, sheets=sheets)) == ["On cats"]


def test_the_row_of_a_record_is_known(tmp_path):
    path = workbook(tmp_path, ["My export"], ["Title", "Year"], ["On cats", 1], [], ["On dogs", 2])
    assert [record.line for record in xlsx.read(Source(path))] == [3, 5]


def test_an_escaped_carriage_return_is_a_space(tmp_path):
    assert titles(workbook(tmp_path, ["Title"], ["On_x000D_\ncats"])) == ["On cats"]


def test_a_workbook_that_is_cut_off_says_so(tmp_path):
    path = workbook(tmp_path, ["Title"], ["On cats"])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ReadError, match=r"t.xlsx: the workbook is damaged; copy it again"):
        titles(path)


def test_a_workbook_that_is_damaged_inside_says_so(tmp_path):
    path = zipped(tmp_path, xl__workbook="<workbook")
    with pytest.raises(ReadError, match="the workbook is damaged"):
        titles(path)


def test_a_sheet_that_is_damaged_says_so(tmp_path):
    path = workbook(tmp_path, ["Title"], ["On cats"])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content[:-60] if "sheet1" in name else content)
    with pytest.raises(ReadError, match="the workbook is damaged"):
        titles(path)


def test_a_zip_that_is_no_workbook_says_so(tmp_path):
    with pytest.raises(ReadError, match="a zip file, not an Excel workbook"):
        titles(zipped(tmp_path, other__document="<document/>"))


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_word_document_is_called_so_even_if_it_is_cut_off(tmp_path, share):
    path = tmp_path / "review.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<document/>")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ReadError, match="a Word document, not a list of references; export the"):
        titles(path)


def test_a_protected_or_old_workbook_says_so(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)
    with pytest.raises(ReadError, match=r"an old Excel file \(.xls\), or one that is protected"):
        titles(path)


def test_a_zip_bomb_is_refused_by_its_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_PART", 1 << 20)
    path = zipped(tmp_path, xl__workbook="<workbook/>", xl__sharedStrings=" " * (3 << 20))
    with pytest.raises(
        ReadError, match=r"sharedStrings.xml in it unpacks to 3 MB, more than 100 times"
    ):
        titles(path)


def test_a_workbook_inside_gzip_is_read_and_written(tmp_path):
    path = tmp_path / "t.xlsx.gz"
    write_file([Document(id="1", title="On cats")], path)
    assert titles(path) == ["On cats"]


def test_an_interrupted_writer_leaves_nothing_open(tmp_path):
    def interrupted():
        yield Document(title="On cats")
        raise KeyError("stop")

    with pytest.raises(KeyError):
        write_file(interrupted(), tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_halves_of_characters_are_joined_or_replaced(tmp_path):
    cell = "bad _xD800_ here, good _xD83D__xDE3A_ there"
    assert titles(workbook(tmp_path, ["title"], [cell])) == [
        "bad \ufffd here, good \U0001f63a there"
    ]


def test_what_has_no_field_and_no_room_in_a_cell_is_left_out(tmp_path):
    references, fund = ("csv:References", "a; _x" * 10_000), ("csv:Fund", "Ward fund")
    document = Document(id="1", title="x", extra=(references, fund))
    (tmp_path / "t.xlsx").write_bytes(written(xlsx, [document]))
    assert read_path(xlsx, tmp_path / "t.xlsx") == [Document(id="1", title="x", extra=(fund,))]


def sheet_of(tmp_path, *annotated):
    write_annotated(annotated, tmp_path / "t.xlsx")
    return openpyxl.load_workbook(tmp_path / "t.xlsx").active


BEES = Document(id="7", title="On bees", year=2019, doi="10.1/A<b", pmid="12", pmcid="PMC3")


def test_the_header_stays_in_sight_and_filters(tmp_path):
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES), AnnotatedDocument(BEES))
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref.startswith("A1:")
    assert sheet.auto_filter.ref.endswith("3")
    assert sheet["A1"].font.bold


def test_a_title_has_more_room_than_a_year(tmp_path):
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES))
    widths = {cell.value: sheet.column_dimensions[cell.column_letter].width for cell in sheet[1]}
    assert (widths["title"], widths["year"]) == (60, 13)


def test_identifiers_lead_to_where_a_paper_can_be_read(tmp_path):
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES))
    cells = {head.value: cell for head, cell in zip(sheet[1], sheet[2], strict=True)}
    assert (cells["doi"].value, cells["doi"].hyperlink.target) == (
        "10.1/A<b",
        "https://doi.org/10.1/A%3Cb",
    )
    assert cells["pmid"].hyperlink.target == "https://pubmed.ncbi.nlm.nih.gov/12"
    assert cells["pmcid"].hyperlink.target == "https://pmc.ncbi.nlm.nih.gov/articles/PMC3"
    assert cells["title"].hyperlink is None


def test_more_links_than_excel_opens_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_LINKS", 3)
    sheet = sheet_of(tmp_path, *[AnnotatedDocument(BEES)] * 3)
    linked = [cell for row in sheet for cell in row if cell.hyperlink]
    assert {cell.row for cell in linked} == {2}


def test_numbers_are_numbers(tmp_path):
    notes = {"rank": 3, "probability": 0.25, "mark": "relevant"}
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES, notes))
    cells = {head.value: cell.value for head, cell in zip(sheet[1], sheet[2], strict=True)}
    assert (cells["rank"], cells["probability"], cells["year"]) == (3, 0.25, 2019)
    assert cells["pmid"] == "12"


def test_in_a_session_s_table_what_matters_comes_first(tmp_path):
    notes = {"rank": 3, "score": 1.0, "probability": 0.25, "reason": "letter", "mark": "irrelevant"}
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES, notes))
    names = [cell.value for cell in sheet[1]]
    assert names[:6] == ["rank", "probability", "mark", "reason", "id", "title"]
    assert names[-1] == "score"


def test_in_any_other_table_notes_come_last(tmp_path):
    sheet = sheet_of(tmp_path, AnnotatedDocument(BEES, {"rank": 3, "mark": "relevant"}))
    assert [sheet["A1"].value, sheet[1][-1].value] == ["id", "mark"]
