import numpy as np
import pytest

from expansion.corpus import library_of
from features.encoding import HashEncoder
from likewise.documents import Document
from likewise.expansion.candidates import Candidates, Knowledge
from likewise.expansion.expansion import Stages
from likewise.expansion.retrieval import Retrieval
from likewise.expansion.seeds import Seeds
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


def test_seeds_do_not_join_the_pool(candidates):
    assert candidates.add(["s1", "p0", "mine"]) == ["p0"]


def test_what_the_library_does_not_hold_does_not_join(candidates):
    assert candidates.add(["gone", "p0"]) == ["p0"]


def test_documents_of_seeds_and_pool_are_at_hand(candidates):
    candidates.add(["p0"])
    assert list(candidates.documents.values()) == [*SEEDS, *MINE, OTHERS[0]]


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
    told = RETRIEVAL._replace(terms=asked, outside_share=0.7)
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
