"""Priors as proportions of a mixture: by hand, and how long they take."""

from time import process_time

import numpy as np
import pytest

from learn.corpus import simulated_scores
from likewise.learn.folds import Scores
from likewise.learn.priors import (
    agreeing_prior,
    condense_scores,
    dedpul,
    frequency_bound,
    km2,
    prior_of_frequency,
    tice,
)

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


def test_tice_turns_a_frequency_into_the_prior_of_the_pool():
    # Ten seeds are a quarter of 40 on topic; 30 of them are among the 300 of the pool.
    assert prior_of_frequency(0.25, seeds=10, pool=300) == pytest.approx(0.1)


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
