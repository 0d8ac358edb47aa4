"""Scores out of fold."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.stats import ks_2samp

from likewise.learn.estimators import DEALS, Divergence, Fused, PUEstimator, PULogistic
from likewise.learn.folds import (
    LEAST_BESIDE,
    Scores,
    count_joint_parts,
    deal_folds,
    keep_seeds_inside,
    out_of_fold,
    out_of_joint_folds,
    repeat_by_weight,
    score_at,
    share_above,
)
from likewise.learn.rows import CountedRows, Rows

SIZES = [(3, 2), (3, 5), (20, 5), (12, 100), (40, 1000)]
scores = st.floats(-100, 100).map(lambda value: round(value, 1))
pools = arrays(float, st.integers(1, 40), elements=scores)


class Spy(PUEstimator):
    """Takes numbers for rows, remembers which it was shown, and scores each by its number."""

    def __init__(self):
        self.log = []

    def learn(self, positive, unlabeled, negative=None):
        self.seen = {*positive.ravel(), *unlabeled.ravel()}
        self.negative = negative
        self.size = len(positive)
        return self

    def score_rows(self, rows):
        self.log.append((set(rows.ravel()), self.seen, self.negative))
        return rows.ravel()


def watched(seeds, pool, **others):
    """Run with seeds numbered from 0.5 and pool from 0, and return scores and what was done."""
    spy = Spy()
    found = out_of_fold(
        spy,
        np.arange(seeds)[:, None] + 0.5,
        np.arange(pool)[:, None] + 0.0,
        rng=np.random.default_rng(0),
        **others,
    )
    return found, spy.log


@pytest.mark.parametrize(("seeds", "pool"), SIZES)
def test_no_row_is_scored_by_a_model_that_saw_it(seeds, pool):
    _, log = watched(seeds, pool)
    assert all(not scored & seen for scored, seen, _ in log)


@pytest.mark.parametrize(("seeds", "pool"), SIZES)
def test_every_seed_is_scored_exactly_once(seeds, pool):
    _, log = watched(seeds, pool)
    scored = [row for rows, _, _ in log for row in rows if row % 1]
    assert sorted(scored) == [row + 0.5 for row in range(seeds)]


@pytest.mark.parametrize(("seeds", "pool"), SIZES)
def test_every_row_of_the_pool_gets_a_score_of_its_own(seeds, pool):
    found, log = watched(seeds, pool)
    assert found.pool.tolist() == list(range(pool))
    first = [row for rows, _, _ in log[: min(4, pool)] for row in rows]
    assert sorted(first) == list(range(pool))


@pytest.mark.parametrize(("seeds", "pool"), SIZES)
def test_models_that_score_the_pool_see_all_seeds(seeds, pool):
    _, log = watched(seeds, pool)
    everyone = {row + 0.5 for row in range(seeds)}
    assert all(everyone <= seen for _, seen, _ in log[: min(4, pool)])


def test_a_pool_of_one_is_scored_all_the_same():
    found, _ = watched(3, 1)
    assert found.pool.tolist() == [0]
    assert found.seeds.tolist() == [0, 0, 0]


def test_a_single_seed_is_scored_all_the_same():
    found, _ = watched(1, 10)
    assert found.seeds.shape == (1,)


def test_a_seed_gets_a_score_of_the_pool_near_its_own_place():
    found, _ = watched(20, 1000)
    # The seeds are numbered up to 20 among a pool numbered up to 1,000.
    assert found.seeds.max() < 40
    assert found.seeds.min() >= 0


def test_a_model_with_another_scale_puts_seeds_where_they_belong():
    class Louder(Spy):
        def score_rows(self, rows):
            # All models of the pool have 10 seeds, those of the seeds 9.
            return 5 * super().score_rows(rows) if self.size < 10 else rows.ravel()

    seeds, pool = np.full((10, 1), 500.5), np.arange(1000.0)[:, None]
    found = out_of_fold(Louder(), seeds, pool, rng=np.random.default_rng(0))
    assert found.seeds == pytest.approx(np.full(10, 500), abs=150)


def test_seeds_are_never_placed_among_a_handful_of_a_larger_pool():
    _, log = watched(20, 2 * LEAST_BESIDE + 1)
    beside = [len(rows) for rows, _, _ in log[4:] if 0.0 in {row % 1 for row in rows}]
    assert len(beside) == 10
    assert min(beside) >= LEAST_BESIDE


def test_models_that_score_the_pool_see_all_negatives():
    negative = np.array([[-1.0], [-2.0]])
    _, log = watched(5, 20, negative=negative)
    assert all(given is negative for _, _, given in log[:4])


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_negatives_are_held_out_as_seeds_are(count):
    found, log = watched(12, 100, negative=-1.0 - np.arange(count)[:, None])
    seen = [(rows, set() if given is None else {*given.ravel()}) for rows, _, given in log]
    assert all(not scored & given for scored, given in seen)
    scored = sorted(row for rows, *_ in log for row in rows if row < 0)
    assert scored == [-1.0 - row for row in reversed(range(count))]
    # All of them lie below the pool, which is numbered from 0.
    assert found.negatives.tolist() == [0.0] * count


def test_a_model_whose_only_negative_is_held_out_learns_without():
    _, log = watched(12, 100, negative=np.array([[-1.0]]))
    assert [given is None for rows, _, given in log if -1.0 in rows] == [True]


def test_negatives_do_not_change_how_seeds_and_pool_are_dealt():
    (without, _), (told, _) = watched(12, 300), watched(12, 300, negative=np.array([[-1.0]]))
    assert (without.seeds == told.seeds).all()
    assert (without.pool == told.pool).all()


def test_steps_are_counted_up_to_the_last():
    steps = []
    watched(12, 100, on_step=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 14) for done in range(1, 15)]


def test_models_that_learn_at_the_same_time_give_the_same_scores():
    rng = np.random.default_rng(3)
    matrix = sparse.random_array((400, 60), density=0.2, format="csr", rng=rng)
    rows = Rows(CountedRows(matrix), matrix)
    fused = Fused([(Divergence(), 1.0), (PULogistic(), 0.5)])
    fused.learn(rows[:20], rows[20:])
    one, four = (
        out_of_fold(fused, rows[:20], rows[20:], rng=np.random.default_rng(0), threads=threads)
        for threads in (1, 4)
    )
    np.testing.assert_array_equal(one.pool, four.pool)
    np.testing.assert_array_equal(one.seeds, four.seeds)


def test_the_same_rng_gives_the_same_scores():
    assert (watched(7, 30)[0].seeds == watched(7, 30)[0].seeds).all()


# Few models, each without a part of the seeds and one of the pool


def jointly(seeds, pool, *, count=5, seed=0, spy=None):
    """Run as `watched` does, and return scores, what was done, and the models."""
    spy, models = spy or Spy(), []
    found = out_of_joint_folds(
        spy,
        np.arange(seeds)[:, None] + 0.5,
        np.arange(pool)[:, None] + 0.0,
        count=count,
        rng=np.random.default_rng(seed),
        on_model=models.append,
    )
    return found, spy.log, models


LARGE = [(8, 400), (20, 1000), (3, 400), (6, 2 * LEAST_BESIDE)]


@pytest.mark.parametrize(("seeds", "pool"), LARGE)
def test_each_model_scores_just_what_it_alone_did_not_see(seeds, pool):
    _, log, models = jointly(seeds, pool)
    everything = {*np.arange(pool), *(np.arange(seeds) + 0.5)}
    for model in models:
        scored = [rows for rows, seen, _ in log if seen is model.seen]
        assert set.union(*scored) == everything - model.seen
    scored = [row for rows, _, _ in log for row in rows]
    assert sorted(scored) == sorted(everything)


@pytest.mark.parametrize(
    ("seeds", "pool", "parts"), [(20, 1000, 5), (3, 1000, 3), (20, 300, 3), (20, 10, 2), (1, 1, 2)]
)
def test_there_are_as_many_models_as_parts_have_rows_enough(seeds, pool, parts):
    assert len(jointly(seeds, pool)[2]) == count_joint_parts(seeds, pool, most=5) == parts


@pytest.mark.parametrize(("seeds", "pool"), [*SIZES, *LARGE, (1, 10), (3, 1), (1, 1)])
def test_few_rows_get_scores_too(seeds, pool):
    found, *_ = jointly(seeds, pool)
    assert (found.seeds.shape, found.pool.shape) == ((seeds,), (pool,))
    assert np.isfinite([*found.seeds, *found.pool]).all()


@pytest.mark.parametrize("pool", [2, 5, 50])
def test_a_small_pool_is_ranked_across_its_parts(pool):
    # Every model scores by the number, so that their scales are the same.
    found, *_ = jointly(4, pool)
    assert (np.diff(found.pool) > 0).all()


def test_models_of_different_scales_give_comparable_scores():
    class Moody(Spy):
        def score_rows(self, rows):
            return (100 if 0.0 in self.seen else 1) * super().score_rows(rows) + self.size

    found, *_ = jointly(20, 1000, spy=Moody())
    # Each part is a fair sample of the numbers, so a number comes to about the same in each.
    even = (np.arange(1000) - 499.5) / np.arange(1000).std()
    assert found.pool == pytest.approx(even, abs=0.35)


def test_a_seed_is_placed_among_those_that_its_model_did_not_see():
    found, *_ = jointly(20, 1000)
    # The seeds are numbered up to 20 among a pool numbered up to 1,000.
    assert found.seeds.max() < np.quantile(found.pool, 0.05)


def test_joint_folds_come_from_the_rng():
    first, again, other = (jointly(9, 400, seed=seed)[0] for seed in (1, 1, 2))
    assert (first.pool == again.pool).all()
    assert (first.seeds == again.seeds).all()
    assert (first.pool != other.pool).any()


def test_the_estimator_that_is_given_learns_nothing_itself():
    spy = Spy()
    jointly(9, 400, spy=spy)
    assert not hasattr(spy, "seen")


# Negatives, dealt to few models as well


class Noting(Spy):
    """Remembers of each model what it learned from, by group."""

    def learn(self, positive, unlabeled, negative=None):
        self.unlabeled = unlabeled.ravel().tolist()
        self.known = [] if negative is None else negative.ravel().tolist()
        return super().learn(positive, unlabeled, negative)


def with_negatives(count, *, pool=1000, weights=None):
    """Run with negatives numbered from -1 down, and return scores and the models."""
    models = []
    found = out_of_joint_folds(
        Noting(),
        np.arange(20)[:, None] + 0.5,
        np.arange(pool)[:, None] + 0.0,
        negative=-1.0 - np.arange(count)[:, None],
        weights=weights,
        count=5,
        rng=np.random.default_rng(0),
        on_model=models.append,
    )
    return found, models


@pytest.mark.parametrize("count", [1, 2, 4, 5, 50])
def test_no_negative_is_scored_by_a_model_that_saw_it(count):
    _, models = with_negatives(count)
    log = models[0].log
    assert all(not scored & seen for scored, seen, _ in log)
    scored = sorted(row for rows, *_ in log for row in rows if row < 0)
    assert scored == [-1.0 - row for row in reversed(range(count))]


def test_models_see_negatives_among_the_unlabeled_too():
    _, models = with_negatives(50)
    assert all(len(model.known) == 40 for model in models)
    assert all(set(model.known) <= set(model.unlabeled) for model in models)


def test_a_model_that_is_left_no_negative_learns_without():
    _, models = with_negatives(1)
    assert sorted(model.known for model in models) == [[], [-1.0], [-1.0], [-1.0], [-1.0]]
    assert [model.negative is None for model in models] == [not model.known for model in models]


def test_negatives_are_scored_on_the_scale_of_the_pool():
    found, _ = with_negatives(50)
    # All models score by the number: -1 to -50 lie just below a pool of 0 to 999.
    below = (np.arange(-1, -51, -1) - 499.5) / np.arange(1000).std()
    assert found.negatives == pytest.approx(below, abs=0.2)


@pytest.mark.parametrize("pool", [1, 5, 50])
def test_negatives_beside_a_tiny_pool_are_scored_too(pool):
    found, _ = with_negatives(3, pool=pool)
    assert found.negatives.shape == (3,)
    assert np.isfinite(found.negatives).all()


def test_without_negatives_none_is_scored():
    found, *_ = jointly(20, 1000)
    assert found.negatives.shape == (0,)


def test_a_negative_that_counts_more_is_shown_more_often_but_among_the_unlabeled_once():
    _, models = with_negatives(3, weights=np.array([0.5, 1.0, 1.5]))
    shown = next(model for model in models if len(set(model.known)) == 3)
    assert [shown.known.count(row) for row in (-1.0, -2.0, -3.0)] == [1, 2, 3]
    assert [shown.unlabeled.count(row) for row in (-1.0, -2.0, -3.0)] == [1, 1, 1]


@given(weights=arrays(float, st.integers(1, 20), elements=st.floats(0.01, 100)))
def test_every_row_is_taken_and_those_that_count_more_no_less_often(weights):
    times = np.bincount(repeat_by_weight(weights), minlength=len(weights))
    assert times.min() >= 1
    assert (np.diff(times[np.argsort(weights)]) >= 0).all()


@given(size=st.integers(1, 60), count=st.integers(1, 12))
def test_folds_are_even_and_none_is_empty(size, count):
    dealt = deal_folds(size, count, rng=np.random.default_rng(0))
    sizes = np.bincount(dealt)
    assert len(sizes) == min(max(count, 2), size)
    assert sizes.max() - sizes.min() <= 1


HIDDEN = 150


@pytest.fixture(scope="module")
def simulated():
    """On topic is drawn from one normal distribution, for seeds and pool alike."""
    rng = np.random.default_rng(1)
    seeds, hidden = rng.normal(0.25, 1, (80, 60)), rng.normal(0.25, 1, (HIDDEN, 60))
    pool = np.append(hidden, rng.normal(0, 1, (500, 60)), 0)
    estimator = PULogistic().learn(seeds, pool)
    return seeds, pool, estimator, out_of_fold(estimator, seeds, pool, rng=rng)


def test_held_out_seeds_score_as_the_hidden_positives_do(simulated):
    *_, found = simulated
    assert ks_2samp(found.seeds, found.pool[:HIDDEN]).pvalue > 0.1


def test_seeds_held_out_by_few_models_score_as_the_hidden_positives_do(simulated):
    seeds, pool, estimator, _ = simulated
    rng = np.random.default_rng(2)
    found = out_of_joint_folds(estimator, seeds, pool, count=5, rng=rng)
    assert ks_2samp(found.seeds, found.pool[:HIDDEN]).pvalue > 0.1


def test_a_model_that_saw_the_seeds_scores_them_higher(simulated):
    seeds, pool, estimator, _ = simulated
    hidden = estimator.decision_function(pool)[:HIDDEN]
    higher = ks_2samp(estimator.decision_function(seeds), hidden, alternative="less")
    assert higher.pvalue < 1e-4


def test_a_model_that_saw_hidden_positives_pushes_them_down(simulated):
    _, pool, estimator, found = simulated

    def lead(scores):
        return scores[:HIDDEN].mean() - scores[HIDDEN:].mean()

    assert lead(estimator.decision_function(pool)) < lead(found.pool)


def test_a_start_from_a_model_that_saw_them_leaks_nothing(simulated):
    seeds, pool, estimator, _ = simulated
    started, fresh = (
        out_of_fold(given, seeds, pool, rng=np.random.default_rng(1))
        for given in (estimator, PULogistic())
    )
    in_sample = estimator.decision_function(pool)
    assert abs(started.pool - fresh.pool).max() < 0.02 * abs(in_sample - fresh.pool).mean()


@given(pool=pools)
def test_a_share_gives_its_score_back(pool):
    assert score_at(share_above(pool, pool), pool) == pytest.approx(pool)


@given(pool=arrays(float, st.integers(1, 40), elements=scores, unique=True))
def test_a_score_gives_its_share_back(pool):
    places = (np.arange(len(pool)) + 0.5) / len(pool)
    assert share_above(score_at(places, pool), pool) == pytest.approx(places)


@given(pool=pools, some=arrays(float, 5, elements=scores))
def test_the_higher_a_score_the_fewer_are_above(pool, some):
    above = share_above(np.sort(some), pool)
    assert (np.diff(above) <= 0).all()
    assert ((above >= 0) & (above <= 1)).all()


def test_those_that_score_the_same_count_half():
    assert share_above(np.array([2.0]), np.array([1.0, 2.0, 2.0, 3.0])).tolist() == [0.5]


def test_beyond_the_pool_is_its_best_or_its_last_score():
    assert score_at(np.array([0.0, 1.0]), np.array([7.0, 5.0, 9.0])).tolist() == [9, 5]


def test_of_what_is_not_known_nothing_is_said():
    pool = np.array([1.0, 2.0])
    assert np.isnan(share_above(np.array([np.nan]), pool)).all()
    assert np.isnan(score_at(np.array([np.nan]), pool)).all()


def test_infinite_scores_have_places_too():
    assert share_above(np.array([np.inf, -np.inf]), np.array([1.0, 2.0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("is_inside", "kept"),
    [
        ([True, True, True, False, True], [1, 2, 3]),
        ([True, True, False, False, True], [1, 2, 3, 4]),
    ],
)
def test_seeds_that_would_be_retrieved_decide_unless_they_are_fewer_than_three(is_inside, kept):
    scores = Scores(np.array([1.0, 2.0, 3.0, 4.0, np.nan]), np.zeros(2))
    assert keep_seeds_inside(scores, np.array(is_inside)).seeds.tolist() == kept


class Watched(PULogistic):
    """Remembers the rows that copies of it learned from."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def learn(self, positive, unlabeled, negative=None):
        self.shown.append(unlabeled[:, 0].tolist())
        return super().learn(positive, unlabeled, negative)


def numbered(count, *, rng):
    """Rows whose first cell is their number."""
    return np.column_stack([np.arange(count), rng.normal(size=count)])


JOINT = partial(out_of_joint_folds, count=3)


@pytest.mark.parametrize("scored", [out_of_fold, JOINT], ids=["folds", "joint folds"])
def test_no_model_learns_from_unseen_rows(scored):
    rng = np.random.default_rng(0)
    watched = Watched()
    scored(watched, numbered(6, rng=rng), numbered(40, rng=rng), rng=rng, unseen=10)
    assert max(max(shown) for shown in watched.shown) == 29


@pytest.mark.parametrize("scored", [out_of_fold, JOINT], ids=["folds", "joint folds"])
def test_unseen_rows_are_scored_too(scored):
    rng = np.random.default_rng(0)
    positive = rng.normal(4, 1, size=(9, 2))
    unlabeled = np.vstack([rng.normal(0, 1, size=(300, 2)), rng.normal(4, 1, size=(5, 2))])
    scores = scored(PULogistic(), positive, unlabeled, rng=rng, unseen=5)
    assert scores.pool[300:].min() > np.quantile(scores.pool[:300], 0.95)


def test_a_seeds_place_does_not_depend_on_unseen_rows():
    positive, unlabeled = np.array([[3.0], [3.1], [2.9]]), np.linspace(0, 1, 200)[:, None]
    far = np.full((50, 1), 100.0)
    scores = out_of_fold(
        PULogistic(),
        positive,
        np.vstack([unlabeled, far]),
        rng=np.random.default_rng(0),
        unseen=50,
    )
    assert scores.seeds.max() <= scores.pool[:200].max()


def test_scores_of_several_deals_are_their_mean():
    rng = np.random.default_rng(1)
    on, pool = rng.normal(1, 1, (12, 3)), rng.normal(0, 1, (90, 3))
    estimator = PULogistic().learn(on, pool)
    rng = np.random.default_rng(3)
    alone = [out_of_fold(estimator, on, pool, rng=rng).pool for _ in range(2)]
    estimator.deals = 2
    together = out_of_fold(estimator, on, pool, rng=np.random.default_rng(3))
    assert together.pool == pytest.approx(np.mean(alone, axis=0))


def test_of_very_many_rows_one_deal_is_enough(monkeypatch):
    rows = sparse.csr_array(np.eye(4))
    monkeypatch.setattr("likewise.learn.estimators.MANY_ROWS", 3)
    assert Divergence().learn(rows, rows).deals == 1
    assert Divergence().learn(rows, rows[:3]).deals == DEALS


def test_a_fusion_has_as_many_deals_as_its_slowest_part_that_weighs_something():
    rows = Rows(np.eye(4), np.eye(4))
    quick, slow = Divergence(), PULogistic()
    assert Fused([(quick, 1.0), (slow, 0.0)]).learn(rows, rows).deals == DEALS
    assert Fused([(quick, 1.0), (slow, 1.0)]).learn(rows, rows).deals == 1


def test_zero_stays_zero_where_it_is_asked_for():
    rows = np.arange(400)[:, None] - 150.0
    found = out_of_joint_folds(
        Spy(),
        np.arange(8)[:, None] + 0.5,
        rows,
        count=4,
        rng=np.random.default_rng(0),
        center="zero",
    )
    assert (np.sign(found.pool) == np.sign(rows.ravel())).all()
    # Four parts of a hundred, each of deviation 1 by itself.
    assert found.pool.std() == pytest.approx(1, abs=0.05)
