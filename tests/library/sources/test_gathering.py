"""From seeds to candidates, and how far the seeds reach."""

import pytest
from benchmarks.sources.ncbi import ncbi_server

from library.sources.papers import make_papers
from likewise.errors import NotALibraryError
from likewise.library import open_library
from likewise.library.sources.gathering import (
    Porter,
    RankedList,
    check_folder,
    deal_seeds,
    find_candidates,
    find_more,
    find_reached,
    fuse_lists,
)
from likewise.library.sources.kept import Asker, Budget, KeptAnswers
from likewise.library.sources.pubmed import PubmedSource

PAPERS = make_papers()


@pytest.fixture
def ncbi():
    with ncbi_server() as server:
        server.hold_papers(PAPERS)
        yield server


@pytest.fixture
def asker(ncbi, tmp_path):
    source = PubmedSource(ncbi.eutils())
    yield Asker(source, KeptAnswers(tmp_path / "lib"), budget=Budget())
    source.close()


def test_twelve_seeds_find_the_topic_before_anything_else(asker):
    seeds = PAPERS[:12]
    lists = find_candidates(asker, seeds, limit=100)
    found = fuse_lists(lists, exclude={s.pmid for s in seeds})
    assert sum(int(key) <= 40 for key in found[:28]) >= 26


def test_searches_are_made_of_all_folds_but_one(ncbi, asker):
    find_candidates(asker, PAPERS[:12], limit=100)
    asked = [fields["term"].count("[tiab]") for fields in ncbi.asked("esearch.fcgi")]
    assert len(ncbi.asked("elink.fcgi")) == 3
    # Folds whose heaviest words are the same ask once; of 12 words the five have different ones.
    assert (asked.count(12), set(asked) >= {1, 2, 3, 5, 8, 12}) == (5, True)


def test_a_seed_that_the_source_does_not_have_is_in_no_fold_but_in_the_searches(asker):
    stranger = PAPERS[0].__class__(id="x", title="Gluconeogenesis of the liver")
    assert deal_seeds(asker, [*PAPERS[:5], stranger]) == [["1"], ["2"], ["3"], ["4"], ["5"]]


def test_a_seed_is_reached_if_lists_that_are_blind_to_it_have_it():
    lists = [
        RankedList(["b", "x"], 1.0, without=0),
        RankedList(["y"], 1.0, without=1),
        RankedList(["a"], 1.0, of=0),
        RankedList(["z", "a"], 1.0, of=1),
    ]
    # What fold 0 is blind to has a second; of fold 1, nothing names b.
    assert find_reached(lists, [["a"], ["b"]], count=3) == {"a"}
    assert find_reached(lists, [["a"], ["b"]], count=1) == set()


def test_what_is_linked_with_a_seed_says_nothing_of_itself():
    lists = [RankedList(["a"], 1.0, of=0)]
    assert find_reached(lists, [["a"], ["b"]], count=9) == set()


def test_what_is_learned_finds_more(asker):
    found = find_more(asker, PAPERS[:30], weights=[1.0] * 30, limit=60)
    assert sum(int(key) <= 40 for key in fuse_lists(found)[:40]) >= 36


def test_records_are_brought_once(ncbi, asker, tmp_path):
    for expected in (3, 0):
        porter = Porter(asker, tmp_path / "lib")
        porter.bring(["1", "2", "777"])
        assert len(ncbi.requests) == expected - (expected == 3)
        ncbi.forget()
    with open_library(tmp_path / "lib") as library:
        assert library.list_ids() == ["1", "2"]


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(NotALibraryError, match="holds other files and is not a library"):
        check_folder(tmp_path)


def test_a_cluster_has_no_folder_to_keep_answers_in():
    assert check_folder("opensearch://localhost:9200/papers") is None
