import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench import measures
from likewise.bench.measures import (
    DecisionCounts,
    TaskKey,
    average_over_topics,
    bootstrap_mean,
    brier,
    calibration_error,
    compare_methods,
    compute_wilcoxon_p,
    correct_by_holm,
    count_decisions,
    covers,
    prior_error,
)
from likewise.errors import RunError
from likewise.learn.estimates import Interval

metrics = pytest.importorskip("sklearn.metrics", reason="the extra bench is not installed")

# 3 of the 5 on topic are decided, and 1 of the 5 off topic.
COUNTED = DecisionCounts(true_positive=3, false_positive=1, false_negative=2, true_negative=4)

both_sides = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


def flags(text):
    return np.array([letter == "1" for letter in text])


def test_documents_are_counted_by_decision_and_truth():
    assert count_decisions(flags("1110100000"), flags("1110011000")) == DecisionCounts(3, 1, 2, 4)


def test_precision_is_the_share_of_what_is_decided():
    assert measures.precision(COUNTED) == 3 / 4


def test_precision_is_0_where_nothing_is_decided():
    assert measures.precision(DecisionCounts(0, 0, 2, 3)) == 0


def test_recall_is_the_share_of_what_is_on_topic():
    assert measures.recall(COUNTED) == 3 / 5


def test_f1_is_the_harmonic_mean_of_both():
    assert measures.f1(COUNTED) == pytest.approx(2 / (4 / 3 + 5 / 3))


def test_f1_is_0_where_nothing_is_found():
    assert measures.f1(DecisionCounts(0, 0, 2, 3)) == 0


def test_accuracy_is_the_share_decided_rightly():
    assert measures.accuracy(COUNTED) == 7 / 10


def test_the_balanced_error_weighs_both_sides_alike():
    assert measures.ber(COUNTED) == pytest.approx((1 / 5 + 2 / 5) / 2)


def test_what_needs_documents_on_topic_is_not_measured_without():
    nothing = DecisionCounts(0, 1, 0, 4)
    assert measures.recall(nothing) is None
    assert measures.f1(nothing) is None
    assert measures.ber(nothing) is None


def test_the_balanced_error_is_not_measured_if_all_are_on_topic():
    assert measures.ber(DecisionCounts(3, 0, 2, 0)) is None


@given(both_sides)
def test_scikit_learn_says_the_same(pairs):
    decided, relevant = (np.array(side, dtype=bool) for side in zip(*pairs, strict=True))
    counted = count_decisions(decided, relevant)
    assert measures.precision(counted) == metrics.precision_score(
        relevant, decided, zero_division=0
    )
    assert measures.accuracy(counted) == pytest.approx(metrics.accuracy_score(relevant, decided))
    if relevant.any():
        assert measures.f1(counted) == pytest.approx(metrics.f1_score(relevant, decided))
        assert measures.recall(counted) == metrics.recall_score(relevant, decided)
    if relevant.any() and not relevant.all():
        right = metrics.balanced_accuracy_score(relevant, decided)
        assert measures.ber(counted) == pytest.approx(1 - right)


ir_measures = pytest.importorskip("ir_measures", reason="the extra bench is not installed")

lists = st.lists(st.booleans(), min_size=1, max_size=60).filter(any).map(np.array)


def ranked(text):
    """Return a ranking, best first, with 1 for what is on topic."""
    return np.array([letter == "1" for letter in text])


def test_documents_are_ranked_by_score_and_equal_ones_stay_in_order():
    scores = np.array([1.0, 2.0, 3.0, 2.0])
    relevant = np.array([True, True, False, False])
    assert measures.rank_truth(scores, relevant).tolist() == [False, True, False, True]


def test_f1_is_told_for_every_cut():
    assert measures.f1_at(ranked("1010")) == pytest.approx([2 / 3, 2 / 4, 4 / 5, 4 / 6])


def test_average_precision_is_the_mean_of_the_precisions_where_something_is_found():
    assert measures.measure_ranking(ranked("1010"))["AP"] == pytest.approx((1 / 1 + 2 / 3) / 2)


def test_the_first_ten_are_ten_even_of_a_shorter_list():
    assert measures.measure_ranking(ranked("110"))["P@10"] == pytest.approx(2 / 10)


def test_r_precision_is_that_of_as_many_as_are_on_topic():
    assert measures.measure_ranking(ranked("100110"))["RPrec"] == pytest.approx(1 / 3)


def test_recall_at_100_is_the_share_found_there():
    lengthy = np.zeros(300, dtype=bool)
    lengthy[[0, 99, 100, 299]] = True
    assert measures.measure_ranking(lengthy)["R@100"] == 2 / 4


def test_every_known_measure_has_the_name_that_ir_measures_understands():
    for name in measures.KNOWN:
        ir_measures.parse_measure(name)
    assert set(measures.measure_ranking(ranked("10"))) == set(measures.KNOWN)


def test_a_list_of_20000_keeps_its_order_though_scores_are_kept_in_few_bits():
    lengthy = np.zeros(20_000, dtype=bool)
    lengthy[19_998] = True
    assert measures.measure_ranking(lengthy)["AP"] == pytest.approx(1 / 19_999)


def test_the_best_f1_is_that_of_the_best_cut():
    # After 1: 2/3; after 2: 2/4; after 3: 4/5; after 4: 4/6.
    assert measures.best_f1(ranked("1010")) == pytest.approx(4 / 5)


def test_top_k_is_averaged_from_the_number_of_seeds_to_the_end():
    # F1 at k = 2, 3, 4: 2/4, 4/5, 4/6.
    found = measures.top_k_f1(ranked("1010"), least=2)
    assert found.mean == pytest.approx((1 / 2 + 4 / 5 + 2 / 3) / 3)
    assert found.deviation == pytest.approx(np.std([1 / 2, 4 / 5, 2 / 3]))


def test_top_k_ends_at_5000():
    lengthy = np.zeros(6000, dtype=bool)
    lengthy[0] = True
    expected = np.mean([2 / (k + 1) for k in range(4999, 5001)])
    assert measures.top_k_f1(lengthy, least=4999).mean == pytest.approx(expected)


def test_top_k_is_not_measured_on_lists_shorter_than_the_seeds():
    assert measures.top_k_f1(ranked("10"), least=3) is None


def test_the_work_saved_is_what_need_not_be_read_less_what_chance_would_save():
    # 19 of the 20 on topic are found after 30 of 100.
    order = np.zeros(100, dtype=bool)
    order[[*range(18), 29, 80]] = True
    assert measures.work_saved(order) == pytest.approx(70 / 100 - 0.05)


def test_no_work_is_saved_if_the_last_is_needed():
    assert measures.work_saved(ranked("0001")) == pytest.approx(-0.05)


def test_the_last_relevant_is_where_reading_may_end():
    assert measures.last_relevant(ranked("1001000000")) == 4 / 10


def test_the_area_counts_pairs_in_order_and_ties_half():
    # Pairs: 3>2 right, 3>1 right, 2=2 half, 2>1 right.
    scores = np.array([3.0, 2.0, 2.0, 1.0])
    assert measures.area_under_curve(scores, ranked("1100")) == 3.5 / 4


def test_there_is_no_area_with_but_one_side():
    assert measures.area_under_curve(np.array([1.0, 2.0]), ranked("11")) is None


@given(lists)
def test_all_measures_of_rankings_are_from_0_to_1(order):
    found = measures.measure_ranking(order)
    found |= {"best": measures.best_f1(order), "last": measures.last_relevant(order)}
    assert all(0 <= value <= 1 + 1e-12 for value in found.values())
    assert -0.05 - 1e-12 <= measures.work_saved(order) <= 0.95


@given(lists, st.data())
def test_average_precision_does_not_fall_when_something_on_topic_moves_up(order, data):
    place = data.draw(st.sampled_from([int(one) for one in np.flatnonzero(order)]))
    if place:
        better = order.copy()
        better[[place - 1, place]] = better[[place, place - 1]]
        before, after = (measures.measure_ranking(one)["AP"] for one in (order, better))
        assert after >= before - 1e-12


@given(lists, st.integers(0, 2**32 - 1))
def test_scikit_learn_measures_the_same_area(order, number):
    scores = np.random.default_rng(number).integers(0, 5, len(order)).astype(float)
    unique = -np.arange(len(order), dtype=float)
    known = measures.measure_ranking(order)
    assert known["AP"] == pytest.approx(metrics.average_precision_score(order, unique))
    if not order.all():
        area = metrics.roc_auc_score(order, scores)
        assert measures.area_under_curve(scores, order) == pytest.approx(area)
    precision, recall, _ = metrics.precision_recall_curve(order, unique)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    assert measures.best_f1(order) == pytest.approx(f1.max())


def test_probabilities_that_come_true_have_no_calibration_error():
    assert calibration_error(np.array([0.5, 0.5, 1.0]), flags("101")) == 0


def test_the_calibration_error_weighs_bins_by_their_size():
    # In the bin of 0.2: mean 0.2 and half on topic, off by 0.3, twice; of 0.9: off by 0.1, once.
    error = calibration_error(np.array([0.2, 0.2, 0.9]), flags("101"))
    assert error == pytest.approx((2 * 0.3 + 1 * 0.1) / 3)


def test_errors_in_opposite_directions_cancel_only_within_a_bin():
    assert calibration_error(np.array([0.05, 0.95]), flags("10")) == pytest.approx(0.95)


def test_a_probability_of_1_is_in_the_last_bin():
    assert calibration_error(np.array([1.0, 0.9]), flags("11")) == pytest.approx(0.05)


def test_brier_is_the_mean_squared_distance():
    assert brier(np.array([0.5, 0.1]), flags("10")) == pytest.approx((0.25 + 0.01) / 2)


def test_scikit_learn_says_the_same_of_brier():
    probabilities = np.random.default_rng(0).random(50)
    relevant = np.random.default_rng(1).random(50) < 0.3
    expected = metrics.brier_score_loss(relevant, probabilities)
    assert brier(probabilities, relevant) == pytest.approx(expected)


@pytest.mark.parametrize(("share", "is_covered"), [(0.1, 1), (0.3, 1), (0.31, 0), (0.05, 0)])
def test_an_interval_covers_what_is_between_its_ends_and_these(share, is_covered):
    assert covers(Interval(0.2, 0.1, 0.3), share) == is_covered


def test_the_prior_error_is_how_many_times_too_much_as_a_logarithm():
    assert prior_error(0.1, 0.2) == pytest.approx(-math.log(2))


def test_there_is_no_prior_error_of_nothing():
    assert prior_error(0.1, 0.0) is None
    assert prior_error(0.0, 0.1) is None


shares = st.lists(st.floats(0, 1), min_size=2, max_size=12)


def rng():
    return np.random.default_rng(0)


def on(**topics):
    """Return values by task: a list of draws for each topic."""
    return {
        TaskKey(20, topic, draw, f"{topic}{draw}"): value
        for topic, draws in topics.items()
        for draw, value in enumerate(draws)
    }


# Means


def test_draws_are_averaged_before_topics():
    # The first topic has three draws, and counts no more for it.
    assert average_over_topics(on(a=[0.1, 0.2, 0.3], b=[0.6]), rng=rng()).value == pytest.approx(
        0.4
    )


def test_the_same_number_draws_the_same_interval():
    assert bootstrap_mean([0.1, 0.5, 0.9], rng=rng()) == bootstrap_mean([0.1, 0.5, 0.9], rng=rng())


def test_one_topic_has_no_interval():
    assert bootstrap_mean([0.3], rng=rng()) == (0.3, None, None)


def test_two_topics_can_be_drawn_no_further_apart_than_they_are():
    # Of four equally likely samples, one has the lower topic twice and one the upper.
    mean = bootstrap_mean([0.0, 1.0], rng=rng())
    assert (mean.low, mean.high) == (0, 1)


@given(shares)
def test_an_interval_holds_its_mean_and_lies_among_the_values(values):
    mean = bootstrap_mean(values, rng=rng())
    assert min(values) - 1e-9 <= mean.low <= mean.value + 1e-9
    assert mean.value - 1e-9 <= mean.high <= max(values) + 1e-9


def test_an_interval_is_about_twice_the_standard_error_to_each_side():
    values = np.random.default_rng(1).normal(0.5, 0.1, 100)
    mean = bootstrap_mean(values, rng=rng())
    assert mean.high - mean.low == pytest.approx(2 * 1.96 * values.std() / 10, rel=0.1)


# Comparisons


def test_the_difference_is_the_first_less_the_second():
    found = compare_methods(on(a=[0.5], b=[0.7]), on(a=[0.4], b=[0.4]), rng=rng())
    assert found.difference.value == pytest.approx(0.2)


def test_only_tasks_that_both_have_are_compared():
    found = compare_methods(on(a=[0.5, 0.9], b=[0.7]), on(a=[0.4], c=[0.0]), rng=rng())
    assert found.difference.value == pytest.approx(0.1)
    assert (found.topics, found.tasks) == (1, 1)


def test_tasks_of_one_name_with_other_fingerprints_are_not_the_same():
    ours = {TaskKey(20, "a", 0, "one"): 0.5}
    theirs = {TaskKey(20, "a", 0, "other"): 0.4}
    with pytest.raises(RunError, match="no task in common"):
        compare_methods(ours, theirs, rng=rng())


def test_the_topics_of_a_comparison_are_drawn_in_pairs():
    # Topics differ widely, but the difference is the same on each.
    ours, theirs = on(a=[0.2], b=[0.5], c=[0.9]), on(a=[0.1], b=[0.4], c=[0.8])
    low, high = compare_methods(ours, theirs, rng=rng()).difference[1:]
    assert (low, high) == (pytest.approx(0.1), pytest.approx(0.1))


# Tests


def test_three_differences_of_one_sign_are_no_surprise():
    # Of the 8 equally likely signs, two are all alike.
    assert compute_wilcoxon_p([0.1, 0.2, 0.3]) == pytest.approx(2 / 8)


def test_six_differences_of_one_sign_are_one():
    assert compute_wilcoxon_p([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == pytest.approx(2 / 64)


def test_no_difference_at_all_has_a_p_of_1():
    assert compute_wilcoxon_p([0.0, 1e-17, 0.0]) == 1


def test_differences_of_0_are_left_out():
    assert compute_wilcoxon_p([0.1, 0.0, 0.2, 0.3]) == compute_wilcoxon_p([0.1, 0.2, 0.3])


def test_holm_multiplies_the_smallest_by_all_and_the_largest_by_one():
    assert correct_by_holm([0.04, 0.01, 0.005]) == pytest.approx([0.04, 0.02, 0.015])


def test_holm_lets_none_fall_below_one_that_was_smaller():
    assert correct_by_holm([0.02, 0.021]) == pytest.approx([0.04, 0.04])


def test_holm_of_nothing_is_nothing():
    assert correct_by_holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_is_between_no_correction_and_bonferronis(p_values):
    for p, corrected in zip(p_values, correct_by_holm(p_values), strict=True):
        assert min(p, 1) <= corrected <= min(1, p * len(p_values)) + 1e-12
