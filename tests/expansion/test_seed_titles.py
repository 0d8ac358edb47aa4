"""Pasted titles are matched with the library's, whatever became of them on the way."""

from itertools import islice

import pytest

from likewise.documents import Document, read
from likewise.expansion.seed_sources import parse_papers
from likewise.expansion.seeds import find_by_title, match_seeds
from likewise.library.memory import MemoryLibrary

SHIFTS = "Sleep of shift workers in winter: a cohort of nurses"
PAPERS = [
    Document(id="shifts", title=SHIFTS, year=1999),
    Document(id="bakers", title="Sleep of shift workers in winter nights of bakers", year=2001),
    Document(id="rats", title="Effects of exercise on blood pressure in rats.", year=2002),
    Document(id="attention", title="Attention is enough", pmid="5", year=2017),
    Document(id="e1", title="Editorial on bees", year=2001),
    Document(id="e2", title="Editorial on bees", year=2002),
    Document(id="owls", title="On &lt;i&gt;Strix&lt;/i&gt; owls, their calls", year=2003),
]


@pytest.fixture
def library():
    library = MemoryLibrary()
    library.add(PAPERS)
    library.commit()
    return library


def matched(library, text):
    return [document.id for document in match_seeds(library, parse_papers(text)).matched]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SHIFTS, "shifts"),
        (SHIFTS.upper() + ".", "shifts"),
        ("Sleep of shift workers in winter \u2013 a Cohort of Nurses", "shifts"),
        ("Attention is enough.", "attention"),
        ("Effects of exercise on blood pressure", "rats"),
        ("Effects of exercise on blood pressure in r...", "rats"),
        ("Effects of exercise on blood pressure in rats: a trial", "rats"),
        ("Effects of exercise on blood pressure in rats (abstract)", "rats"),
        ("Effects of exercise on blood pressure in rats - a trial", "rats"),
        ("Smith J, Li N. Effects of exercise on blood pressure in rats. J Cats 2002;1:2.", "rats"),
        ("Sleep of shift workers in winter: a cohort", "shifts"),
    ],
)
def test_a_title_is_found_as_a_person_has_it(library, text, expected):
    assert matched(library, text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Effects of exercise on blood pressure in rats with diabetes",
        "No effects of exercise on blood pressure in rats",
        "Sleep of shift workers in winter",
        "Effects of exercise",
        "Editorial on bees",
        "Something else about the sleep of cats",
        "of the and",
    ],
)
def test_a_title_that_may_be_another_s_is_used_as_text(library, text):
    seeds = match_seeds(library, parse_papers(text))
    assert (seeds.matched, [paper.title for paper in seeds.text_only]) == ((), [text])


def test_a_word_that_the_library_does_not_know_is_not_found(library):
    seeds = match_seeds(library, parse_papers("Editorial\nrats\nnobody"))
    assert ([seed.id for seed in seeds.matched], seeds.not_found) == (
        ["rats"],
        ("Editorial", "nobody"),
    )


def test_a_title_and_an_id_of_one_paper_are_one_seed(library):
    assert matched(library, f"{SHIFTS}\nshifts\nrats\nEffects of exercise on blood pressure") == [
        "shifts",
        "rats",
    ]


@pytest.mark.parametrize(
    "paper",
    [
        Document(id="x", title=SHIFTS, year=2005),
        Document(id="x", title=SHIFTS, pmid="77"),
        Document(id="x", title="Attention is enough", abstract="Of another kind."),
        Document(id="x", title="Effects of exercise on blood pressure", abstract="A part of it."),
        Document(id="x", abstract="No title at all."),
        Document(id="x", title=f"{SHIFTS}. " * 20),
    ],
    ids=["year", "pmid", "short", "part", "untitled", "long"],
)
def test_what_says_more_than_a_title_is_not_matched_by_it_alone(library, paper):
    assert find_by_title(library, [paper]) == {}


def test_a_record_without_a_year_is_matched_by_its_long_title(library):
    paper = Document(id="x", title=SHIFTS, abstract="As the file has it.")
    assert find_by_title(library, [paper]) == {"x": PAPERS[0]}


def test_the_library_is_asked_for_all_copies_at_once(library):
    asked = []
    get = library.get
    library.get = lambda ids: asked.append(ids) or get(ids)
    assert len(matched(library, "\n".join(paper.title for paper in PAPERS[:4]))) == 4
    assert len(asked) == 1


def test_titles_of_real_papers_are_found_among_others(shared_data):
    papers = list(islice(read(shared_data / "mesh.jsonl.gz"), 600))
    library = MemoryLibrary()
    library.add(papers)
    library.commit()
    text = "\n".join(f"{n}. {paper.title}" for n, paper in enumerate(papers[::12], 1))
    assert len(matched(library, text)) >= 49
