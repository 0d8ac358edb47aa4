"""Names and lists in BibTeX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.strategies import texts
from likewise.documents.formats.bibtex import read_list, read_names, write_list, write_names


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Doe, Jane", ("Doe, Jane",)),
        ("Jane Doe", ("Doe, Jane",)),
        ("Jane~A. Doe", ("Doe, Jane A.",)),
        ("Plato", ("Plato",)),
        ("Ludwig van Beethoven", ("van Beethoven, Ludwig",)),
        ("van Beethoven, Ludwig", ("van Beethoven, Ludwig",)),
        ("King, Jr, Martin", ("King, Martin, Jr",)),
        ("{World Health Organization}", ("World Health Organization",)),
        ("{Barnes and Noble} AND Doe, J", ("Barnes and Noble", "Doe, J")),
        ("Doe, J\n  and Roe, R", ("Doe, J", "Roe, R")),
        ("Doe, J and others", ("Doe, J",)),
        ("Charles de la Vall{\\'e}e Poussin", ("de la Vallée Poussin, Charles",)),
        ("{\\'E}mile Zola", ("Zola, Émile",)),
        ("Anderson, Andy", ("Anderson, Andy",)),
        ("", ()),
    ],
)
def test_names(value, names):
    assert read_names(value) == names


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("a, b", ("a", "b")),
        ("a, b; c", ("a, b", "c")),
        ("{a, b}, c", ("a, b", "c")),
        ("a,, b,", ("a", "b")),
        ("", ()),
    ],
)
def test_lists(value, items):
    assert read_list(value) == items


@given(names=st.lists(texts(1, 4).filter(lambda name: name != "others")))
def test_any_names_are_read_back(names):
    assert read_names(write_names(names)) == tuple(names)


@given(items=st.lists(texts(1, 4)))
def test_any_list_is_read_back(items):
    assert read_list(write_list(items)) == tuple(items)
