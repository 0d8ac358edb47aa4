import math

import numpy as np
import pytest

from likewise.bench.measures import brier, calibration_error, covers, prior_error
from likewise.learn.priors import Prior


def flags(text):
    return np.array([letter == "1" for letter in text])


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
    metrics = pytest.importorskip("sklearn.metrics", reason="the extra bench is not installed")
    expected = metrics.brier_score_loss(relevant, probabilities)
    assert brier(probabilities, relevant) == pytest.approx(expected)


@pytest.mark.parametrize(("share", "is_covered"), [(0.1, 1), (0.3, 1), (0.31, 0), (0.05, 0)])
def test_an_interval_covers_what_is_between_its_ends_and_these(share, is_covered):
    assert covers(Prior(0.2, 0.1, 0.3), share) == is_covered


def test_the_prior_error_is_how_many_times_too_much_as_a_logarithm():
    assert prior_error(0.1, 0.2) == pytest.approx(-math.log(2))


def test_there_is_no_prior_error_of_nothing():
    assert prior_error(0.1, 0.0) is None
    assert prior_error(0.0, 0.1) is None
