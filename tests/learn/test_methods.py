"""Methods: their spelling, one contract for all, and what the default is worth."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.corpus import material_of, simulated_corpus
from likewise.errors import SettingsError
from likewise.learn.folds import share_above
from likewise.learn.methods import METHODS, Method, parse_method

CORPUS = simulated_corpus()
positive = st.floats(0, 1e308, exclude_min=True) | st.integers(1, 10**6)
methods = st.sampled_from(sorted(METHODS)).flatmap(
    lambda name: st.builds(
        Method,
        st.just(name),
        st.lists(
            st.tuples(st.sampled_from(METHODS[name].parameters), positive),
            unique_by=lambda parameter: parameter[0],
        ).map(tuple)
        if METHODS[name].parameters
        else st.just(()),
    )
)


def scored(name, material=CORPUS.material):
    return parse_method(name).score(material, rng=np.random.default_rng(0))


@cache
def of_corpus(name):
    return scored(name)


@given(method=methods)
def test_what_is_spelled_out_is_read_back(method):
    assert parse_method(str(method)) == method


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("linear", Method("linear")),
        (" linear ( ) ", Method("linear")),
        ("naive(strength=2)", Method("naive", (("strength", 2),))),
        (
            "linear( strength = 1e-3,topic_strength=0.5, )",
            Method("linear", (("strength", 0.001), ("topic_strength", 0.5))),
        ),
    ],
)
def test_spellings(text, method):
    assert parse_method(text) == method


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("best", "choose one of: linear, naive, bm25"),
        ("", "choose one of: linear, naive, bm25"),
        ("Linear", "choose one of: linear, naive, bm25"),
        ("linear(", "choose one of: linear, naive, bm25"),
        ("linear(depth=3)", "its parameters are: strength, topic_strength"),
        ("bm25(depth=3)", "it has no parameters"),
        ("linear(strength=x)", "a number greater than 0"),
        ("linear(strength=0)", "a number greater than 0"),
        ("linear(strength=-1)", "a number greater than 0"),
        ("linear(strength=True)", "a number greater than 0"),
        ("linear(strength=1j)", "a number greater than 0"),
        ("linear(strength='1')", "a number greater than 0"),
        ("linear(strength=1e999)", "a number greater than 0"),
        ("linear(strength=1" + 400 * "0" + ")", "a number greater than 0"),
        ("linear(strength=nan)", "a number greater than 0"),
        ("linear(strength=1\n2)", "a number greater than 0"),
        ("linear(0.3)", "written as in linear(name=1.0"),
        ("linear(strength)", "written as in linear(name=1.0"),
        ("linear(strength=)", "written as in linear(name=1.0"),
        ("linear(strength=1, strength=2)", "written as in linear(name=1.0"),
        ("linear(,)", "written as in linear(name=1.0"),
    ],
)
def test_a_bad_spelling_is_told_in_one_line_with_the_way_out(text, way_out):
    with pytest.raises(SettingsError) as caught:
        parse_method(text)
    assert way_out in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_first_method_is_linear():
    assert next(iter(METHODS)) == "linear"


@pytest.mark.parametrize("name", METHODS)
class TestEvery:
    def test_method_is_described(self, name):
        assert METHODS[name].description

    def test_method_scores_every_seed_and_every_document_of_the_pool(self, name):
        scores = of_corpus(name).scores
        assert (scores.seeds.shape, scores.pool.shape) == ((8,), (120,))
        assert np.isfinite(scores.seeds).all()
        assert np.isfinite(scores.pool).all()

    def test_method_gives_the_same_for_the_same_rng(self, name):
        first, second = of_corpus(name).scores, scored(name).scores
        assert (first.pool == second.pool).all()
        assert (first.seeds == second.seeds).all()

    def test_method_takes_every_parameter_that_it_names(self, name):
        given = ", ".join(f"{parameter}=0.5" for parameter in METHODS[name].parameters)
        assert np.isfinite(scored(f"{name}({given})").scores.pool).all()

    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_method_works_with_three_seeds_and_a_tiny_pool(self, name, size):
        corpus = simulated_corpus(seeds=3, hidden=size, others=0)
        scores = scored(name, corpus.material).scores
        assert np.isfinite([*scores.seeds, *scores.pool]).all()
        assert len(scores.pool) == size

    @pytest.mark.parametrize(
        "texts",
        [
            [("one title", "one abstract")] * 40,
            [("", "")] * 40,
            [("a title", "an abstract")] * 5 + [("", "")] * 35,
            [(f"title{number}", f"abstract{number}") for number in range(40)],
            [("common", f"common {number % 7}") for number in range(40)],
            [("all titles", "")] * 20 + [("no abstracts", "")] * 20,
        ],
        ids=["equal", "empty", "empty pool", "nothing shared", "a term in all", "no abstracts"],
    )
    def test_method_works_with_odd_documents(self, name, texts):
        found = scored(name, material_of(texts, seeds=5))
        assert np.isfinite([*found.scores.seeds, *found.scores.pool]).all()
        if found.model:
            assert np.isfinite([*found.model.contributions(39).values()]).all()


@pytest.mark.parametrize("name", ["linear", "naive"])
def test_hidden_documents_on_topic_are_ranked_above_others(name):
    pool = of_corpus(name).scores.pool
    above = share_above(pool[CORPUS.is_relevant], pool[~CORPUS.is_relevant])
    assert above.mean() < 0.25


def test_equal_documents_score_the_same_in_the_default_method():
    pool = scored("linear", material_of([("one title", "one abstract")] * 40, seeds=5)).scores.pool
    assert np.ptp(pool) < 1e-3


def test_linear_learns_from_the_vectors_of_an_encoder_too():
    material = CORPUS.material
    is_on = np.append(np.ones(material.seeds, bool), CORPUS.is_relevant)
    vectors = np.column_stack([is_on, ~is_on]).astype(np.float32)
    told = replace(material, vectors=vectors)

    def lead(found):
        pool = found.scores.pool
        return pool[CORPUS.is_relevant].mean() - pool[~CORPUS.is_relevant].mean()

    assert lead(scored("linear", told)) > lead(of_corpus("linear"))


def test_bm25_is_what_the_engine_says():
    assert scored("bm25").scores is CORPUS.material.retrieval
    assert scored("bm25").model is None


@pytest.mark.parametrize("name", ["linear", "naive"])
def test_progress_is_told_to_the_end(name):
    steps = []
    parse_method(name).score(
        CORPUS.material,
        rng=np.random.default_rng(0),
        on_step=lambda done, total: steps.append(done / total),
    )
    assert steps == sorted(steps)
    assert steps[-1] == 1
