"""What scores mean."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from learn.corpus import simulated_scores
from learn.past import HIGHER, simulated_experience, simulated_task, two_tasks_of_each_kind
from likewise.errors import SeedsError
from likewise.learn.folds import Scores
from likewise.learn.judgement import Judgement, judge
from likewise.learn.precision import KNOTS
from likewise.learn.stopping import Screening
from likewise.learn.stopping.left import Standing, estimate_left
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
    return judge(scores, prior=prior)


@settings(max_examples=40, deadline=None)
@given(scores=any_scores(), prior=priors)
def test_probabilities_are_shares_and_fall_with_the_rank(scores, prior):
    ranked = np.sort(scores.pool)[::-1]
    found = judged(scores, prior).probabilities(ranked)
    assert ((found >= 0) & (found <= 1 + 1e-9)).all()
    assert (np.diff(found) <= 1e-9).all()


@settings(max_examples=40, deadline=None)
@given(scores=any_scores(), prior=priors)
def test_a_prior_that_is_known_is_the_mean_probability_of_the_pool(scores, prior):
    judgement = judged(scores, prior)
    assert judgement.prior.value == pytest.approx(prior, rel=1e-4)
    assert judgement.probabilities(scores.pool).mean() == pytest.approx(prior, rel=1e-4)


def test_it_is_however_odd_the_seeds_are():
    # All seeds score the same, between the two documents that there are.
    scores = Scores(np.zeros(5), np.array([0.1, -0.1]))
    assert judged(scores, 0.002).prior.value == pytest.approx(0.002, rel=1e-4)


def test_it_is_in_a_large_pool_too():
    scores = simulated_scores(size=20_000, prior=0.05)
    assert judged(scores, 0.05).probabilities(scores.pool).mean() == pytest.approx(0.05, rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(scores=any_scores())
def test_a_prior_that_is_estimated_is_the_mean_probability_too(scores):
    judgement = judged(scores)
    mean = judgement.probabilities(scores.pool).mean()
    assert judgement.prior.value == pytest.approx(mean, abs=1e-8)
    assert judgement.prior.low <= mean + 1e-8
    assert judgement.prior.high >= mean - 1e-8


def test_a_pool_that_is_all_on_topic_is_told_so():
    scores = simulated_scores(size=50)
    assert judged(scores, 1.0).probabilities(scores.pool) == pytest.approx(np.ones(50))


def test_the_highest_probability_is_no_decree():
    # What was said to be on topic more or less often at the top of other topics is said here.
    sure, unsure = (
        judge(SCORES, experience=two_tasks_of_each_kind(curves=(odds, odds)))
        for odds in (np.log(9), -np.log(9))
    )
    assert sure.probabilities(SCORES.pool).max() == pytest.approx(0.9, abs=0.01)
    assert unsure.probabilities(SCORES.pool).max() == pytest.approx(0.1, abs=0.01)


@settings(max_examples=40, deadline=None)
@given(scores=any_scores(), prior=priors, others=arrays(float, 20, elements=values))
def test_scores_between_those_of_the_pool_have_probabilities_between(scores, prior, others):
    judgement = judged(scores, prior)
    everyone = np.sort(np.append(scores.pool, others))
    assert (np.diff(judgement.probabilities(everyone)) >= -1e-9).all()


def test_documents_that_score_the_same_share_one_probability():
    scores = Scores(np.array([5.0, 5.0, 4.0]), np.repeat([5.0, 4.0, 3.0], 4))
    found = judged(scores, 0.4).probabilities(scores.pool)
    assert [len(set(found[first : first + 4])) for first in (0, 4, 8)] == [1, 1, 1]
    assert found[0] >= found[4] >= found[8]
    assert found.mean() == pytest.approx(0.4)


def test_a_pool_of_constant_scores_has_the_prior_everywhere():
    found = judged(Scores(np.ones(3), np.ones(40)), 0.2)
    assert found.probabilities(np.ones(2)) == pytest.approx([0.2, 0.2])


# As topics that were alike


class Outcome(NamedTuple):
    """How a task was judged, and what was true."""

    judgement: Judgement
    is_on: np.ndarray

    @property
    def is_held(self):
        prior = self.judgement.prior
        return prior.low <= self.is_on.mean() <= prior.high

    @property
    def of_best(self):
        """F1 of the list that was chosen, as a share of the best."""
        ranked = self.is_on[np.argsort(-self.judgement.scores.pool, kind="stable")]
        f1 = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + ranked.sum())
        return f1[self.judgement.length - 1] / f1.max()


@cache
def outcomes(kind):
    """Judge tasks like those that experience was made from."""
    rng, past = np.random.default_rng(1), simulated_experience()
    tasks = [simulated_task(kind, rng=rng) for _ in range(40)]
    return [
        Outcome(judge(task.scores, signs=task.signs, experience=past), task.is_on) for task in tasks
    ]


@pytest.mark.parametrize("kind", HIGHER)
def test_probabilities_are_calibrated_whatever_the_seeds(kind):
    found = [one.judgement.probabilities(one.judgement.scores.pool) for one in outcomes(kind)]
    likely, is_on = np.concatenate(found), np.concatenate([one.is_on for one in outcomes(kind)])
    for low, high in ((0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 1.01)):
        there = (likely >= low) & (likely < high)
        assert is_on[there].mean() == pytest.approx(likely[there].mean(), abs=0.15)
    assert is_on.mean() == pytest.approx(likely.mean(), rel=0.25)


@pytest.mark.parametrize("kind", HIGHER)
def test_intervals_hold_whatever_the_seeds(kind):
    # By 80 %; of forty, that is 32.
    assert 27 <= sum(one.is_held for one in outcomes(kind)) <= 39


@pytest.mark.parametrize("kind", HIGHER)
def test_the_chosen_cut_is_close_to_the_truly_best_one(kind):
    assert np.mean([one.of_best for one in outcomes(kind)]) > 0.85


def test_the_likelier_reading_is_the_right_one_mostly():
    said = {
        kind: [one.judgement.readings[0].is_corner for one in outcomes(kind)] for kind in HIGHER
    }
    assert np.mean(said["random"]) < 0.3
    assert np.mean(said["corner"]) > 0.7


def test_readings_come_with_the_likelier_first_and_their_weights_sum_up_to_1():
    for kind in HIGHER:
        for one in outcomes(kind):
            weights = [told.weight for told in one.judgement.readings]
            assert sum(weights) == pytest.approx(1)
            assert weights == sorted(weights, reverse=True)


def test_the_list_is_as_long_as_a_reading_has_it_that_is_nearly_certain():
    # By fair samples nearly nothing is on topic after the first few, by corners everything is.
    past = two_tasks_of_each_kind(values=((0.0,), (0.1,)))
    is_fair = past.kinds == "random"
    few = np.linspace(20, -100, len(KNOTS))
    past = replace(
        past,
        values=np.where(is_fair, 0.0, 9.0)[:, None] + past.values,
        curves=np.where(is_fair[:, None], few, 20.0),
    )
    past = replace(past, signs=("alike",))
    fair, corner = (judge(SCORES, signs={"alike": at}, experience=past) for at in (0.0, 9.0))
    assert [one.readings[0].is_corner for one in (fair, corner)] == [False, True]
    assert fair.length < 40
    assert corner.length == 400


def test_a_reading_that_counts_for_nothing_is_told_with_its_number():
    # Signs that differ by 4 deviations make the other reading e^-8 / 2 as likely as the nearer one.
    past = two_tasks_of_each_kind(values=((0.0,), (0.1,)))
    is_fair = past.kinds == "random"
    far = np.where(is_fair, 0.0, 1.0)[:, None] + past.values
    past = replace(past, signs=("alike",), values=far)
    told = judge(SCORES, signs={"alike": 1.0}, experience=past).readings
    assert [one.is_corner for one in told] == [True, False]
    assert told[1].left > 0


def test_the_order_of_seeds_changes_nothing():
    task = simulated_task("search", rng=np.random.default_rng(8))
    turned = task.scores._replace(seeds=task.scores.seeds[::-1])
    first, second = (judge(scores, signs=task.signs) for scores in (task.scores, turned))
    assert [*first.prior] == pytest.approx([*second.prior])
    assert first.length == second.length
    assert first.steps == pytest.approx(second.steps)


def test_the_same_scores_are_judged_the_same():
    first, second = judge(SCORES), judge(SCORES)
    assert first.prior == second.prior
    assert (first.steps == second.steps).all()


def test_what_it_went_by_is_told():
    signs = judge(SCORES, signs={"alike": -1.5}).signs
    assert signs["alike"] == -1.5
    assert signs["seeds"] == pytest.approx(np.log(30))


# Where the cut is


SCORES = simulated_scores(seeds=30, size=400, prior=0.2, gap=2)
JUDGEMENT = judge(SCORES, prior=0.2, experience=simulated_experience())
RANKED = np.sort(JUDGEMENT.probabilities(SCORES.pool))[::-1]


def length(keep, judgement=JUDGEMENT):
    """How many documents of the pool are kept."""
    return int(judgement.decide(parse_keep(keep)).sum())


@pytest.mark.parametrize("share", [0.13, 0.5, 0.95])
def test_recall_keeps_the_shortest_list_with_it(share):
    kept = length(f"recall={share}")
    assert RANKED[: kept - 1].sum() / RANKED.sum() < share <= RANKED[:kept].sum() / RANKED.sum()


def test_recall_of_1_keeps_all():
    assert length("recall=1") == 400


@pytest.mark.parametrize("share", [0.5, 0.7, 0.85])
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
    assert tied.decide(parse_keep("top=3")).tolist() == [False, True, True, True, False]


def test_the_threshold_is_the_lowest_score_of_what_is_decided():
    is_decided = JUDGEMENT.decide(parse_keep("top=7"))
    assert JUDGEMENT.threshold(parse_keep("top=7")) == SCORES.pool[is_decided].min()
    assert SCORES.pool[~is_decided].max() < SCORES.pool[is_decided].min()


def test_no_cut_has_a_higher_expected_f1_than_expected_f1():
    expected = 2 * np.cumsum(RANKED) / (np.arange(1, 401) + RANKED.sum())
    assert expected[length("expected-f1") - 1] == expected.max()


def test_f1_is_the_default_and_keeps_the_list_that_loses_least():
    assert (JUDGEMENT.decide() == JUDGEMENT.decide(parse_keep("f1"))).all()
    assert length("f1") == JUDGEMENT.length


def test_conformal_reaches_as_many_held_out_seeds_as_its_promise_takes():
    # Nine tenths of 31 is 27.9: the list reaches the 28th of 30 seeds.
    kept = JUDGEMENT.threshold(parse_keep("conformal=0.9"))
    assert (SCORES.seeds >= kept).sum() in (27, 28)
    assert np.sort(SCORES.seeds)[::-1][28] < kept


def test_no_cut_has_a_lower_balanced_error_than_ber():
    hits = np.cumsum(RANKED)
    off = np.cumsum(1 - RANKED)
    error = (1 - hits / hits[-1] + off / off[-1]) / 2
    assert error[length("ber") - 1] == pytest.approx(error.min())


def test_ratio_needs_no_prior():
    assert length("ratio") == length("ratio", judged(SCORES, 0.5))
    assert 0.5 < (SCORES.seeds >= JUDGEMENT.threshold(parse_keep("ratio"))).mean() < 1


@given(scores=any_scores())
@settings(max_examples=20, deadline=None)
def test_every_rule_cuts_every_list_somewhere(scores):
    judgement = judged(scores, 0.3)
    for keep in ("f1", "expected-f1", "recall=0.9", "precision=0.1", "top=3", "ber", "ratio"):
        assert 0 < length(keep, judgement) <= len(scores.pool)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_three_seeds_and_a_tiny_pool_can_be_judged(size):
    found = judged(Scores(np.array([1.0, 2.0, 3.0]), np.arange(float(size))))
    assert found.prior.low <= found.prior.value <= found.prior.high
    assert 0 < length("f1", found) <= size


def test_where_more_is_on_topic_more_is_estimated():
    past = simulated_experience()
    few, many = (judge(simulated_scores(prior=p), experience=past) for p in (0.03, 0.25))
    assert many.prior.value > 2 * few.prior.value


def test_without_seeds_nothing_can_be_judged():
    with pytest.raises(SeedsError, match="--method linear"):
        judged(Scores(np.array([]), np.arange(5.0)))


def test_the_place_of_a_seed_is_the_share_of_the_pool_above_it():
    assert judged(Scores(np.array([1.5]), np.arange(4.0)), 0.5).seed_places.tolist() == [0.5]


# With what was looked at

SMALL = Scores(np.array([4.5, 2.5, 0.5]), np.array([3.0, 1.0, 2.0]))
FOUND, OFF = np.array([5.0]), np.array([4.0])
NOT_READ = np.zeros(0, dtype=bool)


def looked(scores=SMALL, found=FOUND, off=OFF, **more):
    return judge(scores, found=found, off=off, **more)


@st.composite
def looked_at(draw):
    """Scores of seeds and of what was not looked at, of what was found and of what is off."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    size = draw(st.integers(3, 400))
    scores = rng.permutation(np.linspace(-3, 3, size + 10))
    kinds = rng.choice(3, size, p=[0.6, 0.2, 0.2])
    kinds[0] = 0
    seeds, pool = scores[:10], scores[10:]
    return Scores(seeds, pool[kinds == 0]), pool[kinds == 1], pool[kinds == 2]


@settings(max_examples=20, deadline=None)
@given(
    case=looked_at(), keep=st.sampled_from(["f1", "recall=0.8", "precision=0.6", "top=7", "ber"])
)
def test_the_decision_cuts_the_rest_once(case, keep):
    judgement = looked(*case)
    is_decided = judgement.decide(parse_keep(keep))
    pool = judgement.scores.pool
    assert pool[is_decided].min(initial=np.inf) > pool[~is_decided].max(initial=-np.inf)


@pytest.mark.parametrize(("number", "kept"), [(1, []), (2, [3]), (3, [3, 2]), (9, [3, 2, 1])])
def test_of_so_many_that_are_asked_for_what_was_found_is_the_first(number, kept):
    # What was found stands first; what is off topic is on no list.
    is_decided = looked().decide(parse_keep(f"top={number}"))
    assert sorted(SMALL.pool[is_decided], reverse=True) == kept


def test_what_was_found_further_down_does_not_count_before_its_place():
    is_decided = looked(found=np.array([1.5])).decide(parse_keep("top=2"))
    assert SMALL.pool[is_decided].tolist() == [3, 2]


def test_what_was_found_is_certain_to_be_part_of_the_recall():
    scores = simulated_scores(size=300)
    judgement = looked(scores, np.full(20, 9.0), OFF)
    likely = judgement.probabilities(scores.pool)
    kept = likely[judgement.decide(parse_keep("recall=0.7"))]
    # What was found stands above all of the rest; one less would be too few.
    assert (20 + kept.sum()) / (20 + likely.sum()) >= 0.7
    assert (20 + kept.sum() - kept.min()) / (20 + likely.sum()) < 0.7


def test_the_threshold_is_the_lowest_score_of_the_rest_that_is_kept():
    assert looked().threshold(parse_keep("top=3")) == 2
    assert looked().threshold(parse_keep("top=1")) == np.inf


def test_places_of_seeds_are_among_all_there_is():
    # All there is: 5 4 3 2 1.
    assert looked().seed_places == pytest.approx([1 / 5, 3 / 5, 1])


@settings(max_examples=40, deadline=None)
@given(case=looked_at())
def test_probabilities_fall_along_the_ranking_of_the_rest(case):
    judgement = looked(*case)
    pool = judgement.scores.pool
    likely = judgement.probabilities(pool[np.argsort(-pool)])
    assert (np.diff(likely) <= 0).all()
    assert ((likely >= 0) & (likely <= 1)).all()


def test_the_prior_is_what_is_left_as_a_share_of_the_rest():
    # Sessions say how many are left by the same curves, with an interval that is a count's.
    scores = simulated_scores(size=500)
    found, off = np.linspace(4, 6, 20), np.linspace(2, 5, 10)
    where = Standing(
        seeds=scores.seeds,
        looked_at=np.concatenate([found, off]),
        labels=np.arange(30) < 20,
        rest=scores.pool,
    )
    for order in (where.labels, where.labels[::-1], NOT_READ):
        read = Screening(labels=order, size=500 + len(order), scored=where.expect_by_scores())
        left, judgement = estimate_left(where, read), looked(scores, found, off, looked=read)
        assert round(500 * judgement.prior.value) == left.value
        assert judgement.probabilities(scores.pool) == pytest.approx(left.probabilities, abs=1e-6)


def test_in_which_order_things_were_found_tells_how_many_are_left():
    scores = simulated_scores(size=500)
    found, off = np.linspace(4, 6, 20), np.linspace(2, 5, 40)
    first = np.arange(60) < 20
    declining, rising = (
        looked(scores, found, off, looked=Screening(labels=order, size=560))
        for order in (first, first[::-1])
    )
    assert declining.prior.value < rising.prior.value
    assert declining.decide().sum() < rising.decide().sum()


def test_what_was_not_read_in_any_order_counts_as_labels_alone():
    scores = simulated_scores(size=500)
    found, off = np.linspace(4, 6, 20), np.linspace(2, 5, 10)
    none = looked(scores, found, off, looked=Screening(labels=NOT_READ, size=500))
    assert none.prior == looked(scores, found, off).prior


def test_a_prior_that_is_known_counts_more_than_reading():
    scores = simulated_scores(size=500)
    read = Screening(labels=np.arange(30) < 20, size=530)
    known = looked(scores, np.linspace(4, 6, 20), np.linspace(2, 5, 10), looked=read, prior=0.3)
    assert known.prior.value == pytest.approx(0.3, rel=1e-4)


def test_however_little_is_left_by_reading_some_is_likelier_than_the_rest():
    scores = simulated_scores(size=500)
    found, off = np.linspace(4, 6, 20), np.linspace(-3, 3, 400)
    read = Screening(labels=np.arange(420) < 20, size=920)
    likely = looked(scores, found, off, looked=read).probabilities(np.sort(scores.pool)[::-1])
    assert likely[0] > likely[-1] > 0


def test_the_more_is_found_to_be_off_topic_the_less_likely_is_the_rest():
    scores = simulated_scores(size=500)
    among_the_best = np.linspace(2, 5, 60)
    on, off = (
        looked(scores, *parts) for parts in [(among_the_best, OFF[:0]), (FOUND[:0], among_the_best)]
    )
    assert off.prior.value < on.prior.value
    best = np.sort(scores.pool)[-250:]
    assert (off.probabilities(best) <= on.probabilities(best)).all()


def test_the_list_is_longer_if_what_is_far_down_is_on_topic_than_if_it_is_not():
    scores = simulated_scores(size=2000, prior=0.05)
    far_down = np.quantile(scores.pool, np.linspace(0.7, 0.9, 10))
    on, off = (looked(scores, *parts) for parts in [(far_down, OFF[:0]), (FOUND[:0], far_down)])
    assert on.length > off.length


def test_forty_marks_bring_the_number_nearer_to_the_truth():
    rng, past, errors = np.random.default_rng(5), simulated_experience(), []
    for kind in (*HIGHER,) * 8:
        task = simulated_task(kind, rng=rng)
        before = judge(task.scores, signs=task.signs, experience=past)
        order = np.argsort(-task.scores.pool)
        ranks = np.geomspace(before.length / 5, 5 * before.length, 40).clip(1, 999)
        rows = order[np.unique(ranks.astype(int))]
        rest = np.setdiff1d(np.arange(1000), rows)
        after = judge(
            task.scores._replace(pool=task.scores.pool[rest]),
            signs=task.signs,
            found=task.scores.pool[rows[task.is_on[rows]]],
            off=task.scores.pool[rows[~task.is_on[rows]]],
            experience=past,
        )
        estimates = (
            1000 * before.prior.value,
            task.is_on[rows].sum() + len(rest) * after.prior.value,
        )
        errors.append([abs(np.log(estimate / task.is_on.sum())) for estimate in estimates])
    before, after = np.mean(errors, axis=0)
    # By about a third.
    assert after < 0.85 * before


def test_a_reading_that_labels_rule_out_does_no_harm():
    # By fair samples nearly all is on topic, by corners nearly nothing: e^10 a label, or more.
    past = two_tasks_of_each_kind()
    curves = np.where((past.kinds == "random")[:, None], 20.0, -20.0) * np.ones(len(KNOTS))
    found = np.linspace(4, 6, 150)
    judgement = judge(SCORES, found=found, experience=replace(past, curves=curves))
    assert not judgement.readings[0].is_corner
    assert judgement.prior.value > 0.9
    assert judgement.length == 400


def test_what_was_found_without_a_score_counts_as_the_last():
    judgement = looked(found=np.array([np.nan, 5.0]), off=np.array([np.nan]))
    assert judgement.found.tolist() == [1, 5]
    assert judgement.off.tolist() == [1]
    assert np.isfinite(judgement.probabilities(SMALL.pool)).all()


@pytest.mark.parametrize(
    "keep", ["f1", "recall=0.9", "precision=0.5", "ber", "ratio", "expected-f1"]
)
def test_a_rest_of_one_can_be_judged(keep):
    scores = Scores(SMALL.seeds, np.array([2.0]))
    assert looked(scores).decide(parse_keep(keep)).shape == (1,)


def test_zero_cuts_at_score_0():
    scores = Scores(np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 0.0, -0.1, 2.0]))
    judgement = judge(scores)
    assert judgement.decide(parse_keep("zero")).tolist() == [False, True, True, False, True]
    assert judgement.threshold(parse_keep("zero")) == 0
