"""Estimates of the prior, against simulated pools of known truth."""

from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from learn.corpus import simulated_scores
from likewise.learn.folds import Scores
from likewise.learn.judgement import judge
from likewise.learn.priors import (
    PRIORS,
    SPREAD,
    agreeing_prior,
    best_bin,
    condense_scores,
    dedpul,
    elkan_noto,
    estimate_by_experience,
    frequency_bound,
    km2,
    prior_with_interval,
    smallest_ratio,
    tice,
)

BY_SCORES_ALONE = [best_bin, elkan_noto, smallest_ratio, km2, tice, dedpul]
TOO_MUCH = {tice: 1.7, dedpul: 1.2}
"""TIcE's is an upper bound for 3,200 documents; kernels smooth where a density ends."""
values = st.floats(-1e3, 1e3)
any_scores = st.builds(
    Scores,
    arrays(float, st.integers(1, 12), elements=values),
    arrays(float, st.integers(1, 40), elements=values),
)


def with_interval(scores, **others):
    return prior_with_interval(scores, rng=np.random.default_rng(0), **others)


def test_every_estimator_has_a_name_and_the_first_is_the_default():
    assert {*BY_SCORES_ALONE, estimate_by_experience} == set(PRIORS.values())
    assert next(iter(PRIORS.values())) is estimate_by_experience


@pytest.mark.parametrize("estimate", BY_SCORES_ALONE)
@pytest.mark.parametrize("prior", [0.02, 0.1, 0.4])
def test_it_is_near_the_truth_where_the_topic_stands_apart(estimate, prior):
    scores = simulated_scores(seeds=200, size=3000, prior=prior, gap=8)
    assert prior / 2 < estimate(scores) < TOO_MUCH.get(estimate, 1.1) * prior


def test_the_best_bin_counts_all_documents_that_tie_with_the_last_seed():
    # Of five documents four score at least 3, as both seeds do: (4 / 5) / 1.
    scores = Scores(np.array([3.0, 3.0]), np.array([4.0, 3.0, 3.0, 3.0, 1.0]))
    assert best_bin(scores) == pytest.approx(4 / 5)


def test_the_best_bin_may_be_cut_at_a_seed_between_two_documents():
    # One document of four scores at least 3, and so does every seed: (1 / 4) / 1.
    scores = Scores(np.array([3.0, 3.5]), np.array([4.0, 2.0, 1.0, 0.0]))
    assert best_bin(scores) == pytest.approx(1 / 4)


@pytest.mark.parametrize("size", range(2, 60))
def test_the_best_bin_counts_the_same_cut_whatever_the_pools_size(size):
    # All seeds are just below the first document.
    pool = np.arange(size, 0, -1.0)
    assert best_bin(Scores(np.full(3, size - 0.5), pool)) == pytest.approx(1 / size)


def test_the_best_bin_says_one_document_at_least():
    assert best_bin(Scores(np.full(9, 5.0), np.arange(4.0))) == pytest.approx(1 / 4)


def test_the_best_bin_is_nearest_there():
    scores = simulated_scores(seeds=200, size=3000, prior=0.1, gap=8)
    assert best_bin(scores) == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize("estimate", BY_SCORES_ALONE)
@pytest.mark.parametrize("gap", [1, 1.5, 2])
def test_it_does_not_fall_far_below_the_truth_where_topics_overlap(estimate, gap):
    assert estimate(simulated_scores(seeds=100, size=2000, prior=0.1, gap=gap)) > 0.07


@pytest.mark.parametrize("estimate", BY_SCORES_ALONE)
def test_seeds_that_score_like_everyone_else_say_that_most_are_on_topic(estimate):
    assert estimate(simulated_scores(seeds=200, size=2000, prior=0.1, gap=0)) > 0.5


@pytest.mark.parametrize("estimate", PRIORS.values(), ids=PRIORS)
@given(scores=any_scores)
@settings(max_examples=30, deadline=None)
def test_it_is_a_share_whatever_the_scores(estimate, scores):
    assert 0 < estimate(scores) <= 1


@pytest.mark.parametrize("estimate", PRIORS.values(), ids=PRIORS)
def test_constant_scores_are_no_trouble(estimate):
    assert 0 < estimate(Scores(np.full(3, 0.1), np.full(30, 0.1))) <= 1


@pytest.mark.parametrize("estimate", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize(("of_seeds", "of_pool"), [([], [2e3]), ([2e4], [2e3]), ([2e4], [])])
def test_a_score_far_from_all_others_is_no_trouble(estimate, of_seeds, of_pool):
    seeds, pool, _ = simulated_scores(seeds=2000, size=3000, prior=0, gap=6)
    assert 0 < estimate(Scores(np.append(seeds, of_seeds), np.append(pool, of_pool))) <= 1


@pytest.mark.parametrize("estimate", PRIORS.values(), ids=PRIORS)
def test_shifted_and_stretched_scores_say_the_same(estimate):
    seeds, pool, _ = simulated_scores(gap=2)
    stretched = Scores(10 * seeds - 3, 10 * pool - 3)
    assert estimate(stretched) == pytest.approx(estimate(Scores(seeds, pool)), rel=1e-3)


def test_experience_says_what_a_judgement_by_scores_alone_does():
    scores = simulated_scores(gap=2)
    assert estimate_by_experience(scores) == judge(scores).prior.value


@given(scores=any_scores)
@settings(max_examples=15)
def test_the_interval_holds_the_value(scores):
    found = with_interval(scores, estimate=smallest_ratio)
    assert 0 < found.low < found.value <= found.high <= 1


def test_more_seeds_of_the_same_scores_give_a_narrower_interval():
    seeds, pool, _ = simulated_scores(seeds=8, gap=2)
    few, many = (
        with_interval(Scores(np.tile(seeds, times), pool), estimate=smallest_ratio)
        for times in (1, 10)
    )
    assert many.high / many.low < few.high / few.low


def test_the_interval_is_never_narrower_than_what_other_topics_were_off():
    found = with_interval(simulated_scores(seeds=2000, gap=2), estimate=lambda _: 0.1)
    # 80 % of a normal distribution lie within 1.2816 deviations.
    spread = np.exp(1.2816 * SPREAD)
    assert [*found] == pytest.approx([0.1, 0.1 / spread, min(1, 0.1 * spread)])


def test_the_same_rng_gives_the_same_interval():
    scores = simulated_scores(seeds=5, size=50)
    first, second = (with_interval(scores, estimate=smallest_ratio) for _ in range(2))
    assert first == second


PUBLISHED = [km2, tice, dedpul]


def far_apart(*, on_topic, size, seeds):
    """Scores of two values: those on topic, as all seeds are, and others."""
    pool = np.repeat([1.0, 0.0], [on_topic, size - on_topic])
    return Scores(np.ones(seeds), pool)


@pytest.mark.parametrize("on_topic", [10, 30, 60])
def test_km2_takes_seeds_out_until_nothing_of_them_is_left(on_topic):
    # With h = (1, 0) and f = (p, 1 - p), a f + (1 - a) h is a mixture until (1 - p) a is 1. Its
    # distance then grows at once by |f - h| for each 1 of a, wherever the threshold is.
    scores = far_apart(on_topic=on_topic, size=100, seeds=20)
    assert km2(scores) == pytest.approx(on_topic / 100, abs=0.002)


def test_tice_bounds_by_hand():
    # 0.5 - sqrt(0.25 * 0.8 / (0.2 * 16)) = 0.5 - sqrt(1 / 16).
    assert frequency_bound(8, 16, delta=0.2, frequency=0.5) == pytest.approx(0.25)
    # 0.3 - sqrt(0.09 * 0.9 / (0.1 * 100)) = 0.3 - 0.09.
    assert frequency_bound(30, 100, delta=0.1, frequency=0.1) == pytest.approx(0.21)


def test_tice_turns_a_frequency_into_the_prior_of_the_pool(monkeypatch):
    # Ten seeds are a quarter of 40 on topic; 30 of them are among the 300 of the pool.
    monkeypatch.setattr("likewise.learn.priors._find_greatest_bound", lambda *_, **__: 0.25)
    assert tice(Scores(np.arange(10.0), np.arange(300.0))) == pytest.approx(0.1)


def test_tice_looks_no_lower_than_the_share_of_seeds_in_the_part_of_the_topic():
    # 2,000 seeds and 2,000 of the pool: a half of those on topic are seeds, and c is bounded to
    # 0.5 - sqrt(0.25 * 0.975 / (0.025 * 3200)) = 0.445 first, 0.445 again with 0.445 for c: its
    # root is 0.4970 / 0.5 of the first. The prior is 0.2 (1 - c) / c.
    found = tice(far_apart(on_topic=2000, size=10_000, seeds=2000))
    assert found == pytest.approx(0.2 * (1 - 0.445) / 0.445, rel=0.02)


def test_dedpul_agrees_with_the_mean_of_probabilities():
    # p = (p / 2 + 1) / 2 where 2 p is above 1: p = 2 / 3.
    assert agreeing_prior(np.array([0.5, 2.0]), np.full(2, 0.5)) == pytest.approx(2 / 3)
    # p = 0.9 * 0.5 p + 0.1 * 1: p = 0.1 / 0.55.
    assert agreeing_prior(np.array([0.5, 6.0]), np.array([0.9, 0.1])) == pytest.approx(2 / 11)


def test_dedpul_takes_the_bend_where_no_prior_agrees():
    # The mean of p r is 0.9 p until p = 1 / 4.5, and falls away from there.
    found = agreeing_prior(np.array([0.5, 4.5]), np.array([0.9, 0.1]))
    assert found == pytest.approx(1 / 4.5, abs=0.001)


def test_dedpul_says_all_where_seeds_are_like_everyone():
    assert agreeing_prior(np.ones(3), np.full(3, 1 / 3)) == pytest.approx(1, abs=0.002)


def test_points_stand_for_all_scores():
    points = condense_scores(simulated_scores(seeds=50, size=10_000))
    assert len(points.scores) <= 200
    assert (np.diff(points.scores) > 0).all()
    assert (points.pool.sum(), points.seeds.sum()) == (pytest.approx(1), pytest.approx(1))


def test_a_few_scores_are_points_themselves():
    # The middle half of the pool goes from 1 to 3, and 2 is its middle.
    points = condense_scores(Scores(np.array([4.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0, 4.0])))
    assert points.scores.tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert points.pool.tolist() == [0.2] * 5
    assert points.seeds.tolist() == [0, 0, 0.5, 0, 0.5]


@pytest.mark.parametrize("estimate", PUBLISHED)
def test_seeds_and_pool_are_not_exchanged(estimate):
    seeds, pool, _ = simulated_scores(seeds=1000, size=1000, prior=0.2, gap=4)
    # Nothing of what is mostly off topic is in what is all on topic.
    assert estimate(Scores(pool, seeds)) != pytest.approx(estimate(Scores(seeds, pool)), rel=0.2)


@pytest.mark.parametrize("estimate", PUBLISHED)
@pytest.mark.parametrize("gap", [3, 5])
def test_a_small_topic_is_found_with_twenty_seeds(estimate, gap):
    scores = simulated_scores(seeds=20, size=10_000, prior=0.02, gap=gap)
    started = process_time()
    assert 0.01 < estimate(scores) < 0.03
    assert process_time() - started < 2
