"""What scores mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from learn.corpus import simulated_scores
from likewise.errors import SeedsError
from likewise.learn.experience import usual_length
from likewise.learn.folds import Scores
from likewise.learn.judgement import CERTAIN, judge
from likewise.learn.priors import Prior
from likewise.learn.thresholds import parse_keep

values = st.floats(-3, 3).map(lambda value: round(value, 1))
priors = st.floats(0.001, 1)


@st.composite
def any_scores(draw):
    """Scores of up to 12 seeds and a pool of up to 700 documents, with many ties or with few."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    seeds = draw(arrays(float, st.integers(1, 12), elements=values))
    size, digits = draw(st.integers(1, 700)), draw(st.integers(0, 3))
    return Scores(seeds, rng.normal(0, 1, size).round(digits))


def judged(scores, prior=None):
    known = None if prior is None else Prior(prior, prior, prior)
    return judge(scores, rng=np.random.default_rng(0), prior=known)


@given(scores=any_scores(), prior=priors)
def test_probabilities_are_shares_and_fall_with_the_rank(scores, prior):
    ranked = np.sort(scores.pool)[::-1]
    found = judged(scores, prior).probabilities(ranked)
    assert ((found >= 0) & (found <= 1 + 1e-9)).all()
    assert (np.diff(found) <= 1e-9).all()


@given(scores=any_scores(), prior=priors)
def test_the_mean_probability_of_the_pool_is_the_prior(scores, prior):
    # The few hundred steps of a larger pool are not quite its documents.
    off = 1e-6 if len(scores.pool) <= 500 else 0.01
    assert judged(scores, prior).probabilities(scores.pool).mean() == pytest.approx(prior, rel=off)


def test_it_is_also_where_certainty_ends():
    # All seeds are at the very top, and yet half of the pool is said to be on topic.
    found = judged(Scores(np.full(20, 99.0), np.arange(100.0)), 0.5)
    probabilities = found.probabilities(np.arange(100.0))
    assert np.isclose(probabilities, CERTAIN).sum() > 10
    assert probabilities.max() == pytest.approx(CERTAIN)
    assert probabilities.mean() == pytest.approx(0.5)


def test_it_is_in_a_large_pool_too():
    scores = simulated_scores(size=20_000, prior=0.05)
    assert judged(scores, 0.05).probabilities(scores.pool).mean() == pytest.approx(0.05, rel=1e-3)


def test_a_pool_that_is_all_on_topic_is_told_so():
    scores = simulated_scores(size=50)
    assert judged(scores, 1.0).probabilities(scores.pool) == pytest.approx(np.ones(50))


@given(scores=any_scores(), prior=priors, others=arrays(float, 20, elements=values))
def test_scores_between_those_of_the_pool_have_probabilities_between(scores, prior, others):
    judgement = judged(scores, prior)
    everyone = np.sort(np.append(scores.pool, others))
    assert (np.diff(judgement.probabilities(everyone)) >= -1e-9).all()


def test_documents_that_score_the_same_share_one_probability():
    scores = Scores(np.array([5.0, 5.0, 4.0]), np.repeat([5.0, 4.0, 3.0], 4))
    found = judged(scores, 0.4).probabilities(scores.pool)
    assert len(set(found.round(12))) == 3
    assert found.mean() == pytest.approx(0.4)


def test_a_pool_of_constant_scores_has_the_prior_everywhere():
    found = judged(Scores(np.ones(3), np.ones(40)), 0.2)
    assert found.probabilities(np.ones(2)) == pytest.approx([0.2, 0.2])


def test_probabilities_are_calibrated_where_the_logarithms_of_ranks_are_normal():
    scores, is_relevant = normal_ranks(size=4000, prior=0.05, seeds=400)
    found = judged(scores, 0.05).probabilities(scores.pool)
    for low, high in ((0, 0.05), (0.05, 0.3), (0.3, 1.01)):
        there = (found >= low) & (found < high)
        assert is_relevant[there].mean() == pytest.approx(found[there].mean(), abs=0.05)


@pytest.mark.parametrize("seeds", [20, 60])
def test_the_chosen_cut_is_close_to_the_truly_best_one(seeds):
    shares = []
    for draw in range(5):
        scores, is_relevant = normal_ranks(size=4000, prior=0.05, seeds=seeds, draw=draw)
        chosen = length("expected-f1", judged(scores, 0.05))
        hits = np.cumsum(is_relevant[np.argsort(-scores.pool)])
        f1 = 2 * hits / (np.arange(1, 4001) + 200)
        shares.append(f1[chosen - 1] / f1.max())
    # The truly best cut follows the accidents of its draw; nothing can foresee these.
    assert np.mean(shares) > 0.93


def normal_ranks(*, size, prior, seeds, draw=2):
    """Scores that rank the topic so that the recall curve is right by construction."""
    rng = np.random.default_rng(draw)
    count = round(size * prior)
    at = np.exp(rng.normal(np.log(0.02), 1, count + seeds))
    pool = np.append(-at[:count], -rng.uniform(0, 1, size - count))
    return Scores(-at[count:], pool), np.arange(size) < count


SCORES = simulated_scores(seeds=30, size=400, prior=0.2, gap=2)
JUDGEMENT = judged(SCORES, 0.2)
RANKED = np.sort(JUDGEMENT.probabilities(SCORES.pool))[::-1]


def length(keep, judgement=JUDGEMENT):
    """How many documents of the pool are kept."""
    return int(judgement.decided(parse_keep(keep)).sum())


@pytest.mark.parametrize("share", [0.13, 0.5, 0.95])
def test_recall_keeps_the_shortest_list_with_it(share):
    kept = length(f"recall={share}")
    assert RANKED[: kept - 1].sum() / RANKED.sum() < share <= RANKED[:kept].sum() / RANKED.sum()


def test_recall_of_1_keeps_all():
    assert length("recall=1") == 400


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_precision_keeps_the_longest_list_with_it(share):
    kept = length(f"precision={share}")
    assert RANKED[: kept + 1].mean() < share <= RANKED[:kept].mean()


def test_a_precision_that_no_list_has_keeps_nothing():
    unsure = judged(Scores(np.ones(3), np.ones(40)), 0.2)
    assert unsure.threshold(parse_keep("precision=0.9")) == np.inf
    assert length("precision=0.9", unsure) == 0


def test_top_keeps_so_many():
    assert length("top=7") == 7


def test_more_than_the_pool_is_all_of_it():
    assert length("top=5000") == 400


def test_of_documents_that_score_the_same_the_first_go_in():
    tied = judged(Scores(np.array([3.0, 2.0]), np.array([1.0, 2.0, 2.0, 3.0, 2.0])), 0.4)
    assert tied.decided(parse_keep("top=3")).tolist() == [False, True, True, True, False]


def test_the_threshold_is_the_lowest_score_of_what_is_decided():
    is_decided = JUDGEMENT.decided(parse_keep("top=7"))
    assert JUDGEMENT.threshold(parse_keep("top=7")) == SCORES.pool[is_decided].min()
    assert SCORES.pool[~is_decided].max() < SCORES.pool[is_decided].min()


def test_no_cut_has_a_higher_expected_f1_than_expected_f1():
    expected = 2 * np.cumsum(RANKED) / (np.arange(1, 401) + RANKED.sum())
    assert expected[length("expected-f1") - 1] == expected.max()


def test_f1_is_the_default_and_as_long_as_is_usual():
    assert (JUDGEMENT.decided() == JUDGEMENT.decided(parse_keep("f1"))).all()
    assert length("f1") == usual_length(JUDGEMENT.seed_places, size=400)


def test_no_cut_has_a_lower_balanced_error_than_ber():
    hits = np.cumsum(RANKED)
    off = np.cumsum(1 - RANKED)
    error = (1 - hits / hits[-1] + off / off[-1]) / 2
    assert error[length("ber") - 1] == pytest.approx(error.min())


def test_ratio_needs_no_prior():
    assert length("ratio") == length("ratio", judged(SCORES, 0.5))
    assert 0.5 < (SCORES.seeds >= JUDGEMENT.threshold(parse_keep("ratio"))).mean() < 1


@given(scores=any_scores())
@settings(max_examples=20)
def test_every_rule_cuts_every_list_somewhere(scores):
    judgement = judged(scores, 0.3)
    for keep in ("f1", "expected-f1", "recall=0.9", "precision=0.1", "top=3", "ber", "ratio"):
        assert 0 < length(keep, judgement) <= len(scores.pool)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_three_seeds_and_a_tiny_pool_can_be_judged(size):
    found = judged(Scores(np.array([1.0, 2.0, 3.0]), np.arange(float(size))))
    assert found.prior.low <= found.prior.value <= found.prior.high
    assert 0 < length("f1", found) <= size


def test_the_prior_is_estimated_if_it_is_not_known():
    assert 0.05 < judged(simulated_scores(prior=0.2)).prior.value < 0.5


def test_without_seeds_nothing_can_be_judged():
    with pytest.raises(SeedsError, match="--method linear"):
        judged(Scores(np.array([]), np.arange(5.0)))


def test_the_place_of_a_seed_is_the_share_of_the_pool_above_it():
    assert judged(Scores(np.array([1.5]), np.arange(4.0)), 0.5).seed_places.tolist() == [0.5]
