import pytest

from likewise.documents import MeshHeading
from likewise.documents.formats.cells import (
    is_nothing,
    name_kind,
    parse_list,
    read_headings,
    read_number,
    read_text,
    read_texts,
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
