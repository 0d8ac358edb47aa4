"""Curves of precision by rank."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, logit

from likewise.learn.precision import (
    DRAWS,
    EDGES,
    KNOTS,
    TAIL,
    USUAL_DEVIATION,
    USUAL_SEEDS,
    WITNESS,
    Along,
    CurveReading,
    Curves,
    LikelyCount,
    RankLabels,
    RecallCurve,
    fit_curve,
    fit_recall_curve,
    list_cuts,
    log_ranks,
    normalise_readings,
    spread_over_knots,
)

COUNT = len(KNOTS)
FALLING = np.linspace(3, -6, COUNT)


def reading(mean=-1.0, *, spread=1.0, weight=1.0, kind="topic"):
    """Return a reading whose knots move together as much as alone."""
    level = np.full(COUNT, mean) if np.isscalar(mean) else mean
    covariance = spread**2 * (np.full((COUNT, COUNT), 0.5) + 0.5 * np.eye(COUNT))
    return CurveReading(kind, weight, level, covariance)


def labels(*, on=(), off=()):
    ranks = np.array([*on, *off], dtype=np.float64)
    return RankLabels(ranks, np.arange(len(ranks)) < len(on))


def level_curves(*odds, weights=None):
    count = len(odds)
    return Curves(
        np.repeat(np.array(odds), COUNT).reshape(count, COUNT),
        np.full(count, 1 / count) if weights is None else np.array(weights),
    )


def along(curves, *, size=1000, rest=None):
    return Along.of(curves, np.arange(1.0, size + 1) if rest is None else rest, size=size)


def number(of, **others):
    return along(Curves.of([of]), **others).number[0]


# Between the knots


def test_a_knot_lies_in_the_middle_of_each_stretch():
    assert np.exp(KNOTS[:3]) == pytest.approx(np.sqrt([1 * 5, 6 * 10, 11 * 20]))
    assert EDGES[-1] == 20_480


def test_between_knots_the_odds_are_straight_over_the_logarithm_of_the_rank():
    odds = np.zeros(COUNT)
    odds[3:5] = 2, 4
    for part, expected in ((0, 2), (0.25, 2.5), (0.5, 3), (1, 4)):
        rank = np.exp(KNOTS[3] + part * (KNOTS[4] - KNOTS[3]))
        found = Curves(odds[None, :], np.ones(1)).at(np.array([rank]))
        assert logit(found[0, 0]) == pytest.approx(expected)


def test_a_line_goes_on_as_a_line_beyond_the_last_knot():
    rank = 3 * np.exp(KNOTS[-1])
    assert spread_over_knots(np.log([rank])) @ KNOTS == pytest.approx([np.log(rank)])


def test_beyond_the_last_knot_a_curve_falls_as_over_the_last_few():
    odds = np.zeros(COUNT)
    odds[-1] = -2
    # As far again as these few reach: they fell by 2, and so does what is beyond.
    beyond = KNOTS[-1] + (KNOTS[-1] - KNOTS[-1 - TAIL])
    assert spread_over_knots(np.array([beyond])) @ odds == pytest.approx([-4])


def test_before_the_first_knot_a_line_goes_on_for_half_a_stretch():
    # Rank 2 is nearer to the first knot, at 2.24, than that; rank 1 is not.
    step = KNOTS[1] - KNOTS[0]
    found = spread_over_knots(np.log([2.0, 1.0])) @ KNOTS
    assert found == pytest.approx([np.log(2), KNOTS[0] - step / 2])


@given(ranks=st.lists(st.floats(1, 1e6), min_size=1, max_size=20))
def test_what_knots_count_at_a_rank_sums_up_to_1(ranks):
    assert spread_over_knots(np.log(ranks)).sum(axis=1) == pytest.approx(np.ones(len(ranks)))


# What labels say


def test_without_labels_a_reading_stays_as_it_is():
    before = reading()
    assert before.learn_labels(labels()) is before


def test_labels_on_topic_raise_the_number_and_labels_off_topic_lower_it():
    raised, lowered = (reading().learn_labels(labels(**of)) for of in ({"on": [9]}, {"off": [9]}))
    assert number(lowered) < number(reading()) < number(raised)


def test_more_labels_move_it_further():
    few, many = (number(reading().learn_labels(labels(off=range(10, 10 + n)))) for n in (2, 20))
    assert many < few < number(reading())


def test_labels_move_most_what_is_near_them():
    moved = reading().learn_labels(labels(on=[EDGES[6]] * 5)).mean - reading().mean
    near = np.argmin(np.abs(KNOTS - np.log(EDGES[6])))
    assert (moved > 0).all()
    assert abs(int(np.argmax(moved)) - near) <= 1


def test_labels_make_a_reading_surer():
    after = reading().learn_labels(labels(on=[3, 20], off=[100, 400]))
    before, now = (np.diag(one.covariance) for one in (reading(), after))
    assert (now < before).all()


def test_where_labels_contradict_each_other_a_half_is_what_they_say():
    # As many on topic as off, at the same rank, as many as it takes.
    after = reading(2.0).learn_labels(labels(on=[30] * 500, off=[30] * 500))
    assert spread_over_knots(np.log([30.0])) @ after.mean == pytest.approx([0], abs=0.05)


def test_the_mode_after_a_label_is_where_slopes_cancel_out():
    # One curve in all, so that it is a matter of one number t with variance 4 (and a little more
    # at each knot): W (1 - p) = t / 4 where p is the likelihood at t.
    level = CurveReading(
        "topic", 1.0, np.zeros(COUNT), 4 * np.ones((COUNT, COUNT)) + 1e-7 * np.eye(COUNT)
    )
    moved = level.learn_labels(labels(on=[20])).mean
    assert moved == pytest.approx(np.full(COUNT, moved[0]), abs=1e-4)
    assert WITNESS * (1 - expit(moved[0])) == pytest.approx(moved[0] / 4, abs=1e-4)


def test_a_reading_whose_labels_are_unlikely_loses_weight():
    # Both are sure of themselves: the label is e^2 times as likely by the first, and counts W.
    sure = [reading(2.0, spread=1e-4), reading(-2.0, spread=1e-4)]
    first, second = normalise_readings([one.learn_labels(labels(on=[50])) for one in sure])
    assert first.weight / second.weight == pytest.approx(np.exp(2 * WITNESS), rel=1e-3)


def test_labels_that_both_expect_leave_their_weights_alone():
    sure = [reading(-3.0, spread=1e-4, weight=0.7), reading(-3.0, spread=1e-4, weight=0.3)]
    told = normalise_readings([one.learn_labels(labels(off=[50, 60])) for one in sure])
    assert [one.weight for one in told] == pytest.approx([0.7, 0.3])


@settings(max_examples=30)
@given(
    ranks=st.lists(st.integers(1, 20_000), min_size=1, max_size=60),
    share=st.floats(0, 1),
    mean=st.floats(-8, 8),
)
def test_any_labels_can_be_taken(ranks, share, mean):
    cut = round(share * len(ranks))
    after = reading(mean, spread=3).learn_labels(labels(on=ranks[:cut], off=ranks[cut:]))
    assert np.isfinite(after.mean).all()
    assert 0 < after.weight <= 1
    assert (np.linalg.eigvalsh(after.covariance) > 0).all()


# Curves


def test_readings_that_are_normalised_sum_up_to_1():
    told = normalise_readings([reading(weight=3.0), reading(weight=1.0)])
    assert [one.weight for one in told] == pytest.approx([0.75, 0.25])


def test_curves_of_the_same_readings_are_the_same():
    of = [reading(weight=0.2), reading(2.0, weight=0.8)]
    first, second = Curves.of(of), Curves.of(of)
    assert (first.odds == second.odds).all()
    assert (first.weights == second.weights).all()


def test_each_reading_has_as_many_curves_and_they_share_its_weight():
    curves = Curves.of([reading(weight=1.0), reading(2.0, weight=3.0)])
    assert curves.odds.shape == (2 * DRAWS, COUNT)
    assert curves.weights.sum() == pytest.approx(1)
    assert curves.weights[:DRAWS].sum() == pytest.approx(0.25)


def test_the_curves_of_a_reading_lie_around_its_mean():
    odds = Curves.of([reading(FALLING, spread=2)]).odds
    # To each there is an opposite, so that their mean is exact.
    assert odds.mean(axis=0) == pytest.approx(FALLING)
    assert odds.std(axis=0) == pytest.approx(np.full(COUNT, 2), rel=0.2)


# Counts


def test_what_is_likely_of_a_count_is_that_of_its_means():
    # One that is nothing and one that is many: half of the time there is none at all.
    count = LikelyCount(np.array([1e-12, 1e6]), np.array([0.5, 0.5]), misfit=0.35)
    assert count.at_most(0) == pytest.approx(0.5)
    assert count.at_most(100) == pytest.approx(0.5)
    assert count.at_most(-1) == 0.0


@pytest.mark.parametrize("misfit", [0.0, 0.35])
def test_a_quantile_is_the_least_number_that_is_likely_enough(misfit):
    count = LikelyCount(np.array([4.0]), np.ones(1), misfit)
    number = count.quantile(0.9)
    assert count.at_most(number - 1) < 0.9 <= count.at_most(number)


def test_a_mean_that_is_exact_is_counted_as_poisson():
    # With a mean of 1, none and one are equally likely: e^-1 each.
    count = LikelyCount(np.ones(1), np.ones(1), misfit=0.0)
    assert [count.at_most(number) for number in (0, 1)] == pytest.approx(
        [np.exp(-1), 2 * np.exp(-1)]
    )


def test_a_misfit_of_next_to_nothing_is_as_good_as_none():
    of = (np.array([30.0]), np.ones(1))
    exact, nearly = (LikelyCount(*of, misfit).at_most(25) for misfit in (0.0, 2e-3))
    assert nearly == pytest.approx(exact, abs=1e-3)


def test_the_larger_the_misfit_the_wider_is_a_count():
    narrow, wide = (LikelyCount(np.array([100.0]), np.ones(1), m) for m in (0.0, 0.35))
    assert wide.quantile(0.1) < narrow.quantile(0.1)
    assert wide.quantile(0.9) > narrow.quantile(0.9)


# Along a ranking


def test_a_level_curve_expects_its_share_of_any_ranking():
    for size in (1, 7, 300, 5000):
        value = along(level_curves(logit(0.2)), size=size).number[0]
        assert value == pytest.approx(0.2 * size)


def test_before_anything_was_looked_at_one_curve_leaves_only_chance():
    # A normal variable of mean and variance 400, or nearly so, is within 1.28 deviations of 20.
    _, low, high = along(level_curves(logit(0.4))).number
    assert (low, high) == pytest.approx((400 - 25.6, 400 + 25.6), abs=2)


def test_what_was_looked_at_widens_what_a_curve_says():
    rest = np.arange(101.0, 1001)
    _, low, high = along(level_curves(logit(0.4)), rest=rest).number
    # A hundred were looked at: the misfit is 0.35 times the root of 100 / 120, of 360.
    assert (low, high) == pytest.approx((360 * (1 - 0.41), 360 * (1 + 0.41)), rel=0.07)


def test_only_what_was_not_looked_at_is_counted():
    rest = np.array([3.0, 40.0, 999.0])
    assert along(level_curves(logit(0.2)), rest=rest).number[0] == pytest.approx(0.6)


def test_a_few_curves_by_which_very_many_are_on_topic_do_not_have_the_whole_say():
    # Nine curves expect 10 and one 500: the median is 10, the mean 59.
    odds = [logit(0.01)] * 9 + [logit(0.5)]
    value, low, high = along(level_curves(*odds)).number
    assert 10 < value <= 59
    assert low <= 10
    assert high >= value


def test_the_interval_leaves_a_tenth_on_either_side():
    # Curves expect 1,000, 2,000, ... 9,000, one in nine each.
    curves = level_curves(*logit(np.arange(1, 10) / 10))
    _, low, high = along(curves, size=10_000).number
    # Nine tenths of the first curve's Poisson numbers lie below 1,041.
    assert (low, high) == pytest.approx((1000, 9000), rel=0.05)


@settings(max_examples=40)
@given(seed=st.integers(0, 99), size=st.integers(1, 30_000), looked_at=st.floats(0, 0.9))
def test_probabilities_never_rise_with_the_rank(seed, size, looked_at):
    rng = np.random.default_rng(seed)
    curves = Curves(rng.normal(0, 3, (20, COUNT)), np.full(20, 1 / 20))
    rest = np.flatnonzero(rng.uniform(size=size) >= looked_at) + 1.0
    made = along(curves, size=size, rest=rest)
    assert (np.diff(made.probabilities) <= 0).all()
    assert ((made.probabilities >= 0) & (made.probabilities <= 1)).all()
    assert made.rest.sum() == len(rest)
    low, high = made.number[1:]
    assert low <= made.number[0] <= high


def test_what_rises_is_shared_and_their_number_stays():
    # The mean of the curves rises from a half to nine in ten, at rank 10 of 100.
    odds = np.where(np.arange(COUNT) < 2, 0.0, np.where(np.arange(COUNT) < 4, 2.2, -6.0))
    made = along(Curves(odds[None], np.ones(1)), size=100)
    assert made.probabilities @ made.rest == pytest.approx(made.totals[0])
    assert 0.5 < made.probabilities[0] < 0.9


# Where to cut


def by_hand(*likely, weights=(1.0,), rest=None):
    """Return stretches of one document each, and how likely each is by each curve."""
    table = np.array(likely, dtype=np.float64)
    curves = Curves(np.zeros((len(table), COUNT)), np.array(weights))
    ends = np.arange(1, table.shape[1] + 1)
    return Along(
        curves, ends, table, np.ones(len(ends)) if rest is None else np.array(rest, float), 0
    )


def step(at, *, of, height=1.0):
    return np.where(np.arange(of) < at, height, 0.0)


@pytest.mark.parametrize("at", [1, 4, 9, 10])
def test_the_best_list_of_a_curve_that_is_a_step_ends_at_the_step(at):
    assert by_hand(step(at, of=10)).best_end() == at


def test_of_two_steps_the_likelier_one_is_taken():
    # F1 of the first 4 is 1 and 8 / 12 by the two curves, of the first 8 it is 8 / 12 and 1.
    steps = [step(4, of=12), step(8, of=12)]
    assert by_hand(*steps, weights=(0.6, 0.4)).best_end() == 4
    assert by_hand(*steps, weights=(0.4, 0.6)).best_end() == 8


def test_a_topic_that_is_hard_to_find_counts_as_much_as_one_that_is_easy():
    # Of the first 2 and of the first 10, F1 is 1 and 1 / 3 by the easy curve; by the hard one it
    # is 0.4 / 3 and 2 / 11, which is 0.73 and 1 of its best: 0.2 + 0.8 x 0.73 < 0.2 / 3 + 0.8.
    easy, hard = step(2, of=20), step(10, of=20, height=0.1)
    assert by_hand(easy, hard, weights=(0.2, 0.8)).best_end() == 10


def test_what_was_looked_at_is_in_no_list_to_be_read():
    # Of the first four, two were looked at.
    assert by_hand(step(4, of=10), rest=[0, 1, 0, 1, 1, 1, 1, 1, 1, 1]).best_end() == 2


def test_what_was_found_is_on_the_list_already():
    # By the curve 2 of 4 are on topic. Without anything found, F1 of one to four documents is
    # 1 / 3, 2 / 4, 3 / 5, 4 / 6. With 8 found it is 17 / 19, 18 / 20, 19 / 21, 20 / 22: still all.
    # Where they are hardly likely, 0.1 each, each further one lowers it: one at least is listed.
    unlikely = by_hand(np.full(4, 0.1))
    assert unlikely.best_end() == 4
    assert unlikely.best_end(found=8) == 1


# The curve of a ranking that was read


@pytest.mark.parametrize("one_in", [2, 4, 20])
def test_a_constant_share_is_recovered(one_in):
    found = fit_curve(np.arange(20_480) % one_in == one_in - 1)
    assert expit(found[3:]) == pytest.approx(np.full(COUNT - 3, 1 / one_in), rel=0.15)


def test_what_it_expects_in_all_is_what_there_was():
    rng = np.random.default_rng(4)
    is_on = rng.uniform(size=5000) < expit(4 - 1.5 * np.log(np.arange(1, 5001)))
    expected = along(Curves(fit_curve(is_on)[None, :], np.ones(1)), size=5000).number[0]
    assert expected == pytest.approx(is_on.sum(), rel=0.15)


def test_beyond_the_end_of_a_ranking_its_curve_goes_on_straight():
    # Half of the first 160, and then one in forty.
    places = np.arange(640)
    is_on = np.where(places < 160, places % 2 == 0, places % 40 == 0)
    bends = np.diff(fit_curve(is_on), n=2)
    # Stretches end at 5, 10, 20, ... 640, which is the eighth.
    assert bends[7:] == pytest.approx(np.zeros(len(bends) - 7), abs=0.01)
    assert np.abs(bends[:7]).max() > 0.1


@pytest.mark.parametrize("is_on", [np.zeros(300, bool), np.ones(300, bool), np.ones(1, bool)])
def test_a_ranking_of_one_kind_has_a_curve_too(is_on):
    assert np.isfinite(fit_curve(is_on)).all()


def test_the_rougher_it_may_be_the_closer_it_follows():
    is_on = np.arange(2000) < 80
    free, stiff = (fit_curve(is_on, roughness=r) for r in (0.01, 100.0))
    assert np.abs(np.diff(free, n=2)).max() > np.abs(np.diff(stiff, n=2)).max()


places = arrays(float, st.integers(1, 30), elements=st.floats(0, 1))


@given(above=places, size=st.integers(1, 5000))
def test_recall_rises_from_0_to_1(above, size):
    recall = fit_recall_curve(above, size=size).recall(np.linspace(0, 1, 50))
    assert recall[0] == 0
    assert recall[-1] == 1
    assert (np.diff(recall) >= 0).all()


def test_half_of_the_topic_is_above_the_middle_rank_of_the_seeds():
    # Below 10, 20 and 40 documents of very many; the middle of their logarithms is that of 20.5.
    curve = fit_recall_curve(np.array([1e-5, 2e-5, 4e-5]), size=10**6)
    assert np.exp(curve.mean) == pytest.approx((10.5 * 20.5 * 40.5) ** (1 / 3))
    assert curve.recall(np.exp([curve.mean]) / 10**6) == pytest.approx([0.5], rel=1e-3)


def test_a_rank_is_half_a_document_further_than_what_is_above():
    assert np.exp(log_ranks(np.array([0.0, 0.5, 1.0]), size=4)) == pytest.approx([0.5, 2.5, 4.5])


def test_documents_that_are_off_topic_and_below_change_hardly_anything():
    above = np.array([0.01, 0.02, 0.04])
    small, large = (fit_recall_curve(above / more, size=10_000 * more) for more in (1, 10))
    assert small.mean == pytest.approx(large.mean)
    recall = [small.recall(np.array([0.02])), large.recall(np.array([0.002]))]
    assert recall[0] == pytest.approx(recall[1], rel=0.02)


def test_many_seeds_tell_the_mean_and_the_deviation():
    ranks = np.exp(np.random.default_rng(0).normal(5, 0.8, 5000))
    curve = fit_recall_curve((ranks - 0.5) / 10**6, size=10**6)
    assert curve == pytest.approx(RecallCurve(5, 0.8, 10**6), abs=0.03)


def test_the_deviation_of_few_seeds_is_drawn_to_the_usual():
    # Three seeds at one place: two degrees of freedom without any deviation.
    curve = fit_recall_curve(np.full(3, 0.1), size=1000)
    expected = USUAL_DEVIATION * (USUAL_SEEDS / (USUAL_SEEDS + 2)) ** 0.5
    assert curve.deviation == pytest.approx(expected)


def test_the_more_seeds_the_less_it_is_drawn():
    deviations = [fit_recall_curve(np.full(n, 0.1), size=1000).deviation for n in (2, 5, 20, 100)]
    assert deviations == sorted(deviations, reverse=True)


def test_one_seed_has_the_usual_deviation():
    assert fit_recall_curve(np.array([0.5]), size=100).deviation == pytest.approx(USUAL_DEVIATION)


@given(size=st.integers(1, 100_000))
def test_lists_may_be_cut_from_the_first_document_to_the_last(size):
    lengths = list_cuts(size)
    assert (lengths[0], lengths[-1]) == (1, size)
    assert (np.diff(lengths) > 0).all()
    assert len(lengths) <= 500


def test_a_short_list_may_be_cut_anywhere():
    assert list_cuts(5).tolist() == [1, 2, 3, 4, 5]
