"""Limits on year, language and publication type: how they are spelled, and what fulfils them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.library.where import ValueLimit, Where, list_spellings

TRIAL = Document(
    id="1", year=2015, language="eng", publication_types=("Journal Article", "Clinical Trial")
)
REVIEW = Document(id="2", year=1999, language="German; French", publication_types=("Review",))
BARE = Document(id="3")

years = st.none() | st.integers(2, 9_998)
values = st.lists(st.sampled_from(["eng", "fre", "klingon"]), min_size=1, max_size=3, unique=True)
limits = st.builds(
    lambda field, some, not_: ValueLimit(field, tuple(sorted(some)), not_),
    st.sampled_from(["language", "type"]),
    values,
    st.booleans(),
)
wheres = st.builds(
    lambda first, last, some: Where(
        *((first, last) if None in (first, last) else sorted((first, last))),
        tuple(sorted(set(some))),
    ),
    years,
    years,
    st.lists(limits, max_size=3),
)


@given(wheres)
def test_a_limit_is_read_back_from_its_spelling(where):
    assert Where.parse(str(where)) == where


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("", ""),
        ("year>=2010", "year>=2010"),
        (" Year > 2009 ", "year>=2010"),
        ("year<2010", "year<=2009"),
        ("year>=2010, year<=2010", "year=2010"),
        ("year>=2010 and year>=2012 AND year<=2020", "year>=2012 and year<=2020"),
        ("type=Review, language=English", "language=eng and type=review"),
        ("language=en|fr", "language=eng|fre"),
        ("language=en or german", "language=eng|ger"),
        ("language!=ENG", "language!=eng"),
        ("language=pt-BR", "language=por"),
        ("type=Clinical Trial, Phase II", "type=clinical trial, phase ii"),
        ("type=Research and  Development,year=1999", "year=1999 and type=research and development"),
    ],
)
def test_a_limit_has_one_spelling(text, spelled):
    assert str(Where.parse(text)) == spelled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recent", "'recent' is not a condition; write, for example, year>=2010"),
        ("journal=Lancet", "'journal=Lancet' names none of year, language and type"),
        ("year>=MMX", "'MMX' is not a year"),
        ("year>=", "'' is not a year"),
        ("year=0", "'0' is not a year"),
        ("year!=2010", "years take =, >=, <=, > and <, not !="),
        ("type>review", "type takes = and !=, not >"),
        ("type=", "type= has nothing after it"),
        ("year>=2020, year<=2010", "no year meets 'year>=2020, year<=2010'"),
    ],
)
def test_what_is_no_limit_is_refused_in_one_line(text, message):
    with pytest.raises(SettingsError) as caught:
        Where.parse(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "fulfilling"),
    [
        ("", "123"),
        ("year>=2000", "1"),
        ("year<=2000", "2"),
        ("year=1999", "2"),
        ("language=English", "1"),
        ("language=fr", "2"),
        ("language!=eng", "23"),
        ("type=clinical trial", "1"),
        ("type=clinical trial|review", "12"),
        ("type!=review", "13"),
        ("type=clinical trial and type=journal article", "1"),
        ("type=review and language=eng", ""),
    ],
)
def test_documents_fulfil_all_conditions_or_are_left_out(text, fulfilling):
    where = Where.parse(text)
    papers = [TRIAL, REVIEW, BARE]
    assert "".join(paper.id for paper in papers if where.matches(paper)) == fulfilling


def test_no_limit_is_false():
    assert not Where.parse("  ")
    assert Where.parse("year>=2010")


def test_what_is_no_known_language_is_spelled_as_it_is():
    assert list_spellings("language", "klingon") == ["klingon"]
