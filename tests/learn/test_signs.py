"""Signs: what seeds, pool and scores look like."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.corpus import material_of, simulated_corpus, simulated_scores
from likewise.learn.experience import read_material_signs, read_score_signs
from likewise.learn.folds import Scores
from likewise.learn.views import EngineView, WordView

ALIKE_NAMES = ("alike", "nearest alike", "alike 20", "alike below", "alike among the first")


def words(*names):
    return " ".join(names)


def texts_of(seeds, others):
    return [(title, "") for title in [*seeds, *others]]


def signs_of(seeds, others, *views, **changed):
    """Return the signs of titles, by the order in which they stand."""
    material = material_of(texts_of(seeds, others), seeds=len(seeds))
    seen = replace(material, **changed).with_views(*views)
    return read_material_signs(seen, material.retrieval)


# Of scores


def test_counts_are_told_as_logarithms():
    signs = read_score_signs(Scores(np.ones(20), np.arange(1000.0)))
    assert signs["seeds"] == pytest.approx(np.log(20))
    assert signs["size"] == pytest.approx(np.log(1000))


def test_places_of_seeds_are_logarithms_of_their_ranks():
    # Above the seeds are 0, 2 and 9 of ten: ranks 0.5, 2.5 and 9.5.
    signs = read_score_signs(Scores(np.array([9.5, 7.5, 0.5]), np.arange(10.0)))
    assert signs["place 0.5"] == pytest.approx(np.log(2.5))
    assert signs["place 0.25"] == pytest.approx((np.log(0.5) + np.log(2.5)) / 2)
    assert signs["spread of places"] == pytest.approx(np.std(np.log([0.5, 2.5, 9.5])))


def test_scores_are_told_in_deviations_of_the_pool():
    # Mean 2 and deviation 2: 4 is one deviation above, 0 one below.
    signs = read_score_signs(Scores(np.array([6.0]), np.array([0.0, 4.0, 0.0, 4.0])))
    assert signs["seed score 0.5"] == pytest.approx(2)
    assert signs["score 1"] == pytest.approx(1)
    assert signs["score 3"] == pytest.approx(-1)
    assert signs["skewness"] == pytest.approx(0)


def test_beyond_the_end_of_the_pool_stands_its_last_score():
    signs = read_score_signs(Scores(np.array([6.0]), np.array([0.0, 4.0, 0.0, 4.0])))
    assert signs["score 3000"] == signs["score 10"] == pytest.approx(-1)


@settings(max_examples=20)
@given(seeds=st.permutations(list(simulated_scores(seeds=9, size=30).seeds)))
def test_the_order_of_seeds_changes_no_sign_of_scores(seeds):
    first = simulated_scores(seeds=9, size=30)
    assert read_score_signs(first._replace(seeds=np.array(seeds))) == pytest.approx(
        read_score_signs(first)
    )


def test_scores_that_are_all_the_same_have_signs():
    assert np.isfinite([*read_score_signs(Scores(np.ones(3), np.ones(5))).values()]).all()


# Of texts


def test_seeds_that_are_all_the_same_are_as_alike_as_can_be():
    signs = signs_of([words("apple", "pear")] * 3, [f"word{n}" for n in range(9)])
    # A likeness of 1, and of 0 to all others; 0.001 is what is taken for nothing.
    assert signs["alike"] == signs["nearest alike"] == pytest.approx(np.log(1.001), abs=1e-5)
    assert signs["alike 20"] == pytest.approx(np.log(1.001) - np.log(0.001), abs=1e-5)
    assert signs["least alike"] == signs["spread of likeness"] == pytest.approx(0, abs=1e-5)


def test_seeds_that_share_nothing_are_not_alike():
    signs = signs_of(["apple", "pear", "fig"], ["apple fig", "pear", "kiwi", "plum"])
    assert signs["alike"] == pytest.approx(np.log(0.001))


def test_seeds_are_compared_with_the_first_documents_of_the_ranking():
    seeds, like, unlike = ["apple pear"] * 3, ["apple pear"] * 25, ["kiwi plum"] * 300
    first, last = signs_of(seeds, like + unlike), signs_of(seeds, unlike + like)
    assert first["alike 20"] == pytest.approx(0, abs=1e-6)
    assert last["alike 20"] > 5
    assert last["alike below"] < first["alike below"]


def test_of_one_seed_nothing_is_told_about_likeness():
    signs = signs_of(["apple"], ["apple", "pear", "fig"])
    assert not [name for name in signs if "alike" in name]


def test_what_was_marked_since_is_no_seed_any_more():
    texts = texts_of(["apple pear"] * 3, ["kiwi plum"] * 2 + [f"word{n}" for n in range(9)])
    marked = material_of(texts, seeds=5)
    signs = read_material_signs(marked, marked.retrieval, given=3)
    # The two that were marked share nothing with the seeds.
    assert signs["alike"] == pytest.approx(np.log(1.001), abs=1e-5)
    assert read_material_signs(marked, marked.retrieval)["alike"] < signs["alike"] - 0.5


def test_the_share_of_the_library_outside_is_a_sign():
    assert signs_of(["apple"] * 3, ["pear"] * 9, outside=0.7)["outside"] == 0.7


def test_the_engine_is_told_by_how_many_of_the_first_it_has_among_its_first():
    corpus = simulated_corpus()
    material, pool = corpus.material, np.linspace(1, 0, 120)
    # Of our first 30, the engine has the last ten of its first 30; of the first 100, eighty.
    theirs = np.roll(pool, 20)
    signs = read_material_signs(
        material.with_views(EngineView(Scores(material.retrieval.seeds, theirs))),
        Scores(material.retrieval.seeds, pool),
    )
    assert signs["engine 30"] == pytest.approx(10 / 30)
    assert signs["engine 100"] == pytest.approx(80 / 100)


def test_an_engine_that_says_nothing_is_no_sign():
    seeds, others = ["apple"] * 3, ["pear"] * 9
    silent = Scores(np.full(3, np.nan), np.zeros(9))
    assert not [name for name in signs_of(seeds, others, EngineView(silent)) if "engine" in name]


def test_the_most_telling_term_is_told_by_its_surprise():
    # All seeds have it, and one in eleven of the others: 1 x ln(1 / (1 / 11)).
    signs = signs_of(["apple"] * 4, ["apple", *(f"word{n}" for n in range(10))])
    assert signs["term 1"] == pytest.approx(np.log(np.log(11) + 0.001))


def test_scores_that_are_not_known_count_as_the_last():
    material = material_of(texts_of(["apple"] * 3, ["kiwi", "apple", "fig"]), seeds=3)
    scores = Scores(np.ones(3), np.array([3.0, np.nan, 1.0]))
    assert np.isfinite([*read_material_signs(material, scores).values()]).all()


@settings(max_examples=10)
@given(order=st.permutations(range(8)))
def test_the_order_of_seeds_changes_no_sign_of_texts(order):
    material = simulated_corpus().material
    rows = np.array([*order, *range(8, len(material.documents))])
    turned = replace(
        material.with_views(WordView(material.words.of(rows))),
        documents=[material.documents[row] for row in rows],
    )
    expected = read_material_signs(material, material.retrieval)
    assert read_material_signs(turned, material.retrieval) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ALIKE_NAMES)
def test_signs_of_likeness_are_there(name):
    corpus = simulated_corpus()
    assert name in read_material_signs(corpus.material, corpus.material.retrieval)


@pytest.mark.parametrize(
    "texts",
    [[("", "")] * 8, [("one title", "one abstract")] * 8, [(f"title{n}", "") for n in range(8)]],
)
def test_odd_texts_have_signs(texts):
    material = material_of(texts, seeds=4)
    assert np.isfinite([*read_material_signs(material, material.retrieval).values()]).all()
