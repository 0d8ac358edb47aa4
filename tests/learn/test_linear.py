"""The linear method, with and without documents that are known to be off topic."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

from learn.corpus import contributions, material_of, simulated_corpus
from likewise.features.pairs import make_word_pairs, read_word_sequences
from likewise.features.words import DIMENSIONS, find_latent_topics
from likewise.learn.estimators import Fused
from likewise.learn.explanations import TermModel
from likewise.learn.folds import Scores
from likewise.learn.linear import (
    ENGINE,
    ENOUGH,
    NEARLY_ALL,
    WAYS,
    add_scored_parts,
    explain_fused,
    fade_negatives,
    list_parts,
    weigh_contrasts,
)
from likewise.learn.material import LinearPlan, Material, Scored
from likewise.learn.rows import Rows
from likewise.learn.spelling import parse_method
from likewise.learn.views import EngineView, PairView, TopicView, VectorView, WordView
from likewise.library.protocol import Term

CORPUS = simulated_corpus()
TOLD = ["fading", *WAYS]
EVERY_WAY = [*TOLD, "unlabeled", "ignore"]
MANY_FOUND = fade_negatives(found=10_000)


def with_negatives(rows, *, corpus=CORPUS, weights=None, found=8):
    """Return a material in which these rows of the pool are known to be off topic.

    Where nothing is said of it, all seeds were found beside them.
    """
    material = corpus.material
    pool = np.setdiff1d(np.arange(material.seeds, len(material.documents)), rows)
    order = np.concatenate([np.arange(material.seeds), rows, pool]).astype(np.int64)
    return replace(
        material.with_views(WordView(material.words.of(order))),
        documents=[material.documents[row] for row in order],
        negatives=len(rows),
        negative_weights=weights,
        found=found,
    )


def off_topic(count, *, of=0):
    """Return the rows of some documents of the pool that are off topic, drawn at random."""
    rows = CORPUS.material.seeds + np.flatnonzero(~CORPUS.is_relevant)
    return np.random.default_rng(of).choice(rows, count, replace=False)


def scored(material, way="fading", **chosen):
    given = ", ".join(f"{name}={value}" for name, value in chosen.items())
    method = parse_method(f"linear(negatives={way}{', ' + given if given else ''})")
    return method.score(material, rng=np.random.default_rng(0))


@cache
def without():
    return parse_method("linear").score(CORPUS.material, rng=np.random.default_rng(0))


@cache
def with_ten(way):
    return scored(with_negatives(off_topic(10)), way)


def plan_of(material, *, way=None, regressions=1.0, library=0.0):
    return LinearPlan(
        material,
        way or fade_negatives(found=material.found),
        regressions=regressions,
        strengths=(0.1, 0.03),
        library=library,
        rng=np.random.default_rng(0),
    )


def parts_of(material, *, way=None, dimensions=DIMENSIONS, regressions=1.0):
    topics = find_latent_topics(
        material.words.tfidf, rng=np.random.default_rng(0), dimensions=dimensions
    )
    material = material.with_views(TopicView(topics))
    return list_parts(plan_of(material, way=way, regressions=regressions))


def by_row(scores, rows):
    """Return the scores of negatives and pool in the order of the corpus."""
    seeds = CORPUS.material.seeds
    pool = np.setdiff1d(np.arange(seeds, len(CORPUS.material.documents)), rows)
    found = np.empty(len(rows) + len(pool))
    found[rows - seeds], found[pool - seeds] = scores.negatives, scores.pool
    return found


# Without negatives


@pytest.mark.parametrize("way", EVERY_WAY)
def test_without_negatives_all_ways_give_the_same_in_every_digit(way):
    found = scored(CORPUS.material, way)
    assert (found.scores.pool == without().scores.pool).all()
    assert (found.scores.seeds == without().scores.seeds).all()
    assert contributions(found.model, 3) == contributions(without().model, 3)


def test_without_negatives_there_are_three_parts():
    assert [part.weight(0) for part in parts_of(CORPUS.material)] == [1, 0.5, 0.5]


def test_regressions_that_count_less_count_so_much_less():
    parts = parts_of(CORPUS.material, regressions=0.4)
    assert [part.weight(0) for part in parts] == pytest.approx([1, 0.2, 0.2])


def test_where_regressions_do_not_count_no_topics_are_looked_for(monkeypatch):
    monkeypatch.setattr("likewise.learn.views.find_latent_topics", None)
    parts = list_parts(plan_of(CORPUS.material, regressions=0))
    assert [part.weight(0) for part in parts] == [1]


# With some


def test_as_if_nothing_were_known_of_them_they_are_scored_as_if_nothing_were_marked():
    # The first rows of the pool, so that all rows are dealt alike.
    rows = np.arange(CORPUS.material.seeds, CORPUS.material.seeds + 10)
    found = scored(with_negatives(rows), "unlabeled").scores
    assert (by_row(found, rows) == without().scores.pool).all()
    assert (found.seeds == without().scores.seeds).all()


@pytest.mark.parametrize("way", EVERY_WAY)
def test_every_way_scores_seeds_negatives_and_pool(way):
    scores = with_ten(way).scores
    assert [len(part) for part in scores] == [8, 110, 10]
    assert all(np.isfinite(part).all() for part in scores)


@pytest.mark.parametrize("way", EVERY_WAY)
def test_every_way_gives_the_same_twice(way):
    again = scored(with_negatives(off_topic(10)), way).scores
    assert all((one == other).all() for one, other in zip(again, with_ten(way).scores, strict=True))


@pytest.mark.parametrize("way", EVERY_WAY)
def test_what_is_on_topic_stands_above_the_rest_in_every_way(way):
    found = by_row(with_ten(way).scores, off_topic(10))
    on, off = found[CORPUS.is_relevant], found[~CORPUS.is_relevant]
    # By chance it would be a half.
    assert (off[:, None] > on[None, :]).mean() < 0.2


def test_the_ways_differ():
    found = {way: with_ten(way).scores.pool.round(6).tolist() for way in EVERY_WAY}
    assert all(found[one] != found[other] for one in found for other in found if one < other)


@pytest.mark.parametrize("way", TOLD)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_negatives_will_do(way, count):
    scores = scored(with_negatives(off_topic(count)), way).scores
    assert len(scores.negatives) == count
    assert all(np.isfinite(part).all() for part in scores)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("draw", [0, 1, 2])
def test_a_few_negatives_hardly_change_the_ranking(count, draw):
    rows = off_topic(count, of=draw)
    found = by_row(scored(with_negatives(rows)).scores, rows)
    assert spearmanr(found, without().scores.pool).statistic > 0.9


def test_a_negative_that_counts_more_is_listened_to_more():
    rows = off_topic(6)
    twice = [
        scored(with_negatives(rows, weights=np.array(w))).scores
        for w in ([1.0, 1, 1, 1, 1, 1], [2.5, 2.5, 0.25, 0.25, 0.25, 0.25])
    ]
    assert not np.allclose(twice[0].pool, twice[1].pool)


def test_weights_that_are_all_1_are_no_weights():
    rows = off_topic(6)
    told, untold = (scored(with_negatives(rows, weights=w)).scores for w in (np.ones(6), None))
    assert (told.pool == untold.pool).all()


def test_negatives_beside_which_nothing_was_found_change_nothing():
    # The first rows of the pool, so that all rows are dealt alike.
    rows = np.arange(CORPUS.material.seeds, CORPUS.material.seeds + 10)
    found = scored(with_negatives(rows, found=0)).scores
    assert (by_row(found, rows) == without().scores.pool).all()


def test_two_negatives_count_for_each_document_that_was_found():
    way = fade_negatives(found=5)
    assert way(100).negatives == way(10).negatives == pytest.approx(10 / 15)


def test_what_is_learned_from_the_pool_does_not_fade():
    assert fade_negatives(found=100)(20) == (1, 0.5, 0.8)


def test_in_a_large_library_latent_topics_are_not_made(monkeypatch):
    monkeypatch.setattr("likewise.learn.views.find_latent_topics", None)
    parts = list_parts(plan_of(with_negatives(off_topic(5)), regressions=0.0))
    assert [part.weight(5) for part in parts] == [1, 0.5]


def test_pairs_and_topics_that_were_made_before_are_used(monkeypatch):
    material = with_negatives(off_topic(5))
    topics = find_latent_topics(material.words.tfidf, rng=np.random.default_rng(0))
    pairs = make_word_pairs(read_word_sequences(material.documents))
    made = material.with_views(PairView(pairs), TopicView(topics))
    # Dealing starts with the same numbers in both, since topics are given.
    expected = scored(material.with_views(TopicView(topics))).scores.pool
    for name in ("make_word_pairs", "find_latent_topics"):
        monkeypatch.setattr(f"likewise.learn.views.{name}", None)
    # All columns are there, and those that no known row has count nothing.
    assert scored(made).scores.pool == pytest.approx(expected, abs=1e-6)


def test_vectors_of_an_encoder_are_learned_from_too():
    material = with_negatives(off_topic(5))
    vectors = np.random.default_rng(1).normal(size=(128, 8)).astype(np.float32)
    found = scored(material.with_views(VectorView(vectors))).scores
    assert not np.allclose(found.pool, scored(material).scores.pool)


# Beside the engine, which tells seeds from the library


def test_where_the_pool_is_the_library_the_engine_adds_nothing():
    assert weigh_contrasts(0.0) == (0.0, 1.0)


def test_the_more_of_the_library_is_outside_the_more_counts_the_engine():
    assert weigh_contrasts(0.5)[0] == pytest.approx(ENGINE / 2)
    assert weigh_contrasts(1.0)[0] == ENGINE


def test_regressions_fade_until_a_quarter_of_the_library_is_outside():
    counted = [weigh_contrasts(outside)[1] for outside in (0.05, 0.1, 0.2, 0.25, 0.9)]
    assert counted == pytest.approx([0.8, 0.6, 0.2, 0, 0])
    assert NEARLY_ALL == 0.25


def plainly(name, material):
    return parse_method(name).score(material, rng=np.random.default_rng(0))


def outside(share, *, material=CORPUS.material):
    return replace(material, outside=share)


def test_without_a_library_outside_all_is_as_if_there_were_no_engine():
    told = plainly("linear(library=0, regressions=1)", CORPUS.material)
    assert (without().scores.pool == told.scores.pool).all()
    assert (without().scores.seeds == told.scores.seeds).all()


def test_a_library_outside_can_be_left_out_of_it_by_parameters():
    told = plainly("linear(library=0, regressions=1)", outside(0.9))
    assert (told.scores.pool == without().scores.pool).all()


def test_with_much_of_the_library_outside_the_engine_and_divergence_alone_count():
    auto, told = (
        plainly(name, outside(0.8)) for name in ("linear", "linear(library=1.6, regressions=0)")
    )
    assert (auto.scores.pool == told.scores.pool).all()
    assert not np.allclose(auto.scores.pool, without().scores.pool)


def test_an_engine_that_counts_for_nearly_all_ranks_as_it_does():
    engine = CORPUS.material.retrieval
    found = plainly("linear(library=1000000, regressions=0)", CORPUS.material).scores
    assert spearmanr(found.pool, engine.pool).statistic > 0.999


def test_the_engine_counts_as_much_as_its_weight_says():
    material = material_of([("apple", "pear")] * 6, seeds=2)
    # Each is brought to mean 0 and deviation 1 over the pool: those of the views are (s - 2) / 2,
    # those of the engine (s - 5) / 5.
    learned = Scored(Scores(np.array([4.0, 2.0]), np.array([4.0, 0.0, 4.0, 0.0])), None)
    engine = Scores(np.array([5.0, 10.0]), np.array([10.0, 10.0, 0.0, 0.0]))
    plan = plan_of(material.with_views(EngineView(engine)), library=3.0)
    found = add_scored_parts(learned, plan, weight=1.0).scores
    assert found.pool == pytest.approx([1, 0.5, -0.5, -1])
    assert found.seeds == pytest.approx([0.25, 0.75])


def test_an_engine_that_does_not_count_leaves_what_was_learned_as_it_is():
    learned = without()
    assert add_scored_parts(learned, plan_of(CORPUS.material), weight=2.0) is learned


def test_what_the_engine_does_not_know_is_left_to_what_was_learned():
    material = material_of([("apple", "pear")] * 6, seeds=2)
    learned = Scored(Scores(np.array([4.0, 0.0]), np.array([4.0, 0.0, 4.0, 0.0])), None)
    engine = Scores(np.array([np.nan, 10.0]), np.array([10.0, 10.0, 0.0, 0.0]))
    plan = plan_of(material.with_views(EngineView(engine)), library=3.0)
    found = add_scored_parts(learned, plan, weight=1.0).scores
    assert found.seeds == pytest.approx([1, (-1 + 3) / 4])


def test_the_engine_is_explained_by_the_terms_it_was_asked_for():
    asked = (Term("title", "apple", 6.0), Term("abstract", "pear", 5.0), Term("title", "fig", 9.0))
    material = material_of([("apple", "pear")] * 3 + [("pear", "apple")], seeds=2)
    engine = EngineView(material.retrieval, asked)
    model = TermModel(material.words.terms, [engine.explain(material.words)])
    # A count of 1 is 2 in the title, for which the weight of the term stands already.
    assert contributions(model, 0) == pytest.approx({"apple": 6.0, "pear": 5.0})
    assert {term: worth for term, worth in contributions(model, 3).items() if worth} == {}


def test_both_explain_what_they_add_to_the_fused_score():
    # Deviations over the pool are 2 and 5; the weights are a quarter and three quarters.
    engine = Scores(np.array([5.0, 10.0]), np.array([10.0, 10.0, 0.0, 0.0]))
    of_pears = EngineView(engine, (Term("abstract", "pear", 5.0),))
    of_apples = EngineView(engine, (Term("title", "apple", 4.0),))
    material = material_of([("apple", "pear")] * 6, seeds=2).with_views(of_pears)
    scores = Scores(np.array([4.0, 2.0]), np.array([4.0, 0.0, 4.0, 0.0]))
    terms = material.words.terms
    learned = Scored(scores, TermModel(terms, [of_apples.explain(material.words)]))
    model = add_scored_parts(learned, plan_of(material, library=3.0), weight=1.0).model
    assert isinstance(model, TermModel)
    assert contributions(model, 0) == pytest.approx({"apple": 4 / 2 * 1 / 4, "pear": 5 / 5 * 3 / 4})


# How much views count


@pytest.mark.parametrize(("count", "negatives"), [(1, 1 / 6), (5, 0.5), (50, 50 / 55)])
def test_what_is_learned_from_negatives_counts_more_as_they_come_in(count, negatives):
    assert MANY_FOUND(count).negatives == pytest.approx(negatives)


def test_with_many_negatives_there_are_no_regressions_on_the_pool():
    assert MANY_FOUND(ENOUGH).pool == MANY_FOUND(10_000).pool == 0


def weights(way, negatives):
    material = with_negatives(off_topic(3))
    return [view.weight(negatives) for view in parts_of(material, way=WAYS.get(way))]


@pytest.mark.parametrize("way", TOLD)
def test_a_model_whose_negatives_are_all_held_out_is_as_without_them(way):
    assert weights(way, 0) == [1, 0.5, 0.5, 0, 0]


def test_each_way_has_its_weights():
    # Divergent terms, regressions of terms and topics on the pool; machines of words and topics.
    assert weights("fading", 5) == pytest.approx([1, 0.5, 0.5, 0.5, 0.5])
    assert weights("ensemble", 5) == [1, 0.5, 0.5, 1, 1]
    assert weights("pnu", 5) == [0, 0.5, 0.5, 1, 1]
    assert weights("pn", 5) == [0, 0, 0, 1, 1]


# Why


def explained(material, way="fading", *, dimensions=20):
    """Return the model learned from everything, and every document's score by it."""
    parts = parts_of(material, way=WAYS.get(way), dimensions=dimensions)
    rows = Rows(*(part.rows for part in parts))
    fused = Fused([(part.estimator, part.weight) for part in parts])
    fused.learn(
        rows[: material.seeds], rows[material.known :], rows[material.seeds : material.known]
    )
    return explain_fused(fused, parts, material=material), fused.decision_function(rows)


@pytest.mark.parametrize("way", TOLD)
def test_contributions_add_up_to_the_score_but_for_a_constant(way):
    model, scores = explained(with_negatives(off_topic(10)), way)
    sums = [sum(contributions(model, row).values()) for row in range(len(scores))]
    constants = scores - sums
    assert constants == pytest.approx(np.full(len(scores), constants[0]), abs=1e-4)
    assert scores.std() > 0.1


def test_small_words_are_no_terms():
    texts = [("insulin we", "of glucose"), ("insulin", "we of glucose")] * 5
    texts += [("sleep the", f"of dream word{n}") for n in range(30)] + [("we the", "we")]
    material = material_of(texts, seeds=5)

    def stopped(_, texts):
        return [[w for w in text.split() if w not in ("we", "of", "the")] for text in texts]

    known = {term for term in material.words.terms if term not in ("we", "of", "the")}
    model, _ = explained(replace_terms(material, stopped), dimensions=5)
    told = set(contributions(model, 0)) | set(contributions(model, 20))
    assert {"insulin", "sleep"} <= told <= known
    assert contributions(model, 40) == {}


def replace_terms(material, analyze_all) -> Material:
    """Return a material whose terms another analysis has made, with five negatives."""
    from likewise.features.terms import TermCounter
    from likewise.features.words import make_word_features

    counter = TermCounter(analyze_all)
    counter.add(material.documents)
    words = make_word_features(counter.counts([document.id for document in material.documents]))
    return replace(
        material.with_views(WordView(words)),
        analyze_all=analyze_all,
        negatives=5,
        found=5,
    )
