"""The judgement of a pool that a person has begun to look at."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.corpus import simulated_scores
from likewise.learn.folds import Scores
from likewise.learn.informed import judge_informed
from likewise.learn.judgement import CERTAIN, judge
from likewise.learn.priors import Prior
from likewise.learn.stopping.left import Standing, estimate_left
from likewise.learn.thresholds import parse_keep

SMALL = Scores(np.array([4.5, 2.5, 0.5]), np.array([3.0, 1.0, 2.0]))
FOUND, OFF = np.array([5.0]), np.array([4.0])


def judged(scores=SMALL, found=FOUND, off=OFF):
    return judge_informed(scores, found=found, off=off)


@st.composite
def looked_at(draw):
    """Scores of seeds and of a pool, all different, and what of it was found or is off."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    size = draw(st.integers(3, 400))
    scores = rng.permutation(np.linspace(-3, 3, size + 10))
    kinds = rng.choice(3, size, p=[0.6, 0.2, 0.2])
    kinds[0] = 0
    return scores[:10], scores[10:], kinds


def split(case):
    seeds, pool, kinds = case
    return Scores(seeds, pool[kinds == 0]), pool[kinds == 1], pool[kinds == 2]


# Where the cut is


@settings(max_examples=40)
@given(case=looked_at(), keep=st.sampled_from(["f1", "ratio"]))
def test_what_was_looked_at_moves_nothing_else_across_the_cut(case, keep):
    seeds, pool, kinds = case
    rest, found, off = split(case)
    before = judge(Scores(seeds, pool), rng=np.random.default_rng(0), prior=Prior(0.1, 0.05, 0.2))
    after = judged(rest, found, off).decided(parse_keep(keep))
    assert after.tolist() == before.decided(parse_keep(keep))[kinds == 0].tolist()


@settings(max_examples=20)
@given(
    case=looked_at(), keep=st.sampled_from(["f1", "recall=0.8", "precision=0.6", "top=7", "ber"])
)
def test_the_decision_cuts_the_rest_once(case, keep):
    judgement = judged(*split(case))
    is_decided = judgement.decided(parse_keep(keep))
    pool = judgement.scores.pool
    assert pool[is_decided].min(initial=np.inf) > pool[~is_decided].max(initial=-np.inf)


@pytest.mark.parametrize(("number", "kept"), [(1, []), (2, [3]), (3, [3, 2]), (9, [3, 2, 1])])
def test_of_so_many_that_are_asked_for_what_was_found_is_the_first(number, kept):
    # What was found stands first; what is off topic is on no list.
    is_decided = judged().decided(parse_keep(f"top={number}"))
    assert sorted(SMALL.pool[is_decided], reverse=True) == kept


def test_what_was_found_further_down_does_not_count_before_its_place():
    is_decided = judged(found=np.array([1.5])).decided(parse_keep("top=2"))
    assert SMALL.pool[is_decided].tolist() == [3, 2]


def test_what_was_found_is_certain_to_be_part_of_the_recall():
    scores = simulated_scores(size=300)
    judgement = judged(scores, np.full(20, 9.0), OFF)
    likely = judgement.probabilities(scores.pool)
    kept = likely[judgement.decided(parse_keep("recall=0.7"))]
    # What was found stands above all of the rest; one less would be too few.
    assert (20 + kept.sum()) / (20 + likely.sum()) >= 0.7
    assert (20 + kept.sum() - kept.min()) / (20 + likely.sum()) < 0.7


def test_the_threshold_is_the_lowest_score_of_the_rest_that_is_kept():
    assert judged().threshold(parse_keep("top=3")) == 2
    assert judged().threshold(parse_keep("top=1")) == np.inf


def test_places_of_seeds_are_among_all_there_is():
    # All there is: 5 4 3 2 1.
    assert judged().seed_places == pytest.approx([1 / 5, 3 / 5, 1])


# How likely


@settings(max_examples=40)
@given(case=looked_at())
def test_probabilities_fall_along_the_ranking_of_the_rest(case):
    judgement = judged(*split(case))
    pool = judgement.scores.pool
    likely = judgement.probabilities(pool[np.argsort(-pool)])
    assert (np.diff(likely) <= 0).all()
    assert (likely >= 0).all()
    assert (likely <= CERTAIN).all()


def test_the_prior_is_what_is_left_as_a_share_of_the_rest():
    scores = simulated_scores(size=500)
    found, off = np.linspace(4, 6, 20), np.linspace(2, 5, 10)
    left = estimate_left(
        Standing(
            seeds=scores.seeds,
            looked_at=np.concatenate([found, off]),
            labels=np.arange(30) < 20,
            rest=scores.pool,
        )
    )
    prior = judged(scores, found, off).prior
    assert [share * 500 for share in prior] == pytest.approx([left.value, left.low, left.high])


def test_the_more_is_found_to_be_off_topic_the_less_likely_is_the_rest():
    scores = simulated_scores(size=500)
    among_the_best = np.linspace(2, 5, 60)
    on, off = (
        judged(scores, *parts) for parts in [(among_the_best, OFF[:0]), (FOUND[:0], among_the_best)]
    )
    assert off.prior.value < on.prior.value
    assert (off.probabilities(scores.pool) <= on.probabilities(scores.pool)).all()


# Scores that are not known


def test_what_was_found_without_a_score_counts_as_the_last():
    judgement = judged(found=np.array([np.nan, 5.0]), off=np.array([np.nan]))
    assert judgement.found.tolist() == [1, 5]
    assert judgement.off.tolist() == [1]
    assert np.isfinite(judgement.probabilities(SMALL.pool)).all()


@pytest.mark.parametrize(
    "keep", ["f1", "recall=0.9", "precision=0.5", "ber", "ratio", "expected-f1"]
)
def test_a_rest_of_one_can_be_judged(keep):
    scores = Scores(SMALL.seeds, np.array([2.0]))
    assert judged(scores).decided(parse_keep(keep)).shape == (1,)


def test_seeds_without_a_score_leave_what_was_found_to_tell():
    judgement = judged(SMALL._replace(seeds=np.empty(0)))
    # What was found stands first of five: half of itself counts as above.
    assert judgement.seed_places == pytest.approx([0.1])
    assert np.isfinite(judgement.probabilities(SMALL.pool)).all()
