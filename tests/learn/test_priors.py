"""Estimates of the prior, against simulated pools of known truth."""

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
    best_bin,
    dedpul,
    elkan_noto,
    estimate_by_experience,
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
