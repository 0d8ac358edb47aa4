import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.measures.significance import (
    TaskKey,
    average_over_topics,
    bootstrap_mean,
    compare_methods,
    compute_wilcoxon_p,
    correct_by_holm,
)
from likewise.errors import RunError

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
