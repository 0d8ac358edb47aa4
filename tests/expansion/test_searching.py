import pytest

from likewise.documents import Document
from likewise.expansion import searching
from likewise.expansion.searching import search_library
from likewise.library.memory import MemoryLibrary

DOCUMENTS = [
    Document(id="1", title="Sleep apnea in adults", year=2015, publication_types=("Review",)),
    Document(id="2", title="Apnea, and sleep in children", year=2011, journal="The Lancet"),
    Document(id="3", title="Insomnia", abstract="Sleep of adults.", year=2005),
    Document(id="4", title="A study (part 2): sleep", year=2020),
]


@pytest.fixture
def library():
    made = MemoryLibrary()
    made.add(DOCUMENTS)
    made.commit()
    return made


def ids(result):
    return sorted(one.document.id for one in result.found)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("sleep apnea", ["1", "2", "3", "4"]),
        ('"sleep apnea"', ["1"]),
        ("sleep NOT children", ["1", "3", "4"]),
        ("insomnia OR apnea", ["1", "2", "3"]),
        ("sleep year:2010..", ["1", "2", "4"]),
        ("sleep journal:lancet", ["2"]),
        ("sleep type:review", ["1"]),
        ("title:insomnia", ["3"]),
        # A title that was pasted is words, whatever signs are in it.
        ("A study (part 2): sleep", ["1", "2", "3", "4"]),
    ],
)
def test_a_search_takes_what_filters_take(library, line, found):
    result = search_library(library, line, limit=10)
    assert ids(result) == found
    assert result.complaint == ""


def test_what_a_search_does_not_understand_is_said(library):
    said = search_library(library, '"sleep" tag:rct', limit=10).complaint
    assert said.startswith(
        "“tag:” is not a field, so its words were searched for; the fields are: year:,"
    )


def test_a_search_without_a_word_that_is_to_occur_says_so(library):
    result = search_library(library, "year:2010.. NOT children", limit=10)
    assert (ids(result), result.complaint) == (
        [],
        "a search needs a word to look for, besides fields and NOT",
    )


def test_pages_of_a_filtered_search_follow_one_another(library):
    pages = [search_library(library, "sleep NOT xyz", limit=3, offset=n) for n in (0, 3)]
    assert [one.has_more for one in pages] == [True, False]
    assert sorted(ids(pages[0]) + ids(pages[1])) == ["1", "2", "3", "4"]


def test_a_search_that_gives_up_says_where(library, monkeypatch):
    monkeypatch.setattr(searching, "MOST_LOOKED_AT", 2)
    said = search_library(library, "sleep NOT xyz", limit=10).complaint
    assert said == "only the best 2 documents were looked through"
