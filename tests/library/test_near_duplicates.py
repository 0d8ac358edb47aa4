"""Papers that may be one are proposed, at a cost that grows with their number alone."""

import random

import pytest

from likewise.documents import Document
from likewise.library import duplicates
from likewise.library.duplicates import find_near_duplicates, join_papers, split_papers
from likewise.library.memory import MemoryLibrary

TITLE = "Sleep of nurses who work at night in the winter"
ONE = Document(id="1", doi="10.1000/a", title=TITLE, year=2001, authors=("Doe, Jane", "Roe, R"))


def library_of(*documents):
    library = MemoryLibrary()
    library.add(documents)
    library.commit()
    return library


def find_pairs(*documents):
    found = find_near_duplicates(library_of(*documents))
    return [(pair.one_id, pair.other_id) for pair in found]


@pytest.mark.parametrize(
    "title",
    [
        TITLE,
        "Sleep of nurses who work at nigth in the winter",
        "SLEEP of nurses, who work at night, in the winter: a randomised trial",
        "The sleep of nurses who work at night in winter",
    ],
)
def test_papers_of_nearly_the_same_title_are_proposed(title):
    other = Document(id="2", pmid="7", title=title, year=2001, authors=("Doe, J",))
    assert find_pairs(ONE, other) == [("1", "2")]


@pytest.mark.parametrize(
    "changed",
    [
        {"year": 2002},
        {"year": None},
        {"authors": ("Roe, R",)},
        {"authors": ()},
        {"title": "Diet of nurses who work by day in all seasons"},
        {"title": "Sleep"},
    ],
)
def test_papers_of_another_year_author_or_title_are_not(changed):
    other = {"id": "2", "pmid": "7", "title": TITLE, "year": 2001, "authors": ("Doe, J",)}
    assert find_pairs(ONE, Document(**{**other, **changed})) == []


def test_the_most_alike_come_first_with_all_that_people_need_to_decide():
    typo = Document(id="0", title=TITLE.replace("night", "nigth"), year=2001, authors=("Doe, J",),
                    source="ris:b.ris")  # fmt: skip
    twin = Document(id="2", title=TITLE, year=2001, authors=("Doe, J",), source="ris:c.ris")
    first, *others = find_near_duplicates(library_of(ONE, typo, twin))
    assert (first.one_id, first.other_id, first.likeness) == ("1", "2", 1.0)
    assert (first.year, first.author, first.other_source) == (2001, "Doe", "ris:c.ris")
    assert [pair.likeness < 1 for pair in others] == [True, True]


def test_what_a_person_has_split_is_not_proposed_again():
    twin = Document(id="2", pmid="7", title=TITLE, year=2001, authors=("Doe, J",))
    library = library_of(ONE, twin)
    join_papers(library, "1", "2")
    split_papers(library, ["1"])
    assert library.list_ids() == ["1", "2"]
    assert find_near_duplicates(library) == []


def test_among_many_papers_of_one_author_and_year_each_is_compared_with_few(monkeypatch):
    compared = []
    real = duplicates._measure_likeness
    monkeypatch.setattr(
        duplicates,
        "_measure_likeness",
        lambda *pair: compared.append(pair) or real(*pair),
    )
    words = random.Random(5).choices("abcdefghijklmnopqrstuvwxyz", k=400 * 40)
    titles = ["".join(words[start : start + 40]) for start in range(0, len(words), 40)]
    papers = [
        Document(id=str(number), title=title, year=2001, authors=("Wang, L",))
        for number, title in enumerate(titles)
    ]
    near = [
        Document(id="begins", title=titles[7][:30], year=2001, authors=("Wang, L",)),
        Document(id="ends", title="x" + titles[9][1:], year=2001, authors=("Wang, L",)),
    ]
    found = find_near_duplicates(library_of(*papers, *near))
    assert {(pair.one_id, pair.other_id) for pair in found} == {("7", "begins"), ("9", "ends")}
    assert len(compared) <= 2 * 10 * 402


def test_progress_is_told_up_to_the_end():
    told = []
    find_near_duplicates(library_of(ONE), on_progress=lambda *done: told.append(done))
    assert told == [(1, 1)]
