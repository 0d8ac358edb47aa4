"""The linear method, with and without documents that are known to be off topic."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

from learn.corpus import material_of, simulated_corpus
from likewise.features.lsa import latent_topics
from likewise.features.plain import plain_words
from likewise.learn.estimators import Fused, Rows
from likewise.learn.linear import ENOUGH, FADING, HALF, WAYS, linear_model, linear_views
from likewise.learn.material import Material
from likewise.learn.spelling import parse_method

CORPUS = simulated_corpus()
EVERY_WAY = [*WAYS, "unlabeled", "ignore"]
TOLD = list(WAYS)


def with_negatives(rows, *, corpus=CORPUS, weights=None):
    """Return a material in which these rows of the pool are known to be off topic."""
    material = corpus.material
    pool = np.setdiff1d(np.arange(material.seeds, len(material.documents)), rows)
    order = np.concatenate([np.arange(material.seeds), rows, pool]).astype(np.int64)
    return replace(
        material,
        documents=[material.documents[row] for row in order],
        words=material.words.of(order),
        negatives=len(rows),
        negative_weights=weights,
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
    assert found.model.contributions(3) == without().model.contributions(3)


def test_without_negatives_there_are_three_views():
    topics = latent_topics(CORPUS.material.words.tfidf, rng=np.random.default_rng(0))
    views = linear_views(CORPUS.material, topics=topics, strengths=(0.1, 0.03), way=FADING)
    assert [view.weight(0) for view in views] == [1, 0.5, 0.5]


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
        scored(with_negatives(rows, weights=w)).scores for w in (np.ones(6), [3, 3, 0, 0, 0, 0])
    ]
    assert not np.allclose(twice[0].pool, twice[1].pool)


def test_weights_that_are_all_1_are_no_weights():
    rows = off_topic(6)
    told, untold = (scored(with_negatives(rows, weights=w)).scores for w in (np.ones(6), None))
    assert (told.pool == untold.pool).all()


def test_plain_words_and_topics_that_were_made_before_are_used(monkeypatch):
    material = with_negatives(off_topic(5))
    topics = latent_topics(material.words.tfidf, rng=np.random.default_rng(0))
    made = replace(material, plain=plain_words(material.documents), topics=topics)
    # Dealing starts with the same numbers in both, since topics are given.
    expected = scored(replace(material, topics=topics)).scores.pool
    for name in ("linear.plain_words", "scorers.latent_topics"):
        monkeypatch.setattr(f"likewise.learn.{name}", None)
    assert (scored(made).scores.pool == expected).all()


def test_vectors_of_an_encoder_are_learned_from_too():
    material = with_negatives(off_topic(5))
    vectors = np.random.default_rng(1).normal(size=(128, 8)).astype(np.float32)
    found = scored(replace(material, vectors=vectors)).scores
    assert not np.allclose(found.pool, scored(material).scores.pool)


# How much views count


@pytest.mark.parametrize(
    ("count", "pool", "negatives"),
    [(1, 0.5 * 5 / 6, 1 / 6), (5, 0.25, 0.5), (45, 0.05, 0.9), (94, 0.5 * 5 / 99, 94 / 99)],
)
def test_what_is_learned_from_the_pool_fades_as_negatives_come_in(count, pool, negatives):
    assert FADING.pool(count) == pytest.approx(pool)
    assert FADING.negatives(count) == pytest.approx(negatives)
    assert FADING.divergence(count) == 1


def test_with_many_negatives_nothing_is_learned_from_the_pool_alone():
    assert FADING.pool(ENOUGH) == FADING.pool(10_000) == 0
    assert FADING.negatives(10_000) == pytest.approx(1, abs=1e-3)


def test_likeness_comes_and_goes():
    # A half of a half or so at 5, and at 50 ten elevenths of a half; then less and less.
    assert FADING.likeness(HALF) == pytest.approx(0.5 * 50 / 55)
    assert FADING.likeness(50) == pytest.approx(50 / 55 * 0.5)
    assert FADING.likeness(10_000) < 0.01


def weights(way, negatives):
    material = with_negatives(off_topic(3))
    topics = latent_topics(material.words.tfidf, rng=np.random.default_rng(0))
    views = linear_views(material, topics=topics, strengths=(0.1, 0.03), way=WAYS[way])
    return [view.weight(negatives) for view in views]


@pytest.mark.parametrize("way", TOLD)
def test_a_model_whose_negatives_are_all_held_out_is_as_without_them(way):
    assert weights(way, 0) == [1, 0.5, 0.5, 0, 0, 0]


def test_each_way_has_its_weights():
    # Divergent terms, regressions of terms and topics on the pool; of plain words and topics on
    # negatives; likeness.
    assert weights("fading", 5) == pytest.approx([1, 0.25, 0.25, 0.5, 0.5, 0.5 * 50 / 55])
    assert weights("ensemble", 5) == [1, 0.5, 0.5, 1, 1, 0]
    assert weights("pnu", 5) == weights("pn", 5) == [0, 0, 0, 1, 1, 0]


# Why


def explained(material, way="fading", *, dimensions=20):
    """Return the model learned from everything, and every document's score by it."""
    topics = latent_topics(
        material.words.tfidf, rng=np.random.default_rng(0), dimensions=dimensions
    )
    views = linear_views(material, topics=topics, strengths=(0.1, 0.03), way=WAYS[way])
    rows = Rows(*(view.rows for view in views))
    fused = Fused([(view.estimator, view.weight) for view in views])
    fused.learn(
        rows[: material.seeds], rows[material.known :], rows[material.seeds : material.known]
    )
    return linear_model(fused, views, words=material.words), fused.decision_function(rows)


@pytest.mark.parametrize("way", TOLD)
def test_contributions_add_up_to_the_score_but_for_a_constant(way):
    model, scores = explained(with_negatives(off_topic(10)), way)
    sums = [sum(model.contributions(row).values()) for row in range(len(scores))]
    constants = scores - sums
    assert constants == pytest.approx(np.full(len(scores), constants[0]), abs=1e-4)
    assert scores.std() > 0.1


def test_small_words_are_no_terms():
    texts = [("insulin we", "of glucose"), ("insulin", "we of glucose")] * 5
    texts += [("sleep the", f"of dream word{n}") for n in range(30)] + [("we the", "we")]
    material = material_of(texts, seeds=5)

    def stopped(_, text):
        return [word for word in text.split() if word not in ("we", "of", "the")]

    known = {term for term in material.words.terms if term not in ("we", "of", "the")}
    model, _ = explained(replace_terms(material, stopped), dimensions=5)
    told = set(model.contributions(0)) | set(model.contributions(20))
    assert {"insulin", "sleep"} <= told <= known
    assert model.contributions(40) == {}


def replace_terms(material, analyze) -> Material:
    """Return a material whose terms another analysis has made, with five negatives."""
    from likewise.features.terms import TermCounter, one_by_one
    from likewise.features.words import word_features

    counter = TermCounter(one_by_one(analyze))
    counter.add(material.documents)
    words = word_features(counter.counts([document.id for document in material.documents]))
    return replace(material, words=words, analyze_all=one_by_one(analyze), negatives=5)
