import io
import time
from itertools import islice
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document, read, write
from likewise.errors import LibraryError, ReadError, SeedsError
from likewise.expansion.seed_sources import parse_content, read_seeds
from likewise.expansion.seeds import find_copies, match_seeds, resolve_seeds
from likewise.library.duplicates import join_papers
from likewise.library.memory import MemoryLibrary

LONG = "The sleep of shift workers in winter"
PAPERS = [
    Document(id="1", pmid="1", doi="10.1000/one", title="On cats", abstract="They purr."),
    Document(id="2", pmid="2", pmcid="PMC22", title="On dogs", abstract="They bark."),
    Document(id="own-3", title=LONG, year=1999, other_ids=("id:former-3",)),
    Document(id="4", title="Short", abstract="Counted from 1 by somebody."),
]


def library_of(*documents):
    library = MemoryLibrary()
    library.add(documents)
    library.commit()
    return library


@pytest.fixture
def library():
    return library_of(*PAPERS)


def resolved(library, *given):
    """Resolve seeds together with three others that are enough by themselves."""
    others = [Document(id=f"o{n}", title=word) for n, word in enumerate(("Ants", "Bees", "Wasps"))]
    return resolve_seeds(library, [*given, *others])


def matched(library, *given):
    return [document.id for document in resolved(library, *given).matched]


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (Document(id="x", pmid="1", title="Other words"), "1"),
        (Document(id="x", doi="10.1000/one"), "1"),
        (Document(id="x", pmcid="PMC22"), "2"),
        (Document(id="x", title=LONG.upper() + ".", year=1999), "own-3"),
        (Document(id="own-3"), "own-3"),
        (Document(id="former-3"), "own-3"),
        (Document(id="4", title="Short", abstract="Counted from 1 by somebody."), "4"),
        (Document(id="PMID: 2"), "2"),
        (Document(id="https://doi.org/10.1000/ONE"), "1"),
        (Document(id="pmc22"), "2"),
        (Document(id="4", pmid="4"), "4"),
    ],
    ids=str,
)
def test_a_seed_is_matched_by_whatever_identifies_it(library, seed, expected):
    assert matched(library, seed) == [expected]


def test_a_seed_is_matched_with_a_paper_that_a_person_has_joined_it_with():
    one, two = (Document(id=pmid, pmid=pmid, title=f"Paper {pmid}") for pmid in ("7", "9"))
    library = library_of(one, two)
    join_papers(library, "7", "9")
    assert match_seeds(library, [two]).matched == (library.get(["7"])[0],)


def test_a_matched_seed_is_the_librarys_document(library):
    assert resolved(library, Document(id="x", pmid="1", title="Worse")).matched == (PAPERS[0],)


@pytest.mark.parametrize(
    "seed",
    [
        Document(id="1", pmid="77", title="On cats"),
        Document(id="4", title="Another paper", abstract="That has the number 4 too."),
        Document(id="x", title=LONG, year=2005),
    ],
    ids=str,
)
def test_a_seed_that_is_another_paper_is_not_matched(library, seed):
    assert matched(library, seed) == []


def test_an_id_with_another_identifier_beside_it_is_not_enough(library):
    seeds = resolved(library, Document(id="4", pmid="77"))
    assert (seeds.matched, seeds.not_found) == ((), ("77",))


def test_an_id_typed_by_a_person_goes_before_a_pmid():
    library = library_of(Document(id="a", pmid="7", title="A"), Document(id="7", title="B"))
    assert matched(library, Document(id="7")) == ["7"]


def test_a_pmid_of_a_file_goes_before_an_id():
    library = library_of(Document(id="a", pmid="7", title="A"), Document(id="7", title="B"))
    assert matched(library, Document(id="7", pmid="7")) == ["a"]


def test_a_seed_with_words_that_the_library_lacks_is_used_as_text(library):
    assert Document(id="o0", title="Ants") in resolved(library).text_only


def test_a_seed_used_as_text_does_not_take_the_id_of_another_paper(library):
    seeds = resolved(library, Document(id="4", title="Another paper"))
    assert seeds.text_only[0] == Document(id="seed-4", title="Another paper")


def test_identifiers_that_the_library_lacks_are_named_as_they_were_written(library):
    seeds = resolved(library, Document(id="PMID: 88"), Document(id="99", pmid="99"))
    assert seeds.not_found == ("PMID: 88", "99")


def test_an_identifier_is_not_missing_if_another_record_tells_of_the_paper(library):
    seeds = resolved(library, Document(id="88"), Document(id="x", pmid="88", title="Eels"))
    assert (seeds.not_found, seeds.text_only[0].title) == ((), "Eels")


def test_a_paper_counts_once_however_often_it_is_given(library):
    twice = [Document(id="1"), Document(id="x", doi="10.1000/one"), Document(id="y", pmid="1")]
    assert matched(library, *twice) == ["1"]


def test_records_of_one_paper_that_the_library_lacks_become_one(library):
    first, second = Document(id="a", pmid="9"), Document(id="b", pmid="9", title="Nine")
    titles = [document.title for document in resolved(library, first, second).text_only]
    assert titles == ["Nine", "Ants", "Bees", "Wasps"]


def test_seeds_keep_the_order_of_the_file(library):
    assert matched(library, Document(id="own-3"), Document(id="2"), Document(id="1")) == [
        "own-3",
        "2",
        "1",
    ]


def test_documents_are_the_matched_and_then_the_others(library):
    seeds = resolved(library, Document(id="1"))
    assert [document.id for document in seeds.documents] == ["1", "o0", "o1", "o2"]


def test_the_library_is_asked_once(library):
    asked = []
    find = library.find
    library.find = lambda keys: asked.append(keys) or find(keys)
    resolved(library, *PAPERS)
    assert len(asked) == 1


def test_five_hundred_seeds_take_no_time():
    papers = [Document(id=f"{n}", pmid=f"{n}", title=f"Paper {n} " * 9) for n in range(1, 501)]
    library = library_of(*papers)
    start = time.process_time()  # other programs' time is not ours
    assert len(resolve_seeds(library, papers).matched) == 500
    assert time.process_time() - start < 0.5


PIECES = st.builds(
    Document,
    id=st.sampled_from(["", "1", "2", "4", "own-3", "7"]),
    pmid=st.sampled_from(["", "", "1", "2", "7"]),
    doi=st.sampled_from(["", "", "10.1000/one", "10.1000/two"]),
    title=st.sampled_from(["", "On cats", LONG, "Another"]),
)


@given(st.lists(PIECES, max_size=8))
def test_whatever_is_given_each_id_is_there_once_and_only_matched_are_of_the_library(given):
    seeds = resolved(library_of(*PAPERS), *given)
    ids = [document.id for document in seeds.documents]
    assert len(ids) == len(set(ids))
    assert set(seeds.matched) <= set(PAPERS)
    assert {d.id for d in seeds.text_only}.isdisjoint(d.id for d in PAPERS)


# Too little to learn from


def test_seeds_that_are_too_few_are_matched_all_the_same(library):
    seeds = match_seeds(library, [Document(id="1"), Document(id="88")])
    assert (seeds.matched, seeds.not_found) == ((PAPERS[0],), ("88",))


def test_nothing_is_matched_with_an_empty_library():
    with pytest.raises(LibraryError, match=r"empty.*likewise index"):
        match_seeds(MemoryLibrary(), PAPERS)


def test_an_empty_library_is_told_with_the_way_out():
    with pytest.raises(LibraryError, match=r"empty.*likewise index"):
        resolve_seeds(MemoryLibrary(), PAPERS)


def test_two_seeds_are_too_few_and_the_missing_are_named(library):
    given = [Document(id="1"), Document(id="x", title="Ants"), Document(id="88")]
    with pytest.raises(SeedsError) as caught:
        resolve_seeds(library, given)
    assert str(caught.value) == (
        "2 usable seeds (1 in the library, 1 by their text only; not in the library: 88); "
        "3 with different texts are needed: add papers on the topic, "
        "or check ids with: likewise search LIB WORDS"
    )


def test_seeds_of_which_none_is_found_are_named(library):
    with pytest.raises(
        SeedsError, match=r"none.*not in the library: 88, 99; give.*likewise search"
    ):
        resolve_seeds(library, [Document(id="88"), Document(id="99")])


def test_no_seeds_at_all_are_too_few(library):
    with pytest.raises(SeedsError, match="no seeds were given"):
        resolve_seeds(library, [])


def test_seeds_of_one_text_are_told_as_such():
    copies = [Document(id=f"{n}", pmid=f"{n}", title="The same") for n in range(1, 6)]
    with pytest.raises(SeedsError, match="all 5 seeds have the same text; give at least 3 diff"):
        resolve_seeds(library_of(*copies), copies)


def test_three_different_texts_are_enough(library):
    assert len(resolve_seeds(library, PAPERS[:3]).matched) == 3


# Reading


@pytest.mark.parametrize("suffix", [".ris", ".csv", ".jsonl", ".ids", ".xlsx"])
def test_seeds_are_read_from_any_file(tmp_path, library, suffix):
    write(PAPERS[:2], tmp_path / f"seeds{suffix}")
    seeds = read_seeds([str(tmp_path / f"seeds{suffix}")])
    assert matched(library, *seeds) == ["1", "2"]


def test_identifiers_are_seeds(library):
    assert matched(library, *read_seeds(["own-3", "10.1000/one", "PMC22"])) == ["own-3", "1", "2"]


def test_pmids_in_one_argument_are_seeds_each():
    assert [document.id for document in read_seeds(["12, 34;56", "78 9"])] == [
        "12",
        "34",
        "56",
        "78",
        "9",
    ]


@pytest.mark.parametrize(
    "path", ["seeds.ris", "seeds.ris.gz", "some/seeds", "./10.1000/x", "a.pdf"]
)
def test_a_file_that_is_not_there_is_not_taken_for_an_id(path):
    with pytest.raises(ReadError, match=f"^{path}: no such file; give"):
        read_seeds([path])


def test_a_folder_is_told_as_such(tmp_path):
    with pytest.raises(ReadError, match="this is a folder"):
        read_seeds([str(tmp_path)])


@pytest.mark.parametrize(
    "name", ["10.1000/some.txt", "https://doi.org/10.1000/x", "W27", "x" * 900]
)
def test_what_is_no_path_is_an_id(name):
    assert read_seeds([name]) == [Document(id=name)]


@pytest.fixture
def pipe(monkeypatch):
    def fill(text):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    return fill


def test_ids_of_any_kind_can_be_piped_in(pipe, library):
    pipe("own-3\r\n1\n\n10.1000/one\n")
    assert matched(library, *read_seeds(["-"])) == ["own-3", "1"]


def test_titles_can_be_piped_in(pipe, library):
    pipe(f"{LONG}\nOn dogs\n")
    assert matched(library, *read_seeds(["-"])) == ["own-3", "2"]


def test_files_can_be_piped_in(pipe):
    pipe("TY  - JOUR\nTI  - On cats\nER  - \nTY  - JOUR\nTI  - On dogs\nER  - \n")
    assert [document.title for document in read_seeds(["-"])] == ["On cats", "On dogs"]


def test_what_is_wrong_with_the_input_is_told_of_the_input(pipe):
    pipe("@article{cats, title={On cats},\n")
    with pytest.raises(ReadError, match=r"^standard input:1: this @article is not closed"):
        read_seeds(["-"])


def test_records_that_cannot_be_read_are_reported(pipe):
    problems = []
    pipe('{"title": "On cats"}\n{"title": \n')
    assert len(read_seeds(["-"], on_problem=problems.append)) == 1
    assert [(problem.path, problem.line) for problem in problems] == [("standard input", 2)]


SHIFTS = "Sleep of shift workers in winter: a cohort of nurses"
TITLED = [
    Document(id="shifts", title=SHIFTS, year=1999),
    Document(id="bakers", title="Sleep of shift workers in winter nights of bakers", year=2001),
    Document(id="rats", title="Effects of exercise on blood pressure in rats.", year=2002),
    Document(id="attention", title="Attention is enough", pmid="5", year=2017),
    Document(id="e1", title="Editorial on bees", year=2001),
    Document(id="e2", title="Editorial on bees", year=2002),
    Document(id="owls", title="On &lt;i&gt;Strix&lt;/i&gt; owls, their calls", year=2003),
]


@pytest.fixture
def titled_library():
    titled_library = MemoryLibrary()
    titled_library.add(TITLED)
    titled_library.commit()
    return titled_library


def parse_papers(text):
    return parse_content(text.encode(), name="pasted text")


def match_pasted(titled_library, text):
    return [document.id for document in match_seeds(titled_library, parse_papers(text)).matched]


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
def test_a_title_is_found_as_a_person_has_it(titled_library, text, expected):
    assert match_pasted(titled_library, text) == [expected]


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
def test_a_title_that_may_be_another_s_is_used_as_text(titled_library, text):
    seeds = match_seeds(titled_library, parse_papers(text))
    assert (seeds.matched, [paper.title for paper in seeds.text_only]) == ((), [text])


def test_a_word_that_the_library_does_not_know_is_not_found(titled_library):
    seeds = match_seeds(titled_library, parse_papers("Editorial\nrats\nnobody"))
    assert ([seed.id for seed in seeds.matched], seeds.not_found) == (
        ["rats"],
        ("Editorial", "nobody"),
    )


def test_a_title_and_an_id_of_one_paper_are_one_seed(titled_library):
    assert match_pasted(
        titled_library, f"{SHIFTS}\nshifts\nrats\nEffects of exercise on blood pressure"
    ) == [
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
def test_what_says_more_than_a_title_is_not_matched_by_it_alone(titled_library, paper):
    assert find_copies(titled_library, [paper]) == [None]


def test_a_record_without_a_year_is_matched_by_its_long_title(titled_library):
    paper = Document(id="x", title=SHIFTS, abstract="As the file has it.")
    assert find_copies(titled_library, [paper]) == [TITLED[0]]


def test_the_library_is_asked_for_all_copies_at_once(titled_library):
    asked = []
    get = titled_library.get
    titled_library.get = lambda ids: asked.append(ids) or get(ids)
    assert len(match_pasted(titled_library, "\n".join(paper.title for paper in TITLED[:4]))) == 4
    assert len(asked) == 1


def test_titles_of_real_papers_are_found_among_others(shared_data):
    papers = list(islice(read(shared_data / "mesh.jsonl.gz"), 600))
    titled_library = MemoryLibrary()
    titled_library.add(papers)
    titled_library.commit()
    text = "\n".join(f"{n}. {paper.title}" for n, paper in enumerate(papers[::12], 1))
    assert len(match_pasted(titled_library, text)) >= 49


def test_the_same_record_is_the_same_paper_as_a_seed_and_as_a_mark(titled_library):
    records = [*TITLED, *parse_papers("\n".join(paper.title for paper in TITLED))]
    for record in records:
        (copy,) = find_copies(titled_library, [record])
        assert match_seeds(titled_library, [record]).matched == ((copy,) if copy else ())


def test_papers_of_two_files_that_share_an_id_are_told_apart(titled_library):
    first, second = (Document(id="1", title=paper.title) for paper in TITLED[:2])
    assert find_copies(titled_library, [first, second]) == list(TITLED[:2])
