from dataclasses import replace

import numpy as np
import pytest

from expansion.corpus import library_of
from features.encoding import HashEncoder
from likewise.documents import Document
from likewise.errors import SeedsError
from likewise.expansion.candidates import Candidates, Knowledge, combine_marks
from likewise.expansion.expansion import Stages
from likewise.expansion.marks import Marks
from likewise.expansion.retrieval import Retrieval
from likewise.expansion.seeds import Seeds
from likewise.learn.folds import Scores
from likewise.learn.stopping.posterior import expect_by_scores
from likewise.library.protocol import Hits, Term

SEEDS = (Document(id="s1", title="bee honey"), Document(id="s2", title="bee hive"))
MINE = (Document(id="mine", title="bee wax"),)
OTHERS = tuple(Document(id=f"p{n}", title=f"word{n}", abstract="bee") for n in range(6))
HITS = Hits(["p0", "p1", "p2", "p3"], [0.0] * 4)
RETRIEVAL = Retrieval(HITS, np.full(3, 0.5), np.ones(3, bool))


class CountingLibrary:
    """A library that remembers which texts it analysed."""

    analyzes_by_chunk = False

    def __init__(self):
        self.library = library_of(*SEEDS, *OTHERS)
        self.get = self.library.get
        self.analyzed = []

    def analyze_all(self, field, texts):
        self.analyzed += texts
        return self.library.analyze_all(field, texts)


@pytest.fixture
def library():
    return CountingLibrary()


@pytest.fixture
def candidates(library):
    return Candidates(library, Knowledge(Seeds(SEEDS, MINE, ())), encoder=None, stages=Stages())


def test_documents_join_in_the_order_they_are_named(candidates):
    assert candidates.add(["p3", "p1"]) == ["p3", "p1"]
    candidates.add(["p0"])
    assert candidates.pool == ["p3", "p1", "p0"]


def test_only_those_that_were_not_there_have_joined(candidates):
    candidates.add(["p0", "p1"])
    assert candidates.add(["p1", "p2"]) == ["p2"]
    assert candidates.pool == ["p0", "p1", "p2"]


def test_what_both_words_and_citations_found_joins_once(candidates):
    assert candidates.add(["p2", "p0", "p2"]) == ["p2", "p0"]
    assert candidates.pool == ["p2", "p0"]


def test_seeds_do_not_join_the_pool(candidates):
    assert candidates.add(["s1", "p0", "mine"]) == ["p0"]


def test_what_the_library_does_not_hold_does_not_join(candidates):
    assert candidates.add(["gone", "p0"]) == ["p0"]


def test_documents_of_seeds_and_pool_are_at_hand(candidates):
    candidates.add(["p0"])
    assert list(candidates.documents.values()) == [*SEEDS, *MINE, OTHERS[0]]


def test_documents_share_journals_that_are_the_same(library):
    today = "Today"
    papers = [Document(id=name, title="bee", journal=f"Bees {today}") for name in "ab"]
    assert papers[0].journal is not papers[1].journal
    library.get = library_of(*SEEDS, *papers).get
    candidates = Candidates(library, Knowledge(Seeds(SEEDS, (), ())), encoder=None, stages=Stages())
    candidates.add(["a", "b"])
    shared = [candidates.documents[name].journal for name in "ab"]
    assert shared[0] is shared[1]
    assert shared[0] == "Bees Today"


def test_features_have_a_row_for_each_seed_and_then_for_each_of_the_pool(candidates):
    candidates.add(["p2", "p0"])
    candidates.add(["p1"])
    material = candidates.material(RETRIEVAL)
    rows = material.words.evidence[:, : len(material.words.terms)].toarray() > 0
    terms = np.array(material.words.terms)
    assert material.seeds == 3
    assert [sorted(terms[row]) for row in rows] == [
        ["bee", "honey"],
        ["bee", "hive"],
        ["bee", "wax"],
        ["word2"],
        ["word0"],
        ["word1"],
    ]


def test_a_text_is_analysed_once_however_often_features_are_made(candidates, library):
    for ids in (["p0"], ["p0", "p1"]):
        candidates.add(ids)
        candidates.material(RETRIEVAL)
    titles = [text for text in library.analyzed if text not in ("", "bee")]
    assert titles == ["bee honey", "bee hive", "bee wax", "word0", "word1"]


def test_what_the_engine_says_is_passed_on(candidates):
    candidates.add(["p0", "p1", "p2", "p3"])
    asked = (Term("title", "bee", 2.0),)
    told = replace(RETRIEVAL, terms=asked, outside_share=0.7)
    material = candidates.material(told)
    assert material.retrieval.seeds.tolist() == [0, 0, 0]
    assert material.retrieval.pool.tolist() == [0, 0, 0, 0]
    assert (material.outside, material.views["engine"].terms) == (0.7, asked)


def test_what_only_a_later_round_found_has_the_engines_lowest_score(candidates):
    candidates.add(["p0", "p1", "p2"])
    hits = Hits(["p0", "p1"], [3.0, 1.0])
    retrieval = Retrieval(hits, np.array([0.25]), np.array([True]))
    told = candidates.material(retrieval).retrieval
    # The middle of the first of two places has a quarter above it.
    assert (told.seeds.tolist(), told.pool.tolist()) == ([3], [3, 1, 1])


def test_documents_are_in_the_order_of_the_rows(candidates):
    candidates.add(["p1", "p0"])
    expected = [*SEEDS, *MINE, OTHERS[1], OTHERS[0]]
    assert candidates.material(RETRIEVAL).documents == expected


@pytest.fixture
def marked(library):
    """Candidates of which one was marked relevant and two irrelevant."""
    seeds = Seeds(SEEDS, MINE, (), marked=(OTHERS[5],))
    known = Knowledge(seeds, (OTHERS[3], OTHERS[4]), np.array([0.5, 1.5]))
    return Candidates(library, known, encoder=None, stages=Stages())


def test_what_is_known_does_not_join_the_pool(marked):
    assert marked.add(["p3", "p0", "p5", "p4", "s1"]) == ["p0"]


def test_rows_are_of_seeds_then_of_what_was_found_then_of_negatives_then_of_the_pool(marked):
    marked.add(["p1"])
    expected = [*SEEDS, *MINE, OTHERS[5], OTHERS[3], OTHERS[4], OTHERS[1]]
    assert marked.ids == [document.id for document in expected]
    assert marked.material(RETRIEVAL).documents == expected


def test_the_material_knows_how_many_are_off_topic_and_what_they_count(marked):
    marked.add(["p1"])
    material = marked.material(RETRIEVAL)
    assert (material.seeds, material.negatives, material.known) == (4, 2, 6)
    assert material.negative_weights.tolist() == [0.5, 1.5]


def test_the_words_of_pairs_are_those_that_were_read_before(marked):
    marked.add(["p1"])
    words = marked.material(RETRIEVAL).views["pairs"].read_words()
    titles = words.rows[::2]
    first = [words.names[number] for number in titles.row(0)]
    assert (titles.shape[0], first) == (len(marked.ids), ["bee", "honey"])


def test_without_an_encoder_there_are_no_vectors(candidates):
    candidates.add(["p0"])
    assert candidates.material(RETRIEVAL).vectors is None


def test_an_encoder_is_asked_for_the_texts_in_the_order_of_the_rows(library, tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    encoder, heard = HashEncoder(), []
    stages = Stages(lambda progress: heard.append(progress[:2]))
    candidates = Candidates(
        library, Knowledge(Seeds(SEEDS, MINE, ())), encoder=encoder, stages=stages
    )
    candidates.add(["p0"])
    texts = ["bee honey", "bee hive", "bee wax", "word0\nbee"]
    expected = [encoder.vector(text) for text in texts]
    assert np.array_equal(candidates.material(RETRIEVAL).vectors, expected)
    assert ("encoding", 1.0) in heard


def test_an_encoder_is_passed_on_and_not_asked_if_no_vectors_are_wanted(library):
    encoder = HashEncoder()
    candidates = Candidates(
        library, Knowledge(Seeds(SEEDS, (), ())), encoder=encoder, stages=Stages()
    )
    candidates.add(["p0"])
    material = candidates.material(RETRIEVAL, vectors=False)
    assert material.encoder is encoder
    assert material.vectors is None
    assert encoder.asked == []


def test_progress_is_told_of_documents_and_features(library):
    heard = []
    stages = Stages(lambda progress: heard.append(progress.stage))
    Candidates(library, Knowledge(Seeds(SEEDS, (), ())), encoder=None, stages=stages).add(["p0"])
    assert list(dict.fromkeys(heard)) == ["documents", "features"]


DOCUMENTS = {
    name: Document(id=name, title=f"paper {name}")
    for name in ("s1", "s2", "s3", "s4", "a", "b", "c", "d")
}
LIBRARY = library_of(*DOCUMENTS.values())
THESIS = Document(id="mine", title="a thesis")
FOUR_SEEDS = Seeds(
    tuple(DOCUMENTS[name] for name in ("s1", "s2", "s3", "s4")), (THESIS,), ("gone",)
)


def known(**marks):
    return combine_marks(LIBRARY, FOUR_SEEDS, Marks(**marks))


def ids(documents):
    return [document.id for document in documents]


def test_without_marks_the_seeds_are_all_that_is_known():
    assert known().seeds is FOUR_SEEDS
    assert (known().negatives, known().weights) == ((), None)


def test_what_was_marked_joins_seeds_by_id_and_negatives_in_the_order_of_the_marks():
    found = known(relevant=("c", "a"), irrelevant=("d", "b"))
    assert ids(found.seeds.marked) == ["c", "a"]
    assert ids(found.seeds.documents) == ["s1", "s2", "s3", "s4", "mine", "a", "c"]
    assert ids(found.negatives) == ["d", "b"]


def test_documents_are_those_of_the_library():
    found = known(relevant=("a",), irrelevant=("b",))
    assert found.seeds.marked == (DOCUMENTS["a"],)
    assert found.negatives == (DOCUMENTS["b"],)


def test_a_seed_that_is_marked_irrelevant_is_a_negative_and_no_seed():
    found = known(irrelevant=("s2", "a"))
    assert ids(found.seeds.documents) == ["s1", "s3", "s4", "mine"]
    assert ids(found.negatives) == ["s2", "a"]


def test_a_seed_that_the_library_lacks_may_be_marked_too():
    found = known(irrelevant=("mine",))
    assert found.seeds.text_only == ()
    assert found.negatives == (THESIS,)


def test_a_seed_that_may_be_on_topic_is_neither():
    found = known(maybe=("s1", "mine"))
    assert ids(found.seeds.documents) == ["s2", "s3", "s4"]
    assert found.negatives == ()


def test_a_seed_that_is_marked_relevant_stays_a_seed_and_is_there_once():
    found = known(relevant=("s1", "mine", "a"))
    assert ids(found.seeds.documents) == ["s1", "s2", "s3", "s4", "mine", "a"]
    assert ids(found.seeds.marked) == ["a"]


def test_a_document_that_may_be_on_topic_is_not_known():
    found = known(maybe=("a",))
    assert found.seeds == FOUR_SEEDS
    assert found.negatives == ()


def test_documents_that_the_library_does_not_hold_any_more_are_left_out():
    found = known(relevant=("deleted", "a"), irrelevant=("b", "lost"))
    assert ids(found.seeds.marked) == ["a"]
    assert ids(found.negatives) == ["b"]
    assert len(found.weights) == 1


def test_what_is_known_of_papers_that_were_not_found_stays():
    assert known(irrelevant=("s1",)).seeds.not_found == ("gone",)


def test_too_few_seeds_that_are_left_are_an_error():
    with pytest.raises(SeedsError, match="2 usable seeds"):
        known(irrelevant=("s1", "s2"), maybe=("mine",))


def test_what_was_found_makes_up_for_seeds_that_are_denied():
    found = known(irrelevant=("s1", "s2"), maybe=("mine",), relevant=("a",))
    assert ids(found.seeds.documents) == ["s3", "s4", "a"]


def test_negatives_count_by_where_they_stood():
    # Ranks 2 and 3 are the whole of their stretch, rank 9 stands for eight.
    found = known(irrelevant=("a", "b", "c"), ranks={"a": 2, "c": 9, "b": 3, "s1": 7})
    assert found.weights.round(2).tolist() == [0.62, 0.62, 1.76]


def test_negatives_without_a_rank_all_count_the_same():
    assert known(irrelevant=("a", "b")).weights.tolist() == [1, 1]


def test_ranks_of_what_is_on_topic_count_nothing():
    found = known(relevant=("a",), irrelevant=("b",), ranks={"a": 900})
    assert found.weights.tolist() == [1]


def test_what_was_read_is_told_in_order_with_what_it_is():
    found = known(relevant=("c", "a"), irrelevant=("b",), maybe=("d",), read=("b", "d", "c"))
    # What may be on topic or not tells nothing, and "a" came from a file.
    assert found.read == (False, True)


def test_neither_seeds_that_stay_nor_what_the_library_lost_were_read():
    found = known(relevant=("s1", "lost", "a"), irrelevant=("gone", "b"),
                  read=("s1", "lost", "gone", "b", "a"))  # fmt: skip
    assert found.read == (False, True)


SCORES = Scores(np.array([3.0, 2, 2, 1, 0, 2.5, np.nan]), np.arange(10.0), np.array([1.0, -1]))


def test_what_was_read_is_put_beside_what_scores_expect():
    found = known(relevant=("a", "c"), irrelevant=("b", "d"), read=("a", "b"))
    looked = found.describe_screening(SCORES)
    assert (looked.labels.tolist(), looked.size, looked.seeds) == ([True, False], 12, 5)
    # "c" is known to be on topic, and was not read.
    assert (looked.found, looked.brought, looked.known) == (1, 1, 2)
    # What has no score is taken to score as the lowest of the pool.
    marked = np.array([2.5, 0, 1, -1])
    assert looked.scored == expect_by_scores(np.arange(4) < 2, marked, SCORES.pool)


def test_without_marks_nothing_was_read():
    looked = known().describe_screening(Scores(np.arange(5.0), np.arange(10.0)))
    assert (looked.count, looked.size, looked.brought, looked.scored) == (0, 10, 0, None)
